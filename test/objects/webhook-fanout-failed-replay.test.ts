// WebhookFanout inside workerd: many dead letters that are to be tried again. They come back page by page, also when
// nobody waits for the answer any more.

import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { eventually } from './eventually.ts'
import {
  alarmOf,
  countOf,
  type FanoutStub,
  makeWebhook,
  platform,
  readDeadLetters,
  rowsOf,
  setActive,
  tablesOf,
  useMovedClock,
  useReceiver,
} from './webhook-support.ts'

const DAY_MS = 24 * 3_600_000
const EVER = new Date(0).toISOString()
const receiver = useReceiver()
let letterCount = 0

const pass = useMovedClock()

/** Gives events of the webhook up, as its object once did. */
async function giveUp(
  webhookId: string,
  count: number,
  { hoursAgo = 0, padding = 0 }: { hoursAgo?: number; padding?: number } = {},
): Promise<void> {
  const from = letterCount + 1
  letterCount += count
  await platform.query(
    `insert into quoin.dead_letters (webhook_id, event_id, reason, created_at, payload)
      select $1::uuid, 700000000 + n || '.0', 'attempts_exhausted', clock_timestamp() - $4::int * interval '1 hour',
        '{"event":"UPDATE","schema":"public","table":"nowhere","row":{"key":"k","n":' || n || ',"x":"' ||
        repeat('x', $5::int) || '"},"old_row":null,"timestamp":"2026-01-01T00:00:00.000Z"}'
      from generate_series($2::int, $3::int) as n returning id`,
    [webhookId, String(from), String(letterCount), String(hoursAgo), String(padding)],
  )
}

const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString()

/** The reading of a page of the webhook's dead letters. */
const isPageOf = (webhookId: string) => (query: string) =>
  query.includes('created_at <= $4') && query.includes(webhookId)

/** Runs its alarm until nothing is left to be taken back. */
async function drain(fanout: FanoutStub): Promise<void> {
  while ((await countOf(fanout, 'failed_replays')) > 0) await runDurableObjectAlarm(fanout)
}

describe('dead letters of more than a page', () => {
  it('are counted at once, come back after the answer, and arrive once each, asked for twice', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    await giveUp(row.id, 1_000)
    const first = fanout.replayFailed(EVER)
    const second = fanout.replayFailed(EVER)
    expect(await first).toBe(1_000)
    const arrived = receiver.calls.length
    expect(arrived + (await countOf(fanout, 'events'))).toBeLessThan(1_000)
    expect(await second).toBe(0)
    await drain(fanout)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0), { deadlineMs: 30_000 })
    expect(receiver.calls).toHaveLength(1_000)
    expect(new Set(rowsOf(receiver.calls)).size).toBe(1_000)
    await eventually(async () => {
      const letters = await readDeadLetters(row.id)
      expect(letters.filter(letter => letter.resolved_at === null)).toEqual([])
    })
    expect(await fanout.replayFailed(EVER)).toBe(0)
  })

  it('come back although the object is evicted after each page', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 350)
    expect(await fanout.replayFailed(EVER)).toBe(350)
    expect(await countOf(fanout, 'events')).toBeLessThan(350)
    expect((await alarmOf(fanout)) - Date.now()).toBeLessThanOrEqual(2_000)
    await evictDurableObject(fanout)
    while ((await countOf(fanout, 'failed_replays')) > 0) {
      await runDurableObjectAlarm(fanout)
      await evictDurableObject(fanout)
    }
    expect(await countOf(fanout, 'events')).toBe(350)
  })

  it('are not counted again while they come back; what was given up since then is', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 250)
    expect(await fanout.replayFailed(EVER)).toBe(250)
    await giveUp(row.id, 120)
    expect(await fanout.replayFailed(EVER)).toBe(120)
    expect(await fanout.replayFailed(EVER)).toBe(0)
    await drain(fanout)
    expect(await countOf(fanout, 'events')).toBe(370)
    expect(await fanout.replayFailed(EVER)).toBe(0)
  })

  it('arrive once each, asked for since one time and, while they arrive, since an earlier one', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    await giveUp(row.id, 250, { hoursAgo: 2 })
    await giveUp(row.id, 250)
    expect(await fanout.replayFailed(anHourAgo())).toBe(250)
    expect(await fanout.replayFailed(EVER)).toBe(250)
    await drain(fanout)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(receiver.calls).toHaveLength(500)
  })

  // A receiver that is still broken would have everything go round for ever.
  it('are the ones that were there when they were asked for, and each comes back once', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 250)
    expect(await fanout.replayFailed(EVER)).toBe(250)
    // Nothing more comes back until ten seconds have passed.
    receiver.isDatabaseDown = true
    await runDurableObjectAlarm(fanout)
    receiver.isDatabaseDown = false
    const taken = await countOf(fanout, 'events')
    await giveUp(row.id, 7)
    pass(7.1 * DAY_MS)
    await drain(fanout)
    await eventually(async () => {
      await runDurableObjectAlarm(fanout)
      expect(await countOf(fanout, 'events')).toBe(250 - taken)
    })
    expect(await readDeadLetters(row.id)).toHaveLength(257)
    expect(await fanout.replayFailed(EVER)).toBe(taken + 7)
  })

  it('come back later when the database does not answer', async () => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 350)
    await fanout.replayFailed(EVER)
    receiver.isDatabaseDown = true
    await runDurableObjectAlarm(fanout)
    expect(silenced).toHaveBeenCalled()
    // The first page came before the answer.
    expect(await countOf(fanout, 'events')).toBeGreaterThanOrEqual(100)
    receiver.isDatabaseDown = false
    expect((await alarmOf(fanout)) - Date.now()).toBe(10_000)
    pass(10_000)
    await drain(fanout)
    expect(await countOf(fanout, 'events')).toBe(350)
  })

  it('come back a few at a time where they are large', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 4, { padding: 400_000 })
    expect(await fanout.replayFailed(EVER)).toBe(4)
    await drain(fanout)
    expect(await countOf(fanout, 'events')).toBe(4)
    expect(receiver.queries.filter(isPageOf(row.id))).toHaveLength(2)
  })

  // Numbers come again from an outbox that was restored from a backup.
  it('come back one after the other where they have one number', async () => {
    const webhook = await makeWebhook(receiver.url, { active: false })
    const { row, fanout } = webhook
    await giveUp(row.id, 1, { hoursAgo: 2, padding: 400_000 })
    await platform.query(
      `insert into quoin.dead_letters (webhook_id, event_id, reason, payload)
        select webhook_id, event_id, reason, replace(payload, '"k"', '"second"') from quoin.dead_letters
        where webhook_id = $1::uuid returning id`,
      [row.id],
    )
    await fanout.replayFailed(EVER)
    await drain(fanout)
    await setActive(webhook, true)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(await fanout.replayFailed(EVER)).toBe(1)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(receiver.calls.map(({ body }) => JSON.parse(body).row.key)).toEqual(['k', 'second'])
  })
})

