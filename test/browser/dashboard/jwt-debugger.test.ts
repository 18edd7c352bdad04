// The JWT debugger: what a token says and whether it is good, without a request once the page is there.

import { expect, inject, it } from 'vitest'
import { callTokenEndpoint, registerClient } from '../../support/applications.ts'
import { visit } from './visitor.ts'

/** A JWT access token of the stack's OAuth2 server. */
async function signedToken(fields = {}): Promise<string> {
  const client = await registerClient({ access_token_strategy: 'jwt', ...fields })
  const answer = await callTokenEndpoint(client, { grant_type: 'client_credentials', scope: 'read' })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return token
}

/** The server makes its keys when they are first asked for, which a busy machine takes longer for than Quoin waits. */
async function keysAreThere(): Promise<void> {
  const status = async () => (await fetch(`${inject('stack').base_url}/api/oauthsrv/jwks`)).status
  await expect.poll(status, { timeout: 60_000 }).toBe(200)
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as object

it('judges good, changed, expired, unsigned and broken tokens, and asks nobody about them', async () => {
  const token = await signedToken()
  await keysAreThere()
  const short = await signedToken({ access_token_ttl: 1 })
  const [head, body, signature] = token.split('.')
  const changed = encode({ ...decode(body), sub: 'eve' })
  await using seat = await visit('/oauth2/jwt-debugger')
  const { page } = seat
  await page.getByText('This page fetched').waitFor()
  const field = page.getByRole('textbox', { name: 'Token' })
  const judgement = page.getByRole('region', { name: 'Judgement' })
  const paste = async (text: string) => {
    await page.evaluate(copied => navigator.clipboard.writeText(copied), text)
    await field.press('ControlOrMeta+a')
    await field.press('ControlOrMeta+v')
  }
  await field.focus()
  await page.waitForLoadState('networkidle')
  const requests: string[] = []
  page.on('request', request => requests.push(request.url()))

  await paste(`Bearer ${token}`)
  await judgement.getByText('Verified').waitFor()
  expect(await judgement.textContent()).toContain('Not expired')
  expect(await judgement.textContent()).toContain('This OAuth2 server')
  const payload = page.getByRole('region', { name: 'Payload' })
  expect(await payload.textContent()).toContain('When it expires')
  expect(await payload.textContent()).toMatch(/in 60 minutes|in 1 hour/)

  await paste(`${head}.${changed}.${signature}`)
  await judgement.getByText('Wrong').waitFor()
  await page.getByText('header, payload or signature was changed').waitFor()

  // Signed well, and over in a second: the page says so without being asked again.
  await paste(short)
  await judgement.getByText('Verified').waitFor()
  await judgement.getByText('Expired', { exact: true }).waitFor()

  await paste(`${encode({ alg: 'none' })}.${body}.`)
  await judgement.getByText('Not verifiable').waitFor()
  await judgement.getByText('nobody has signed it').waitFor()

  await paste(`${encode({ alg: 'RS256', kid: 'gone' })}.${body}.${signature}`)
  await judgement.getByText('Key “gone” is not among').waitFor()

  await paste(`${head}.%${body}.${signature}`)
  await page.getByRole('alert').getByText('Payload: it cannot be read').waitFor()
  await page.getByRole('alert').getByText('Character 1, “%”').waitFor()

  await paste('what is this.')
  await page.getByRole('alert').getByText('Not a JWT').waitFor()
  expect(requests).toEqual([])
  expect(page.url()).not.toContain('?')
  expect(seat.complaints).toEqual([])
})

it('says that it could not read the keys, and takes a token that was pasted into the search', async () => {
  const token = await signedToken()
  await keysAreThere()
  await using seat = await visit('/keys')
  const { page } = seat
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await page.route('**/api/oauthsrv/jwks', route => route.abort())
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('A view, a name, an id, or a token').fill(token)
  await page.getByRole('option', { name: 'Decode this JWT' }).click()
  await page.getByRole('textbox', { name: 'Token' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Token' }).inputValue()).toBe(token)
  await page.getByText('The public keys could not be read').waitFor()
  await page.unroute('**/api/oauthsrv/jwks')
  await page.getByRole('region', { name: 'Judgement' }).getByText('Verified').waitFor()
  expect(page.url()).not.toContain(token)
})

it('stands what nobody would sign', async () => {
  await using seat = await visit('/oauth2/jwt-debugger')
  const { page } = seat
  const field = page.getByRole('textbox', { name: 'Token' })
  const payload = page.getByRole('region', { name: 'Payload' })
  const head = encode({ alg: 'constructor' })
  const tokenOf = (json: string) => `${head}.${Buffer.from(json).toString('base64url')}.c2ln`

  // As an element for each part it takes the page minutes.
  await field.fill('.'.repeat(100_000))
  await page.getByRole('alert').getByText('It has 100001 parts').waitFor()
  expect(await page.locator('main span').count()).toBeLessThan(1_000)

  await field.fill(
    tokenOf('{"__proto__": "first", "toString": "second", "n": 9007199254740993, "iat": 1.10}'),
  )
  await payload.getByText('first').waitFor()
  expect(await payload.getByText('Not a registered name').count()).toBe(3)
  for (const number of ['9007199254740993', '1.10'])
    await payload.getByText(number, { exact: true }).waitFor()
  await page.getByText('“constructor” is no algorithm').waitFor()

  await field.fill(tokenOf(`{"deep": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`))
  await payload.getByText('Nested too deeply to be shown.').waitFor()

  await field.fill(tokenOf(`{"long": "${'x'.repeat(12_000)}"}`))
  await payload.getByText('and 2,000 characters more').waitFor()
  expect(seat.complaints).toEqual([])
})
