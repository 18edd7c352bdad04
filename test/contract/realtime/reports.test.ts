// What people reported of row changes elsewhere, put to supabase-js as it is: the name of a test is the report.

import {
  postgresChangesFilter,
  type RealtimePostgresChangesPayload,
  type SupabaseClient,
} from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { openRaw, type SignedIn, signIn } from '../../support/realtime.ts'
import { callDb, freshPrefix } from '../data-api/caller.ts'
import { joined, supabaseClients } from './supabase.ts'

const p = freshPrefix()
const ROWS = `${p}_rows`
const OTHER = `${p}_other`
const PLAYER = `${p}_Player`

let owner: TestClient
let clients: Awaited<ReturnType<typeof supabaseClients>>
let anon: SupabaseClient
let service: SupabaseClient
let ada: SignedIn
let bob: SignedIn

const run = async (sql: string) => {
  await owner.query(sql)
}

beforeAll(async () => {
  owner = await connectOwner()
  clients = await supabaseClients()
  ;[ada, bob] = await Promise.all([signIn(), signIn()])
  ;[anon, service] = [clients.newClient(), clients.newService()]
  await run(`
    create table ${ROWS} (id int primary key, owner text default 'all', room text, uid uuid, parent int,
      done bool default false);
    alter table ${ROWS} enable row level security;
    create policy own on ${ROWS} for select to anon using (owner = 'all' or owner = quoin.uid());
    create table ${OTHER} (id int primary key, room text);
    grant select on ${ROWS}, ${OTHER} to anon, service_role`)
})

afterAll(async () => {
  await clients?.end()
  await run(`do $$ declare made record; begin
    for made in select oid::regclass as name from pg_class where relname like '${p}%' and relkind in ('r', 'p')
        and not relispartition loop
      execute format('drop table if exists %s cascade', made.name); end loop;
    for made in select typname as name from pg_type where typname like '${p}%' loop
      execute format('drop type if exists %I cascade', made.name); end loop; end $$;
    drop function if exists ${p}_is_member(text);
    delete from quoin.realtime_watches where table_name like '${p}%'`)
  await owner.end()
})

type Row = Record<string, unknown>
type Change = RealtimePostgresChangesPayload<Row>
interface Binding {
  readonly event?: 'INSERT' | 'UPDATE' | 'DELETE' | '*'
  readonly table?: string
  readonly filter?: string | ReturnType<typeof postgresChangesFilter>
  readonly select?: string[]
}
interface Followed {
  /** What each binding was called with. */
  readonly heard: readonly Change[][]
  readonly news: { message?: string }[]
}

/** Joins a channel with the bindings; rejects with what the client says of a refusal. */
async function follow(client: SupabaseClient, ...bindings: Binding[]): Promise<Followed> {
  const heard: Change[][] = bindings.map(() => [])
  const news: { message?: string }[] = []
  const channel = client.channel(crypto.randomUUID())
  for (const [index, { event = '*', table = ROWS, ...more }] of bindings.entries())
    channel.on('postgres_changes', { event: event as '*', schema: 'public', table, ...more }, change =>
      heard[index]?.push(change),
    )
  channel.on('system', {}, (told: { message?: string }) => news.push(told))
  await joined(channel)
  return { heard, news }
}

/** The same with one binding. */
async function followOne(client: SupabaseClient, binding: Binding = {}): Promise<Change[]> {
  return (await follow(client, binding)).heard[0] ?? []
}

const wordsOf = (changes: readonly Change[], name = 'id') =>
  changes.map(
    ({ eventType, new: row, old }) => `${eventType} ${(eventType === 'DELETE' ? old : row)[name as never]}`,
  )
const newOf = (change: Change | undefined) => change?.new as Row
const rowOf = (word: string) => word.slice(word.indexOf(' '))
/** Events of one row come in their order; those of different rows have none. */
const byRow = (words: string[]) => words.toSorted((a, b) => rowOf(a).localeCompare(rowOf(b)))
const comes = (changes: readonly Change[], words: string[], name?: string) =>
  expect.poll(() => byRow(wordsOf(changes, name))).toEqual(byRow(words))

let lastId = 0
const nextId = () => ++lastId

it('supabase/realtime-js#525: what commits once SUBSCRIBED was said comes', async () => {
  for (let round = 0; round < 5; round++) {
    const id = nextId()
    const heard = await followOne(anon, { filter: `id=eq.${id}` })
    await run(`insert into ${ROWS} values (${id})`)
    await comes(heard, [`INSERT ${id}`])
  }
})

