// What bad messages get: an answer by name, on a socket that lives on; nobody else notices.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { openRaw, type RawClient, type SignedIn, signIn } from '../../support/realtime.ts'
import { freshPrefix } from '../data-api/caller.ts'

const prefix = freshPrefix()
const ROWS = `${prefix}_rows`
const HIDDEN = `${prefix}_hidden`

let owner: TestClient
let anonKey: string
const opened: RawClient[] = []

async function open(more: { token?: string; vsn?: '1.0.0' | '2.0.0' } = {}): Promise<RawClient> {
  const client = await openRaw({ key: anonKey, ...more })
  opened.push(client)
  return client
}

/** It is open and answers. */
async function lives(client: RawClient): Promise<void> {
  expect(client.state.closed).toBeUndefined()
  expect(await client.heartbeat()).toEqual({ status: 'ok', response: {} })
}

beforeAll(async () => {
  owner = await connectOwner()
  await owner.query(`
    create table ${ROWS} (id int primary key, owner text, note text);
    alter table ${ROWS} enable row level security;
    create policy own on ${ROWS} for select to anon using (owner = 'all' or owner = quoin.uid());
    grant select on ${ROWS} to anon, service_role;
    create table ${HIDDEN} (id int primary key)`)
  await owner.query(`revoke all on ${HIDDEN} from anon`)
  anonKey = (await makeKey('anon', { rateLimitPerMinute: 1_000_000 })).key
})

afterAll(async () => {
  for (const client of opened) client.drop()
  await owner?.query(`drop table if exists ${ROWS}, ${HIDDEN}`)
  await owner?.query(`delete from quoin.realtime_watches where table_name like $1 || '%'`, [prefix])
  await owner?.end()
})

let ids = 0
/** Writes a row and answers its id. */
async function write(rowOwner: string, note = 'x'): Promise<number> {
  ids += 1
  await owner.query(`insert into ${ROWS} values ($1, $2, $3)`, [ids, rowOwner, note])
  return ids
}

const idsOf = (client: RawClient, name: string) => client.changes(name).map(({ record }) => record.id)
const has = (client: RawClient, name: string, id: number) =>
  expect.poll(() => idsOf(client, name)).toContain(id)

describe('frames that are none', () => {
  const TEXTS = [
    '',
    'garbage',
    '[]',
    '{}',
    'null',
    '[1,2,3',
    '{"topic":1}',
    '["1","1",5,"phx_join",{}]',
    '\u0000',
  ]
  const BYTES: [string, number[]][] = [
    ['nothing', []],
    ['an unknown kind', [9, 1, 1, 1, 1, 0, 1, 65, 66, 67]],
    ['a kind that only the server sends', [4, 1, 1, 0, 1, 65, 66, 123, 125]],
    ['a header that ends early', [3, 1, 1]],
    ['lengths past the end', [3, 255, 255, 255, 255, 255, 1, 65]],
    ['text that is no UTF-8', [3, 1, 1, 1, 1, 0, 1, 0xff, 0xff, 0xff, 0xff, 123, 125]],
  ]

  it.each(['1.0.0', '2.0.0'] as const)('are told so, and change nothing (%s)', async vsn => {
    const client = await open({ vsn })
    for (const text of TEXTS) client.sendRaw(text)
    for (const [, bytes] of BYTES) client.sendRaw(new Uint8Array(bytes))
    const count = TEXTS.length + BYTES.length
    await expect.poll(() => client.frames.length, { message: JSON.stringify(client.frames) }).toBe(count)
    for (const { event, payload } of client.frames)
      expect([event, payload.status, payload.message]).toEqual([
        'system',
        'error',
        expect.stringMatching(/^MalformedFrame: /),
      ])
    await lives(client)
  })

  it('of JSON deeper than any reader takes are refused', async () => {
    const client = await open()
    client.sendRaw(`["1","1","realtime:deep","broadcast",${'['.repeat(50_000)}${']'.repeat(50_000)}]`)
    await client.next('a refusal', ({ payload }) => /^MalformedFrame/.test(payload.message))
    await lives(client)
  })
})

