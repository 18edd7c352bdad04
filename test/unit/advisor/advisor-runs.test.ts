import { expect, it } from 'vitest'
import { AdvisorRuns } from '../../../src/features/advisor/advisor-runs.ts'

it('lets two run at once, and a third when one has ended or was given up', async () => {
  let nowMs = 0
  const runs = new AdvisorRuns(() => new Date(nowMs))
  const { promise: going, resolve } = Promise.withResolvers<void>()
  const first = runs.run(() => going)
  void runs.run(() => new Promise(() => {}))
  await expect(runs.run(async () => 3)).rejects.toMatchObject({
    code: 'too_many_calls',
    retryAfterSeconds: 5,
  })

  resolve()
  await first
  expect(await runs.run(async () => 3)).toBe(3)
  await expect(runs.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')

  void runs.run(() => new Promise(() => {}))
  await expect(runs.run(async () => 3)).rejects.toMatchObject({ code: 'too_many_calls' })
  nowMs = 20_001
  expect(await runs.run(async () => 3)).toBe(3)
})
