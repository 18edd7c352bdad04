/**
 * After any change of the schema the next call answers as after a restart: the verbs of the data API over statements
 * that are prepared, and a catalog that is remembered, beside the same verbs that have neither.
 */

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../../sql-gateway/server.ts'
import { DataDatabase } from '../../src/db/database.ts'
import { PostgresError } from '../../src/db/postgres-error.ts'
import type { Statement } from '../../src/db/sql.ts'
import { SqlWire } from '../../src/db/sql-wire.ts'
import { DomainError } from '../../src/errors.ts'
import { makeCatalog } from '../../src/features/data-api/catalog/catalog.ts'
import { QUOIN_DIALECT } from '../../src/features/data-api/dialect.ts'
import type { DataApiDeps } from '../../src/features/data-api/run/data-session.ts'
import { callFunction } from '../../src/features/data-api/verbs/call-function.ts'
import { deleteRows, updateRows } from '../../src/features/data-api/verbs/change-rows.ts'
import type { DataAnswer } from '../../src/features/data-api/verbs/data-answer.ts'
import { insertRows } from '../../src/features/data-api/verbs/insert-rows.ts'
import { readRows } from '../../src/features/data-api/verbs/read-rows.ts'
import { startPostgres, startTestGateway, type TestPostgres } from './support.ts'

let postgres: TestPostgres
let admin: pg.Client
/** One connection of own statements, so that what was prepared is what is used. */
let warmGateway: Gateway
let freshGateway: Gateway
let warm: DataApiDeps

beforeAll(async () => {
  postgres = await startPostgres()
  const limits = { ownPoolSize: 1, callerPoolSize: 1 }
  warmGateway = await startTestGateway(postgres, { limits })
  freshGateway = await startTestGateway(postgres, { limits })
  warm = depsOf(dataOf(warmGateway))
  admin = new pg.Client({ connectionString: postgres.url('postgres').replace(/postgres$/, 'app') })
  await admin.connect()
  await sql(`set client_min_messages = warning; create role anon; create role service_role bypassrls;
    grant anon, service_role to app;
    create extension citext;
    alter default privileges in schema public grant all on tables to service_role, anon;
    grant usage on schema public to anon, service_role;
    create type mood as enum ('1', 'b'); create type other_mood as enum ('b', '1');
    create domain positive as int check (value > 0); create domain daily as date`)
}, 60_000)

afterAll(async () => {
  await admin.end()
  await warmGateway.close()
  await freshGateway.close()
  await postgres.remove()
})

function dataOf(gateway: Gateway): DataDatabase {
  const wire = new SqlWire({ connectionString: postgres.url(), gatewayUrl: gateway.url })
  return new DataDatabase(wire, { wipesPlans: true })
}

/** No time passes: what is remembered is never too old. */
const NOW = new Date(0)

function depsOf(data: DataApiDeps['data']): DataApiDeps {
  const catalog = makeCatalog({ schemas: ['public'], now: () => NOW })
  return { data, catalog, config: { dbSchemas: ['public'], dbExtraSearchPath: [], dbPlanEnabled: false } }
}

let texts = 0

/** Nothing is remembered, and no text was ever sent before. */
function fresh(): DataApiDeps {
  const data = dataOf(freshGateway)
  const anew = (statement: Statement) => ({ ...statement, sql: `${statement.sql}/*${++texts}*/` })
  return depsOf({
    batch: (session, statements, options) => data.batch(session, statements.map(anew), options),
    batchForBody: (session, statement, options) => data.batchForBody(session, anew(statement), options),
  })
}

/** As the superuser. */
async function sql(text: string): Promise<void> {
  await admin.query(text)
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** `ev?id=eq.1`, `rpc/f`. */
  readonly path: string
  readonly prefer?: string
  readonly type?: string
  readonly body?: unknown
}

const VERBS = { GET: readRows, POST: insertRows, PATCH: updateRows, DELETE: deleteRows }