describe('a dead letter that came back and has arrived', () => {
  // Two letters, of which the later one has come back and is held by its receiver.
  async function halfWay() {
    const webhook = await makeWebhook(receiver.url)
    await giveUp(webhook.row.id, 1, { hoursAgo: 2 })
    await giveUp(webhook.row.id, 1)
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.answer = async () => {
      await promise
      return new Response()
    }
    expect(await webhook.fanout.replayFailed(anHourAgo())).toBe(1)
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    return { ...webhook, arrive: resolve }
  }

  const unresolved = async (webhookId: string) =>
    (await readDeadLetters(webhookId)).filter(letter => letter.resolved_at === null)

  it('does not come back while Postgres could not be told', async () => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { row, fanout, arrive } = await halfWay()
    receiver.isDatabaseDown = true
    arrive()
    await eventually(() => expect(silenced).toHaveBeenCalled())
    receiver.isDatabaseDown = false
    expect(await unresolved(row.id)).toHaveLength(2)
    expect(await fanout.replayFailed(EVER)).toBe(1)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(receiver.calls).toHaveLength(2)
  })

  it('does not come back when Postgres was told while it was asked', async () => {
    const { row, fanout, arrive } = await halfWay()
    const isPage = isPageOf(row.id)
    receiver.whileAnswering = async query => {
      if (!isPage(query)) return
      arrive()
      await eventually(async () => expect(await unresolved(row.id)).toHaveLength(1))
    }
    expect(await fanout.replayFailed(EVER)).toBe(1)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(receiver.calls).toHaveLength(2)
  })
})

describe('a webhook that is deleted', () => {
  it('while its dead letters come back takes none any more, and leaves no trace', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 250)
    await fanout.replayFailed(EVER)
    await platform.query('delete from quoin.webhooks where id = $1::uuid returning id', [row.id])
    await fanout.removed()
    expect(await runDurableObjectAlarm(fanout)).toBe(false)
    expect(await tablesOf(fanout)).toEqual([])
  })

  it.each([
    ['they are counted', 'json_to_recordset', 0],
    ['a page is listed', 'created_at <= $4', 250],
    ['a page is read', 'octet_length', 250],
  ])('while %s takes none, and leaves no trace', async (_, part, count) => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await giveUp(row.id, 250)
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.whileAnswering = query => (query.includes(part) ? promise : undefined)
    const asked = fanout.replayFailed(EVER)
    const ids = [row.id, ...(await readDeadLetters(row.id)).map(letter => letter.id)]
    const isPart = (query: string) => query.includes(part) && ids.some(id => query.includes(id))
    await eventually(() => expect(receiver.queries.some(isPart)).toBe(true))
    await platform.query('delete from quoin.webhooks where id = $1::uuid returning id', [row.id])
    await fanout.removed()
    resolve()
    expect(await asked).toBe(count)
    expect(await tablesOf(fanout)).toEqual([])
    expect(await alarmOf(fanout)).toBe(0)
    expect(silenced).not.toHaveBeenCalledWith(expect.stringContaining('taken back'))
  })
})
