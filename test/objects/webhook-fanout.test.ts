// WebhookFanout inside workerd: what it sends, in which order, how often, and what of that survives. Alarms are set
// off by the test and the clock is moved by it: nothing waits for a retry.

import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { positionOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import { eventually } from './eventually.ts'
import {
  alarmOf,
  chunkOf,
  countOf,
  crash,
  makeWebhook,
  platform,
  readLogs,
  readWebhook,
  rowsOf,
  setActive,
  tablesOf,
  useMovedClock,
  useReceiver,
} from './webhook-support.ts'

const MINUTE_MS = 60_000
const receiver = useReceiver()

const pass = useMovedClock()
const fail =
  (status = 500, headers = {}) =>
  () =>
    new Response('no', { status, headers })

async function hex(secret: string, text: string): Promise<string> {
  const [encoder, hash] = [new TextEncoder(), { name: 'HMAC', hash: 'SHA-256' }]
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hash, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

describe('a stored event', () => {
  it('is sent at once, signed, with the custom headers, and logged byte for byte', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { secret: 'a secret' })
    const [event] = chunkOf(['a'])
    expect(await fanout.store({ version: 1, events: [event ?? expect.fail()] })).toBe('stored')
    await eventually(() => expect(receiver.calls).toHaveLength(1))
    const [call] = receiver.calls
    expect(call?.body).toBe(event?.payload)
    expect(Object.fromEntries(call?.headers ?? [])).toMatchObject({
      'content-type': 'application/json',
      'x-tenant': '7',
      'x-request-id': 'request-1',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}_\d+-0_\w+$/),
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
      'webhook-signature': expect.stringMatching(/^v1,.{44}$/),
      'x-service-signature': await hex('a secret', call?.body ?? ''),
    })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    expect(await readLogs(row.id)).toMatchObject([
      {
        payload: event?.payload,
        event_type: 'UPDATE',
        status_code: 200,
        response_body: 'thanks',
        error: null,
        attempt: 1,
        webhook_message_id: call?.headers.get('webhook-id'),
      },
    ])
    expect(await countOf(fanout, 'events')).toBe(0)
    await eventually(async () => expect(await countOf(fanout, 'reports')).toBe(0))
  })

  it('is sent once, however often it is stored', async () => {
    const { fanout } = await makeWebhook(receiver.url)
    const share = { version: 1, events: chunkOf(['a', 'b']) }
    await Promise.all([fanout.store(share), fanout.store(share)])
    await eventually(async () => expect(await countOf(fanout, 'events')).toBe(0))
    expect(receiver.calls).toHaveLength(2)
    await evictDurableObject(fanout)
    await fanout.store(share)
    await runDurableObjectAlarm(fanout)
    expect(receiver.calls).toHaveLength(2)
  })

  // workerd keeps each cleared timer for as long as the object lives.
  it('clears no timer, however many are sent and logged', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    await fanout.store({ version: 1, events: chunkOf(Array.from({ length: 20 }, (_, key) => `key ${key}`)) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(20))
    await eventually(async () => expect(await countOf(fanout, 'reports')).toBe(0))
    expect(clear).not.toHaveBeenCalled()
  })

  it('is not sent without the signature that it should have', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { secret: 'x' })
    await platform.query(
      "update quoin.webhooks set secret_encrypted = 'v1.broken', version = version + 1 where id = $1::uuid " +
        'returning id',
      [row.id],
    )
    await fanout.store({ version: 2, events: chunkOf(['a']) })
    await eventually(async () =>
      expect(await readLogs(row.id)).toMatchObject([{ error: 'secret_unreadable' }]),
    )
    expect(receiver.calls).toHaveLength(0)
  })

  it('of a webhook that is deleted is not kept, and leaves no trace', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    await platform.query('delete from quoin.webhooks where id = $1::uuid returning id', [row.id])
    expect(await fanout.store({ version: 1, events: chunkOf(['a']) })).toBe('gone')
    expect(await tablesOf(fanout)).toEqual([])
    expect(await alarmOf(fanout)).toBe(0)
  })
})

