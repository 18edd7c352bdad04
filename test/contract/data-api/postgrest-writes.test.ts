// The same writes and calls to /v1/db and to a real PostgREST 12 on the same database: same status, same JSON, same
// headers. What is written is taken back, so that both find the same rows.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOwner, callDb, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'
import { type Postgrest, startPostgrest } from './postgrest.ts'

const t = freshPrefix()
let quoin: DbCaller
let postgrest: Postgrest

beforeAll(async () => {
  await asOwner(`
    create schema ${t}_hidden;
    create table ${t}_rows (id int primary key, name text);
    create table ${t}_nokey (v int);
    create domain ${t}_devil as int default 666;
    create domain ${t}_imp as ${t}_devil;
    create table ${t}_evil (id ${t}_devil, name text, other ${t}_imp, own ${t}_devil default 1);
    create table ${t}_hidden.base (a int, b text, note text, primary key (b, a));
    create view ${t}_view as select name as title, id as number from ${t}_rows;
    create view ${t}_over as select number as "the (id)", title from ${t}_view;
    create view ${t}_pair as select note, a as "left side", b from ${t}_hidden.base where a > 0;
    create view ${t}_half as select a, note from ${t}_hidden.base;
    create view ${t}_sum as select id as top, (select count(*) as top from ${t}_nokey) as n from ${t}_rows;
    create view ${t}_made as select b.a, b.b, r.name from ${t}_hidden.base b join ${t}_rows r on r.id = b.a;
    create view ${t}_both as select id from ${t}_rows union select v from ${t}_nokey;
    create function ${t}_take() returns trigger language plpgsql as 'begin return new; end';
    create trigger takes instead of insert on ${t}_made for each row execute function ${t}_take();
    create trigger takes instead of insert on ${t}_both for each row execute function ${t}_take();

    create function ${t}_raw() returns int language sql as 'select 1';
    create function ${t}_raw(x int, y int) returns int language sql as 'select x + y';
    create function ${t}_raw(json) returns json language sql as 'select $1';
    create function ${t}_raw(text) returns text language sql as $$ select 'text ' || $1 $$;
    create function ${t}_raw(xml) returns text language sql as $$ select 'xml ' || $1::text $$;
    create function ${t}_raw(bytea) returns text language sql as $$ select encode($1, 'hex') $$;
    create function ${t}_both_json(json) returns json language sql as 'select $1';
    create function ${t}_both_json(jsonb) returns json language sql as 'select $1::json';
    create function ${t}_record() returns record language sql as $$ select 1 as id, 'one' as name $$;
    create function ${t}_record_of(id int) returns record language sql
      as 'select r.id, r.name from ${t}_rows r where r.id = $1';
    create function ${t}_records() returns setof record language sql
      as 'select id, name from ${t}_rows order by id';
    create function ${t}_records_to(n int) returns setof record language sql
      as 'select r.id, r.name from ${t}_rows r where r.id <= n order by r.id';
    create function ${t}_words(variadic words text[] default '{}') returns text[] language sql as 'select words';
    create function ${t}_greet(name text, variadic n int[] default '{}') returns text language sql
      as $$ select name || n::text $$;
    create function ${t}_add(a int, b int default 10) returns int language sql as 'select a + b';
    create function ${t}_cookies() returns json language sql stable
      as $$ select current_setting('request.cookies', true)::json $$;
    grant usage on schema ${t}_hidden to service_role;
    grant all on all tables in schema public, ${t}_hidden to service_role;
    grant execute on all functions in schema public to service_role;
  `)
  quoin = await makeDbCaller()
  postgrest = await startPostgrest()
})

beforeEach(() =>
  asOwner(`truncate ${t}_rows, ${t}_evil, ${t}_hidden.base;
    insert into ${t}_rows values (1, 'one'), (2, 'two'), (3, 'three');
    insert into ${t}_hidden.base values (7, 'seven', 'here')`),
)

afterAll(async () => {
  await postgrest?.[Symbol.asyncDispose]()
  await asOwner(`drop table if exists ${t}_rows, ${t}_nokey, ${t}_evil, ${t}_hidden.base cascade;
    drop schema ${t}_hidden; drop domain ${t}_imp; drop domain ${t}_devil; drop function ${t}_take;
    do $$ declare f regprocedure; begin
      for f in select oid::regprocedure from pg_proc where proname like '${t}_%' loop
        execute 'drop function ' || f; end loop; end $$`)
})

type Case = [path: string, body: string | Uint8Array, headers?: Record<string, string>]

