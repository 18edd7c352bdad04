// WebhookFanout inside workerd: what it says of the events that wait in it, and that asking changes nothing.

import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import {
  alarmOf,
  chunkOf,
  countOf,
  makeWebhook,
  readLogs,
  readWebhook,
  setActive,
  tablesOf,
  useMovedClock,
  useReceiver,
} from './webhook-support.ts'

const FIRST = Date.parse('2026-01-01T00:00:00.000Z')
const receiver = useReceiver()

const pass = useMovedClock()
const fail = () => new Response('', { status: 503 })
const keysUpTo = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`)
const NOTHING = { count: 0, oldest_at_ms: null, next_attempt_at_ms: null }

describe('an object that is asked what waits', () => {
  it('says nothing, and makes no storage, where no event ever came', async () => {
    const { fanout } = await makeWebhook(receiver.url)
    expect(await fanout.waiting()).toEqual(NOTHING)
    expect(await tablesOf(fanout)).toEqual([])
    expect(await alarmOf(fanout)).toBe(0)
  })

  it('counts what a paused webhook keeps, from the oldest change on, and knows no next attempt', async () => {
    const webhook = await makeWebhook(receiver.url, { active: false })
    const { fanout } = webhook
    const later = { occurred_at_ms: FIRST + 60_000 }
    await fanout.store({ version: 1, events: [...chunkOf(['a', 'a']), ...chunkOf(['b'], later)] })
    expect(await fanout.waiting()).toEqual({ count: 3, oldest_at_ms: FIRST, next_attempt_at_ms: null })
    await setActive(webhook, true)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(await fanout.waiting()).toEqual(NOTHING)
  })

  it('says when an event that has failed is tried again, and never a time that has passed', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail
    const startedAt = Date.now()
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    const { count, next_attempt_at_ms: nextMs } = await fanout.waiting()
    expect(count).toBe(1)
    expect(nextMs).toBeGreaterThanOrEqual(startedAt + 5_000)
    expect(nextMs).toBeLessThanOrEqual(Date.now() + 6_000)
    pass(1_000)
    expect(await fanout.waiting()).toMatchObject({ next_attempt_at_ms: nextMs })
    pass(10_000)
    const askedAt = Date.now()
    expect((await fanout.waiting()).next_attempt_at_ms).toBeGreaterThanOrEqual(askedAt)
    expect(receiver.calls).toHaveLength(1)
  })

  it('says of a failing webhook when it is probed, whatever the retries of its events', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = () => new Response('', { status: 503, headers: { 'retry-after': '3600' } })
    await fanout.store({ version: 1, events: chunkOf(keysUpTo(30)) })
    await eventually(async () => expect((await readWebhook(row.id)).state).toBe('failing'))
    const { count, next_attempt_at_ms: nextMs } = await fanout.waiting()
    expect(count).toBe(30)
    expect(nextMs).toBeGreaterThan(Date.now())
    expect(nextMs).toBeLessThanOrEqual(Date.now() + 60_000)
  })
})
