import { expect, it } from 'vitest'
import { concurrently } from '../../../src/lib/concurrently.ts'

it('handles every item, and never more at a time than it may', async () => {
  const handled: number[] = []
  let [now, most] = [0, 0]
  await concurrently([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    now += 1
    most = Math.max(most, now)
    await Promise.resolve()
    handled.push(item)
    now -= 1
  })
  expect(handled.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(3)
})

it('throws what fails first, and begins no further item', async () => {
  const begun: number[] = []
  const work = concurrently([1, 2, 3, 4, 5], 2, async item => {
    begun.push(item)
    await Promise.resolve()
    if (item === 2) throw new Error('two')
    await Promise.resolve()
  })
  await expect(work).rejects.toThrow('two')
  expect(begun).not.toContain(5)
})

it('does nothing for nothing', async () => {
  await concurrently([], 3, () => Promise.reject(new Error('never')))
})
