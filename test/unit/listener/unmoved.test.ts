import { expect, it } from 'vitest'
import { RETRY_MS_MAX, RETRY_MS_MIN, UnmovedTables } from '../../../listener/unmoved.ts'

const LOCKED = 'staged_1: 55P03'
const BROKEN = 'staged_2: XX001'

it('leaves a table alone for a second where that will be over, and for longer where somebody has to mend it', () => {
  const tables = new UnmovedTables()
  expect([tables.untried(0), tables.retryAtMs]).toEqual([[], Number.POSITIVE_INFINITY])
  tables.note([LOCKED, BROKEN], 100)
  expect(tables.untried(101)).toEqual([LOCKED, BROKEN])
  expect(tables.retryAtMs).toBe(100 + RETRY_MS_MIN)
  expect(tables.untried(100 + RETRY_MS_MIN)).toEqual([BROKEN])
  expect(tables.untried(100 + RETRY_MS_MAX)).toEqual([])
})

it('does not put off the next try by looks that left the table alone', () => {
  const tables = new UnmovedTables()
  tables.note([LOCKED], 0)
  tables.note([LOCKED], RETRY_MS_MIN - 1)
  expect(tables.retryAtMs).toBe(RETRY_MS_MIN)
})

it('tries less and less often', () => {
  const tables = new UnmovedTables()
  const pauses: number[] = []
  for (let tries = 0, nowMs = 0; tries < 7; tries++) {
    tables.note([LOCKED], nowMs)
    pauses.push(tables.retryAtMs - nowMs)
    nowMs = tables.retryAtMs
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, RETRY_MS_MAX, RETRY_MS_MAX])
})

it('forgets a table that was moved', () => {
  const tables = new UnmovedTables()
  tables.note([LOCKED, BROKEN], 0)
  tables.note([BROKEN], RETRY_MS_MIN)
  expect(tables.retryAtMs).toBe(RETRY_MS_MAX)
  tables.note([], RETRY_MS_MAX)
  expect(tables.retryAtMs).toBe(Number.POSITIVE_INFINITY)
})
