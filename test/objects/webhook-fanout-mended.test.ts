// WebhookFanout inside workerd: what waits for its next attempt, when something says that the receiver may be mended or
// that the event has arrived. Nobody moves the clock here: whatever is sent again is sent before its retry is due.

import { describe, expect, it } from 'vitest'
import { eventIdOf, webhookIdOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import { eventually } from './eventually.ts'
import {
  type Call,
  changeWebhook,
  chunkOf,
  countOf,
  type FanoutStub,
  makeWebhook,
  platform,
  readDeadLetters,
  readLogs,
  readWebhook,
  rowsOf,
  setActive,
  useMovedClock,
  useReceiver,
} from './webhook-support.ts'

const receiver = useReceiver()
useMovedClock()

const fail =
  (status = 503, headers = {}) =>
  () =>
    new Response('', { status, headers })
const HOUR = { 'retry-after': '3600' }
const bodies = (events: readonly { payload: string | null }[]) =>
  rowsOf(events.map(event => ({ body: event.payload ?? '' })))

const settled = (fanout: FanoutStub) =>
  eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))

describe('what waits for its next attempt', () => {
  it('is sent when its webhook is resumed, in the order of its key, with all attempts before it', async () => {
    const webhook = await makeWebhook(receiver.url)
    const { row, fanout } = webhook
    receiver.answer = fail(503, HOUR)
    const events = [...chunkOf(['a']), ...chunkOf(['a'])]
    await fanout.store({ version: 1, events })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    await setActive(webhook, false)
    expect(receiver.calls).toHaveLength(1)
    receiver.answer = () => new Response()
    receiver.calls.length = 0
    await setActive(webhook, true)
    await settled(fanout)
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
    await eventually(async () => {
      expect((await readLogs(row.id)).map(log => log.attempt)).toEqual([1, 1, 1])
    })
  })

  it('is sent when its webhook gets another URL', async () => {
    const webhook = await makeWebhook('http://nowhere.test/')
    receiver.elsewhere = fail(503, HOUR)
    await webhook.fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(webhook.row.id)).toHaveLength(1))
    await changeWebhook(webhook, { url: receiver.url })
    await eventually(() => expect(receiver.calls).toHaveLength(1))
  })

  it('is sent when the object itself finds that the webhook was changed', async () => {
    const webhook = await makeWebhook('http://nowhere.test/')
    receiver.elsewhere = fail(503, HOUR)
    await webhook.fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(webhook.row.id)).toHaveLength(1))
    await changeWebhook(webhook, { url: receiver.url }, { isTold: false })
    await webhook.fanout.store({ version: 2, events: chunkOf(['b']) })
    await eventually(() => expect(receiver.calls).toHaveLength(2))
  })

  it('waits on when its webhook is told what it knows', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail(503, HOUR)
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    await fanout.learn(await readWebhook(row.id))
    await fanout.store({ version: 1, events: chunkOf(['b']) })
    await eventually(() => expect(receiver.calls).toHaveLength(2))
    expect(rowsOf(receiver.calls).map(row => row[0])).toEqual(['a', 'b'])
  })
})

describe('an attempt that was under way when the webhook was changed', () => {
  async function changedUnderWay(late: () => Response) {
    const webhook = await makeWebhook('http://nowhere.test/')
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.elsewhere = () => promise.then(late)
    const events = [...chunkOf(['a']), ...chunkOf(['a'])]
    await webhook.fanout.store({ version: 1, events })
    await eventually(() => expect(receiver.callsElsewhere).toBe(1))
    await changeWebhook(webhook, { url: receiver.url })
    expect(receiver.calls).toHaveLength(0)
    resolve()
    await settled(webhook.fanout)
    return { ...webhook, events }
  }

  // A receiver that hangs holds its attempt for 15 seconds: long enough to give it another URL meanwhile.
  it('and fails is made again at once', async () => {
    const { events } = await changedUnderWay(fail(500, HOUR))
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
  })

  it('does not pause it with 410', async () => {
    const { row, events } = await changedUnderWay(fail(410))
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
    await eventually(async () => {
      const codes = (await readLogs(row.id)).map(log => log.status_code)
      expect(codes.toSorted()).toEqual([200, 200, 410])
    })
    expect(await readWebhook(row.id)).toMatchObject({ active: true, state: 'healthy' })
  })

  it('and succeeds has delivered its event', async () => {
    const { events } = await changedUnderWay(() => new Response())
    expect(rowsOf(receiver.calls)).toEqual(bodies(events.slice(1)))
  })
})