const REPRESENTATION = { prefer: 'return=representation' }
const HEADERS_ONLY = { prefer: 'return=headers-only' }
const UPSERT = { prefer: 'resolution=merge-duplicates,return=representation' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const TEXT = { 'content-type': 'text/plain' }
const XML = { 'content-type': 'text/xml' }
const BYTES = { 'content-type': 'application/octet-stream' }

async function ask(path: string, call: { method?: string; headers: Record<string, string>; body?: unknown }) {
  const full = path.replace(/^(rpc\/)?/, `$1${t}_`)
  const expected = await callDb(`${postgrest.url}/${full}`, {}, { method: 'POST', ...call })
  const actual = await quoin(full, { method: 'POST', ...call })
  return { expected, actual }
}

async function isAsPostgrest([path, body, headers = {}]: Case, method = 'POST') {
  const asked = /^rpc/.test(path)
    ? await ask(path, { headers, body })
    : await inTurn(path, { method, headers, body })
  const { expected, actual } = asked
  const shown = ({ status, headers: answered, text, body: parsed }: typeof actual) => ({
    status,
    contentRange: answered.get('content-range'),
    // Which column of a key comes first, and whether a bracket is encoded, makes no other address.
    location: answered.get('location')?.replace(/^.*\?/, '').split('&').map(decodeURIComponent).sort(),
    body: status < 300 ? parsed : status,
    isEmpty: text === '',
  })
  expect(shown(actual)).toEqual(shown(expected))
  return actual
}

/** A write on both: the second finds what the first found. */
async function inTurn(
  path: string,
  call: { method: string; headers: Record<string, string>; body: unknown },
) {
  const expected = await callDb(`${postgrest.url}/${t}_${path}`, {}, call)
  await asOwner(`truncate ${t}_evil; delete from ${t}_rows where id > 3; delete from ${t}_hidden.base where a > 7;
    update ${t}_rows set name = 'one' where id = 1`)
  return { expected, actual: await quoin(`${t}_${path}`, call) }
}

describe('calls', () => {
  test.each<Case>([
    ['rpc/raw', 'a simple text', TEXT],
    ['rpc/raw', '', TEXT],
    ['rpc/raw', ' { ', { 'content-type': 'text/plain; charset=utf-8' }],
    ['rpc/raw', '<note><to>Jane</to></note>', XML],
    ['rpc/raw', '<', XML],
    ['rpc/raw', new Uint8Array([0, 255, 10, 0xed, 0xa0, 0x80]), BYTES],
    ['rpc/raw', new Uint8Array(), BYTES],
    ['rpc/raw', '{"A":1,"B":[2]}'],
    ['rpc/raw', '{}'],
    ['rpc/raw', ''],
    ['rpc/raw', '{"x":1,"y":2}'],
    ['rpc/raw', '[]'],
    ['rpc/add', 'a simple text', TEXT],
    ['rpc/both_json', '{"A":1}'],
    ['rpc/record', ''],
    ['rpc/record_of', '{"id":2}'],
    ['rpc/record_of', '{"id":99}'],
    ['rpc/record', '', { accept: 'application/vnd.pgrst.object+json' }],
    ['rpc/records', ''],
    ['rpc/records_to', '{"n":2}'],
    ['rpc/records_to', '{"n":0}'],
    ['rpc/records?limit=1&offset=1', '', { prefer: 'count=exact' }],
    ['rpc/records?offset=15', '', { prefer: 'count=exact' }],
    ['rpc/words', '', FORM],
    ['rpc/words', 'words=hi', FORM],
    ['rpc/words', 'words=hi&words=a+%22b%22%2C%7Bc', FORM],
    ['rpc/words', '{"words":["hi","there"]}'],
    ['rpc/greet', 'name=ignored&name=world&n=1&n=2', FORM],
    ['rpc/greet', 'name=world', FORM],
    ['rpc/greet', 'name=world&n=x', FORM],
    ['rpc/add', '[{"a":1},{"a":5}]'],
    ['rpc/add', ' [ {"a":1,"b":2} ] '],
    ['rpc/add?columns=a', '[{"a":1,"other":{"b":[]}}]'],
    ['rpc/add', '[]'],
    ['rpc/add?columns=', '{"a":1}'],
    ['rpc/cookies', ''],
    ['rpc/cookies', '', { cookie: 'a=1; theme="dark"; a=2; flag; x=y=z' }],
  ])('%s %s %o', async (...asked) => {
    const { status, text } = await isAsPostgrest(asked)
    if (status === 200) expect(text).not.toBe('')
  })

  test('the cookies that policies read hold no session', async () => {
    const cookie = 'theme=dark; ory_kratos_session=secret; __Host-quoin_flows=secret'
    const { body } = await quoin(`rpc/${t}_cookies`, { method: 'POST', headers: { cookie } })
    expect(body).toEqual({ theme: 'dark' })
  })

  test.each(['application/json5', 'text/html', 'constructor', 'multipart/form-data'])(
    'a body of %s is 415',
    async type => {
      const call = { method: 'POST', headers: { 'content-type': type }, body: 'a' }
      const { status, body } = await quoin(`rpc/${t}_raw`, call)
      expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
    },
  )

  test.each<Case>([
    ['rpc/raw', 'a\u0000b', TEXT],
    ['rpc/raw', new Uint8Array([0xff]), TEXT],
  ])('text that Postgres cannot hold is 400: %s %o %o', async (path, body, headers = {}) => {
    const answer = await quoin(path.replace('/', `/${t}_`), { method: 'POST', headers, body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_body'])
  })
})

describe('inserts', () => {
  test.each<Case>([
    ['view', '{"number":10,"title":"ten"}', HEADERS_ONLY],
    ['over', '{"the (id)":11,"title":"eleven"}', HEADERS_ONLY],
    ['pair', '{"left side":12,"b":"a&b","note":"n"}', HEADERS_ONLY],
    ['half', '{"a":null,"note":"n"}', HEADERS_ONLY],
    ['made', '{"a":1,"b":"x"}', HEADERS_ONLY],
    ['both', '{"id":13}', HEADERS_ONLY],
    ['view', '{"number":1,"title":"uno"}', UPSERT],
    ['view', '[{"number":1,"title":"uno"},{"number":14,"title":"new"}]', UPSERT],
    ['evil?columns=id,name,other', '{"name":"Lu"}', { prefer: 'missing=default,return=representation' }],
    ['evil', '{"name":"Lu"}', REPRESENTATION],
    ['rows', '[]', UPSERT],
    ['rows', '[]', { prefer: 'resolution=merge-duplicates,return=minimal' }],
    ['nokey', '[]', UPSERT],
    ['rows', '[]', { prefer: 'resolution=ignore-duplicates,return=representation' }],
    ['rows', '[]', REPRESENTATION],
    ['rows?columns=', '[{"id":20}]', REPRESENTATION],
    ['rows?on_conflict=', '[{"id":20}]', UPSERT],
  ])('%s %s %o', async (...asked) => {
    await isAsPostgrest(asked)
  })

  // A key that the view only seems to have would make the address of another row.
  test('a view whose subquery has a column of the key’s number and name has its own for a key', async () => {
    const call = { method: 'POST', headers: HEADERS_ONLY, body: { top: 30 } }
    const { status, headers } = await quoin(`${t}_sum`, call)
    expect([status, headers.get('location')]).toEqual([201, `/v1/db/${t}_sum?top=eq.30`])
  })

  test('a domain’s default fills what an update leaves out', async () => {
    await asOwner(`insert into ${t}_evil values (1, 'Lu', 2, 3)`)
    const { body } = await quoin(`${t}_evil?id=eq.1&columns=other,own`, {
      method: 'PATCH',
      headers: { prefer: 'missing=default' },
      body: {},
    })
    expect(body).toEqual([{ id: 1, name: 'Lu', other: 666, own: 1 }])
  })
})

describe('PUT', () => {
  test.each<Case>([
    ['rows?id=eq.20', '{"id":20,"name":"new"}', REPRESENTATION],
    ['rows?id=eq.1', '{"id":1,"name":"other"}', REPRESENTATION],
    ['rows?id=eq.1&select=name', '{"id":1,"name":"other"}', REPRESENTATION],
    ['rows?id=eq.20', '{"id":20,"name":"new"}', { prefer: 'return=minimal' }],
    ['rows?id=eq.20', '{"id":20,"name":"new"}', { prefer: 'return=headers-only' }],
    ['rows?id=eq.20', '[{"id":20,"name":"new"}]', REPRESENTATION],
    ['rows?id=eq.20', '[{"id":20,"name":"new"},{"id":21,"name":"not"}]', REPRESENTATION],
    ['view?number=eq.20', '{"number":20,"title":"new"}', REPRESENTATION],
    ['rows?id=eq.20', '{"id":21,"name":"new"}', REPRESENTATION],
    ['rows?id=eq.x', '{"id":21,"name":"new"}', REPRESENTATION],
    ['rows?id=eq.20&limit=1', '{"id":20,"name":"new"}', REPRESENTATION],
  ])('%s %s %o', async (...asked) => {
    await isAsPostgrest(asked, 'PUT')
  })
})

describe('OPTIONS', () => {
  test.each(['rows', 'view', 'made', 'both', 'nokey', 'sum', 'missing'])('of %s', async name => {
    const { expected, actual } = await ask(name, { method: 'OPTIONS', headers: {} })
    expect(actual.status).toBe(expected.status)
    expect(actual.headers.get('allow')).toBe(expected.headers.get('allow') ?? 'OPTIONS, GET, HEAD')
  })

  test('of an unknown table names the near one, and of an unknown schema is 406', async () => {
    const near = await quoin(`${t}_rowz`, { method: 'OPTIONS' })
    expect([near.status, near.body.code]).toEqual([404, 'not_found'])
    expect(near.body.hint).toContain(`${t}_rows`)
    const headers = { 'accept-profile': 'private' }
    expect((await quoin(`${t}_rows`, { method: 'OPTIONS', headers })).status).toBe(406)
  })
})
