// What a token shows by itself.

import { expect, it } from 'vitest'
import { looksOf, mayVerify } from '../../../dashboard/src/views/oauth2/tokens/token-looks.ts'

const jwt = (claims: object) =>
  ['{}', JSON.stringify(claims), 'signature'].map(part => Buffer.from(part).toString('base64url')).join('.')

it.each([
  ['ory_at_abc.def', 'access_token'],
  ['ory_rt_abc.def', 'refresh_token'],
  ['ory_ac_abc.def', 'code'],
  ['svc_sk_abc', 'api_key'],
  [jwt({ client_id: 'c', scp: [], aud: [] }), 'jwt'],
  [jwt({ aud: ['c'], sub: 'ü' }), 'id_token'],
  ['a.b.c', 'unknown'],
  ['not-a-token', 'unknown'],
  ['', 'unknown'],
] as const)('takes %s for %s', (token, kind) => {
  expect(looksOf(token).kind).toBe(kind)
})

it('reads when a JWT expires, and nothing where that is no number', () => {
  expect(looksOf(jwt({ aud: 'c', exp: 1 })).expiresAt).toEqual(new Date(1_000))
  expect(looksOf(jwt({ aud: 'c', exp: 'soon' })).expiresAt).toBeNull()
})

it('offers to revoke what the server may only not read: a JWT that has not expired', () => {
  const access = { client_id: 'c', scp: [] }
  expect(mayVerify(jwt({ ...access, exp: 20 }), new Date(10_000))).toBe(true)
  for (const token of [jwt({ ...access, exp: 5 }), jwt({ aud: ['c'], exp: 20 }), 'ory_at_a.b'])
    expect(mayVerify(token, new Date(10_000))).toBe(false)
})

it.each(['ory_at_ab cd', 'ory_at_ab…cd', 'ory_at_ab...cd', '"ory_at_ab"'])(
  'sees that %s is not copied whole',
  token => {
    expect(looksOf(token).isDamaged).toBe(true)
  },
)