describe('order', () => {
  it('sends the events of one key one after the other, four of others at a time', async () => {
    const { fanout } = await makeWebhook(receiver.url)
    let [underWay, most] = [0, 0]
    const underWayByKey = new Set<string>()
    receiver.answer = async call => {
      const key = rowsOf([call])[0]?.[0] ?? ''
      expect(underWayByKey.has(key)).toBe(false)
      underWayByKey.add(key)
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise(resolve => setTimeout(resolve, 2))
      underWay -= 1
      underWayByKey.delete(key)
      return new Response()
    }
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const [first, second] = [chunkOf(keys), chunkOf(keys)]
    await fanout.store({ version: 1, events: [...first, ...second] })
    await eventually(() => expect(receiver.calls).toHaveLength(12))
    expect(most).toBe(4)
    const rows = rowsOf(receiver.calls)
    for (const key of keys) {
      const numbers = rows.filter(row => row[0] === key).map(row => Number(row.slice(1)))
      expect(numbers).toEqual(numbers.toSorted((x, y) => x - y))
    }
  })

  // As a JavaScript number, both are the first.
  it('sends the events of chunks whose large numbers are neighbours, one after the other', async () => {
    const { fanout } = await makeWebhook(receiver.url)
    const chunks = ['9007199254740993', '9007199254740992', '9223372036854775807']
    const events = chunks.flatMap(chunk => chunkOf(['a'], { position: positionOf(chunk, 0) }))
    await fanout.store({ version: 1, events })
    await eventually(() => expect(receiver.calls).toHaveLength(3))
    const sent = receiver.calls.map(call => call.headers.get('webhook-id')?.split('_')[2])
    expect(sent).toEqual(['9007199254740992-0', '9007199254740993-0', '9223372036854775807-0'])
    await fanout.store({ version: 1, events })
    expect(await countOf(fanout, 'events')).toBe(0)
  })

  it('lets a failed event hold back its own key alone, until its retry', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const [one, two] = [chunkOf(['a', 'b']), chunkOf(['a', 'b'])]
    receiver.answer = call =>
      call.body === one[0]?.payload ? new Response('', { status: 500 }) : new Response()
    await fanout.store({ version: 1, events: [...one, ...two] })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(3))
    expect((await alarmOf(fanout)) - Date.now()).toBeLessThanOrEqual(6_000)
    receiver.answer = () => new Response()
    await runDurableObjectAlarm(fanout)
    expect(receiver.calls).toHaveLength(3)
    pass(6_000)
    await runDurableObjectAlarm(fanout)
    await eventually(() => expect(receiver.calls).toHaveLength(5))
    expect(rowsOf(receiver.calls.slice(3)).map(row => row[0])).toEqual(['a', 'a'])
    expect(receiver.calls[3]?.headers.get('webhook-id')).toBe(
      receiver.calls.find(call => call.body === one[0]?.payload)?.headers.get('webhook-id'),
    )
  })
})

describe('an event that changed the key of its row', () => {
  it('follows both keys and is followed by both, while another key waits for its retry', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    const [first, moved, last] = [
      chunkOf(['c', 'a', 'b']),
      chunkOf(['b'], { old_key: 'a' }),
      chunkOf(['a', 'b', 'c']),
    ]
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.answer = async call => {
      if (call.body === first[1]?.payload) await promise
      return new Response('', { status: rowsOf([call])[0]?.startsWith('c') ? 500 : 200 })
    }
    await fanout.store({ version: 1, events: [...first, ...moved, ...last] })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(2))
    expect(receiver.calls).toHaveLength(3)
    resolve()
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(6))
    const bodies = receiver.calls.slice(3).map(call => call.body)
    expect(bodies[0]).toBe(moved[0]?.payload)
    expect(bodies.slice(1).toSorted()).toEqual([last[0]?.payload, last[1]?.payload])
    expect(await countOf(fanout, 'events')).toBe(2)
  })
})

