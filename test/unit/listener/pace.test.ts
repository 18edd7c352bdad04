import { expect, it } from 'vitest'
import { GATHER_MS, nextPauseMs, nextPollMs, PAUSE_MS_MIN } from '../../../listener/pace.ts'

it('asks Postgres again soon after it found something, and less and less often while it finds nothing', () => {
  let pauseMs = nextPauseMs(1_000, true, 50)
  const pauses = [pauseMs]
  for (let i = 0; i < 5; i++) {
    pauseMs = nextPauseMs(pauseMs, false, 50)
    pauses.push(pauseMs)
  }
  expect(pauses).toEqual([PAUSE_MS_MIN, 10, 20, 40, 50, 50])
})

it('asks after the pause when no request is under way', () => {
  expect(nextPollMs({ polledAtMs: 100, pauseMs: 5, requestAtMs: undefined })).toBe(105)
})

it('lets changes gather while a request is under way, and never cuts the pause short', () => {
  expect(nextPollMs({ polledAtMs: 100, pauseMs: 5, requestAtMs: 101 })).toBe(101 + GATHER_MS)
  expect(nextPollMs({ polledAtMs: 100, pauseMs: 40, requestAtMs: 101 })).toBe(140)
})