describe('messages that are too large', () => {
  it('are refused by name at 1 MB, and reach nobody', async () => {
    const [client, other] = [await open(), await open()]
    const topic = `${prefix} large`
    await other.join(topic)
    await client.join(topic, [], { broadcast: { ack: true, self: true } })
    const large = { type: 'broadcast', event: 'x', payload: { text: 'x'.repeat(1_048_576) } }
    expect(await client.ask(`realtime:${topic}`, 'broadcast', large)).toEqual({
      status: 'error',
      response: { reason: expect.stringMatching(/^PayloadTooLarge: /) },
    })
    client.push(`realtime:${topic}`, 'broadcast', { type: 'broadcast', event: 'small', payload: {} })
    await other.next('the next broadcast', ({ event }) => event === 'broadcast')
    expect(
      other.frames.filter(({ event }) => event === 'broadcast').map(({ payload }) => payload.event),
    ).toEqual(['small'])
    await lives(client)
  })

  it('end the socket above all bounds, and the second time', async () => {
    const client = await open()
    client.sendRaw('x'.repeat(5 * 1024 * 1024))
    expect((await client.closed()).code).toBe(1009)
    const again = await open()
    for (let i = 0; i < 2; i++) again.sendRaw('x'.repeat(300_000))
    expect((await again.closed()).code).toBe(1009)
  })

  it('end the socket where they are many: to read them would cost the others', async () => {
    const client = await open()
    for (let i = 0; i < 20; i++) client.sendRaw('x'.repeat(200_000))
    expect(await client.closed()).toEqual({ code: 1008, reason: 'too many bytes' })
  })
})

describe('joins', () => {
  const refused = (reason: string | RegExp) => ({
    status: 'error',
    response: { reason: expect.stringMatching(reason) },
  })

  it('of topics with 1 000 characters are refused', async () => {
    const client = await open()
    expect(await client.join('x'.repeat(1_000))).toEqual(refused(/^InvalidTopicName: /))
    expect(await client.ask('other:topic', 'phx_join', {})).toEqual(refused(/^UnmatchedTopic: /))
    await lives(client)
  })

  it('of the 101st channel are refused, and the hundred live', async () => {
    const client = await open()
    const names = Array.from({ length: 100 }, (_, i) => `${prefix} channel ${i}`)
    for (const name of names) expect((await client.join(name)).status).toBe('ok')
    expect(await client.join(`${prefix} one more`)).toEqual(refused(/^RateLimited: .*100 channels/))
    // A new join of a channel that is there takes no more room.
    expect((await client.join(names[0] ?? '')).status).toBe('ok')
    await lives(client)
  })

  it.each([
    ['a table that does not exist', { table: `${prefix}_row` }, new RegExp(`^TableNotWatchable: .*${ROWS}`)],
    ['a schema that is not exposed', { schema: 'quoin', table: 'api_keys' }, /^SchemaNotExposed: /],
    ['a table that is not granted', { table: HIDDEN }, /^InsufficientRole: .*permission denied/],
    ['a filter of no form', { table: ROWS, filter: 'nonsense' }, /^InvalidFilter: /],
    ['a filter of no column', { table: ROWS, filter: 'nothing=eq.1' }, /^\w+: .*nothing/],
    ['a filter of no operator', { table: ROWS, filter: 'id=is_like.1' }, /^InvalidFilter: /],
    ["a value that is not of its column's type", { table: ROWS, filter: 'id=eq.one' }, /^InvalidFilter: /],
    ['SQL in a filter', { table: ROWS, filter: "note=eq.x' or true --" }, null],
    ['an event of no name', { table: ROWS, event: 'TRUNCATE' }, /^RealtimeDisabledForConfiguration: /],
    ['a place that is none', { table: ROWS, after: -1 }, /^InvalidJoinPayload: /],
  ])('to %s are answered so', async (_, changes, reason) => {
    const client = await open()
    const answer = await client.join(`${prefix} table`, [{ schema: 'public', event: '*', ...changes }])
    if (reason === null) expect(answer.status).toBe('ok')
    else expect(answer).toEqual(refused(reason))
    await lives(client)
  })

  it('with a hundred subscriptions of one table get each change once, with a hundred ids', async () => {
    const client = await open()
    const name = `${prefix} hundred`
    const one = { event: '*', schema: 'public', table: ROWS }
    expect((await client.join(name, Array(101).fill(one))).status).toBe('error')
    const { response } = await client.join(name, Array(100).fill(one))
    const wanted = response.postgres_changes.map(({ id }: { id: number }) => id)
    expect(new Set(wanted).size).toBe(100)
    await has(client, name, await write('all'))
    const [frame, ...more] = client.frames.filter(({ event }) => event === 'postgres_changes')
    expect(frame?.payload.ids).toEqual(wanted)
    expect(more).toEqual([])
  })

  it.each([
    ['no object', 'text'],
    ['a config of no form', { config: 'x' }],
    ['changes that are no list', { config: { postgres_changes: 'x' } }],
    ['an entry that is none', { config: { postgres_changes: ['x'] } }],
    ['more than a topic may say', { config: { presence: { key: 'x'.repeat(1_000) } } }],
  ])('with %s for a payload are refused', async (_, payload) => {
    const client = await open()
    expect(await client.ask(`realtime:${prefix} payload`, 'phx_join', payload)).toEqual(
      refused(/^InvalidJoinPayload: /),
    )
    await lives(client)
  })
})

