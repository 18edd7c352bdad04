// An application that is a web page alone, on a port of its own: unmodified oauth4webapi in real Chromium does the code
// flow with PKCE, and calls discovery, keys, token, userinfo and revocation itself.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { expect, inject, it } from 'vitest'
import { makePerson, registerClient } from '../support/applications.ts'
import { connectBrowser } from '../support/shared-browser.ts'
import { signIn, takeSeat } from './people.ts'

const LIBRARY = readFileSync(createRequire(import.meta.url).resolve('oauth4webapi'))

/** What the page runs: away to sign in, and once back, to the signed-in user's own claims. */
const PROGRAM = `
import * as oauth from '/oauth4webapi.js'
const { issuer, client_id } = Object.fromEntries(new URLSearchParams(location.search + '&' + sessionStorage.kept))
const insecure = { [oauth.allowInsecureRequests]: true }
const client = { client_id }
const redirect_uri = location.origin + '/callback'
const discovered = await oauth.discoveryRequest(new URL(issuer), insecure)
const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered)

async function leave() {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  sessionStorage.kept = new URLSearchParams({ issuer, client_id, verifier, expected: state })
  const url = new URL(server.authorization_endpoint)
  url.search = new URLSearchParams({
    client_id, redirect_uri, state, response_type: 'code', scope: 'openid email',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  })
  location.assign(url)
}

async function finish() {
  const { verifier, expected } = Object.fromEntries(new URLSearchParams(sessionStorage.kept))
  const callback = oauth.validateAuthResponse(server, client, new URL(location.href), expected)
  const exchanged = await oauth.authorizationCodeGrantRequest(
    server, client, oauth.None(), callback, redirect_uri, verifier, insecure)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
  await oauth.validateApplicationLevelSignature(server, exchanged, insecure)
  const { sub } = oauth.getValidatedIdTokenClaims(tokens)
  const asked = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
  const user = await oauth.processUserInfoResponse(server, client, sub, asked)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), tokens.access_token, insecure))
  document.querySelector('output').textContent = JSON.stringify(user)
}

await (location.pathname === '/callback' ? finish() : leave())
`
const PAGE =
  '<!doctype html><title>Page</title><output></output><script type="module" src="/page.js"></script>'

async function servePage() {
  const server = createServer(({ url = '' }, response) => {
    const script = { '/page.js': PROGRAM, '/oauth4webapi.js': LIBRARY }[url]
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? PAGE)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

it('signs a person in by itself: code with PKCE, token, userinfo, revocation', async () => {
  await using browser = await connectBrowser()
  await using application = await servePage()
  await using seat = await takeSeat(browser)
  const { client_id } = await registerClient({
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [`${application.url}/callback`],
  })
  const [person, { page }] = [await makePerson(), seat]
  const query = new URLSearchParams({ issuer: inject('stack').oauth_public_url ?? '', client_id })
  // What Playwright adds to a request counts as the page's own header, which the server would have to allow.
  await seat.context.setExtraHTTPHeaders({})
  await page.goto(`${application.url}/?${query}`)
  await signIn(page, person)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.locator('output', { hasText: '{' }).waitFor()
  const user = JSON.parse((await page.locator('output').textContent()) ?? '')
  expect(user).toMatchObject({ sub: person.id, email: person.email })
  expect(seat.complaints).toEqual([])
})

// A browser shows a page nothing of an answer without cross-origin headers: "Failed to fetch".
it('reads why a call of it was refused, also at paths of other systems', async () => {
  await using browser = await connectBrowser()
  await using application = await servePage()
  await using seat = await takeSeat(browser)
  const { page } = seat
  await seat.context.setExtraHTTPHeaders({})
  await page.route('**/page.js', route => route.fulfill({ contentType: 'text/javascript', body: '' }))
  await page.goto(application.url)
  const calls = [
    ['POST', '/rest/v1/todos'],
    ['POST', '/auth/v1/token?grant_type=password'],
    ['GET', '/storage/v1/object/list/a'],
    ['POST', '/functions/v1/hello'],
    ['GET', '/v1/tables'],
    ['PUT', '/v1/keys'],
    ['GET', '/v1/keys'],
  ] as const
  const answers = await page.evaluate(
    async ({ base, calls }) => {
      const answers = []
      for (const [method, path] of calls) {
        const headers = {
          apikey: 'svc_sk_no',
          'x-client-info': 'a-client/1.0',
          'content-type': 'application/json',
        }
        const response = await fetch(base + path, { method, headers })
        answers.push(`${response.status} ${(await response.json()).code}`)
      }
      return answers
    },
    { base: inject('stack').base_url, calls },
  )
  const unknown = '404 not_found'
  expect(answers).toEqual([
    '401 invalid_api_key',
    unknown,
    '400 AccessDenied',
    ...[unknown, unknown],
    '405 method_not_allowed',
    '401 invalid_api_key',
  ])
})