async function answerOf(deps: DataApiDeps, { method, path, prefer, type, body }: Call): Promise<unknown[]> {
  const [name = '', search = ''] = path.split('?')
  const headers = new Headers({ 'content-type': type ?? 'application/json' })
  if (prefer !== undefined) headers.set('prefer', prefer)
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  const isCall = name.startsWith('rpc/')
  const verb = isCall ? callFunction : VERBS[method]
  try {
    const answer: DataAnswer = await verb(
      deps,
      {
        name: isCall ? name.slice(4) : name,
        search: search === '' ? '' : `?${search}`,
        method,
        path: `/v1/db/${name}`,
        headers,
        role: 'service_role',
        claims: null,
        share: 'key/client',
        requestId: 'r',
        timeoutMs: 5_000,
        readBodyBytes: async () => bytes,
        readRawBytes: async () => bytes,
      },
      QUOIN_DIALECT,
    )
    const text = answer.body === null ? null : await new Response(answer.body).text()
    return [answer.status, text, answer.headers]
  } catch (err) {
    if (err instanceof PostgresError || err instanceof DomainError) return [err.code, err.message]
    throw err
  }
}

const DRY = 'tx=rollback'

/** Calls on the warm side, which prepares the texts and remembers the catalog. */
async function warmUp(calls: readonly Call[]): Promise<void> {
  for (const call of calls) await answerOf(warm, call)
}

/** Expects the answers of a restarted stack, also from what was prepared and remembered before. */
async function expectAsAfterRestart(calls: readonly Call[]): Promise<void> {
  const restarted = fresh()
  const seen: unknown[] = []
  const wanted: unknown[] = []
  for (const call of calls) {
    seen.push([call, await answerOf(warm, call)])
    wanted.push([call, await answerOf(restarted, call)])
  }
  expect(seen).toEqual(wanted)
}

async function change(calls: readonly Call[], statements: string): Promise<void> {
  warm = depsOf(dataOf(warmGateway))
  await warmUp(calls)
  await sql(statements)
  await expectAsAfterRestart(calls)
}

const get = (path: string): Call => ({ method: 'GET', path })
const del = (path: string): Call => ({ method: 'DELETE', path, prefer: DRY })
const patch = (path: string, body: unknown, more = ''): Call => ({
  method: 'PATCH',
  path,
  prefer: `${DRY}${more}`,
  body,
})
const post = (path: string, body: unknown, more = ''): Call => ({
  method: 'POST',
  path,
  prefer: `${DRY}${more}`,
  body,
})

it('keeps the row that a filter does not mean when its column was given another type', async () => {
  await sql(`create table ev (id int primary key, at timestamp);
    insert into ev values (1, '2020-01-01 00:00'), (2, '2020-01-01 10:00')`)
  for (let i = 0; i < 7; i++) {
    const none = await answerOf(warm, {
      method: 'DELETE',
      path: 'ev?select=id&at=lt.2019-01-01T00:00:00%2B05:00',
    })
    expect(none.slice(0, 2)).toEqual([200, '[]'])
  }
  await sql(`alter table ev alter at type timestamptz using at at time zone 'UTC'`)
  const one = await answerOf(warm, {
    method: 'DELETE',
    path: 'ev?select=id&at=lt.2020-01-01T12:00:00%2B05:00',
  })
  expect(one.slice(0, 2)).toEqual([200, '[{"id":1}]'])
})