it('supabase/supabase-js#1917: eleven bindings in any order are those of the reply, and each has its own', async () => {
  const id = nextId()
  const mine = `room=eq.r${id}`
  const { heard } = await follow(
    anon,
    { event: 'UPDATE' },
    { filter: mine },
    {},
    { filter: ` ${mine} ` },
    { event: 'INSERT', table: OTHER },
    { event: 'DELETE', filter: 'room=eq.nobody' },
    { event: 'INSERT', filter: 'id=gte.0' },
    { event: 'DELETE' },
    { filter: `id=in.(${id},-1)` },
    { table: OTHER, filter: mine },
    { event: 'UPDATE', filter: mine, select: ['id'] },
  )
  await run(`insert into ${ROWS} (id, room) values (${id}, 'r${id}')`)
  await run(`update ${ROWS} set done = true where id = ${id}`)
  await run(`delete from ${ROWS} where id = ${id}`)
  await run(`insert into ${OTHER} values (${id}, 'r${id}')`)
  await comes(heard[9] ?? [], [`INSERT ${id}`])
  await comes(heard[7] ?? [], [`DELETE ${id}`])
  const all = ['INSERT', 'UPDATE', 'DELETE'].map(event => `${event} ${id}`)
  const [insert, update, gone] = all
  expect(heard.map(changes => wordsOf(changes))).toEqual([
    [update],
    all,
    all,
    all,
    [insert],
    [],
    [insert],
    [gone],
    all,
    [insert],
    [update],
  ])
  expect(newOf(heard[10]?.[0])).toEqual({ id })
})

it('supabase/supabase-js#1721: tables that change in one transaction reach each its own callback', async () => {
  const { heard } = await follow(anon, {}, { table: OTHER })
  const ids = Array.from({ length: 20 }, nextId)
  const writes = ids.map(id => `insert into ${ROWS} values (${id}); insert into ${OTHER} values (${id});`)
  await run(`begin; ${writes.join('')} commit`)
  const words = ids.map(id => `INSERT ${id}`)
  await comes(heard[0] ?? [], words)
  await comes(heard[1] ?? [], words)
  expect(new Set(heard[0]?.map(({ table }) => table))).toEqual(new Set([ROWS]))
})

it.each([
  ['supabase/realtime#491: in, of numbers', 'id=in.(<id>,-3)'],
  ['supabase/realtime#491: in, of uuids', 'uid=in.(00000000-0000-0000-0000-0000000000aa,<uid>)'],
  ['supabase/realtime#528: in, of text with commas', 'room=in.("x, y (<id>)",z)'],
  ['supabase/realtime#659: is null', 'parent=is.null'],
  ['supabase/realtime#1912: conditions with commas between', 'id=gte.<id>,done=is.false,room=like.x*'],
])('%s', async (_, pattern) => {
  const id = nextId()
  const uid = `00000000-0000-0000-0000-${String(id).padStart(12, '0')}`
  const heard = await followOne(anon, { filter: pattern.replace('<id>', `${id}`).replace('<uid>', uid) })
  await run(`insert into ${ROWS} (id, parent, room) values (-${id}, 1, 'no');
    insert into ${ROWS} (id, room, uid) values (${id}, 'x, y (${id})', '${uid}')`)
  await comes(heard, [`INSERT ${id}`])
})

it.each(['a:b', 'eq.1', 'say "hi"', 'back\\slash', 'ü (1,2)', ' blanks '])(
  'supabase/supabase-flutter#152: a filter finds text of any kind: %s',
  async room => {
    const id = nextId()
    const quoted = `"${room.replace(/["\\]/g, '\\$&')}"`
    const heard = await followOne(anon, { filter: `room=eq.${quoted},id=eq.${id}` })
    await owner.query(`insert into ${ROWS} (id, room) values ($1, $2), (-$1, 'x')`, [id, room])
    await comes(heard, [`INSERT ${id}`])
  },
)

it('supabase/supabase-js#2463: the filter builder and select', async () => {
  const id = nextId()
  const filter = postgresChangesFilter().eq('id', id).not('room', 'in', ['a', 'b'])
  const heard = await followOne(anon, { filter, select: ['id', 'room'] })
  await run(`insert into ${ROWS} (id, room) values (${id}, 'c'), (-${id}, 'c')`)
  await comes(heard, [`INSERT ${id}`])
  expect(newOf(heard[0])).toEqual({ id, room: 'c' })
})

