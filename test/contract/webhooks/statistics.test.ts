// The figures of a webhook: what became of its events lately, and what waits now.

import { afterAll, describe, expect, it } from 'vitest'
import { WebhookWithWaiting } from '../../../src/features/webhooks/delivery-schemas.ts'
import { startReceiver } from '../../support/receiver.ts'
import { asOwner } from '../data-api/caller.ts'
import { logOf, makeTable, makeWebhook, tidyUp, webhooks, webhookViews } from './caller.ts'
import { makeChain } from './chain.ts'

afterAll(tidyUp)

const statisticsOf = async (id: string) => (await webhookViews(`/${id}`)).json.statistics

describe('the figures of attempts', () => {
  // Whoever tries out a receiver must not read of it as of failed deliveries.
  it('are those of events, replays included, and of no test', async () => {
    let status = 500
    await using receiver = await startReceiver((_, answer) => {
      answer.writeHead(status).end()
    })
    const { table, id } = await makeChain(receiver)
    await webhooks('POST', `/${id}/test`)
    expect(await statisticsOf(id)).toMatchObject({
      attempts: 0,
      failed: 0,
      last_attempt_at: null,
      last_status_code: null,
    })
    status = 200
    await asOwner(`insert into ${table} values (1, 'one')`)
    const [delivered, tested] = await logOf(id, 2)
    expect(await statisticsOf(id)).toMatchObject({ attempts: 1, succeeded: 1, last_status_code: 200 })
    status = 503
    await webhooks('POST', `/${id}/replay/${tested?.['id']}`)
    await webhooks('POST', `/${id}/replay/${delivered?.['id']}`)
    expect(await statisticsOf(id)).toMatchObject({
      attempts: 2,
      succeeded: 1,
      failed: 1,
      last_status_code: 503,
    })
  })

  it('are also given by the hour, up to now, and bounded alike', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    const log = (attempts: string) =>
      asOwner(
        `insert into quoin.webhook_deliveries
          (webhook_id, webhook_message_id, event_type, payload, latency_ms, error, created_at)
          select '${id}', 'msg', type, '{}', 7, error, now() - age::interval
          from (values ${attempts}) a (type, error, age), generate_series(1, 400)`,
      )
    const hours = (busy: Record<number, { succeeded: number; failed: number }>) =>
      Array.from({ length: 24 }, (_, hour) => busy[hour] ?? { succeeded: 0, failed: 0 })
    await log("('INSERT', 'timeout', '23:30'), ('INSERT', null, '24:30'), ('TEST', 'timeout', '1:30')")
    expect(await statisticsOf(id)).toMatchObject({
      failed: 400,
      hours: hours({ 0: { succeeded: 0, failed: 400 } }),
    })
    // The clock of who wrote the last is ahead. With these there are more than the newest 1 000.
    await log("('DELETE', null, '1:30'), ('UPDATE', null, '-0:10')")
    expect(await statisticsOf(id)).toMatchObject({
      attempts: 1_000,
      hours: hours({
        0: { succeeded: 0, failed: 200 },
        22: { succeeded: 400, failed: 0 },
        23: { succeeded: 400, failed: 0 },
      }),
    })
  })
})

describe('the figures of what waits', () => {
  const NOTHING = { waiting: 0, oldest_waiting_at: null, next_attempt_at: null }
  const waitingOf = async (id: string) => {
    const { waiting, oldest_waiting_at, next_attempt_at } = await statisticsOf(id)
    return { waiting, oldest_waiting_at, next_attempt_at }
  }

  it('grow while a webhook is paused, and are gone when it is resumed', async () => {
    await using receiver = await startReceiver()
    const { table, id } = await makeChain(receiver, { active: false })
    expect(await waitingOf(id)).toEqual(NOTHING)
    const before = Date.now()
    await asOwner(`insert into ${table} values (1, 'one'), (2, 'two')`)
    await expect.poll(async () => (await waitingOf(id)).waiting).toBe(2)
    const { oldest_waiting_at, next_attempt_at } = await waitingOf(id)
    expect(next_attempt_at).toBeNull()
    expect(Date.parse(oldest_waiting_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(oldest_waiting_at)).toBeLessThanOrEqual(Date.now())
    await webhooks('PATCH', `/${id}`, { active: true })
    await expect.poll(() => waitingOf(id)).toEqual(NOTHING)
    expect(receiver.received).toHaveLength(2)
  })

  it('are the same for the dashboard, with the next attempt of an event that has failed', async () => {
    await using receiver = await startReceiver((_, answer) => {
      answer.writeHead(503, { 'retry-after': '3600' }).end()
    })
    const { table, id } = await makeChain(receiver)
    await asOwner(`insert into ${table} values (1, 'one')`)
    await logOf(id, 1)
    const { json } = await webhooks('GET', `/${id}`)
    expect(WebhookWithWaiting.strict().parse(json).statistics).toEqual(await statisticsOf(id))
    const { waiting, next_attempt_at } = await waitingOf(id)
    expect(waiting).toBe(1)
    expect(Date.parse(next_attempt_at)).toBeGreaterThan(Date.now() + 3_500_000)
  })

  it('are not in lists, which would ask every object, nor are those of hours', async () => {
    await using receiver = await startReceiver()
    const { id } = await makeChain(receiver)
    const { json } = await webhookViews('?limit=1000')
    const listed = json.data.find((webhook: { id: string }) => webhook.id === id)
    expect(listed.statistics).not.toHaveProperty('waiting')
    expect(listed.statistics).not.toHaveProperty('hours')
  })
})
