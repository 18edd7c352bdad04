// The client of @supabase/supabase-js, unmodified, against what the wire is made of: both versions, both ways.

import { RealtimeClient } from '@supabase/supabase-js'
import { afterEach, describe, expect, test } from 'vitest'
import type { Vsn } from '../../../src/features/realtime/wire/frames.ts'
import {
  closeMessage,
  failMessage,
  pushMessage,
  systemMessage,
} from '../../../src/features/realtime/wire/server-messages.ts'
import { type SmallHub, smallHub } from './small-hub.ts'

const open: RealtimeClient[] = []

function client(hub: SmallHub, vsn: Vsn): RealtimeClient {
  const made = new RealtimeClient('ws://hub.test/realtime/v1', {
    transport: hub.transport,
    params: { apikey: 'svc_pk_x' },
    vsn,
    reconnectAfterMs: () => 10,
  })
  open.push(made)
  return made
}

type Channel = ReturnType<RealtimeClient['channel']>

/** Joins, and answers what the client says became of it. */
function joined(channel: Channel): Promise<{ status: string; error: string | undefined }> {
  return new Promise(done => {
    channel.subscribe((status, error) => done({ status, error: error?.message }))
  })
}

const SUBSCRIBED = { status: 'SUBSCRIBED', error: undefined }

afterEach(() => {
  for (const one of open.splice(0)) one.disconnect()
})

describe.each<Vsn>(['1.0.0', '2.0.0'])('a client of version %s', vsn => {
  test('joins, hears the changes that it asked for, and knows them by their number', async () => {
    const hub = smallHub()
    const heard: string[] = []
    const channel = client(hub, vsn).channel('room')
    for (const table of ['todos', 'notes']) {
      channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table }, change =>
        heard.push(`${table} ${JSON.stringify(change.new)}`),
      )
    }
    channel.on('postgres_changes', { event: '*', schema: 'public' }, change =>
      heard.push(`any ${change.eventType}`),
    )
    const news: unknown[] = []
    channel.on('system', {}, told => news.push(told))
    expect(await joined(channel)).toEqual(SUBSCRIBED)
    const data = {
      schema: 'public',
      table: 'notes',
      commit_timestamp: '',
      type: 'INSERT',
      columns: [],
      record: { id: 1 },
    }
    hub.tell('realtime:room', (to, member) =>
      pushMessage(to, member, 'postgres_changes', JSON.stringify({ ids: [2, 3], data })),
    )
    await expect.poll(() => heard).toEqual(['notes {"id":1}', 'any INSERT'])
    expect(news).toEqual([
      { extension: 'postgres_changes', status: 'ok', message: 'Subscribed to PostgreSQL', channel: 'room' },
    ])
  })

  test('is told why it may not join', async () => {
    const hub = smallHub()
    const asked = { event: '*', schema: 'public', filter: 'id=eq.1' } as const
    const channel = client(hub, vsn)
      .channel('room')
      .on('postgres_changes', asked, () => {})
    expect(await joined(channel)).toEqual({
      status: 'CHANNEL_ERROR',
      error: expect.stringMatching(/^RealtimeDisabledForConfiguration: config.postgres_changes.0: A filter/),
    })
  })

  test('leaves, and its heartbeats are answered', async () => {
    const hub = smallHub()
    const realtime = client(hub, vsn)
    const channel = realtime.channel('room')
    await joined(channel)
    const beats: string[] = []
    realtime.onHeartbeat(status => beats.push(status))
    await realtime.sendHeartbeat()
    await expect.poll(() => beats).toContain('ok')
    expect(await channel.unsubscribe()).toBe('ok')
  })

  test('has its broadcasts acknowledged, and hears its own', async () => {
    const hub = smallHub()
    const channel = client(hub, vsn).channel('room', { config: { broadcast: { ack: true, self: true } } })
    const heard: unknown[] = []
    channel.on('broadcast', { event: 'tick' }, message => heard.push(message))
    await joined(channel)
    expect(await channel.send({ type: 'broadcast', event: 'tick', payload: { n: 1, ä: '😀' } })).toBe('ok')
    await expect.poll(() => heard).toEqual([{ type: 'broadcast', event: 'tick', payload: { n: 1, ä: '😀' } }])
  })

  test('sends its token', async () => {
    const hub = smallHub()
    const realtime = client(hub, vsn)
    await realtime.setAuth('a.b.c')
    await joined(realtime.channel('room'))
    await realtime.setAuth('d.e.f')
    await expect.poll(() => hub.tokens).toEqual(['d.e.f'])
    expect(hub.frames[0]).toMatchObject({ event: 'phx_join', payload: { access_token: 'a.b.c' } })
  })

  test('learns of the end of its channel, and joins again behind a failure', async () => {
    const hub = smallHub()
    const statuses: string[] = []
    const channel = client(hub, vsn).channel('room')
    const news: unknown[] = []
    channel.on('system', {}, told => news.push(told))
    channel.subscribe(status => statuses.push(status))
    await expect.poll(() => statuses).toEqual(['SUBSCRIBED'])
    // An older join's end is none of this one's.
    hub.tell('realtime:room', (to, { topic }) => failMessage(to, { topic, joinRef: 'older' }))
    hub.tell('realtime:room', failMessage)
    await expect.poll(() => statuses).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED'])
    const gone = { extension: 'system', status: 'error', message: 'Token has expired' } as const
    hub.tell('realtime:room', (to, member) => systemMessage(to, member, gone))
    hub.tell('realtime:room', closeMessage)
    await expect.poll(() => statuses.at(-1)).toBe('CLOSED')
    expect(news).toEqual([{ ...gone, channel: 'room' }])
  })
})

