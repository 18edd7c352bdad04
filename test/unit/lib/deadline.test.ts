import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeadlinePassed, deadline, sharedDeadline } from '../../../src/lib/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const never = () => new Promise<never>(() => undefined)
/** Has its deadline passed by now? */
function watched(work: Promise<unknown>): () => boolean {
  let hasPassed = false
  work.catch(err => {
    hasPassed = err instanceof DeadlinePassed
  })
  return () => hasPassed
}

describe.each([
  ['with a timer of its own', () => deadline],
  ['with a shared timer', sharedDeadline],
])('a deadline %s', (_, make) => {
  it('passes on what comes in time, a failure too', async () => {
    const within = make()
    await expect(within(50, Promise.resolve('done'))).resolves.toBe('done')
    await expect(within(50, Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  })

  it('gives up exactly when the time is over', async () => {
    const hasPassed = watched(make()(15_000, never()))
    await vi.advanceTimersByTimeAsync(14_999)
    expect(hasPassed()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(hasPassed()).toBe(true)
  })

  it('keeps each of several to its own time, in whatever order they began', async () => {
    const within = make()
    const long = watched(within(5_000, never()))
    const short = watched(within(300, never()))
    const middle = watched(within(2_500, never()))
    await vi.advanceTimersByTimeAsync(300)
    expect([short(), middle(), long()]).toEqual([true, false, false])
    await vi.advanceTimersByTimeAsync(2_200)
    expect([short(), middle(), long()]).toEqual([true, true, false])
    await vi.advanceTimersByTimeAsync(2_500)
    expect([short(), middle(), long()]).toEqual([true, true, true])
  })
})

describe('a shared timer', () => {
  it('is one for a thousand works, and none is cleared', async () => {
    const within = sharedDeadline()
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    for (let work = 0; work < 1_000; work++) await within(15_000, Promise.resolve())
    expect(set).toHaveBeenCalledTimes(1)
    expect(clear).not.toHaveBeenCalled()
  })

  it('stays one while shorter works come and go beside a long one', async () => {
    const within = sharedDeadline()
    watched(within(60_000, never()))
    for (let work = 0; work < 10; work++) {
      watched(within(300, never()))
      await vi.advanceTimersByTimeAsync(300)
    }
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(1)
  })

  it('rests a second after the last work, and begins again with the next', async () => {
    const within = sharedDeadline()
    await within(15_000, Promise.resolve())
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(0)
    const next = watched(within(400, never()))
    await vi.advanceTimersByTimeAsync(400)
    expect(next()).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})
