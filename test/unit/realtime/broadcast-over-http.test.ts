// What is sent to channels over HTTP: all or nothing, as it was written, and by policies where the channel is private.

import { expect, it } from 'vitest'
import { broadcastOverHttp } from '../../../src/features/realtime/broadcast-over-http.ts'
import type { HubBroadcast, RealtimeHub } from '../../../src/features/realtime/hub/hub-contract.ts'
import { readMessage, readMessages } from '../../../src/features/realtime/read-messages.ts'
import { Broadcasts, SupabaseBroadcasts } from '../../../src/features/realtime/schemas.ts'

const CALLER = { role: 'anon', claims: { sub: 'ada' }, share: 's' } as const
const KEY = { id: 'k', project_id: 'p' }

/** A hub that notes what it sends, and policies that let write the topic `open` alone. */
function makeDeps(outcome = 'sent') {
  const sent: unknown[] = []
  const asked: unknown[] = []
  const broadcast = async (...args: unknown[]) => {
    sent.push(args)
    return outcome
  }
  const batch = async (_: unknown, [{ params }]: [{ params: string[] }]) => {
    asked.push(params)
    return [{ rows: [[JSON.stringify({ read: [], write: params[2] === 'open' ? [0] : [] })]] }]
  }
  const deps = {
    hubs: { byProject: (id: string) => ({ broadcast: broadcast.bind(null, id) }) as unknown as RealtimeHub },
    data: { batch },
    config: {
      dbExtraSearchPath: [],
      realtimeMessageBytesMax: 1_024,
      realtimeMessagesPerSecond: 7,
      realtimeDeliveriesPerSecond: 70,
    },
  }
  return { deps: deps as unknown as Parameters<typeof broadcastOverHttp>[0], sent, asked }
}

function message(over: Partial<HubBroadcast> & { json?: string } = {}): HubBroadcast {
  const { json = '{}', ...rest } = over
  return { topic: 'open', event: 'e', isPrivate: false, payload: { encoding: 'json', json }, ...rest }
}

it('hands public messages to the hub of the project, and asks no policy', async () => {
  const { deps, sent, asked } = makeDeps()
  await broadcastOverHttp(deps, CALLER, KEY, [message()])
  expect([sent, asked]).toEqual([[['p', 'k', [message()]]], []])
})

it('asks of each private topic once, as the caller', async () => {
  const { deps, sent, asked } = makeDeps()
  await broadcastOverHttp(deps, CALLER, KEY, [message({ isPrivate: true }), message({ isPrivate: true })])
  expect(asked).toEqual([['anon', '{"sub":"ada","role":"anon"}', 'open']])
  expect(sent).toHaveLength(1)
})

it('sends none where one topic may not be written', async () => {
  const { deps, sent } = makeDeps()
  const messages = [message(), message({ topic: 'closed', isPrivate: true })]
  await expect(broadcastOverHttp(deps, CALLER, KEY, messages)).rejects.toMatchObject({
    code: 'unauthorized_topic',
  })
  expect(sent).toEqual([])
})

it('sends none where one is too large, in bytes', async () => {
  const { deps, sent } = makeDeps()
  const large = message({ json: JSON.stringify('é'.repeat(512)) })
  await expect(broadcastOverHttp(deps, CALLER, KEY, [message(), large])).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('messages.1.payload'),
  })
  expect(sent).toEqual([])
})

it.each([
  ['too_many_messages', 'may send 7 messages a second'],
  ['too_many_deliveries', 'may send 70 frames'],
])('names the limit where the hub answers %s', async (outcome, message_) => {
  const { deps } = makeDeps(outcome)
  await expect(broadcastOverHttp(deps, CALLER, KEY, [message()])).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining(message_),
    retryAfterSeconds: 1,
  })
})

it('keeps payloads as they were written', () => {
  const text = '{"messages":[{"topic":"a","event":"e","payload":{"id":9007199254740993}}]}'
  const { messages } = Broadcasts.parse(JSON.parse(text))
  const expected = message({ topic: 'a', json: '{"id":9007199254740993}' })
  expect(readMessages(text, messages)).toEqual([expected])
})

it.each([
  ['no message', { messages: [] }],
  ['no payload', { messages: [{ topic: 'a', event: 'e' }] }],
  ['an empty topic', { messages: [{ topic: '', event: 'e', payload: {} }] }],
  ['a topic that no frame holds', { messages: [{ topic: 'é'.repeat(124), event: 'e', payload: {} }] }],
])('refuses %s', (_, body) => {
  expect(Broadcasts.safeParse(body).success).toBe(false)
  expect(SupabaseBroadcasts.safeParse(body).success).toBe(false)
})

it('takes fields that nobody knows from clients of Supabase alone', () => {
  const body = { messages: [{ topic: 'a', event: 'e', payload: {}, type: 'broadcast' }] }
  expect(Broadcasts.safeParse(body).success).toBe(false)
  expect(SupabaseBroadcasts.safeParse(body).success).toBe(true)
})

const bytes = (text: string) => async () => new TextEncoder().encode(text)
const one = (contentType: string | null, text: string) =>
  readMessage({
    params: { topic: 'open', event: 'e' },
    isPrivate: false,
    contentType,
    readRawBytes: bytes(text),
    readBodyBytes: bytes(text),
  })

it('reads one message as JSON or as bytes, by its type', async () => {
  expect(await one('application/json; charset=utf-8', '{"n":1.0}')).toEqual(message({ json: '{"n":1.0}' }))
  expect(await one(null, '')).toEqual(message())
  expect((await one('application/octet-stream', '{')).payload).toEqual({
    encoding: 'binary',
    bytes: new TextEncoder().encode('{'),
  })
  await expect(one('application/json', '{')).rejects.toMatchObject({ code: 'invalid_body' })
  await expect(one('text/plain', 'x')).rejects.toMatchObject({ code: 'unsupported_media_type' })
})