describe('clients of both versions', () => {
  const versions: [Vsn, Vsn][] = [
    ['1.0.0', '2.0.0'],
    ['2.0.0', '1.0.0'],
  ]

  test.each(versions)('hear each other: %s to %s', async (from, to) => {
    const hub = smallHub()
    const heard: unknown[] = []
    const listener = client(hub, to)
      .channel('room')
      .on('broadcast', { event: '*' }, message => heard.push(message))
    const speaker = client(hub, from).channel('room')
    await joined(listener)
    await joined(speaker)
    await speaker.send({ type: 'broadcast', event: 'tick', payload: { n: 1 } })
    await expect.poll(() => heard).toEqual([{ type: 'broadcast', event: 'tick', payload: { n: 1 } }])
  })

  // As supabase-flutter sends it: beside `event`, not in `payload`.
  test('hear what stands beside the event', async () => {
    const hub = smallHub()
    const heard: unknown[] = []
    const listener = client(hub, '2.0.0')
      .channel('room')
      .on('broadcast', { event: 'tick' }, message => heard.push(message))
    const speaker = client(hub, '1.0.0')
    await joined(listener)
    await joined(speaker.channel('room'))
    const payload = { type: 'broadcast', event: 'tick', x: 1 }
    speaker.push({ topic: 'realtime:room', event: 'broadcast', payload, ref: '9' })
    await expect.poll(() => heard).toEqual([{ type: 'broadcast', event: 'tick', x: 1 }])
  })

  test('send bytes, which version 1.0.0 does not get', async () => {
    const hub = smallHub()
    const heard: unknown[] = []
    const old = client(hub, '1.0.0')
      .channel('room')
      .on('broadcast', { event: '*' }, message => heard.push(message.event))
    const young = client(hub, '2.0.0')
      .channel('room')
      .on('broadcast', { event: '*' }, message => heard.push(message.payload))
    const speaker = client(hub, '2.0.0').channel('room')
    for (const channel of [old, young, speaker]) await joined(channel)
    await speaker.send({ type: 'broadcast', event: 'file', payload: Uint8Array.of(1, 2).buffer })
    await speaker.send({ type: 'broadcast', event: 'end', payload: {} })
    await expect.poll(() => heard).toEqual([Uint8Array.of(1, 2).buffer, 'end', {}])
  })

  test('see each other come, change and go', async () => {
    const hub = smallHub()
    const ada = client(hub, '1.0.0').channel('room', { config: { presence: { key: 'ada' } } })
    const bob = client(hub, '2.0.0').channel('room', { config: { presence: { key: 'bob', enabled: true } } })
    await joined(ada)
    await ada.track({ at: 1 })
    await joined(bob)
    const seen = () =>
      Object.fromEntries(
        Object.entries(bob.presenceState()).map(([key, metas]) => [
          key,
          metas.map(({ presence_ref: _, ...own }) => own),
        ]),
      )
    await expect.poll(seen).toEqual({ ada: [{ at: 1 }] })
    await bob.track({})
    await ada.track({ at: 2 })
    await expect.poll(seen).toEqual({ ada: [{ at: 2 }], bob: [{}] })
    await bob.untrack()
    await expect.poll(seen).toEqual({ ada: [{ at: 2 }] })
    await ada.unsubscribe()
    await expect.poll(seen).toEqual({})
  })
})
