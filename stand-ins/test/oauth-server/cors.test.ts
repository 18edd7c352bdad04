// Cross-origin calls on the Hydra wire: which endpoints a page on another port may call, and what it may read. Public
// HTTP only; test/support/oauth-server.ts says which servers it runs against.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { type Answer, call, makeClient, SECRET, tokensFor } from './visitor.ts'

let at: TestOAuthServer
beforeAll(async () => {
  at = await startTestOAuthServer()
})
afterAll(() => at[Symbol.asyncDispose]())

const PAGE = 'http://127.0.0.1:3000'
const DOCUMENTS = ['openid-configuration', 'oauth-authorization-server', 'jwks.json']
const CALLED = [
  ...DOCUMENTS.map(name => ['GET', `/.well-known/${name}`]),
  ['GET', '/userinfo'],
  ['POST', '/userinfo'],
  ['POST', '/oauth2/token'],
  ['POST', '/oauth2/revoke'],
] as [method: string, path: string][]

const preflight = (path: string, method: string, origin: string, names = 'authorization,content-type') =>
  call(`${at.publicUrl}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': names,
    },
  })
const allowed = ({ headers }: Answer) => headers.get('access-control-allow-origin')

it.each(CALLED)('%s %s is open to pages of this machine, whatever their port', async (method, path) => {
  for (const origin of [PAGE, 'http://localhost:5173']) {
    const asked = await preflight(path, method, origin)
    expect([asked.status, allowed(asked)]).toEqual([204, origin])
    expect(asked.headers.get('access-control-allow-methods')).toBe(method)
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    const form = method === 'POST' ? { token: 'x', grant_type: 'x' } : undefined
    const answer = await call(`${at.publicUrl}${path}`, {
      method,
      headers: { origin },
      ...(form && { form }),
    })
    expect(allowed(answer)).toBe(origin)
    expect(answer.headers.get('vary')).toContain('Origin')
  }
})

it('lets a page read tokens, refusals and claims', async () => {
  const client = await makeClient(at)
  const form = { client_id: client.client_id, client_secret: SECRET, grant_type: 'client_credentials' }
  const headers = { origin: PAGE }
  const tokens = await call(`${at.publicUrl}/oauth2/token`, { form, headers })
  expect([tokens.status, allowed(tokens)]).toEqual([200, PAGE])
  const wrong = { ...form, client_secret: 'wrong' }
  const refused = await call(`${at.publicUrl}/oauth2/token`, { form: wrong, headers })
  expect([refused.status, allowed(refused)]).toEqual([401, PAGE])
  const { access_token } = await tokensFor(at, client)
  const claims = await call(`${at.publicUrl}/userinfo`, {
    headers: { ...headers, authorization: `Bearer ${access_token}` },
  })
  expect([claims.status, allowed(claims)]).toEqual([200, PAGE])
})

// A page of somebody else must read nothing of what a browser on this machine can reach.
it.each([
  'https://evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example:80',
  'null',
])('lets a page at %s read nothing', async origin => {
  for (const [method, path] of CALLED) {
    const form = method === 'POST' ? { token: 'x', grant_type: 'x' } : undefined
    const answer = await call(`${at.publicUrl}${path}`, {
      method,
      headers: { origin },
      ...(form && { form }),
    })
    expect([path, allowed(answer)]).toEqual([path, null])
    expect(answer.headers.get('vary')).toContain('Origin')
  }
})

it('is open nowhere else: not for devices, nor where browsers are sent', async () => {
  const client = await makeClient(at)
  const form = { client_id: client.client_id, client_secret: SECRET, scope: 'openid' }
  const device = await call(`${at.publicUrl}/oauth2/device/auth`, { form, headers: { origin: PAGE } })
  expect([device.status, allowed(device)]).toEqual([200, null])
  for (const path of ['/oauth2/auth', '/oauth2/device/auth', '/oauth2/sessions/logout', '/oauth2/register'])
    expect([path, allowed(await preflight(path, 'POST', PAGE))]).toEqual([path, null])
  const headers = { origin: PAGE }
  expect(allowed(await call(`${at.adminUrl}/admin/clients`, { headers }))).toBe(null)
  expect(allowed(await preflight('/oauth2/token', 'POST', PAGE, 'x-unknown'))).toBe(null)
})