describe('a replay of what still waits', () => {
  const isReplay = (call: Call) => call.headers.has('x-quoin-replay-of')

  /** Two events of a key, of which the first has failed and waits for an hour. */
  async function waiting() {
    const webhook = await makeWebhook(receiver.url)
    const events = [...chunkOf(['a']), ...chunkOf(['a'])]
    receiver.answer = fail(503, HOUR)
    await webhook.fanout.store({ version: 1, events })
    await eventually(async () => expect(await readLogs(webhook.row.id)).toHaveLength(1))
    const [log] = await readLogs(webhook.row.id)
    receiver.answer = () => new Response()
    receiver.calls.length = 0
    return { ...webhook, events, log: { ...(log ?? expect.fail()), event_type: 'UPDATE' as const } }
  }

  it('ends its event when it arrives: it is not sent again, and its key goes on', async () => {
    const { fanout, events, log } = await waiting()
    await fanout.replay(log)
    await settled(fanout)
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
    expect(receiver.calls.map(isReplay)).toEqual([true, false])
  })

  it('lets it wait on when it does not arrive', async () => {
    const { fanout, log } = await waiting()
    receiver.answer = fail()
    await fanout.replay(log)
    expect(await countOf(fanout, 'events')).toBe(2)
    expect(receiver.calls).toHaveLength(1)
  })

  // Numbers come again from an outbox that was restored from a backup.
  it('leaves another event alone that has its number', async () => {
    const { fanout, log } = await waiting()
    await fanout.replay({ ...log, webhook_message_id: `${log.webhook_message_id}0` })
    expect(await countOf(fanout, 'events')).toBe(2)
    expect(receiver.calls).toHaveLength(1)
  })

  it('waits for an attempt that is under way: what follows may not overtake it', async () => {
    const { row, fanout, events, log } = await waiting()
    const { promise, resolve } = Promise.withResolvers<void>()
    let isHung = false
    receiver.answer = call => {
      if (isHung || isReplay(call)) return new Response()
      isHung = true
      return promise.then(fail(500, HOUR))
    }
    await fanout.replayFailed(new Date(0).toISOString())
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    await fanout.replay(log)
    expect(await countOf(fanout, 'events')).toBe(2)
    expect(receiver.calls).toHaveLength(2)
    resolve()
    await settled(fanout)
    expect(rowsOf(receiver.calls.slice(2))).toEqual(bodies(events.slice(1)))
    await eventually(async () => {
      const codes = (await readLogs(row.id)).map(entry => entry.status_code)
      expect(codes.toSorted()).toEqual([200, 200, 500, 503])
    })
  })

  it('does so for a dead letter that came back into the queue, which is resolved', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    const letter = crypto.randomUUID()
    const [event] = chunkOf(['a'])
    if (event === undefined) return expect.fail()
    const eventId = eventIdOf(event.position)
    await platform.query(
      `insert into quoin.dead_letters (id, webhook_id, event_id, reason, payload)
        values ($1::uuid, $2::uuid, $3, 'attempts_exhausted', $4) returning id`,
      [letter, row.id, eventId, event.payload],
    )
    expect(await fanout.replayFailed(new Date(0).toISOString())).toBe(1)
    await fanout.replay({
      id: letter,
      event_id: eventId,
      event_type: 'UPDATE',
      webhook_message_id: webhookIdOf(row.id, event.position, event.occurred_at_ms),
      payload: event.payload ?? '',
      request_id: null,
      payload_error: null,
    })
    await settled(fanout)
    await eventually(async () => {
      expect(await readDeadLetters(row.id)).toMatchObject([{ resolved_at: expect.any(String) }])
    })
  })
})
