// As whom a call reaches users' data: the key and DATA_USER_ROLE decide, no claim does.

import { expect, test } from 'vitest'
import { callerSession } from '../../../src/db/caller-session.ts'
import { anonCaller, databaseCaller } from '../../../src/features/callers/database-caller.ts'
import { roleOf } from '../../../src/features/realtime/hub/channel.ts'

const CLAIMS = { sub: '9a1f3f0e-6f0e-4c55-8d0c-6f0b6a2f8a11', role: 'service_role' }

function callOf(
  dataUserRole: 'authenticated' | undefined,
  role: 'anon' | 'service_role',
  claims: object | null,
) {
  return {
    deps: { config: { dataUserRole } },
    principal: { kind: 'api_key', key: { id: 'key', role }, endUser: claims && { claims: { ...claims } } },
    caller: { address: null, requestId: 'r' },
    request: new Request('https://quoin.test/v1/db/notes'),
    path: '/v1/db/notes',
  } as const
}

test.each([
  ['authenticated', 'anon', CLAIMS, 'authenticated'],
  ['authenticated', 'anon', null, 'anon'],
  ['authenticated', 'service_role', CLAIMS, 'service_role'],
  [undefined, 'anon', CLAIMS, 'anon'],
  [undefined, 'anon', { ...CLAIMS, role: 'authenticated' }, 'anon'],
] as const)('with DATA_USER_ROLE %s a key for %s and claims %o are %s', (userRole, keyRole, claims, role) => {
  const call = callOf(userRole, keyRole, claims)
  const session = callerSession(databaseCaller(call), ['public'], 1_000)
  expect(session.role).toBe(role)
  expect(JSON.parse(session.claims)).toEqual({ ...claims, role })
  expect(roleOf(call.deps.config, { role: keyRole }, claims ?? {})).toBe(role)
})

test('a call that is tried as a person has the role that the person has, whoever tries it', () => {
  const roleAs = (userRole: 'authenticated' | undefined, claims: { sub: string } | null) =>
    anonCaller(callOf(userRole, 'service_role', null), claims).role
  expect([roleAs('authenticated', CLAIMS), roleAs('authenticated', null)]).toEqual(['authenticated', 'anon'])
  expect(roleAs(undefined, CLAIMS)).toBe('anon')
})
