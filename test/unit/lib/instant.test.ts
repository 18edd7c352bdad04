// What is taken for a point in time can be stored as one.

import { describe, expect, it } from 'vitest'
import { readCursor } from '../../../src/db/keyset-page.ts'
import { ApiKeyIn } from '../../../src/features/api-keys/record/schemas.ts'
import { AuditLogListQuery } from '../../../src/features/audit/schemas.ts'

const ID = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'

describe.each<[string, (time: string) => boolean]>([
  ['from of the audit log', from => AuditLogListQuery.safeParse({ from }).success],
  ['to of the audit log', to => AuditLogListQuery.safeParse({ to }).success],
  [
    'expires_at of an API key',
    expires_at => ApiKeyIn.safeParse({ name: 'a', role: 'anon', expires_at }).success,
  ],
  [
    'a cursor',
    time => {
      try {
        return readCursor(btoa(JSON.stringify([time, ID]))) !== null
      } catch (err) {
        expect(err).toMatchObject({ code: 'invalid_parameter' })
        return false
      }
    },
  ],
])('%s', (_, isTaken) => {
  // Postgres answers these with SQLSTATE 22008, 22009 and 22007.
  it.each([
    '0000-01-01T00:00:00Z',
    '2030-01-01T00:00:00+23:59',
    '2030-01-01T00:00:00-16:00',
    `2030-01-01T00:00:00.${'1'.repeat(200)}Z`,
  ])('is never %s', time => {
    expect(isTaken(time)).toBe(false)
  })

  it.each([
    '0001-01-01T00:00:00Z',
    '2030-01-31T12:00:00+14:00',
    '2030-01-31T12:00:00-15:59',
    '2030-01-31T12:00:00.123456+00:00',
  ])('may be %s', time => {
    expect(isTaken(time)).toBe(true)
  })
})