describe('pushes', () => {
  it('to a channel that was not joined, and of unknown events, are refused', async () => {
    const client = await open()
    expect((await client.ask('realtime:nobody', 'broadcast', { event: 'x' })).response.reason).toBe(
      'unmatched topic',
    )
    await client.join(`${prefix} pushes`)
    expect((await client.ask(`realtime:${prefix} pushes`, 'dance', {})).response.reason).toMatch(
      /^UnknownEvent: /,
    )
    await lives(client)
  })
})

describe('tokens', () => {
  let ada: SignedIn
  let bob: SignedIn
  const follow = { event: '*', schema: 'public', table: ROWS }

  beforeAll(async () => {
    ;[ada, bob] = await Promise.all([signIn(), signIn()])
  })

  it.each(['nonsense', 'a.b.c', 'x'.repeat(20_000)])('that are none open no channel: %.20s', async token => {
    const client = await open()
    const answer = await client.join(`${prefix} token`, [follow], {}, token)
    expect(answer).toMatchObject({ status: 'error' })
    expect(JSON.stringify(answer)).not.toContain(token)
    await lives(client)
  })

  it("of another person in the middle bring that person's rows, and no row more of the first", async () => {
    const client = await open()
    const name = `${prefix} middle`
    await client.join(name, [follow], {}, ada.token)
    await has(client, name, await write(ada.sub))
    client.push(`realtime:${name}`, 'access_token', { access_token: bob.token })
    await expect.poll(() => client.news(name).map(({ message }) => message)).toContain('must_refetch')
    const [adas, bobs] = [await write(ada.sub), await write(bob.sub)]
    await has(client, name, bobs)
    await has(client, name, await write('all'))
    expect(idsOf(client, name)).not.toContain(adas)
  })

  it('that are none in the middle close the channel', async () => {
    const client = await open()
    const name = `${prefix} worse`
    await client.join(name, [follow], {}, ada.token)
    client.push(`realtime:${name}`, 'access_token', { access_token: 'nonsense' })
    await client.next(
      'the close',
      ({ event, topic }) => event === 'phx_close' && topic === `realtime:${name}`,
    )
    const witness = await open()
    await witness.join(name, [follow], {}, ada.token)
    await has(witness, name, await write(ada.sub))
    expect(idsOf(client, name)).toEqual([])
    await lives(client)
  })

  it('that have ended end the rights, and the channel says so', async () => {
    const short = await signIn({ access_token_ttl: 6 })
    const client = await open()
    const name = `${prefix} ended`
    const witness = await open()
    await witness.join(`${name} witness`, [follow])
    expect((await client.join(name, [follow], {}, short.token)).status).toBe('ok')
    await has(client, name, await write(short.sub))
    const said = () => client.news(name).map(({ message }) => message)
    await expect.poll(said, { timeout: 45_000 }).toContainEqual(expect.stringMatching(/^Token has expired/))
    const late = await write(short.sub)
    await has(witness, `${name} witness`, await write('all'))
    expect(idsOf(client, name)).not.toContain(late)
    expect((await client.join(name, [follow], {}, short.token)).status).toBe('error')
    await lives(client)
  })
})
