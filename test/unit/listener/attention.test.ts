import { expect, it } from 'vitest'
import {
  afterLook,
  GATHER_MS,
  lookDueMs,
  PAUSE_MS_MAX,
  PAUSE_MS_MIN,
  QUIET_MS,
  restingPauseMs,
  UNNOTIFIED_PAUSE_MS,
  wakeUp,
} from '../../../listener/attention.ts'

const CHANGE = { foundChange: true, hasChunks: true }
const UNCONFIRMED = { foundChange: false, hasChunks: true }
const NOTHING = { foundChange: false, hasChunks: false }
const REST_PAUSE_MS = 1_000

it('looks soon after it found something, and less often while it finds nothing', () => {
  let attention = afterLook(wakeUp(0), CHANGE, REST_PAUSE_MS, 0)
  const pauses = [attention.pauseMs]
  for (let i = 0; i < 5; i++) {
    attention = afterLook(attention, NOTHING, REST_PAUSE_MS, 100)
    pauses.push(attention.pauseMs)
  }
  expect(pauses).toEqual([PAUSE_MS_MIN, 10, 20, 40, PAUSE_MS_MAX, PAUSE_MS_MAX])
})

it('rests after two quiet seconds, counted from the last change', () => {
  const changed = afterLook(wakeUp(0), CHANGE, REST_PAUSE_MS, 500)
  const stillBusy = afterLook(changed, NOTHING, REST_PAUSE_MS, 500 + QUIET_MS - 1)
  expect(stillBusy.isResting).toBe(false)
  expect(afterLook(stillBusy, NOTHING, REST_PAUSE_MS, 500 + QUIET_MS).isResting).toBe(true)
})

// Nothing notifies of a confirmation.
it('does not rest while something waits or is unconfirmed, and counts from when that ended', () => {
  const waiting = afterLook(wakeUp(0), UNCONFIRMED, REST_PAUSE_MS, 60_000)
  expect(waiting).toMatchObject({ isResting: false, pauseMs: PAUSE_MS_MIN })
  expect(afterLook(waiting, NOTHING, REST_PAUSE_MS, 60_000 + QUIET_MS - 1).isResting).toBe(false)
  expect(afterLook(waiting, NOTHING, REST_PAUSE_MS, 60_000 + QUIET_MS).isResting).toBe(true)
})

// What was written before the flag went up, and committed after the last look, came without a NOTIFY.
it('looks once more as soon as it rests, then after the pause of a rest', () => {
  const resting = afterLook(wakeUp(0), NOTHING, REST_PAUSE_MS, QUIET_MS)
  expect(resting).toMatchObject({ isResting: true, pauseMs: 0 })
  const restedOn = afterLook(resting, NOTHING, REST_PAUSE_MS, QUIET_MS)
  expect(restedOn).toMatchObject({ isResting: true, pauseMs: REST_PAUSE_MS })
  expect(afterLook(restedOn, NOTHING, REST_PAUSE_MS, 60_000)).toEqual(restedOn)
})

it('is busy again with the first change', () => {
  const resting = afterLook(wakeUp(0), NOTHING, REST_PAUSE_MS, QUIET_MS)
  const busy = afterLook(resting, CHANGE, REST_PAUSE_MS, 9_000)
  expect(busy).toEqual({ isResting: false, quietSinceMs: 9_000, pauseMs: PAUSE_MS_MIN })
})

it('rests until NOTIFY with the fallback off, and briefly where none can come', () => {
  expect(restingPauseMs(1_000, true)).toBe(1_000)
  expect(restingPauseMs(0, true)).toBe(Number.POSITIVE_INFINITY)
  expect(restingPauseMs(1_000, false)).toBe(UNNOTIFIED_PAUSE_MS)
  expect(restingPauseMs(0, false)).toBe(UNNOTIFIED_PAUSE_MS)
  expect(restingPauseMs(20, false)).toBe(20)
})

it('looks after the pause when no request is under way', () => {
  expect(lookDueMs({ ...wakeUp(0), pauseMs: 5 }, 100, undefined)).toBe(105)
})

it('lets changes gather while a request is under way, and never looks before the pause is over', () => {
  expect(lookDueMs({ ...wakeUp(0), pauseMs: 5 }, 100, 101)).toBe(101 + GATHER_MS)
  expect(lookDueMs({ ...wakeUp(0), pauseMs: 40 }, 100, 101)).toBe(140)
})
