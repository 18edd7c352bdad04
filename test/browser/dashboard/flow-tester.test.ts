// The flow tester: whole runs of the three flows against the stack's OAuth2 server, and what it says of refusals.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { dashboard, introspect, registerClient } from '../../support/applications.ts'
import { lastCopied, listenForComplaints, type Visit, visit } from './visitor.ts'

const run = promisify(execFile)
const { oauth_public_url: SERVER, dashboard_url: DASHBOARD } = inject('stack')

interface Client {
  client_id: string
  redirect_uris: string[]
}
const allClients = () => dashboard<Client[]>('GET', '/clients')

const step = (page: Page, number: number) =>
  page.getByRole('region', { name: new RegExp(`^Step ${number}: `) })
const messages = (page: Page) => page.getByRole('log', { name: 'Messages so far' })

/** The id of the client that is chosen, as the address has it. */
async function chosenClient(page: Page): Promise<string> {
  await page.getByText('Made for this visit').waitFor()
  return new URL(page.url()).searchParams.get('client') ?? ''
}

/** Clicks the button and gives the window that opens; whatever it complains of counts too. */
async function openWindow({ page, complaints }: Visit, name: string): Promise<Page> {
  const [opened] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name }).click()])
  const heard = listenForComplaints(opened)
  opened.on('close', () => complaints.push(...heard))
  return opened
}

/** The newest answer in a step, as JSON. */
async function bodyIn(page: Page, number: number): Promise<Record<string, unknown>> {
  return JSON.parse((await step(page, number).locator('pre').last().textContent()) ?? '')
}

it('runs the code flow with PKCE, uses the tokens, ends the grant, and leaves nothing behind', async () => {
  await using seat = await visit('/oauth2/flow-tester')
  const { page } = seat
  await page.getByRole('button', { name: 'Make a test client' }).first().click()
  const clientId = await chosenClient(page)
  expect((await allClients()).find(({ client_id: id }) => id === clientId)?.redirect_uris).toEqual([
    `${DASHBOARD}/oauth2/flow-tester/callback`,
  ])

  await page.getByRole('button', { name: 'Prepare the request' }).click()
  const signIn = await openWindow(seat, 'Open the sign-in window')
  const closed = signIn.waitForEvent('close')
  await signIn.getByRole('button', { name: 'Approve', exact: true }).click()
  await closed
  const checks = page.getByRole('list', { name: 'Checks of the callback' })
  await checks.getByText('state right').waitFor()
  // Known from what came back, and said to be.
  await messages(page).getByText('Signed in, agreed').waitFor()
  await messages(page).getByText('(not seen from here)').first().waitFor({ state: 'attached' })

  await page.getByRole('button', { name: 'Exchange the code', exact: true }).click()
  const tokenChecks = page.getByRole('list', { name: 'Checks of the ID token' })
  for (const name of ['iss', 'aud', 'nonce']) await tokenChecks.getByText(`${name} right`).waitFor()
  const first = await bodyIn(page, 3)
  expect(await introspect(String(first['access_token']))).toMatchObject({ active: true, client_id: clientId })

  await page.route('**/userinfo', async route => {
    const response = await route.fetch()
    const body = (await response.text()).replace('{', '{"n":9007199254740993,"m":1.10,')
    await route.fulfill({ response, body })
  })
  await page.getByRole('button', { name: 'Call userinfo' }).click()
  await messages(page).getByText('200 · sub').waitFor()
  expect(await bodyIn(page, 4)).toMatchObject({ sub: inject('stack').admin_identity_id })
  await step(page, 4).getByText('"n": 9007199254740993,\n  "m": 1.10,').waitFor()
  await page.getByRole('button', { name: 'Introspect access token' }).click()
  await messages(page).getByText('200 · active: true').waitFor()
  await step(page, 4).getByRole('button', { name: 'Copy as curl' }).last().click()
  const curl = await lastCopied(page)
  const own = curl.replace('YOUR_SESSION_COOKIE', inject('stack').session_cookie_admin ?? '')
  const { stdout } = await run('sh', ['-c', `${own} --silent`])
  expect(JSON.parse(stdout)).toMatchObject({ active: true, client_id: clientId })
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  await messages(page).getByText('200 · access_token').nth(1).waitFor()
  const second = await bodyIn(page, 4)
  expect(await introspect(String(second['access_token']))).toMatchObject({ active: true })

  // A refresh token that comes twice was stolen from somebody: all of the grant ends.
  await page.getByRole('button', { name: 'Use the old refresh token again' }).click()
  await messages(page).getByText('400 · invalid_grant').waitFor()
  await messages(page).getByText('200 · active: false').waitFor()
  expect(await introspect(String(second['access_token']))).toEqual({ active: false })
  await page.getByRole('alert').getByText('The server refused: invalid_grant').waitFor()

  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]),
  )
  for (const secret of [first['access_token'], second['refresh_token'], first['id_token']])
    expect(kept + page.url()).not.toContain(secret)

  await page.getByRole('link', { name: 'API keys' }).click()
  await expect.poll(async () => (await allClients()).some(({ client_id: id }) => id === clientId)).toBe(false)
  expect(seat.complaints).toEqual([])
})

