// WebhookFanout inside workerd: what it gives up, what is sent again by hand, large bodies, and its end.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { RETRY_DELAYS_MS } from '../../src/features/webhooks/delivery/retry-schedule.ts'
import { eventually } from './eventually.ts'
import {
  alarmOf,
  chunkOf,
  countOf,
  type FanoutStub,
  makeWebhook,
  pieceOf,
  platform,
  readDeadLetters,
  readLogs,
  readWebhook,
  rowsOf,
  setActive,
  tablesOf,
  useMovedClock,
  useReceiver,
} from './webhook-support.ts'

const DAY_MS = 24 * 3_600_000
const receiver = useReceiver()

const pass = useMovedClock()

/** Lets an event use up its nine attempts. */
async function exhaust(fanout: FanoutStub, webhookId: string): Promise<void> {
  for (let attempt = 1; attempt <= 9; attempt++) {
    // Its log is there once everything that follows from an attempt is.
    await eventually(async () => expect(await readLogs(webhookId)).toHaveLength(attempt))
    pass((RETRY_DELAYS_MS[attempt - 1] ?? 0) * 1.21)
    if (attempt < 9) await runDurableObjectAlarm(fanout)
  }
}

describe('a dead letter', () => {
  it('is what has failed nine times; its key goes on, and it can be delivered after all', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const events = [...chunkOf(['a']), ...chunkOf(['a'])]
    receiver.answer = call => new Response('', { status: call.body === events[0]?.payload ? 500 : 200 })
    const since = new Date(Date.now() - DAY_MS).toISOString()
    await fanout.store({ version: 1, events: events.slice(0, 1) })
    await exhaust(fanout, row.id)
    await eventually(async () => expect(await readDeadLetters(row.id)).toHaveLength(1))
    const [letter] = await readDeadLetters(row.id)
    expect(letter).toMatchObject({
      reason: 'attempts_exhausted',
      length: events[0]?.payload?.length,
      resolved_at: null,
    })
    const logs = await readLogs(row.id)
    expect(logs.map(log => log.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(new Set(logs.map(log => log.webhook_message_id)).size).toBe(1)

    receiver.calls.length = 0
    await fanout.store({ version: 1, events: events.slice(1) })
    await eventually(() => expect(receiver.calls).toHaveLength(1))

    receiver.answer = () => new Response()
    expect(await fanout.replayFailed(since)).toBe(1)
    await eventually(() => expect(receiver.calls).toHaveLength(2))
    const again = receiver.calls[1]
    expect(again?.body).toBe(events[0]?.payload)
    expect(again?.headers.get('webhook-id')).toBe(logs[0]?.webhook_message_id)
    expect(again?.headers.get('x-quoin-replay-of')).toBe(letter?.id)
    await eventually(async () => {
      expect(await readDeadLetters(row.id)).toMatchObject([{ resolved_at: expect.any(String) }])
    })
    expect(await fanout.replayFailed(since)).toBe(0)
  })

  it('is taken back once, by two who ask at once and by one who asks when it has just arrived', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    const since = new Date().toISOString()
    await fanout.store({ version: 1, events: chunkOf(['a', 'b', 'c']) })
    pass(7.1 * DAY_MS)
    await runDurableObjectAlarm(fanout)
    await eventually(async () => expect(await readDeadLetters(row.id)).toHaveLength(3))
    await setActive({ row, fanout }, true)
    const counts = await Promise.all([fanout.replayFailed(since), fanout.replayFailed(since)])
    await eventually(() => expect(receiver.calls).toHaveLength(3))
    counts.push(await fanout.replayFailed(since))
    expect(counts).toEqual([3, 0, 0])
    expect(receiver.calls).toHaveLength(3)
  })

  // Else `row` would be null without a word why.
  it('is delivered with the reason and the request that it came with', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    const since = new Date().toISOString()
    await fanout.store({ version: 1, events: chunkOf(['a'], { payload_error: 'the row is too large' }) })
    pass(7.1 * DAY_MS)
    await runDurableObjectAlarm(fanout)
    await eventually(async () => expect(await readDeadLetters(row.id)).toHaveLength(1))
    await setActive({ row, fanout }, true)
    expect(await fanout.replayFailed(since)).toBe(1)
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    expect(Object.fromEntries(receiver.calls[0]?.headers ?? [])).toMatchObject({
      'x-quoin-payload-error': 'the row is too large',
      'x-request-id': 'request-1',
    })
  })

  it('is what a paused webhook has kept for a week', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await fanout.store({ version: 1, events: chunkOf(['a', 'b']) })
    pass(6.9 * DAY_MS)
    await runDurableObjectAlarm(fanout)
    expect(await countOf(fanout, 'events')).toBe(2)
    pass(0.2 * DAY_MS)
    await runDurableObjectAlarm(fanout)
    await runDurableObjectAlarm(fanout)
    await eventually(async () => {
      expect((await readDeadLetters(row.id)).map(letter => letter.reason)).toEqual([
        'kept_too_long',
        'kept_too_long',
      ])
    })
    expect(await countOf(fanout, 'events')).toBe(0)
  })
})