describe('the answer is that after a restart', () => {
  /** Types and two values of each, the second the greater one where they have an order. */
  const TYPES: Readonly<Record<string, readonly [string, string]>> = {
    int4: ['1', '2'],
    numeric: ['1', '1.5'],
    text: ['1', 'B '],
    'char(3)': ['1', 'b '],
    citext: ['1', 'b '],
    bytea: ['1', '\\x31'],
    date: ['2020-01-01', '2020-01-02'],
    timestamp: ['2020-01-01', '2020-01-01T12:00:00+05:00'],
    timestamptz: ['2020-01-01', '2020-01-01T12:00:00+05:00'],
    time: ['12:00', '12:00:00+05:00'],
    uuid: ['00000000-0000-0000-0000-000000000001', '00000000000000000000000000000002'],
    json: ['1', '{"a": 1,  "b": 2}'],
    jsonb: ['1', '{"a": 1,  "b": 2}'],
    tsvector: ['1', 'b'],
    inet: ['10.0.0.1', '10.0.0.0/8'],
    cidr: ['10.0.0.1', '10.0.0.0/8'],
    mood: ['1', 'b'],
    other_mood: ['1', 'b'],
    positive: ['1', '2'],
    daily: ['2020-01-01', '2020-01-02'],
    'int4[]': ['{1}', '{1,2}'],
    'numeric[]': ['{1}', '{1,1.5}'],
    'text[]': ['{1}', '{1,b}'],
    'timestamptz[]': ['{2020-01-01}', '{2020-01-01T12:00:00+05:00}'],
    'timestamp[]': ['{2020-01-01}', '{2020-01-01T12:00:00+05:00}'],
    daterange: ['[2020-01-01,2020-01-02)', '[2020-01-01,2020-02-01)'],
    tstzrange: ['[2020-01-01,2020-01-02)', '[2020-01-01T12:00:00+05:00,2020-02-01)'],
    tsrange: ['[2020-01-01,2020-01-02)', '[2020-01-01T12:00:00+05:00,2020-02-01)'],
  }
  /** Within each any value of one type may be one of another. */
  const FAMILIES: readonly (readonly (keyof typeof TYPES)[])[] = [
    ['date', 'timestamp', 'timestamptz', 'time'],
    ['daily', 'timestamptz'],
    ['int4', 'numeric', 'text', 'mood'],
    ['positive', 'text'],
    ['text', 'citext', 'tsvector', 'jsonb'],
    ['json', 'jsonb'],
    ['char(3)', 'text'],
    ['int4[]', 'numeric[]'],
    ['numeric[]', 'text[]'],
    ['timestamp[]', 'timestamptz[]'],
    ['tsrange', 'tstzrange'],
    ['daterange', 'tstzrange'],
    ['uuid', 'text'],
    ['inet', 'cidr'],
    ['bytea', 'text'],
    ['mood', 'other_mood'],
  ]
  const HAS_ORDER = /^(?!json$|tsvector)/
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

  /** What a caller may do with a column of the type, with values of this and of the other type. */
  function callsOn(type: string, values: readonly string[]): Call[] {
    const [a = '', b = a] = values.map(value => encodeURIComponent(`"${value.replaceAll(/[\\"]/g, '\\$&')}"`))
    const [first = '', second = first] = values.map(encodeURIComponent)
    const calls: Call[] = [
      patch(`pair?select=id,c&id=lte.2`, { c: values[1] ?? values[0] }),
      post('pair', [{ id: 9, c: values[1] ?? values[0] }], ',missing=default'),
      post(
        'pair?columns=id,c',
        [
          { id: 1, c: values[0] },
          { id: 9, c: values[1] ?? values[0] },
        ],
        ',resolution=merge-duplicates',
      ),
      {
        method: 'POST',
        path: 'pair',
        prefer: DRY,
        type: 'text/csv',
        body: `id,c\n9,"${(values[1] ?? '').replaceAll('"', '""')}"`,
      },
      { method: 'POST', path: 'rpc/taken', body: { a: values[1] ?? values[0] } },
    ]
    if (HAS_ORDER.test(type)) {
      calls.push(
        get(`pair?select=id&or=(c.lt.${b},c.eq.${a},not.and(c.gte.${a},c.isdistinct.${b}))`),
        get(`pair?select=id&c=in.(${a},${b})&order=id`),
        get(`pair?select=id&c=eq.${second}`),
        del(`pair?select=id&c=eq.${second}`),
        del(`pair?select=id&c=lte.${first}`),
      )
    }
    if (/text|char/.test(type))
      calls.push(get(`pair?select=id&c=like.${first}*`), get(`pair?select=id&c=match.${first}`))
    if (/\[|range|jsonb/.test(type))
      calls.push(get(`pair?select=id&c=cs.${second}`), del(`pair?select=id&c=cd.${second}`))
    if (/\[|range/.test(type)) calls.push(get(`pair?select=id&c=ov.${first}`))
    if (/text|char|tsvector|json/.test(type))
      calls.push(get(`pair?select=id&c=fts(english).b`), get(`pair?select=id&c=not.fts.b`))
    if (/json|\[/.test(type))
      calls.push(get('pair?select=id,x:c-%3Ea,y:c-%3E0&order=c-%3E%3Ea,id'), get('pair?c-%3E%3Ea=eq.1'))
    return calls
  }

  it('for each pair of types between which ALTER works', async () => {
    const pairs = FAMILIES.flatMap(types => types.flatMap(a => types.map(b => ({ a, b })))).filter(
      ({ a, b }) => a !== b,
    )
    const failed: string[] = []
    for (const { a, b } of pairs) {
      const [one, two] = TYPES[a] as readonly [string, string]
      const [first, second] = TYPES[b] as readonly [string, string]
      await sql(`drop table if exists pair; drop function if exists taken;
        create table pair (id int primary key, c ${a} default ${literal(one)});
        insert into pair values (1, ${literal(one)}), (2, ${literal(two)});
        create function taken(a ${a}) returns text language sql return a::text`)
      const calls = [...callsOn(a, [one, two]), ...callsOn(a, [first, second]).slice(3)]
      await change(
        calls,
        `alter table pair alter c drop default;
        alter table pair alter c type ${b}
          using (case id when 1 then ${literal(first)} else ${literal(second)} end)::${b};
        alter table pair alter c set default ${literal(second)};
        drop function taken; create function taken(a ${b}) returns text language sql return a::text`,
      ).catch(() => failed.push(`${a} to ${b}`))
    }
    expect(failed).toEqual([])
  }, 180_000)
})

describe('the answer is that after a restart, also where', () => {
  it.each<[what: string, before: string, calls: readonly Call[], after: string]>([
    [
      'a table is dropped and made again',
      `create table made (id int primary key, at date, state mood); insert into made values (1, '2020-01-01', 'b')`,
      [
        get('made?id=eq.1'),
        get('made?at=eq.2020-01-01T10:00:00Z'),
        del('made?state=eq.b'),
        post('made', [{ id: 5, state: 'b' }]),
      ],
      `drop table made; create table made (id uuid default gen_random_uuid(), at timestamptz, state text);
       insert into made values (default, '2020-01-01T10:00:00Z', 'b')`,
    ],
    [
      'a column is dropped and added again',
      `create table added (id int primary key, at date, label text); insert into added values (1, '2020-01-01', 'x')`,
      [
        get('added?at=lte.2020-01-01T10:00:00Z'),
        get('added?label=fts(english).x'),
        patch('added?at=lte.2020-01-01T10:00:00Z', { label: 'y' }),
      ],
      `alter table added drop at, drop label;
       alter table added add at timestamptz default '2020-01-01T12:00:00Z', add label tsvector default 'x'`,
    ],
    [
      'a column takes the name of another',
      `create table renamed (id int primary key, at date, at_time timestamptz, doc json, doc_array int[]);
       insert into renamed values (1, '2020-01-01', '2020-01-01T12:00:00Z', '{"a":  1}', '{1}')`,
      [
        get('renamed?at=lte.2020-01-01T10:00:00Z'),
        del('renamed?at=lte.2020-01-01T10:00:00Z'),
        get('renamed?select=doc-%3E0'),
      ],
      `alter table renamed rename at to at_date; alter table renamed rename at_time to at;
       alter table renamed rename doc to doc_json; alter table renamed rename doc_array to doc`,
    ],
    [
      'a domain or an enum is another one of the same name',
      `create type phase as enum ('new', 'old'); create domain opening as date;
       create table typed (id int primary key, phase phase, opens opening);
       insert into typed values (1, 'new', '2020-01-01')`,
      [
        get('typed?phase=lt.old'),
        get('typed?opens=lte.2020-01-01T10:00:00Z'),
        post('typed', [{ id: 2, opens: '2020-01-01T10:00:00Z', phase: 'new' }], ',missing=default'),
      ],
      `alter type phase rename to phase_before; alter domain opening rename to opening_before;
       create type phase as enum ('old', 'new'); create domain opening as timestamptz;
       alter table typed alter phase type phase using phase::text::phase, alter opens type opening`,
    ],
    [
      'an enum gets and loses values',
      `create type stage as enum ('a', 'b'); create table staged (id int primary key, stage stage);
       insert into staged values (1, 'b')`,
      [
        get('staged?stage=eq.b'),
        get('staged?stage=gt.a'),
        get('staged?stage=eq.c'),
        patch('staged?id=eq.1', { stage: 'c' }),
      ],
      `alter type stage rename value 'b' to 'c'; alter type stage add value 'b' before 'a'`,
    ],
    [
      'a view, a partitioned table and a table with heirs are over the column',
      `create table base (id int, at timestamp); create view seen as select * from base;
       create table heir (own text) inherits (base);
       create table parted (id int, at timestamp, primary key (id)) partition by range (id);
       create table part partition of parted for values from (0) to (9);
       insert into heir values (1, '2020-01-01 10:00', 'x'); insert into parted values (1, '2020-01-01 10:00')`,
      ['base', 'seen', 'heir', 'parted', 'part'].flatMap(name => [
        get(`${name}?at=lt.2020-01-01T12:00:00%2B05:00`),
        del(`${name}?at=lt.2020-01-01T12:00:00%2B05:00`),
      ]),
      `drop view seen; alter table base alter at type timestamptz using at at time zone 'UTC';
       create view seen as select * from base;
       alter table parted alter at type timestamptz using at at time zone 'UTC'`,
    ],
    [
      'a function is made again, gets an overload or another result',
      `create function cut(a date) returns text language sql as 'select a::text';
       create function one(a int) returns text language sql as 'select 1::text';
       create function many() returns setof int language sql as 'select 1';
       create function lone(json) returns text language sql as 'select $1::text'`,
      [
        { method: 'POST', path: 'rpc/cut', body: { a: '2020-01-01T10:00:00Z' } },
        { method: 'POST', path: 'rpc/one', body: { a: '1' } },
        { method: 'POST', path: 'rpc/many' },
        { method: 'POST', path: 'rpc/lone', body: { x: [1.0] } },
      ],
      `drop function cut; create function cut(a timestamptz) returns text language sql as 'select a::text';
       create function one(a int, b int default 2) returns text language sql as 'select 2::text';
       drop function many; create function many() returns int language sql as 'select 2';
       drop function lone; create function lone(jsonb) returns text language sql as 'select $1::text'`,
    ],
    [
      'the argument of a function keeps its type and not the name of it',
      `create domain moment as date; create function moved(a moment) returns text language sql as 'select a::text'`,
      [{ method: 'POST', path: 'rpc/moved', body: { a: '2020-01-01T10:00:00Z' } }],
      `alter domain moment rename to moment_before; create domain moment as timestamptz;
       alter function moved(moment_before) rename to moved_before;
       create function moved(a moment) returns text language sql as 'select a::text'`,
    ],
    [
      'the primary key is another',
      `create table keyed (id int primary key, other int unique default 5, note text);
       insert into keyed values (1, 2, 'x');
       create table unkeyed (id int, note text); insert into unkeyed values (1, 'x');
       create view keyed_view as select * from unkeyed`,
      ['keyed', 'unkeyed', 'keyed_view'].flatMap(name => [
        post(name, [{ id: 1, note: 'y' }], ',resolution=merge-duplicates'),
        post(name, [{ id: 7, note: 'y' }], ',return=headers-only'),
      ]),
      `alter table keyed drop constraint keyed_pkey, add primary key (other), add unique (id);
       alter table unkeyed add primary key (id)`,
    ],
    [
      'a default is another, and where the length of a column is',
      `create table filled (id int primary key, note varchar(3) default 'a', amount numeric(4,1)); `,
      [
        post(
          'filled',
          [
            { id: 1, amount: 1.25 },
            { id: 2, note: 'b' },
          ],
          ',missing=default',
        ),
        patch('filled?id=eq.1', { amount: 1.25 }),
      ],
      `alter table filled alter note type varchar(9), alter note set default 'abcdef', alter amount type numeric(6,3)`,
    ],
    [
      'another table takes the name, a computed field has another type, a unique index is made again',
      `create table live (id int primary key, at date, mail text);
       create unique index live_mail on live (mail);
       insert into live values (1, '2020-01-01', 'x');
       create table next (id int primary key, at timestamptz, mail text);
       insert into next values (1, '2020-01-01T12:00:00Z', 'x');
       create function age(live) returns date language sql stable as 'select $1.at';
       create function age(next) returns timestamptz language sql stable as 'select $1.at'`,
      [
        get('live?at=lte.2020-01-01T10:00:00Z'),
        get('live?age=lte.2020-01-01T10:00:00Z'),
        get('live?at=lte.2020-01-01T10:00:00Z&select=age'),
        post('live?on_conflict=mail', [{ id: 1, mail: 'x' }], ',resolution=merge-duplicates'),
      ],
      `alter table live rename to before; alter table next rename to live;
       create unique index live_mail_again on live (mail)`,
    ],
    [
      'a table, and columns, that were named in vain are there',
      `create table vain (id int primary key); insert into vain values (1)`,
      [
        get('vain?select=count'),
        get('vain?select=xs-%3E0'),
        get('vain?note=fts(english).x'),
        get('late?select=xs-%3E0'),
        post('late?on_conflict=id', [{ id: 1 }], ',missing=default'),
      ],
      `alter table vain add count int default 2, add xs int[] default '{5}', add note text default 'x';
       create table late (id int primary key, xs int[]); insert into late values (1, '{6}')`,
    ],
    [
      'a column that is called as a function of Postgres goes',
      `create table counted (id int primary key, count int, max int); insert into counted values (1, 2, 3), (2, 3, 4)`,
      [get('counted?select=count'), get('counted?max=gt.1'), get('counted?order=count')],
      `alter table counted drop count, drop max`,
    ],
  ])('%s', async (_, before, calls, after) => {
    await sql(before)
    await change(calls, after)
  })
})

it('reads a domain in a column that is called as a function of Postgres', async () => {
  await sql(`create domain document as jsonb; create domain words as text;
    create table extremes (id int primary key, min document, max words);
    insert into extremes values (1, '{"a": 1}', 'x')`)
  const read = await answerOf(
    warm,
    get('extremes?select=id,min-%3Ea&min-%3E%3Ea=eq.1&max=fts.x&order=min-%3Ea'),
  )
  expect(read.slice(0, 2)).toEqual([200, '[{"id":1,"a":1}]'])
})

it('searches a computed field whose function stands in a schema that is not exposed', async () => {
  await sql(`create schema shown; grant usage on schema shown to service_role;
    create table shown.notes (id int primary key, note text); insert into shown.notes values (1, 'x y');
    grant select on shown.notes to service_role;
    create function public.whole(shown.notes) returns text language sql stable as 'select $1.note'`)
  const dbSchemas = ['shown']
  const catalog = makeCatalog({ schemas: dbSchemas, now: () => NOW })
  const config = { dbSchemas, dbExtraSearchPath: [], dbPlanEnabled: false }
  const deps = { data: dataOf(warmGateway), catalog, config }
  const found = await answerOf(deps, get('notes?select=id&whole=fts.x'))
  expect(found.slice(0, 2)).toEqual([200, '[{"id":1}]'])
})

it('calls a function that was made anew once, also where the call was made for the one before', async () => {
  const draw = (
    type: string,
  ) => `create or replace function draw(a ${type}) returns bigint language sql volatile as
    $$ select nextval('drawn') $$`
  await sql(`create sequence drawn; grant usage on sequence drawn to service_role; ${draw('date')}`)
  const call: Call = { method: 'POST', path: 'rpc/draw', body: { a: '2020-01-01' } }
  expect((await answerOf(warm, call)).slice(0, 2)).toEqual([200, '1'])
  await sql(`drop function draw; ${draw('timestamptz')}`)
  expect((await answerOf(warm, call)).slice(0, 2)).toEqual([200, '2'])
})