describe('a crash', () => {
  it('leaves an alarm two seconds ahead at most, which goes on with everything that is due', async () => {
    const webhook = await makeWebhook(receiver.url)
    receiver.answer = () => new Promise(() => undefined)
    await webhook.fanout.store({ version: 1, events: chunkOf(['a', 'b', 'c', 'd', 'e']) })
    await eventually(() => expect(receiver.calls).toHaveLength(4))
    expect((await alarmOf(webhook.fanout)) - Date.now()).toBeLessThanOrEqual(2_000)
    const fanout = await crash(webhook)
    receiver.calls.length = 0
    receiver.answer = () => new Response()
    expect(await runDurableObjectAlarm(fanout)).toBe(true)
    await eventually(() => expect(receiver.calls).toHaveLength(5))
  })

  it('of the database stops no delivery, and loses no log', async () => {
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { row, fanout } = await makeWebhook(receiver.url)
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    receiver.isDatabaseDown = true
    await fanout.store({ version: 1, events: chunkOf(['a', 'b']) })
    await eventually(() => expect(receiver.calls).toHaveLength(3))
    await eventually(() => expect(silenced).toHaveBeenCalled())
    await eventually(async () => expect(await countOf(fanout, 'reports')).toBe(2))
    receiver.isDatabaseDown = false
    expect(await alarmOf(fanout)).toBeGreaterThan(0)
    await runDurableObjectAlarm(fanout)
    expect(await readLogs(row.id)).toHaveLength(3)
  })
})