describe('a replay since a time', () => {
  const fail = () => new Response('', { status: 503 })
  const now = () => new Date().toISOString()

  it('tries at once what waits for its next attempt, in the order of its key, with nine attempts', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail
    const events = [...chunkOf(['a', 'b']), ...chunkOf(['a'])]
    const since = now()
    await fanout.store({ version: 1, events })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(2))
    expect(await fanout.replayFailed(since)).toBe(2)
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(4))
    expect((await readLogs(row.id)).map(log => log.attempt)).toEqual([1, 1, 1, 1])

    receiver.calls.length = 0
    receiver.answer = () => new Response()
    pass(1)
    expect(await fanout.replayFailed(now())).toBe(0)
    expect(await fanout.replayFailed(since)).toBe(2)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(rowsOf(receiver.calls).filter(row => row[0] === 'a')).toEqual(
      rowsOf([events[0], events[2]].map(event => ({ body: event?.payload ?? '' }))),
    )
    expect(receiver.calls).toHaveLength(3)
  })

  it('does not wait for the minute of a failing webhook, and sends all when one arrives', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail
    const since = now()
    await fanout.store({ version: 1, events: chunkOf(Array.from({ length: 30 }, (_, index) => `k${index}`)) })
    await eventually(async () => expect((await readWebhook(row.id)).state).toBe('failing'))
    // What was under way then is counted later.
    await eventually(async () =>
      expect(await readWebhook(row.id)).toMatchObject({ fail_count: receiver.calls.length }),
    )
    const failed = receiver.calls.length
    expect(await fanout.replayFailed(since)).toBe(failed)
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(failed + 1))
    expect(receiver.calls).toHaveLength(failed + 1)

    receiver.answer = () => new Response()
    await fanout.replayFailed(since)
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    await eventually(async () => expect(await readWebhook(row.id)).toMatchObject({ fail_count: 0 }))
  })

  it('of a paused webhook sends nothing before it is resumed', async () => {
    const webhook = await makeWebhook(receiver.url)
    const { row, fanout } = webhook
    receiver.answer = fail
    const since = now()
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    await setActive(webhook, false)
    expect(await fanout.replayFailed(since)).toBe(1)
    await runDurableObjectAlarm(fanout)
    expect(receiver.calls).toHaveLength(1)
    receiver.answer = () => new Response()
    await setActive(webhook, true)
    await eventually(() => expect(receiver.calls).toHaveLength(2))
  })
})

