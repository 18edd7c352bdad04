import { expect, it } from 'vitest'
import { BROKEN_RETRY_MS, HINDERED_RETRY_MS, UnmovedTables } from '../../../listener/unmoved.ts'

const LOCKED = 'staged_1: 55P03'
const BROKEN = 'staged_2: XX001'

it('leaves a table alone for a second where that will be over, and for longer where somebody has to mend it', () => {
  const tables = new UnmovedTables()
  expect([tables.untried(0), tables.retryAtMs]).toEqual([[], Number.POSITIVE_INFINITY])
  tables.note([LOCKED, BROKEN], 100)
  expect(tables.untried(101)).toEqual([LOCKED, BROKEN])
  expect(tables.retryAtMs).toBe(100 + HINDERED_RETRY_MS)
  expect(tables.untried(100 + HINDERED_RETRY_MS)).toEqual([BROKEN])
  expect(tables.untried(100 + BROKEN_RETRY_MS)).toEqual([])
})

it('does not put off the next try by looks that left the table alone', () => {
  const tables = new UnmovedTables()
  tables.note([LOCKED], 0)
  tables.note([LOCKED], HINDERED_RETRY_MS - 1)
  expect(tables.retryAtMs).toBe(HINDERED_RETRY_MS)
  tables.note([LOCKED], HINDERED_RETRY_MS)
  expect(tables.retryAtMs).toBe(2 * HINDERED_RETRY_MS)
})

it('forgets a table that was moved', () => {
  const tables = new UnmovedTables()
  tables.note([LOCKED, BROKEN], 0)
  tables.note([BROKEN], HINDERED_RETRY_MS)
  expect(tables.retryAtMs).toBe(BROKEN_RETRY_MS)
  tables.note([], BROKEN_RETRY_MS)
  expect(tables.retryAtMs).toBe(Number.POSITIVE_INFINITY)
})