it('runs client credentials with a secret that is typed in, and explains what is refused', async () => {
  const name = `flow ${crypto.randomUUID()}`
  const client = await registerClient({
    client_name: name,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    scope: 'read write',
  })
  await using seat = await visit('/oauth2/flow-tester?flow=client_credentials')
  const { page } = seat
  await page.getByRole('combobox', { name: 'Client' }).click()
  await page.getByPlaceholder('Name or id').fill(name)
  await page.getByRole('option', { name }).click()
  await page.getByText('Confidential: secret in a header').waitFor()
  const ask = page.getByRole('button', { name: /^Ask for a token/ })

  await ask.click()
  await page.getByRole('alert').getByText('The server refused: invalid_client').waitFor()
  // It is covered, and opens where somebody wants to type.
  await page.getByRole('textbox', { name: 'Client secret' }).click()
  await page.getByRole('textbox', { name: 'Client secret' }).fill(client.client_secret ?? '')
  await page.getByLabel('Scope').fill('read admin')
  await ask.click()
  await page.getByRole('alert').getByText("admin is not among the client's scopes").waitFor()
  await page.getByLabel('Scope').fill('read')
  await ask.click()
  await messages(page).getByText('200 · access_token').waitFor()
  const { access_token: token } = await bodyIn(page, 1)
  expect(await introspect(String(token))).toMatchObject({ active: true, scope: 'read' })

  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const curl = await lastCopied(page)
  expect(curl).toContain(`curl -X POST '${SERVER}/oauth2/token'`)
  expect(curl).toContain(`-H 'Authorization: Basic `)
  // It stays covered where the request is shown, whichever way it is written there.
  const shown = await page.locator('main').innerText()
  const secret = client.client_secret ?? ''
  for (const form of [secret, btoa(`${client.client_id}:${secret}`)]) expect(shown).not.toContain(form)
  expect(
    page.url() + (await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))),
  ).not.toContain(secret)
  await page.getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(() => introspect(String(token))).toEqual({ active: false })
  expect(seat.complaints).toEqual([])
})

it('runs the device flow for a member: asks while nobody has agreed, and gets the tokens afterwards', async () => {
  await using seat = await visit('/oauth2/flow-tester?flow=device', { who: 'user' })
  const { page } = seat
  await page.getByRole('button', { name: 'Make a test client' }).first().click()
  const clientId = await chosenClient(page)
  await page.getByRole('button', { name: 'Ask for codes' }).click()
  await page.getByRole('button', { name: 'Start asking' }).click()
  await page.getByText('authorization_pending: nobody has agreed yet').waitFor()
  await page.getByText('Every 5 s. Asked 1 time.').waitFor()

  const verification = await openWindow(seat, 'Open that page')
  await verification.getByRole('button', { name: 'Continue' }).click()
  await verification.getByRole('button', { name: 'Approve', exact: true }).click()
  await verification.getByRole('heading', { name: 'Your device is connected' }).waitFor()
  await messages(page).getByText('200 · access_token').waitFor()
  const { access_token: token } = await bodyIn(page, 3)
  expect(await introspect(String(token))).toMatchObject({ active: true, client_id: clientId })

  await page.getByRole('button', { name: 'Remove test client' }).click()
  await page.getByText('No client chosen').waitFor()
  expect((await allClients()).some(({ client_id: id }) => id === clientId)).toBe(false)
  expect(seat.complaints).toEqual([])
})

it('says which redirect URIs are registered, and offers a link where windows are blocked', async () => {
  const { client_id: clientId } = await registerClient({
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  })
  await using seat = await visit(`/oauth2/flow-tester?client=${clientId}`)
  const { page } = seat
  await page.evaluate(() => {
    window.open = () => null
  })
  await page.getByRole('button', { name: 'Prepare the request' }).click()
  await page.getByText('The server will refuse this redirect URI').waitFor()
  await page.getByText('http://127.0.0.1:5999/callback').waitFor()
  const link = page.getByRole('link', { name: 'Go to the client' }).last()
  expect(await link.getAttribute('href')).toBe(`/oauth2/clients/${clientId}`)
  await page.getByRole('button', { name: 'Open the sign-in window' }).click()
  const href = await page.getByRole('link', { name: 'Sign in in a new tab' }).getAttribute('href')
  expect(href).toMatch(new RegExp(`^${SERVER}/oauth2/auth\\?response_type=code&`))
})

// The attack: somebody sends a link with an answer of their own run, so that this page goes on as them.
it('ignores an answer with another state, and explains a denial and an answer that it may not read', async () => {
  await using seat = await visit('/oauth2/flow-tester')
  const { page, context } = seat
  await page.getByRole('button', { name: 'Make a test client' }).first().click()
  const clientId = await chosenClient(page)
  await page.getByRole('button', { name: 'Prepare the request' }).click()
  const stranger = await context.newPage()
  await stranger.goto(`${DASHBOARD}/oauth2/flow-tester/callback?code=stolen&state=other`)
  await stranger.getByText('No flow tester of this browser waits for this answer').waitFor()
  expect(stranger.url()).toBe(`${DASHBOARD}/oauth2/flow-tester/callback`)
  await page.getByText('It is not of this run and was ignored').waitFor()
  expect(await page.getByText('stolen').count()).toBe(0)

  let window = await openWindow(seat, 'Open the sign-in window')
  await window.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('alert').getByText('The server refused: access_denied').waitFor()

  await page.getByRole('button', { name: 'Prepare it anew' }).click()
  window = await openWindow(seat, 'Open the sign-in window')
  await window.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.route('**/oauth2/token', route => route.abort())
  await page.getByRole('button', { name: 'Exchange the code', exact: true }).click()
  await page.getByRole('alert').getByText('serve.public.cors').waitFor()

  // Left as a whole: the request that removes the client outlives its page.
  await page.unroute('**/oauth2/token')
  await page.reload()
  await expect.poll(async () => (await allClients()).some(({ client_id: id }) => id === clientId)).toBe(false)
})