describe('a receiver that fails', () => {
  it('is counted, probed ever more seldom after twenty times, and heals by itself', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail(503)
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`)
    await fanout.store({ version: 1, events: chunkOf(keys) })
    await eventually(async () => expect((await readWebhook(row.id)).state).toBe('failing'))
    // Four under way at a time: the count may pass twenty by those, some of which are counted later.
    await eventually(async () =>
      expect(await readWebhook(row.id)).toMatchObject({ fail_count: receiver.calls.length }),
    )
    const failed = receiver.calls.length
    expect(failed).toBeGreaterThanOrEqual(20)
    expect(failed).toBeLessThanOrEqual(23)
    for (const [probe, pauseMs] of [5_000, 10_000, 20_000].entries()) {
      expect((await alarmOf(fanout)) - Date.now()).toBeLessThanOrEqual(pauseMs)
      pass(pauseMs - 1_000)
      await runDurableObjectAlarm(fanout)
      expect(receiver.calls).toHaveLength(failed + probe)
      pass(1_000)
      await runDurableObjectAlarm(fanout)
      await eventually(async () => expect(await readLogs(row.id)).toHaveLength(failed + probe + 1))
    }
    receiver.answer = () => new Response()
    receiver.calls.length = 0
    pass(40_000)
    await runDurableObjectAlarm(fanout)
    await eventually(() => expect(receiver.calls).toHaveLength(30))
    await eventually(async () => {
      expect(await readWebhook(row.id)).toMatchObject({ fail_count: 0, state: 'healthy', version: 1 })
    })
  })

  // Else one event that its receiver never takes would keep all others from being tried.
  it('is probed with another event each time', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail()
    await fanout.store({ version: 1, events: chunkOf(Array.from({ length: 20 }, (_, index) => `k${index}`)) })
    await eventually(async () => expect((await readWebhook(row.id)).state).toBe('failing'))
    const [fresh] = chunkOf(['fresh'])
    await fanout.store({ version: 1, events: [fresh ?? expect.fail()] })
    receiver.calls.length = 0
    receiver.answer = call =>
      call.body === fresh?.payload ? new Response() : new Response('', { status: 500 })
    pass(MINUTE_MS)
    for (let minute = 0; minute < 25 && (await readWebhook(row.id)).state === 'failing'; minute++) {
      const before = receiver.calls.length
      pass(MINUTE_MS)
      await runDurableObjectAlarm(fanout)
      await eventually(() => expect(receiver.calls.length).toBeGreaterThan(before))
      await runDurableObjectAlarm(fanout)
    }
    expect(rowsOf(receiver.calls).some(row => row.startsWith('fresh'))).toBe(true)
  })

  it('is not called again before its Retry-After', async () => {
    const { row, fanout } = await makeWebhook(receiver.url)
    receiver.answer = fail(429, { 'retry-after': '120' })
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await eventually(async () => expect(await readLogs(row.id)).toHaveLength(1))
    pass(110_000)
    await runDurableObjectAlarm(fanout)
    expect(receiver.calls).toHaveLength(1)
    pass(11_000)
    await runDurableObjectAlarm(fanout)
    await eventually(() => expect(receiver.calls).toHaveLength(2))
  })

  it('pauses its webhook with 410, and gets the event when it is resumed', async () => {
    const webhook = await makeWebhook(receiver.url)
    const { row, fanout } = webhook
    receiver.answer = fail(410)
    await fanout.store({ version: 1, events: chunkOf(['a', 'a']) })
    await eventually(async () => {
      expect(await readWebhook(row.id)).toMatchObject({
        active: false,
        state: 'paused_by_receiver',
        version: 2,
      })
    })
    expect(receiver.calls).toHaveLength(1)
    receiver.answer = () => new Response()
    await setActive(webhook, true)
    await eventually(() => expect(receiver.calls).toHaveLength(3))
    await eventually(async () => {
      expect(await readWebhook(row.id)).toMatchObject({ active: true, state: 'healthy', fail_count: 0 })
    })
  })
})

describe('a paused webhook', () => {
  it('keeps its events and sends them in order on resume', async () => {
    const webhook = await makeWebhook(receiver.url, { active: false })
    const { fanout } = webhook
    for (let round = 0; round < 3; round++) await fanout.store({ version: 1, events: chunkOf(['a', 'b']) })
    await runDurableObjectAlarm(fanout)
    expect(receiver.calls).toHaveLength(0)
    await setActive(webhook, true)
    await eventually(() => expect(receiver.calls).toHaveLength(6))
    for (const key of ['a', 'b']) {
      const numbers = rowsOf(receiver.calls)
        .filter(row => row[0] === key)
        .map(row => Number(row.slice(1)))
      expect(numbers).toEqual(numbers.toSorted((x, y) => x - y))
    }
  })

  it('is resumed by its row alone, within a minute, when nobody could tell its object', async () => {
    const { row, fanout } = await makeWebhook(receiver.url, { active: false })
    await fanout.store({ version: 1, events: chunkOf(['a']) })
    await platform.query(
      'update quoin.webhooks set active = true, version = version + 1 where id = $1::uuid returning id',
      [row.id],
    )
    expect((await alarmOf(fanout)) - Date.now()).toBeLessThanOrEqual(MINUTE_MS)
    pass(MINUTE_MS)
    await runDurableObjectAlarm(fanout)
    await eventually(() => expect(receiver.calls).toHaveLength(1))
  })

  it('stops what was going on, but for what is under way', async () => {
    const webhook = await makeWebhook(receiver.url)
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.answer = async () => {
      await promise
      return new Response()
    }
    await webhook.fanout.store({ version: 1, events: chunkOf(['a', 'b', 'c', 'd', 'e', 'f']) })
    await eventually(() => expect(receiver.calls).toHaveLength(4))
    await setActive(webhook, false)
    resolve()
    await eventually(async () => expect(await countOf(webhook.fanout, 'events')).toBe(2))
    await runDurableObjectAlarm(webhook.fanout)
    expect(receiver.calls).toHaveLength(4)
  })
})