describe('a large body', () => {
  const pieces = ['{"event":"UPDATE","x":"', 'é'.repeat(250_000), 'ö'.repeat(250_000), '"}']
  const bytes = pieces.reduce((sum, piece) => sum + new TextEncoder().encode(piece).length, 0)

  it('arrives in one piece, is logged without it, and leaves nothing behind', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { secret: 's' })
    const [event] = chunkOf(['a'], { payload: null, bytes })
    if (event === undefined) return expect.fail()
    for (const [number, text] of pieces.entries()) {
      expect(await fanout.storePiece(1, pieceOf(event, number, text))).toBe('stored')
    }
    await fanout.store({ version: 1, events: [event] })
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    expect(receiver.calls[0]?.body).toBe(pieces.join(''))
    await eventually(async () =>
      expect(await readLogs(row.id)).toMatchObject([{ payload: '', status_code: 200 }]),
    )
    expect(await countOf(fanout, 'pieces')).toBe(0)
  })

  it('that a message brings once more leaves nothing behind either', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const [event = expect.fail()] = chunkOf(['a'], { payload: null, bytes })
    for (let time = 1; time <= 2; time++) {
      for (const [number, text] of pieces.entries()) await fanout.storePiece(1, pieceOf(event, number, text))
      await fanout.store({ version: 1, events: [event] })
      await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
      expect(await countOf(fanout, 'pieces')).toBe(0)
    }
    expect(receiver.calls).toHaveLength(1)
  })

  // A second copy would be written under the first while that is sent and forgotten.
  it('that came back as a dead letter is not fetched again while it waits', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    const payload = chunkOf(['a'])[0]?.payload?.replace('"key":"a"', `"key":"${'x'.repeat(300_000)}"`)
    await platform.query(
      `insert into quoin.dead_letters (webhook_id, event_id, reason, payload)
        values ($1::uuid, '800000001.0', 'attempts_exhausted', $2) returning id`,
      [row.id, payload ?? expect.fail()],
    )
    const fetched = () => receiver.queries.filter(query => query.includes('substr(payload')).length
    const since = new Date(0).toISOString()
    expect([await fanout.replayFailed(since), fetched()]).toEqual([1, 2])
    expect([await fanout.replayFailed(since), fetched()]).toEqual([0, 2])
    await setActive({ row, fanout }, true)
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    expect(receiver.calls[0]?.body).toBe(payload)
  })

  it('is kept whole as a dead letter', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    const [event] = chunkOf(['a'], { payload: null, bytes })
    if (event === undefined) return expect.fail()
    for (const [number, text] of pieces.entries()) {
      await fanout.storePiece(1, pieceOf(event, number, text))
    }
    await fanout.store({ version: 1, events: [event] })
    pass(7.1 * DAY_MS)
    await runDurableObjectAlarm(fanout)
    await runDurableObjectAlarm(fanout)
    await eventually(async () => {
      expect(await readDeadLetters(row.id)).toMatchObject([{ length: pieces.join('').length }])
    })
    expect(await countOf(fanout, 'pieces')).toBe(0)
  })
})

