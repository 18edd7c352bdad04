import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SharedRun } from '../../../src/lib/shared-run.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const RUN_MS = 2_000
const makeShared = () =>
  new SharedRun<number>({ freshMs: 1_000, runMsMax: 3_000, now: () => new Date(Date.now()) })

/** Counts its runs and answers their number. */
function slow() {
  let runs = 0
  const make = async () => {
    runs += 1
    const number = runs
    await new Promise(resolve => setTimeout(resolve, RUN_MS))
    return number
  }
  return { make, runs: () => runs }
}

it('whoever comes during a run, or within a second of its end, has its value', async () => {
  const shared = makeShared()
  const { make, runs } = slow()
  const first = shared.get(make)
  await vi.advanceTimersByTimeAsync(RUN_MS - 10)
  const second = shared.get(make)
  await vi.advanceTimersByTimeAsync(100)
  expect(await Promise.all([first, second, shared.get(make)])).toEqual([1, 1, 1])
  await vi.advanceTimersByTimeAsync(1_000)
  void shared.get(make)
  expect(runs()).toBe(2)
})

it('of those who wait for a run that fails one makes the next', async () => {
  const shared = makeShared()
  const { make, runs } = slow()
  const failing = shared.get(async () => {
    await new Promise(resolve => setTimeout(resolve, 100))
    throw new Error('no')
  })
  const waiting = [shared.get(make), shared.get(make)]
  const refused = expect(failing).rejects.toThrow('no')
  await vi.advanceTimersByTimeAsync(100 + RUN_MS + 100)
  await refused
  expect(await Promise.all(waiting)).toEqual([1, 1])
  expect(runs()).toBe(1)
})

// workerd drops what a cancelled request was doing: its promises never settle.
it('a run that never ends is taken for lost after its time, and keeps no later one from sharing', async () => {
  const shared = makeShared()
  const { make, runs } = slow()
  void shared.get(() => new Promise(() => {}))
  const waiting = [shared.get(make), shared.get(make)]
  await vi.advanceTimersByTimeAsync(3_000 + RUN_MS + 100)
  expect(await Promise.all(waiting)).toEqual([1, 1])
  expect(runs()).toBe(1)
})
