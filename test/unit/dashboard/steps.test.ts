// Which first steps are done: what `npm start` brings counts for none.

import { expect, it } from 'vitest'
import { type StepFacts, stepsDone } from '../../../dashboard/src/views/overview/steps.ts'

const USED = '2026-01-31T12:00:00.000Z'
const FRESH: StepFacts = {
  tables: [
    { schema: 'public', name: 'todos' },
    { schema: 'public', name: 'pgmigrations' },
  ],
  keys: [
    { name: 'local stack, service_role', last_used_at: USED },
    { name: 'local stack, anon', last_used_at: null },
  ],
  clients: 0,
  webhooks: 0,
  tuples: Array.from({ length: 6 }, () => ({ object: 'acme' })),
}

it('has no step done on a fresh local stack, nor on a deployment without anything', () => {
  const none = { table: false, key: false, client: false, webhook: false, permission: false }
  expect(stepsDone(FRESH)).toEqual(none)
  expect(stepsDone({ tables: [], keys: [], clients: 0, webhooks: 0, tuples: [] })).toEqual(none)
})

it('ticks each step off by what is there, whoever made it', () => {
  expect(stepsDone({ ...FRESH, tables: [{ schema: 'shop', name: 'orders' }] }).table).toBe(true)
  expect(stepsDone({ ...FRESH, keys: [{ name: 'local stack, anon', last_used_at: USED }] }).key).toBe(true)
  expect(stepsDone({ ...FRESH, clients: 1 }).client).toBe(true)
  expect(stepsDone({ ...FRESH, webhooks: 1 }).webhook).toBe(true)
  expect(stepsDone({ ...FRESH, tuples: [{ object: 'apollo' }, { object: 'mine' }] }).permission).toBe(true)
  expect(stepsDone({ ...FRESH, tuples: [...FRESH.tuples, { object: 'acme' }] }).permission).toBe(true)
})