describe('by hand', () => {
  it('a test sends an example also while paused, says what came back, and counts for nothing', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    receiver.answer = () => new Response('teapot', { status: 418 })
    const attempt = await fanout.sendTest()
    expect(attempt).toMatchObject({ ok: false, status_code: 418, response_body: 'teapot', error: 'status' })
    expect(receiver.calls[0]?.headers.get('x-quoin-test')).toBe('true')
    expect(Object.keys(JSON.parse(receiver.calls[0]?.body ?? ''))).toEqual([
      'event',
      'schema',
      'table',
      'row',
      'old_row',
      'timestamp',
    ])
    const logs = await readLogs(row.id)
    expect(logs).toMatchObject([
      { id: attempt?.log_id, event_type: 'TEST', event_id: null, status_code: 418 },
    ])
    expect(await readWebhook(row.id)).toMatchObject({ fail_count: 0 })
  })

  it('a replay sends the logged bytes again, freshly signed, under the same webhook-id', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { secret: 's' })
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    const [log] = await readLogs(row.id)
    if (log === undefined) return expect.fail()
    pass(90_000)
    const attempt = await fanout.replay({ ...log, event_type: 'UPDATE' })
    expect(attempt).toMatchObject({ ok: true, status_code: 200, error: null })
    const [first, again] = receiver.calls
    expect(again?.body).toBe(first?.body)
    for (const same of ['webhook-id', 'x-service-signature']) {
      expect(again?.headers.get(same)).toBe(first?.headers.get(same))
    }
    expect(again?.headers.get('webhook-signature')).not.toBe(first?.headers.get('webhook-signature'))
    expect(Number(again?.headers.get('webhook-timestamp'))).toBeGreaterThan(
      Number(first?.headers.get('webhook-timestamp')) + 80,
    )
    expect(again?.headers.get('x-quoin-replay-of')).toBe(log.id)
    expect(await readLogs(row.id)).toMatchObject([
      { replay_of: null },
      { id: attempt?.log_id, replay_of: log.id },
    ])
  })

  it('a replay says again why there is no row, and which request made the change', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    await fanout.store({ version: 1, events: chunkOf(['a'], { payload_error: 'the row is too large' }) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    const [log] = await readLogs(row.id)
    if (log === undefined) return expect.fail()
    await fanout.replay({ ...log, event_type: 'UPDATE' })
    expect(await readLogs(row.id)).toMatchObject([
      { request_id: 'request-1', payload_error: 'the row is too large' },
      { request_id: 'request-1', payload_error: 'the row is too large' },
    ])
    for (const name of ['x-quoin-payload-error', 'x-request-id']) {
      expect(receiver.calls.map(call => call.headers.get(name))).toEqual(
        Array(2).fill(expect.stringMatching(/./)),
      )
    }
  })
})

describe('the end', () => {
  it('of a webhook ends its deliveries and everything that was kept', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.answer = async () => {
      await promise
      return new Response()
    }
    await fanout.store({ version: 1, events: chunkOf(['a', 'a', 'b', 'c', 'd', 'e']) })
    await eventually(() => expect(receiver.calls).toHaveLength(4))
    await platform.query('delete from quoin.webhooks where id = $1::uuid returning id', [row.id])
    await fanout.removed()
    resolve()
    expect(await fanout.sendTest()).toBeUndefined()
    expect(await tablesOf(fanout)).toEqual([])
    expect(await alarmOf(fanout)).toBe(0)
    expect(receiver.calls).toHaveLength(4)
  })

  it('is not undone by a reading of the row that began before', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const { promise, resolve } = Promise.withResolvers<void>()
    let isRead = false
    receiver.whileAnswering = query => {
      if (!query.includes(' from quoin.webhooks where id = $1') || query.includes('delete')) return
      isRead = true
      return promise
    }
    const stored = fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(() => expect(isRead).toBe(true))
    await platform.query('delete from quoin.webhooks where id = $1::uuid returning id', [row.id])
    await fanout.removed()
    resolve()
    expect(await stored).toBe('gone')
    expect(await tablesOf(fanout)).toEqual([])
  })

  it('is noticed by itself within a minute when nobody could tell', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await platform.query('delete from quoin.webhooks where id = $1::uuid returning id', [row.id])
    pass(60_000)
    await runDurableObjectAlarm(fanout)
    expect(await tablesOf(fanout)).toEqual([])
  })

  it('of all that was due does not keep what comes at once after it from having an alarm', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    pass(7.1 * DAY_MS)
    await eventually(async () => {
      await runDurableObjectAlarm(fanout)
      expect(await alarmOf(fanout)).toBe(0)
    })
    receiver.answer = () => new Response('', { status: 500 })
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    expect(await alarmOf(fanout)).toBeGreaterThan(0)
  })

  it('of what an object remembers comes after a week, and then it has no alarm', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    expect(await countOf(fanout, 'chunks')).toBe(1)
    await runDurableObjectAlarm(fanout)
    expect((await alarmOf(fanout)) - Date.now()).toBeGreaterThan(60_000)
    pass(7.1 * DAY_MS)
    await runDurableObjectAlarm(fanout)
    await runDurableObjectAlarm(fanout)
    expect(await countOf(fanout, 'chunks')).toBe(0)
    expect(await alarmOf(fanout)).toBe(0)
  })
})
