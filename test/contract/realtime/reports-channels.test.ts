// What people reported of channels, presence, messages and tokens elsewhere, put to supabase-js as it is: the name of a
// test is the report.

import type { RealtimeChannel, RealtimeChannelOptions, SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { openRaw, type SignedIn, signIn } from '../../support/realtime.ts'
import { freshPrefix } from '../data-api/caller.ts'
import { joined, supabaseClients } from './supabase.ts'

const p = freshPrefix()
const ROWS = `${p}_rows`
const MEMBERS = `${p}_members`

let owner: TestClient
let clients: Awaited<ReturnType<typeof supabaseClients>>
let ada: SignedIn

beforeAll(async () => {
  owner = await connectOwner()
  clients = await supabaseClients()
  ada = await signIn()
  const isMember = `exists (select from ${MEMBERS} m where m.room = realtime.topic() and m.person = quoin.uid())`
  await owner.query(`
    create table ${ROWS} (id int generated always as identity primary key, owner text);
    alter table ${ROWS} enable row level security;
    create policy own on ${ROWS} for select to anon using (owner = 'all' or owner = quoin.uid());
    create table ${MEMBERS} (room text, person text);
    insert into ${MEMBERS} values ('${p} room', '${ada.sub}');
    grant select on ${ROWS}, ${MEMBERS} to anon, service_role;
    create policy "${p} hear" on realtime.messages for select to anon using (${isMember});
    create policy "${p} speak" on realtime.messages for insert to anon with check (${isMember})`)
})

afterAll(async () => {
  await clients?.end()
  await owner.query(`
    drop policy "${p} hear" on realtime.messages; drop policy "${p} speak" on realtime.messages;
    drop table ${ROWS}, ${MEMBERS}; delete from quoin.realtime_watches where table_name = '${ROWS}';
    delete from realtime.messages where topic like '${p}%'`)
  await owner.end()
})

/** Sockets that a test can cut. */
const cuttable: WebSocket[] = []
class CuttableSocket extends WebSocket {
  constructor(address: string | URL, protocols?: string | string[]) {
    super(address, protocols)
    cuttable.push(this)
  }
}
function cutAll(): void {
  for (const socket of cuttable.splice(0)) socket.terminate()
}
/** A client that is soon back when its socket is cut. */
function cuttableClient({
  accessToken,
  params = {},
}: {
  accessToken?: () => Promise<string | null>
  params?: Record<string, string>
} = {}): SupabaseClient {
  const realtime = { transport: CuttableSocket as never, params, reconnectAfterMs: () => 50 }
  return clients.newClient({ ...(accessToken === undefined ? {} : { accessToken }), realtime })
}

let topics = 0
const newTopic = () => `${p} ${++topics}`

interface Message {
  readonly event: string
  readonly payload?: unknown
  readonly meta?: { readonly id?: string; readonly replayed?: boolean }
}

/** Joins a topic, and keeps what is broadcast there. */
async function listen(client: SupabaseClient, topic: string, config: RealtimeChannelOptions['config'] = {}) {
  const heard: Message[] = []
  const channel = client.channel(topic, { config })
  channel.on('broadcast', { event: '*' }, message => heard.push(message))
  await joined(channel)
  return { channel, heard }
}
const eventsOf = (heard: readonly Message[]) => heard.map(({ event }) => event)

/** Has the table's rows told to the channel: the ids. */
function idsOn(channel: RealtimeChannel): number[] {
  const ids: number[] = []
  const change = { event: '*', schema: 'public', table: ROWS } as const
  channel.on<{ id: number }>('postgres_changes', change, ({ new: row }) =>
    ids.push((row as { id: number }).id),
  )
  return ids
}
async function write(rowOwner = 'all'): Promise<number> {
  const { rows } = await owner.query<{ id: number }>(`insert into ${ROWS} (owner) values ($1) returning id`, [
    rowOwner,
  ])
  return rows[0]?.id ?? 0
}
const has = (ids: readonly number[], id: number) => expect.poll(() => ids).toContain(id)

it('supabase/realtime-js#169: a topic that is left and joined again at once stays joined', async () => {
  const [client, topic] = [clients.newClient(), newTopic()]
  const first = client.channel(topic)
  idsOn(first)
  first.subscribe()
  void client.removeChannel(first)
  const second = client.channel(topic)
  const ids = idsOn(second)
  const statuses = await joined(second)
  await has(ids, await write())
  expect(statuses).toEqual(['SUBSCRIBED'])
})

it('phoenixframework/phoenix#1483: join, leave, join in one go: the last join stands', async () => {
  using raw = await openRaw({ key: clients.anonKey })
  const topic = `realtime:${newTopic()}`
  const first = raw.push(topic, 'phx_join', { config: {} })
  raw.push(topic, 'phx_leave', {}, first)
  const last = raw.push(topic, 'phx_join', { config: { broadcast: { self: true } } })
  await raw.next('the last reply', ({ event, ref }) => event === 'phx_reply' && ref === last)
  raw.push(topic, 'broadcast', { type: 'broadcast', event: 'e', payload: {} }, last)
  await raw.next('the broadcast', ({ event }) => event === 'broadcast')
  const closes = raw.frames.filter(({ event }) => event === 'phx_close')
  expect(closes.map(({ joinRef }) => joinRef)).toEqual([first])
})

it('phoenixframework/phoenix#6800: messages may leave out the join that they belong to', async () => {
  using raw = await openRaw({ key: clients.anonKey })
  const topic = newTopic()
  await raw.join(topic, [], { broadcast: { ack: true, self: true }, presence: { key: 'a' } })
  const send = async (ref: string, event: string, payload: object) => {
    raw.sendRaw(JSON.stringify([null, ref, `realtime:${topic}`, event, payload]))
    const reply = await raw.next(event, frame => frame.event === 'phx_reply' && frame.ref === ref)
    return reply.payload.status
  }
  expect(await send('x1', 'broadcast', { type: 'broadcast', event: 'e', payload: {} })).toBe('ok')
  expect(await send('x2', 'presence', { type: 'presence', event: 'track', payload: {} })).toBe('ok')
  expect(await send('x3', 'phx_leave', {})).toBe('ok')
})

it('supabase/realtime#1617: messages, presence and rows go on beside each other on one channel', async () => {
  const [client, topic] = [clients.newClient(), newTopic()]
  const channel = client.channel(topic, { config: { broadcast: { ack: true, self: true } } })
  const [ids, heard] = [idsOn(channel), [] as Message[]]
  channel
    .on('broadcast', { event: '*' }, message => heard.push(message))
    .on('presence', { event: 'sync' }, () => {})
  const statuses = await joined(channel)
  await has(ids, await write())
  expect(await channel.track({ at: 1 })).toBe('ok')
  expect(await channel.send({ type: 'broadcast', event: 'one', payload: { n: 1 } })).toBe('ok')
  await has(ids, await write())
  expect(await channel.untrack()).toBe('ok')
  await expect.poll(() => eventsOf(heard)).toEqual(['one'])
  expect(statuses).toEqual(['SUBSCRIBED'])
})

/** Joins under the key, and answers what is seen there of whom. */
async function attend(topic: string, key: string, client = clients.newClient()) {
  const channel = client.channel(topic, { config: { presence: { key } } })
  const news: string[] = []
  channel
    .on('presence', { event: 'join' }, ({ key: who }) => news.push(`+${who}`))
    .on('presence', { event: 'leave' }, ({ key: who }) => news.push(`-${who}`))
  await joined(channel)
  const seen = () =>
    Object.fromEntries(
      Object.entries(channel.presenceState<{ on: string }>()).map(([who, metas]) => [
        who,
        metas.map(({ on }) => on).sort(),
      ]),
    )
  return { channel, news, seen }
}

it('supabase/supabase-js#2565, phoenixframework/phoenix#1639: devices of one key go one by one', async () => {
  const topic = newTopic()
  const [phone, desk, bob] = [
    await attend(topic, 'ada', cuttableClient()),
    await attend(topic, 'ada'),
    await attend(topic, 'bob'),
  ]
  await phone.channel.track({ on: 'phone' })
  await desk.channel.track({ on: 'desk' })
  await expect.poll(bob.seen).toEqual({ ada: ['desk', 'phone'] })
  await phone.channel.track({ on: 'phone, away' })
  await expect.poll(bob.seen).toEqual({ ada: ['desk', 'phone, away'] })
  await desk.channel.track({ on: 'desk, away' })
  await expect.poll(bob.seen).toEqual({ ada: ['desk, away', 'phone, away'] })
  cutAll()
  await expect.poll(bob.seen).toEqual({ ada: ['desk, away'] })
  await desk.channel.untrack()
  await expect.poll(bob.seen).toEqual({})
})

it('supabase/realtime#821, supabase/realtime-js#184: who comes is told of once, to all and to itself', async () => {
  const topic = newTopic()
  const ada = await attend(topic, 'ada')
  await ada.channel.track({ on: 'a' })
  const bob = await attend(topic, 'bob')
  await bob.channel.track({ on: 'b' })
  await expect.poll(ada.seen).toEqual({ ada: ['a'], bob: ['b'] })
  await expect.poll(bob.seen).toEqual({ ada: ['a'], bob: ['b'] })
  expect([ada.news, bob.news]).toEqual([
    ['+ada', '+bob'],
    ['+ada', '+bob'],
  ])
})

it('supabase/supabase-js#1536, #1728: who tracks without listening is seen, and told so', async () => {
  const topic = newTopic()
  const bob = await attend(topic, 'bob')
  const silent = clients.newClient().channel(topic, { config: { presence: { key: 'silent' } } })
  await joined(silent)
  expect(await silent.track({ on: 's' })).toBe('ok')
  await expect.poll(bob.seen).toEqual({ silent: ['s'] })
  expect(await silent.untrack()).toBe('ok')
  await expect.poll(bob.seen).toEqual({})
})

it('supabase-community/realtime-csharp#29: who was cut off and comes back is present once', async () => {
  const topic = newTopic()
  const bob = await attend(topic, 'bob')
  const client = cuttableClient()
  const channel = client.channel(topic, { config: { presence: { key: 'ada' } } })
  channel.subscribe(status => void (status === 'SUBSCRIBED' && channel.track({ on: 'a' })))
  await expect.poll(bob.seen).toEqual({ ada: ['a'] })
  cutAll()
  await expect.poll(() => bob.news.filter(word => word === '-ada')).toHaveLength(1)
  await expect.poll(bob.seen).toEqual({ ada: ['a'] })
})

const send = (sql: string, params: unknown[]) => owner.query(`select ${sql}`, params)

it('supabase/realtime#1384, supabase/supabase#50537: what SQL sends comes as it is, where it belongs', async () => {
  const topic = newTopic()
  const open = await listen(clients.newClient(), topic)
  const closed = await listen(clients.newService(), topic, { private: true })
  await send(`realtime.send('{"id": 42, "amount": 1.50}', 'open', $1, false)`, [topic])
  await send(`realtime.send('{"id": "mine"}', 'closed', $1, true)`, [topic])
  await expect.poll(() => closed.heard).toMatchObject([{ event: 'closed', payload: { id: 'mine' } }])
  await expect.poll(() => open.heard).toMatchObject([{ event: 'open', payload: { id: 42, amount: 1.5 } }])
})

it('supabase/supabase-js#1274: what is private over HTTP reaches private channels alone', async () => {
  const topic = newTopic()
  const open = await listen(clients.newClient(), topic)
  const closed = await listen(clients.newService(), topic, { private: true })
  const sender = clients.newService().channel(topic, { config: { private: true } })
  expect(await sender.httpSend('http', { n: 1 })).toEqual({ success: true })
  expect(await sender.send({ type: 'broadcast', event: 'unjoined', payload: {} })).toBe('ok')
  const outsider = clients.newClient().channel(topic, { config: { private: true } })
  expect(await outsider.send({ type: 'broadcast', event: 'refused', payload: {} })).toBe('error')
  await clients.newClient().channel(topic).httpSend('end', {})
  await expect.poll(() => eventsOf(closed.heard)).toEqual(['http', 'unjoined'])
  await expect.poll(() => eventsOf(open.heard)).toEqual(['end'])
})

it.each(['', 'Bearer <key>'])(
  'supabase/supabase-js#1590: no token is no fault: authorization "%s"',
  async authorization => {
    const topic = newTopic()
    const { heard } = await listen(clients.newClient(), topic)
    const answer = await fetch(`${inject('stack').base_url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: {
        apikey: clients.anonKey,
        authorization: authorization.replace('<key>', clients.anonKey),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ messages: [{ topic, event: 'e', payload: {} }] }),
    })
    expect([answer.status, await answer.text()]).toEqual([202, ''])
    await expect.poll(() => eventsOf(heard)).toEqual(['e'])
  },
)

it('supabase/supabase#20148: a loop of messages over HTTP reaches all its topics', async () => {
  const names = [newTopic(), newTopic(), newTopic()]
  const reader = clients.newClient()
  const listeners = await Promise.all(names.map(name => listen(reader, name)))
  const sender = clients.newService()
  for (const name of names) {
    const channel = sender.channel(name)
    expect(await channel.send({ type: 'broadcast', event: name, payload: {} })).toBe('ok')
    void sender.removeChannel(channel)
  }
  for (const [index, { heard }] of listeners.entries())
    await expect.poll(() => eventsOf(heard)).toEqual([names[index]])
})

it('supabase/realtime#2077: bytes that SQL sent are replayed as bytes', async () => {
  const topic = newTopic()
  const replay = { since: Date.now() - 5_000, limit: 1 }
  await send(`realtime.send_binary('\\x00ff07', 'bytes', $1)`, [topic])
  const { heard } = await listen(clients.newService(), topic, { private: true, broadcast: { replay } })
  await expect.poll(() => heard[0]).toMatchObject({ event: 'bytes', meta: { replayed: true } })
  expect(new Uint8Array(heard[0]?.payload as ArrayBuffer)).toEqual(new Uint8Array([0, 255, 7]))
})

it('supabase/realtime#1561, supabase/supabase-js#553: a key is no token, and that of accessToken counts', async () => {
  const keyed = clients.newClient()
  await keyed.realtime.setAuth()
  const signedIn = await clients.signedIn(ada.token)
  const [ofKey, ofAda] = [keyed.channel(newTopic()), signedIn.channel(newTopic())]
  const [keyIds, adaIds] = [idsOn(ofKey), idsOn(ofAda)]
  await Promise.all([joined(ofKey), joined(ofAda)])
  const [adas, all] = [await write(ada.sub), await write()]
  await expect.poll(() => adaIds.toSorted()).toEqual([adas, all].sort())
  await expect.poll(() => keyIds).toEqual([all])
})

it('supabase/realtime#1111: members by a table join a private channel and speak there, others are told', async () => {
  const topic = `${p} room`
  const [one, two] = [
    await listen(await clients.signedIn(ada.token), topic, { private: true, broadcast: { ack: true } }),
    await listen(await clients.signedIn(ada.token), topic, { private: true }),
  ]
  expect(await one.channel.send({ type: 'broadcast', event: 'hello', payload: {} })).toBe('ok')
  await expect.poll(() => eventsOf(two.heard)).toEqual(['hello'])
  await expect(listen(clients.newClient(), topic, { private: true })).rejects.toThrow(
    /CHANNEL_ERROR.*permissions to read/,
  )
})

it('supabase/realtime#1807: a client that does not say whether it wants presence gets it', async () => {
  using raw = await openRaw({ key: clients.anonKey, vsn: '1.0.0' })
  const topic = newTopic()
  await raw.join(topic, [], { presence: { key: 'old' } })
  await raw.next('the state', ({ event }) => event === 'presence_state')
})

it('supabase/supabase-js#2596, supabase/realtime#638: who signs out stays, and joins again as nobody', async () => {
  let token: string | null = ada.token
  const client = cuttableClient({ accessToken: async () => token })
  await client.realtime.setAuth()
  const channel = client.channel(newTopic())
  const ids = idsOn(channel)
  const statuses = await joined(channel)
  await has(ids, await write(ada.sub))
  token = null
  await client.realtime.setAuth()
  await has(ids, await write())
  cutAll()
  await expect.poll(() => statuses.filter(status => status === 'SUBSCRIBED')).toHaveLength(2)
  const adas = await write(ada.sub)
  await has(ids, await write())
  expect(ids).not.toContain(adas)
})

it('supabase/realtime-py#213: who was cut off has its rows again', async () => {
  const channel = cuttableClient().channel(newTopic())
  const ids = idsOn(channel)
  const statuses = await joined(channel)
  cutAll()
  await expect.poll(() => statuses.filter(status => status === 'SUBSCRIBED')).toHaveLength(2)
  await has(ids, await write())
})

it('supabase/supabase-flutter#90: with a name, who was cut off has also the rows of meanwhile', async () => {
  const client = cuttableClient({ params: { client: crypto.randomUUID() } })
  const channel = client.channel(newTopic())
  const ids = idsOn(channel)
  await joined(channel)
  const before = await write()
  await has(ids, before)
  cutAll()
  const meanwhile = [await write(), await write(), await write()]
  await expect.poll(() => new Set(ids)).toEqual(new Set([before, ...meanwhile]))
})
