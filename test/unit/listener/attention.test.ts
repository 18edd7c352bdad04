import { expect, it } from 'vitest'
import {
  type Attention,
  afterLook,
  GATHER_MS,
  lookDueMs,
  PAUSE_MS_MAX,
  PAUSE_MS_MIN,
  QUIET_MS,
  wakeUp,
  wantsMark,
  wantsNotify,
} from '../../../listener/attention.ts'

const QUIET_LOOK = { foundChange: false, xmin: 10n, mark: undefined }
const CHANGE = { ...QUIET_LOOK, foundChange: true }

function pauseOf(attention: Attention): number | undefined {
  return attention.phase === 'resting' ? undefined : attention.pauseMs
}

it('looks soon after it found something, and less often while it finds nothing', () => {
  let attention = afterLook(wakeUp(0), CHANGE, 0)
  const pauses = [pauseOf(attention)]
  for (let i = 0; i < 5; i++) {
    attention = afterLook(attention, QUIET_LOOK, 100)
    pauses.push(pauseOf(attention))
  }
  expect(pauses).toEqual([PAUSE_MS_MIN, 10, 20, 40, PAUSE_MS_MAX, PAUSE_MS_MAX])
})

it('asks for NOTIFY after five quiet seconds, counted from the last change', () => {
  const changed = afterLook(wakeUp(0), CHANGE, 3_000)
  const stillBusy = afterLook(changed, QUIET_LOOK, 3_000 + QUIET_MS - 1)
  expect(wantsNotify(stillBusy)).toBe(false)
  expect(wantsNotify(afterLook(stillBusy, QUIET_LOOK, 3_000 + QUIET_MS))).toBe(true)
})

const SETTLING: Attention = { phase: 'settling', settledAt: undefined, pauseMs: 0 }

it('rests at once when no transaction is under way with the flag up', () => {
  expect(wantsMark(SETTLING)).toBe(true)
  expect(afterLook(SETTLING, { ...QUIET_LOOK, xmin: 12n, mark: 12n }, 0)).toEqual({ phase: 'resting' })
})

// A trigger that saw the flag down sends no NOTIFY, however much later its transaction commits.
it('goes on looking until every transaction has ended that may have seen the flag down', () => {
  const waiting = afterLook(SETTLING, { ...QUIET_LOOK, xmin: 9n, mark: 12n }, 0)
  expect(waiting).toMatchObject({ phase: 'settling', settledAt: 12n })
  expect(wantsMark(waiting)).toBe(false)
  const stillWaiting = afterLook(waiting, { ...QUIET_LOOK, xmin: 11n }, 0)
  expect(stillWaiting.phase).toBe('settling')
  expect(afterLook(stillWaiting, { ...QUIET_LOOK, xmin: 12n }, 0)).toEqual({ phase: 'resting' })
})

it('is busy again with the first change, whatever it was doing', () => {
  for (const attention of [SETTLING, { phase: 'resting' } as const]) {
    expect(afterLook(attention, CHANGE, 7)).toEqual({ phase: 'busy', quietSinceMs: 7, pauseMs: PAUSE_MS_MIN })
  }
})

it('looks after the pause when no request is under way', () => {
  const times = { lookedAtMs: 100, requestAtMs: undefined, idleLookMs: 30_000 }
  expect(lookDueMs({ phase: 'busy', quietSinceMs: 0, pauseMs: 5 }, times)).toBe(105)
  expect(lookDueMs({ phase: 'resting' }, times)).toBe(30_100)
})

it('lets changes gather while a request is under way, and never looks before the pause is over', () => {
  const busy: Attention = { phase: 'busy', quietSinceMs: 0, pauseMs: 5 }
  const times = { lookedAtMs: 100, requestAtMs: 101, idleLookMs: 30_000 }
  expect(lookDueMs(busy, times)).toBe(101 + GATHER_MS)
  expect(lookDueMs({ ...busy, pauseMs: 40 }, times)).toBe(140)
})
