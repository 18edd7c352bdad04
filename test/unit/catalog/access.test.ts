import { describe, expect, it } from 'vitest'
import { type AccessFacts, accessOf, type Rights } from '../../../src/features/catalog/access.ts'

const GRANTED: Rights = {
  usage: true,
  privileges: ['select', 'insert', 'update', 'delete'],
  columns: { select: null, insert: null, update: null },
  bypasses: false,
}

const TABLE: AccessFacts = {
  kind: 'table',
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  row_level_security: true,
  asks_as_caller: false,
  policies: [],
}

type Policy = AccessFacts['policies'][number]
const policy = (name: string, more: Partial<Policy> = {}): Policy => ({
  name,
  command: 'all',
  roles: ['public'],
  permissive: true,
  using: null,
  check: null,
  applies: { anon: true, service_role: true },
  ...more,
})

const rowsOf = (policies: Policy[], rights = GRANTED, facts: Partial<AccessFacts> = {}) => {
  const { select, insert, update, delete: gone } = accessOf({ ...TABLE, ...facts, policies }, 'anon', rights)
  return [select, insert, update, gone].map(({ rows }) => rows).join(' ')
}

describe('accessOf', () => {
  it.each<[string, Policy[], string]>([
    ['no policy', [], 'none none none none'],
    ['a policy that lets everything pass', [policy('a', { using: 'true' })], 'all all all all'],
    ['a policy that lets nothing pass', [policy('a', { using: 'false' })], 'none none none none'],
    ['a policy without an expression', [policy('a')], 'none none none none'],
    ['a condition', [policy('a', { using: '(x = 1)' })], 'some some some some'],
    [
      'a condition beside a policy that is true',
      [policy('a', { using: 'x' }), policy('b', { using: 'true' })],
      'all all all all',
    ],
    [
      'rows that can be read, and all changed',
      [policy('a', { command: 'select', using: 'x' }), policy('b', { command: 'update', using: 'true' })],
      'some none some none',
    ],
    [
      'changes of rows that cannot be read',
      [policy('a', { command: 'delete', using: 'true' })],
      'none none none none',
    ],
    [
      'new rows that must not be',
      [
        policy('a', { command: 'select', using: 'true' }),
        policy('b', { command: 'update', using: 'true', check: 'false' }),
      ],
      'all none none none',
    ],
    ['a restriction alone', [policy('a', { permissive: false, using: 'true' })], 'none none none none'],
    [
      'a restriction of what is open',
      [policy('a', { using: 'true' }), policy('b', { permissive: false, using: 'x' })],
      'some some some some',
    ],
    [
      'a restriction without an expression',
      [policy('a', { using: 'true' }), policy('b', { permissive: false })],
      'all all all all',
    ],
    [
      'a restriction that lets nothing pass',
      [policy('a', { using: 'true' }), policy('b', { permissive: false, using: 'false' })],
      'none none none none',
    ],
    [
      'a policy of others',
      [policy('a', { using: 'true', applies: { anon: false, service_role: true } })],
      'none none none none',
    ],
  ])('counts in %s', (_, policies, expected) => {
    expect(rowsOf(policies)).toBe(expected)
  })

  it('counts grants first', () => {
    const open = [policy('a', { using: 'true' })]
    expect(rowsOf(open, { ...GRANTED, usage: false })).toBe('none none none none')
    const reading = {
      ...GRANTED,
      privileges: ['select'],
      columns: { select: null, insert: [], update: ['x'] },
    }
    expect(rowsOf(open, reading)).toBe('all none all none')
    expect(rowsOf([], GRANTED, { row_level_security: false })).toBe('all all all all')
    expect(rowsOf([], { ...GRANTED, bypasses: true })).toBe('all all all all')
    expect(rowsOf([], GRANTED, { kind: 'view', row_level_security: false, methods: ['GET'] })).toBe(
      'all none none none',
    )
  })

  it('names the policies that decide, also those of reading', () => {
    const policies = [
      policy('open', { command: 'update', using: 'true' }),
      policy('mine', { command: 'select', using: 'x' }),
      policy('limits', { command: 'update', permissive: false, using: 'y' }),
    ]
    const { update } = accessOf({ ...TABLE, policies }, 'anon', GRANTED)
    expect(update).toEqual({ rows: 'some', because: 'policies', policies: ['limits', 'mine'], columns: null })
  })
})
