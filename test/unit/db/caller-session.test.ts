// What policies, triggers and functions may read of a request: everything but credentials.

import { describe, expect, test } from 'vitest'
import { callerClaims, callerSession } from '../../../src/db/caller-session.ts'

function sessionOf(headers: Record<string, string>) {
  const { headers: readable, cookies } = callerSession(
    {
      role: 'anon',
      claims: null,
      share: 'key/client',
      requestId: 'r1',
      method: 'GET',
      path: '/v1/db/t',
      headers: new Headers(headers),
    },
    ['public'],
    1_000,
  )
  return { headers: JSON.parse(readable), cookies: JSON.parse(cookies) }
}

test('configured claims stand beside those of the token, which they never replace', () => {
  const ext = { email: 'ada@example.com', role: 'service_role', sub: 'somebody', aud: 'all' }
  const claims = { sub: 'ada', aud: ['data'], ext }
  expect(JSON.parse(callerClaims('authenticated', claims))).toEqual({
    ...{ sub: 'ada', aud: ['data'], email: 'ada@example.com', role: 'authenticated', ext },
  })
  expect(JSON.parse(callerClaims('anon', { ext }))).not.toHaveProperty('sub')
  expect(JSON.parse(callerClaims('anon', { ext: 'odd' }))).toEqual({ ext: 'odd', role: 'anon' })
})

describe('cookies', () => {
  test('are read by their names, the last of one name, as they came', () => {
    expect(sessionOf({ cookie: 'a=1; b="x y"; c=1=2%20; a=2; flag; =nameless' }).cookies).toEqual({
      a: '2',
      b: '"x y"',
      c: '1=2%20',
      flag: '',
    })
    expect(sessionOf({}).cookies).toEqual({})
    expect(JSON.stringify(sessionOf({ cookie: '__proto__=1' }).cookies)).toBe('{"__proto__":"1"}')
  })

  // Whoever may make a trigger or policy could else collect sessions, and act as the people who came by.
  test.each([
    'ory_kratos_session',
    'ory_session_project',
    'ory_hydra_session',
    'quoin_flows',
    '__Host-quoin_flows',
    '__Secure-ory_kratos_session',
    '"ory_kratos_session"',
    'ORY_kratos_session',
    'csrf_token_82b119fa58a0a1cb6faa9738c1d0dbbf',
    'CF_Authorization',
    'other=1, ory_kratos_session',
  ])('%s is kept back: it lets its holder act as the person', name => {
    const { headers, cookies } = sessionOf({ cookie: `theme=dark; ${name}=secret`, 'x-one': '1' })
    expect(cookies).toEqual({ theme: 'dark' })
    expect(headers).toEqual({ 'x-one': '1' })
  })
})