it('supabase/realtime#1161, #306, #283: names in mixed case, enums in mixed case, keys of char(n)', async () => {
  await run(`create type "${p}_Status" as enum ('Available', 'Deleted');
    create table "${PLAYER}" (id char(11) primary key, "Room Id" uuid, "Status" "${p}_Status");
    grant select on "${PLAYER}" to anon`)
  const uid = crypto.randomUUID()
  const { heard } = await follow(
    anon,
    { table: PLAYER, filter: 'id=eq.823Wonk34yU' },
    { table: PLAYER, filter: `"Room Id"=eq.${uid}` },
    { table: PLAYER, filter: 'Status=eq.Available' },
    { table: PLAYER, filter: 'Status=in.(Deleted,Available)' },
  )
  await run(
    `insert into "${PLAYER}" values ('823Wonk34yU', '${uid}', 'Available'), ('other', null, 'Deleted')`,
  )
  await comes(heard[3] ?? [], ['INSERT 823Wonk34yU', 'INSERT other      '])
  for (const changes of heard.slice(0, 3)) {
    expect(wordsOf(changes)).toEqual(['INSERT 823Wonk34yU'])
    expect(newOf(changes[0])).toEqual({ id: '823Wonk34yU', 'Room Id': uid, Status: 'Available' })
  }
})

it('supabase/realtime#114, #167: each type comes as /v1/db answers it', async () => {
  const table = `${p}_typed`
  await run(`create type ${p}_mood as enum ('ok', 'so so'); create type ${p}_pair as (n int, word text);
    create table ${table} (id int primary key, small smallint, big bigint, amount numeric(20,4), f4 real, f8 float8,
      nan float8, flag bool, words text, fixed char(5), vary varchar(9), uid uuid, day date, at timestamptz,
      never timestamptz, local timestamp, clock time, zoned timetz, span interval, bytes bytea, meta jsonb, plain json,
      texts text[], none int[], grid int[][], days date[], moods ${p}_mood[], mood ${p}_mood, pair ${p}_pair,
      during tsrange, net inet, spot point, price money, bits bit(4), search tsvector, empty text,
      twice int generated always as (small * 2) stored);
    grant select on ${table} to anon`)
  const heard = await followOne(anon, { table })
  await owner.query(
    `insert into ${table} values (1, -3, 9007199254740991, 12.3400, 0.1, 0.1, 'NaN', true, $1, 'ab', 'v',
      '00000000-0000-0000-0000-0000000000ff', '2026-02-28', '2026-01-01 12:00:00.123456+02', 'infinity',
      '2026-01-01 12:00:00.5', '13:30', '13:30+02', '1 year 2 days 03:04:05', '\\x00ff',
      '{"b":[1,{"a":null}],"a":1.50}', '{"z": 1, "a" : "x"}', array['a,b', '"', null, ''], '{}', '{{1,2},{3,4}}',
      array['2026-01-01'::date],
      array['ok', 'so so']::${p}_mood[], 'so so', (1, 'a,b'), '[2026-01-01,)', '10.0.0.0/8', '(1,2)', '12.50', '1010',
      to_tsvector('simple', 'a b'), null)`,
    ['line\nbreak "quoted" \\ ü 😀 \u2028'],
  )
  await comes(heard, ['INSERT 1'])
  const url = `${inject('stack').base_url}/v1/db/${table}?id=eq.1`
  const { body } = await callDb(url, { apikey: clients.anonKey })
  expect(newOf(heard[0])).toEqual(body[0])
  expect(newOf(heard[0])).toMatchObject({ twice: -6, none: [], texts: ['a,b', '"', null, ''] })
})

it('supabase/supabase-js#1270: a bigint and a numeric have all their digits on the wire', async () => {
  const table = `${p}_digits`
  await run(`create table ${table} (id bigint primary key, amount numeric); grant select on ${table} to anon`)
  using raw = await openRaw({ key: clients.anonKey })
  const texts: string[] = []
  raw.ws.on('message', (data: Buffer) => texts.push(String(data)))
  await raw.join('digits', [{ event: '*', schema: 'public', table, filter: 'id=eq.9007199254740993' }])
  await run(`insert into ${table} values (9007199254740992, 1), (9007199254740993, 123456789012345678.10)`)
  await expect.poll(() => texts.filter(text => text.includes('"record"')).length).toBe(1)
  expect(texts.at(-1)).toContain('"record":{"id":9007199254740993,"amount":123456789012345678.10}')
})

