// GET /api/session over HTTP; odd sessions are in test/unit/sessions/describe-session.test.ts, credentials in
// sessions.test.ts.

import { describe, expect, inject, it } from 'vitest'
import { SessionView } from '../../../src/features/sessions/describe-session.ts'
import { callAs } from './caller.ts'

const stack = inject('stack')

it.each([
  ['admin', true, stack.admin_identity_id, stack.admin_email],
  ['member', false, stack.user_identity_id, stack.user_email],
] as const)('GET /api/session tells the %s who that is', async (who, isAdmin, id, email) => {
  const { status, json } = await callAs(who, 'GET', '/api/session')
  expect(status).toBe(200)
  const view = SessionView.strict().parse(json)
  expect(view).toMatchObject({ identity: { id, email }, role: who, is_admin: isAdmin })
  expect(Date.parse(view.expires_at ?? '')).toBeGreaterThan(Date.parse(view.authenticated_at ?? ''))
})

// The dashboard's page calls these itself; a browser lets it read them, with its cookies, only if it is named.
describe('the servers beside Quoin let the dashboard’s page read', () => {
  const origin = new URL(stack.dashboard_url).origin
  const allowanceOf = ({ headers }: Response) => [
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
  ]

  it.each(['/sessions/whoami', '/self-service/logout/browser'])('%s, with cookies', async path => {
    const url = `${stack.identity_public_url}${path}`
    const headers = { cookie: stack.session_cookie_user ?? '', accept: 'application/json' }
    const answer = await fetch(url, { headers: { ...headers, origin } })
    expect([answer.status, ...allowanceOf(answer)]).toEqual([200, origin, 'true'])
    const others = await fetch(url, { headers: { ...headers, origin: 'https://evil.test' } })
    expect([others.status, allowanceOf(others)[0]]).toEqual([200, null])
    const asking = { origin, 'access-control-request-method': 'GET' }
    expect(allowanceOf(await fetch(url, { method: 'OPTIONS', headers: asking }))).toEqual([origin, 'true'])
  })

  it.each([
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/userinfo'],
    ['POST', '/oauth2/token'],
    ['POST', '/oauth2/revoke'],
  ])('%s %s', async (method, path) => {
    const url = `${stack.oauth_public_url}${path}`
    expect(allowanceOf(await fetch(url, { method, headers: { origin } }))[0]).toBe(origin)
    const names = 'authorization,content-type'
    const asking = {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': method === 'GET' ? 'authorization' : names,
    }
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asking })
    expect(allowanceOf(preflight)[0]).toBe(origin)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
  })
})
