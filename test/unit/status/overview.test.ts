import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PlatformDatabase } from '../../../src/db/database.ts'
import { platformStatusOf } from '../../support/platform-status.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

// Sixteen seconds otherwise, as long as a trip to the database may take: monitors give up long before.
it('a database that never answers is down after two seconds, and what it says later is not heard', async () => {
  const question = Promise.withResolvers<never[]>()
  const platform = { query: () => question.promise } as Partial<PlatformDatabase> as PlatformDatabase
  const status = platformStatusOf(platform)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await status).toMatchObject({ status: 'degraded', database: { state: 'down' } })
  question.reject(new Error('too late'))
  await vi.advanceTimersByTimeAsync(0)
})
