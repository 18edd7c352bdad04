// WebhookFanout inside workerd: what waits for its next attempt, when something says that the receiver may be mended or
// that the event has arrived. Nobody moves the clock here: whatever is sent again is sent before its retry is due.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  changeWebhook,
  chunkOf,
  countOf,
  type FanoutStub,
  makeWebhook,
  readLogs,
  readWebhook,
  rowsOf,
  setActive,
  startReceiver,
  type TestReceiver,
} from './webhook-support.ts'

let receiver: TestReceiver

beforeEach(() => {
  receiver = startReceiver()
})

afterEach(() => receiver.restore())

const fail =
  (status = 503, headers = {}) =>
  () =>
    new Response('', { status, headers })
const HOUR = { 'retry-after': '3600' }
const bodies = (events: readonly { payload: string | null }[]) =>
  rowsOf(events.map(event => ({ body: event.payload ?? '' })))

const settled = (fanout: FanoutStub) =>
  vi.waitFor(async () => expect(await countOf(fanout, 'events')).toBe(0))

describe('what waits for its next attempt', () => {
  it('is sent when its webhook is resumed, in the order of its key, with all attempts before it', async () => {
    const webhook = await makeWebhook(receiver.url)
    const { row, fanout } = webhook
    receiver.answer = fail(503, HOUR)
    const events = [...chunkOf(['a']), ...chunkOf(['a'])]
    await fanout.store({ version: 1, events })
    await vi.waitFor(async () => expect(await readLogs(row.id)).toHaveLength(1))
    await setActive(webhook, false)
    expect(receiver.calls).toHaveLength(1)
    receiver.answer = () => new Response()
    receiver.calls.length = 0
    await setActive(webhook, true)
    await settled(fanout)
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
    await vi.waitFor(async () => {
      expect((await readLogs(row.id)).map(log => log.attempt)).toEqual([1, 1, 1])
    })
  })

  it('is sent when its webhook gets another URL', async () => {
    const webhook = await makeWebhook('http://nowhere.test/')
    receiver.elsewhere = fail(503, HOUR)
    await webhook.fanout.store({ version: 1, events: chunkOf(['a']) })
    await vi.waitFor(async () => expect(await readLogs(webhook.row.id)).toHaveLength(1))
    await changeWebhook(webhook, { url: receiver.url })
    await vi.waitFor(() => expect(receiver.calls).toHaveLength(1))
  })

  it('is sent when the object itself finds that the webhook was changed', async () => {
    const webhook = await makeWebhook('http://nowhere.test/')
    receiver.elsewhere = fail(503, HOUR)
    await webhook.fanout.store({ version: 1, events: chunkOf(['a']) })
    await vi.waitFor(async () => expect(await readLogs(webhook.row.id)).toHaveLength(1))
    await changeWebhook(webhook, { url: receiver.url }, { isTold: false })
    await webhook.fanout.store({ version: 2, events: chunkOf(['b']) })
    await vi.waitFor(() => expect(receiver.calls).toHaveLength(2))
  })

  it('waits on when its webhook is told what it knows', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail(503, HOUR)
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await vi.waitFor(async () => expect(await readLogs(row.id)).toHaveLength(1))
    await fanout.learn(await readWebhook(row.id))
    await fanout.store({ version: 1, events: chunkOf(['b']) })
    await vi.waitFor(() => expect(receiver.calls).toHaveLength(2))
    expect(rowsOf(receiver.calls).map(row => row[0])).toEqual(['a', 'b'])
  })
})

describe('an attempt that was under way when the webhook was changed', () => {
  async function changedUnderWay(late: Response) {
    const webhook = await makeWebhook('http://nowhere.test/')
    const { promise, resolve } = Promise.withResolvers<Response>()
    receiver.elsewhere = () => promise
    const events = [...chunkOf(['a']), ...chunkOf(['a'])]
    await webhook.fanout.store({ version: 1, events })
    await vi.waitFor(() => expect(receiver.callsElsewhere).toBe(1))
    await changeWebhook(webhook, { url: receiver.url })
    expect(receiver.calls).toHaveLength(0)
    resolve(late)
    await settled(webhook.fanout)
    return { ...webhook, events }
  }

  // A receiver that hangs holds its attempt for 15 seconds: long enough to give it another URL meanwhile.
  it('and fails is made again at once', async () => {
    const { events } = await changedUnderWay(new Response('', { status: 500, headers: HOUR }))
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
  })

  it('does not pause it with 410', async () => {
    const { row, events } = await changedUnderWay(new Response('', { status: 410 }))
    expect(rowsOf(receiver.calls)).toEqual(bodies(events))
    expect(await readWebhook(row.id)).toMatchObject({ active: true, state: 'healthy' })
  })

  it('and succeeds has delivered its event', async () => {
    const { events } = await changedUnderWay(new Response())
    expect(rowsOf(receiver.calls)).toEqual(bodies(events.slice(1)))
  })
})