it('supabase/realtime#223: a large value that did not change is in the update', async () => {
  const table = `${p}_toasted`
  await run(`create table ${table} (id int primary key, n int, noise jsonb); grant select on ${table} to anon;
    insert into ${table} select 1, 1, jsonb_build_object('x', string_agg(md5(g::text), ''))
      from generate_series(1, 6000) g`)
  const heard = await followOne(anon, { table })
  await run(`update ${table} set n = 2`)
  await comes(heard, ['UPDATE 1'])
  const [row, old] = [newOf(heard[0]), heard[0]?.old as Row]
  expect([row['n'], old['n']]).toEqual([2, 1])
  expect(JSON.stringify(row['noise']).length).toBeGreaterThan(190_000)
  expect(row['noise']).toEqual(old['noise'])
})

it('supabase/realtime#252, #119: a row of megabytes comes or is announced, and what is behind it comes', async () => {
  const table = `${p}_large`
  await run(`create table ${table} (id int primary key, file bytea); grant select on ${table} to anon`)
  const { heard, news } = await follow(anon, { table })
  const changes = heard[0] ?? []
  await run(
    `insert into ${table} values (1, convert_to(repeat('x', 1500000), 'UTF8')); insert into ${table} values (2)`,
  )
  await expect.poll(() => wordsOf(changes)).toContain('INSERT 2')
  const told = news.filter(({ message }) => message === 'must_refetch').length
  expect(told + wordsOf(changes).filter(word => word === 'INSERT 1').length).toBe(1)
  await run(`update ${table} set file = null; delete from ${table}`)
  await expect
    .poll(() =>
      wordsOf(changes)
        .filter(word => word.startsWith('DELETE'))
        .sort(),
    )
    .toEqual(['DELETE 1', 'DELETE 2'])
})

it('supabase/realtime#301: a thousand rows of one statement come once each', async () => {
  const heard = await followOne(anon, { table: OTHER })
  await run(`insert into ${OTHER} select g from generate_series(10001, 11000) g`)
  await comes(
    heard,
    Array.from({ length: 1_000 }, (_, index) => `INSERT ${10_001 + index}`),
  )
})

it('supabase/realtime#185, #585: nobody hears of the end of rows that he did not see', async () => {
  const { heard: ofBob } = await follow(await clients.signedIn(bob.token), {}, { filter: 'room=eq.b' })
  const ofNobody = await followOne(anon)
  const ofService = await followOne(service, { filter: 'room=eq.b' })
  const [a, b, c, end] = [nextId(), nextId(), nextId(), nextId()]
  await run(`insert into ${ROWS} (id, owner, room) values (${a}, '${ada.sub}', 'b'), (${b}, '${bob.sub}', 'b'),
    (${c}, '${bob.sub}', 'a')`)
  await run(`delete from ${ROWS} where id in (${a}, ${b}, ${c})`)
  await run(`insert into ${ROWS} (id, room) values (${end}, 'b')`)
  const [last] = [`INSERT ${end}`]
  await comes(ofNobody, [last])
  await comes(ofBob[0] ?? [], [`INSERT ${b}`, `INSERT ${c}`, `DELETE ${b}`, `DELETE ${c}`, last])
  await comes(ofBob[1] ?? [], [`INSERT ${b}`, `DELETE ${b}`, last])
  await comes(ofService, [`INSERT ${a}`, `INSERT ${b}`, `DELETE ${a}`, `DELETE ${b}`, last])
})

it('supabase/supabase#28527, supabase/auth-helpers#747: a deleted row is told whole, and has no new one', async () => {
  const id = nextId()
  const heard = await followOne(await clients.signedIn(ada.token), { filter: `id=eq.${id}` })
  await run(
    `insert into ${ROWS} (id, owner, room) values (${id}, '${ada.sub}', 'a'); delete from ${ROWS} where id = ${id}`,
  )
  await comes(heard, [`INSERT ${id}`, `DELETE ${id}`])
  expect(heard[1]?.new).toEqual({})
  expect(heard[1]?.old).toEqual({ id, owner: ada.sub, room: 'a', uid: null, parent: null, done: false })
})

