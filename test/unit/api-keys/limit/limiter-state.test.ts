import { describe, expect, it } from 'vitest'
import {
  isOver,
  type LimiterFacts,
  nextHousekeepingMs,
  standingOf,
  toKnownKey,
  withRow,
} from '../../../../src/features/api-keys/limit/limiter-state.ts'
import type { KeyRow } from '../../../../src/features/api-keys/record/key-row.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

function makeRow(overrides: Partial<KeyRow> = {}): KeyRow {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    project_id: '00000000-0000-4000-8000-000000000002',
    name: 'a key',
    role: 'anon',
    prefix: 'svc_pk_',
    last_four: 'abcd',
    rate_limit_per_minute: null,
    rate_limit_per_address: null,
    created_at: '2029-01-01T00:00:00.123456+00:00',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    version: 1,
    key_hash: 'a'.repeat(64),
    previous_key_hash: null,
    previous_expires_at: null,
    project_status: 'active',
    ...overrides,
  }
}

function standing(facts: LimiterFacts, nowMs = NOW) {
  return standingOf(facts, facts.row && toKnownKey(facts.row, 100), nowMs)
}

describe('withRow', () => {
  it('keeps the row with the higher version, and of equal ones the later', () => {
    const facts = { row: makeRow({ version: 3, name: 'three' }) }
    expect(withRow(facts, makeRow({ version: 2, name: 'two' }), NOW)).toEqual({ ...facts, knownAtMs: NOW })
    expect(withRow(facts, makeRow({ version: 3, name: 'later' }), NOW).row?.name).toBe('later')
    expect(withRow(facts, makeRow({ version: 4, name: 'four' }), NOW).row?.name).toBe('four')
  })

  it('never undoes a revocation or a retirement', () => {
    const retirement = { successorHash: 'b'.repeat(64), retiresAtMs: 0 }
    expect(withRow({ isRevoked: true, retirement }, makeRow({ version: 99 }), NOW)).toMatchObject({
      isRevoked: true,
      retirement,
    })
  })
})

describe('toKnownKey', () => {
  it('shows callers no hash and no version, and times in UTC with milliseconds', () => {
    const { key } = toKnownKey(makeRow(), 100)
    expect(Object.keys(key)).not.toEqual(expect.arrayContaining(['key_hash']))
    expect(JSON.stringify(key)).not.toContain('a'.repeat(64))
    expect(key.created_at).toBe('2029-01-01T00:00:00.123Z')
  })

  it('takes the limit of the key before that of the deployment', () => {
    expect(toKnownKey(makeRow(), 100).limit).toBe(100)
    expect(toKnownKey(makeRow({ rate_limit_per_minute: 7 }), 100).limit).toBe(7)
  })
})

describe('standingOf', () => {
  const retirement = { successorHash: 'b'.repeat(64), retiresAtMs: NOW + 1 }

  it.each<[string, LimiterFacts, string]>([
    ['a key nothing is known of', {}, 'unread'],
    ['an active key', { row: makeRow() }, 'valid'],
    [
      'a key one millisecond before its end',
      { row: makeRow({ expires_at: '2030-01-01T00:00:00.001Z' }) },
      'valid',
    ],
    ['a key at its end', { row: makeRow({ expires_at: '2030-01-01T00:00:00Z' }) }, 'refused'],
    ['a key revoked in the database', { row: makeRow({ revoked_at: '2029-06-01T00:00:00Z' }) }, 'refused'],
    ['a key its limiter was told to revoke', { row: makeRow(), isRevoked: true }, 'refused'],
    ['a key revoked before it was ever read', { isRevoked: true }, 'refused'],
    ['a key of a paused project', { row: makeRow({ project_status: 'paused' }) }, 'project_paused'],
    [
      'an expired key of a paused project',
      { row: makeRow({ project_status: 'paused', expires_at: '2029-06-01T00:00:00Z' }) },
      'refused',
    ],
    ['a replaced key in its overlap', { row: makeRow(), retirement }, 'retiring'],
    [
      'a replaced key after its overlap',
      { row: makeRow(), retirement: { ...retirement, retiresAtMs: NOW } },
      'refused',
    ],
    ['a replaced and revoked key', { isRevoked: true, retirement }, 'refused'],
  ])('%s', (_, facts, expected) => {
    expect(standing(facts)).toBe(expected)
  })
})

describe('isOver', () => {
  it('holds for a replaced key after its time and never for a revoked one, whose end must be kept', () => {
    const retirement = { successorHash: 'b'.repeat(64), retiresAtMs: NOW }
    expect(isOver({ retirement }, NOW)).toBe(true)
    expect(isOver({ retirement }, NOW - 1)).toBe(false)
    expect(isOver({ retirement, isRevoked: true }, NOW)).toBe(false)
    expect(isOver({ row: makeRow() }, NOW)).toBe(false)
  })
})

describe('nextHousekeepingMs', () => {
  const hash = `0000c350${'0'.repeat(56)}`

  it('is 50 seconds past the minute for a hash that begins with 50 000', () => {
    expect(nextHousekeepingMs(hash, NOW)).toBe(NOW + 50_000)
  })

  it('stays the same moment until it has come, and is then a minute later', () => {
    expect(nextHousekeepingMs(hash, NOW + 49_999)).toBe(NOW + 50_000)
    expect(nextHousekeepingMs(hash, NOW + 50_000)).toBe(NOW + 110_000)
  })
})
