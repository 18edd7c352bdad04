// The figures of a webhook whose object does not say what waits in it. What it says is shown over HTTP in
// test/contract.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readWebhookWithWaiting } from '../../../src/features/webhooks/webhook-statistics.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const TIME = '2029-01-01T00:00:00Z'

type Deps = Parameters<typeof readWebhookWithWaiting>[0]

function read(waiting: () => Promise<unknown>) {
  const rows = [{ id: ID, events: ['INSERT'], headers_encrypted: {}, created_at: TIME, updated_at: TIME }]
  const query = async (sql: string) =>
    sql.includes('webhook_deliveries')
      ? [{ id: ID, attempts: 7, last_attempt_at: null, last_success_at: null }]
      : rows
  const deps = { platform: { query }, fanouts: { byId: () => ({ waiting }) } } as Partial<
    Record<keyof Deps, unknown>
  > as Deps
  return readWebhookWithWaiting(deps, ID)
}

const UNKNOWN = { attempts: 7, waiting: null, oldest_waiting_at: null, next_attempt_at: null }

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('leaves out what waits, and says so in the log, when the object fails', async () => {
  const { statistics } = await read(() => Promise.reject(new Error('overloaded')))
  expect(statistics).toMatchObject(UNKNOWN)
  expect(String(vi.mocked(console.warn).mock.calls)).toContain(ID)
})

it('does not wait longer than two seconds for an object that does not answer', async () => {
  const reading = read(() => new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await reading).statistics).toMatchObject(UNKNOWN)
})

it('gives times as ISO 8601, and null for what there is not', async () => {
  const { statistics } = await read(async () => ({ count: 2, oldest_at_ms: 0, next_attempt_at_ms: null }))
  expect(statistics).toMatchObject({
    waiting: 2,
    oldest_waiting_at: '1970-01-01T00:00:00.000Z',
    next_attempt_at: null,
  })
})