it('supabase/supabase#4683: policies call functions that name tables without their schema', async () => {
  const table = `${p}_of_rooms`
  await run(`create table ${p}_members (room text, person text); insert into ${p}_members values ('a', '${ada.sub}');
    create function ${p}_is_member(asked text) returns bool language sql stable security definer
      as 'select exists (select from ${p}_members m where m.room = asked and m.person = quoin.uid())';
    grant execute on function ${p}_is_member to anon;
    create table ${table} (id int primary key, room text); alter table ${table} enable row level security;
    create policy members on ${table} for select using (${p}_is_member(room)); grant select on ${table} to anon`)
  const [ofAda, ofBob] = await Promise.all(
    [ada, bob].map(async ({ token }) => followOne(await clients.signedIn(token), { table })),
  )
  await run(`insert into ${table} values (1, 'b'), (2, 'a')`)
  await comes(ofAda ?? [], ['INSERT 2'])
  await run(`insert into ${p}_members values ('b', '${bob.sub}'); update ${table} set id = id + 10`)
  await comes(ofBob ?? [], ['UPDATE 11'])
  await comes(ofAda ?? [], ['INSERT 2', 'UPDATE 12'])
})

it('supabase/realtime#1107, supabase-community/supabase-csharp#345: grants are those of the follower', async () => {
  const table = `${p}_granted`
  await run(`create table ${table} (id int primary key, name text, secret text);
    revoke all on ${table} from anon; grant select on ${table} to service_role`)
  await expect(followOne(anon, { table })).rejects.toThrow(/CHANNEL_ERROR.*permission denied/)
  await run(`grant select (id, name) on ${table} to anon`)
  await expect(followOne(anon, { table, filter: 'secret=eq.x' })).rejects.toThrow(/CHANNEL_ERROR.*secret/)
  const ofAnon = await followOne(anon, { table })
  const ofService = await followOne(service, { table, filter: 'secret=eq.x' })
  await run(`insert into ${table} values (1, 'n', 'x'); update ${table} set name = 'm'`)
  await comes(ofAnon, ['INSERT 1', 'UPDATE 1'])
  await comes(ofService, ['INSERT 1', 'UPDATE 1'])
  expect([newOf(ofAnon[1]), ofAnon[1]?.old]).toEqual([
    { id: 1, name: 'm' },
    { id: 1, name: 'n' },
  ])
})

it('supabase/walrus#28: a table without a key has its rows told', async () => {
  const table = `${p}_keyless`
  await run(`create table ${table} (a int, b text); grant select on ${table} to anon`)
  const heard = await followOne(anon, { table })
  await run(`insert into ${table} values (1, 'x'), (1, 'x')`)
  await run(
    `update ${table} set b = 'y' where ctid = (select min(ctid) from ${table}); delete from ${table} where b = 'x'`,
  )
  await comes(heard, ['INSERT x', 'INSERT x', 'UPDATE y', 'DELETE x'], 'b')
})

it('supabase/supabase#23347: a partitioned table, and a part of it', async () => {
  const table = `${p}_parted`
  await run(`create table ${table} (id int, room text, primary key (id, room)) partition by list (room);
    create table ${table}_a partition of ${table} for values in ('a');
    create table ${table}_b partition of ${table} for values in ('b'); grant select on ${table}, ${table}_a to anon`)
  const { heard } = await follow(anon, { table }, { table: `${table}_a` }, { table, filter: 'room=eq.b' })
  await run(`insert into ${table} values (1, 'a'), (2, 'b')`)
  await run(`update ${table} set room = 'b' where id = 1`)
  await run(`delete from ${table}; insert into ${table}_a values (3, 'a')`)
  const [whole = [], part = [], filtered = []] = heard
  // A row that moves is another one by its key, and rows of different keys have no order.
  const words = ['DELETE 1', 'DELETE 1', 'DELETE 2', 'INSERT 1', 'INSERT 1', 'INSERT 2', 'INSERT 3']
  await expect.poll(() => wordsOf(whole).sort()).toEqual(words)
  await expect.poll(() => wordsOf(part).sort()).toEqual(['DELETE 1', 'INSERT 1', 'INSERT 3'])
  await expect.poll(() => wordsOf(filtered).sort()).toEqual(['DELETE 1', 'DELETE 2', 'INSERT 1', 'INSERT 2'])
  expect(new Set(whole.map(change => change.table))).toEqual(new Set([table]))
})
