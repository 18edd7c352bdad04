// Calls of functions by GET and HEAD, what their rows are related to, and values that are bodies of their own. The same
// requests go to a real PostgREST 12 on the same database.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, callDb, type DbCaller, freshPrefix, makeDbCaller } from './caller.ts'
import { type Postgrest, startPostgrest } from './postgrest.ts'

const t = freshPrefix()
let quoin: DbCaller
let postgrest: Postgrest

beforeAll(async () => {
  await asOwner(`
    create table ${t}_clients (id int primary key, name text);
    create table ${t}_projects (id int primary key, name text, client_id int references ${t}_clients);
    insert into ${t}_clients values (1, 'Acme'), (2, 'Bolt');
    insert into ${t}_projects values (1, 'one', 1), (2, 'two', 1), (3, 'three', 2), (4, 'none', null);
    create function ${t}_add(a int, b int default 10) returns int language sql immutable as 'select a + b';
    create function ${t}_echo(json) returns json language sql immutable as 'select $1';
    create function ${t}_kind(value jsonb) returns text language sql immutable as 'select jsonb_typeof(value)';
    create function ${t}_sum(variadic numbers int[]) returns int language sql immutable
      as 'select sum(n)::int from unnest(numbers) n';
    create function ${t}_join(words text[], "a b" text default '-') returns text language sql immutable
      as 'select array_to_string(words, "a b")';
    create function ${t}_all(above int default 0) returns setof ${t}_projects language sql stable
      as 'select * from ${t}_projects where id > above';
    create function ${t}_one(wanted int) returns ${t}_projects language sql stable
      as 'select * from ${t}_projects where id = wanted';
    create function ${t}_write() returns int language sql as
      'insert into ${t}_clients values (9, null) returning id';
    create function quoin_arguments(a int) returns int language sql immutable as 'select a';
    create function ${t}_ints() returns setof int language sql immutable as 'values (1), (2), (3)';
    create function ${t}_anyone() returns record language sql stable as 'select id, name from ${t}_projects limit 1';
    create function ${t}_echoed() returns json language sql immutable as $$ select '{"a":null,"b":1}'::json $$;
    create function ${t}_void() returns void language sql stable as '';
    create function ${t}_table() returns table (k int, v text) language sql stable as $$ values (1, 'a'), (2, null) $$;
    create function ${t}_unknown(a int) returns int language sql immutable as 'select 1';
    create domain "text/html" as text; create domain "application/vnd.${t}" as bytea;
    create domain "text/plain" as text;
    create domain "*/*" as bytea; create domain "${t} €/kg" as int;
    create domain ${t}_inner as ${t}_projects; create domain ${t}_outer as ${t}_inner;
    create function ${t}_any() returns "*/*" language sql immutable as $$ select 'x'::bytea $$;
    create function ${t}_price() returns "${t} €/kg" language sql immutable as $$ select 12 $$;
    create function ${t}_twice() returns ${t}_outer language sql stable as 'select p from ${t}_projects p where id = 1';
    create function ${t}_voids() returns setof void language sql stable as 'select from ${t}_projects where false';
    create function ${t}_page() returns "text/html" language sql immutable as $$ select '<b>hi</b>'::text $$;
    create function ${t}_text() returns "text/plain" language sql immutable as $$ select 'plain'::text $$;
    create function ${t}_bytes() returns "application/vnd.${t}" language sql immutable
      as $$ select '\\x00ff10'::bytea $$;
    grant select on ${t}_clients, ${t}_projects to service_role;
  `)
  quoin = await makeDbCaller()
  postgrest = await startPostgrest()
})

afterAll(async () => {
  await postgrest?.[Symbol.asyncDispose]()
  await asOwner(`do $$ declare f record; begin
      for f in select oid::regprocedure as name from pg_proc where proname like '${t}\\_%'
        or proname = 'quoin_arguments' loop
        execute 'drop function ' || f.name; end loop; end $$;
    drop domain "text/html", "text/plain", "application/vnd.${t}", "*/*", "${t} €/kg",
      ${t}_outer, ${t}_inner; drop table ${t}_projects, ${t}_clients`)
})

type Case = [query: string, headers?: Record<string, string>]

/** `$` stands for the prefix of this run. */
const cases: Case[] = [
  ['add?a=1&b=2'],
  ['add?a=1'],
  ['add?a=1&a=5'],
  ['add?a=x'],
  ['add?a=1&b=2&c=3'],
  ['add'],
  ['sum?numbers=1&numbers=2&numbers=3'],
  ['join?words={x,"y z"}&a b=%2B'],
  ['all?select=id,$_clients(name)&order=id'],
  ['all?above=1&select=id,name,$_clients!inner(name)&order=id', { prefer: 'count=exact' }],
  ['all?above=0&id=gt.1&id=lt.4&order=id.desc'],
  ['all?$_clients.name=eq.Acme&select=id,...$_clients(client:name)&order=id'],
  ['all?order=id&limit=2&offset=1', { prefer: 'count=exact' }],
  ['all?order=id', { range: '1-2', prefer: 'count=exact' }],
  ['all?select=client_id,id.count()&order=client_id'],
  ['all?select=id,nope(id)'],
  ['one?wanted=2&select=id,$_clients(name)'],
  ['one?wanted=99'],
  ['table?order=k.desc'],
  ['add?a=1&id=eq.1'],
  ['add?a=1&select=x'],
  ['add?a=1&order=pgrst_scalar'],
  ['add?a=1&pgrst_scalar=gt.20'],
  ['add?a=1&limit=0'],
  ['add?a=1', { accept: 'text/csv' }],
  ['add?a=1', { accept: 'application/vnd.pgrst.object+json' }],
  ['ints?order=pgrst_scalar.desc&limit=2', { prefer: 'count=exact' }],
  ['ints?limit=1', { accept: 'application/vnd.pgrst.object+json' }],
  ['ints', { accept: 'text/csv' }],
  ['anyone?select=id'],
  ['echoed', { accept: 'application/vnd.pgrst.object+json;nulls=stripped' }],
  ['void', { prefer: 'count=exact' }],
  ['write'],
  ['page', { accept: 'application/json' }],
  ['text', { accept: 'text/plain' }],
]

describe('the same answer as PostgREST', () => {
  test.each(cases)('%s %o', async (query, headers = {}) => {
    const path = `rpc/${t}_${query.replaceAll('$', t)}`
    const theirs = await callDb(`${postgrest.url}/${path}`, {}, { headers })
    const ours = await quoin(path, { headers })
    const body = ours.status < 300 ? theirs.body : expect.anything()
    const range = theirs.headers.get('content-range')
    expect([ours.status, ours.body]).toEqual([theirs.status, body])
    if (ours.status < 300) expect(ours.headers.get('content-range')).toBe(range)
    const head = await quoin(path, { method: 'HEAD', headers })
    expect(head.text).toBe('')
  })
})

test('what is new since PostgREST 12: JSON is read as such, and filters on columns that are not shown', async () => {
  expect((await quoin(`rpc/${t}_kind?value={"a":1}`)).body).toBe('object')
  expect((await quoin(`rpc/${t}_table?select=v&k=eq.1`)).body).toEqual([{ v: 'a' }])
  expect((await quoin(`rpc/${t}_void`)).status).toBe(204)
})

test('by POST, rows come with what they are related to as well', async () => {
  const path = `rpc/${t}_all?select=id,${t}_clients(name)&order=id&limit=1`
  const { body } = await quoin(path, { method: 'POST', body: { above: 2 } })
  expect(body).toEqual([{ id: 3, [`${t}_clients`]: { name: 'Bolt' } }])
})

test('our own names are as good as others, in functions and in values', async () => {
  expect((await quoin('rpc/quoin_arguments?a=1')).body).toBe(1)
  const { body } = await quoin(`${t}_clients?id=eq.quoin:max_affected:3`)
  expect(body).toMatchObject({ code: '22P02' })
})

test('the next call knows of a key that came or went', async () => {
  const read = () => quoin(`rpc/${t}_all?select=id,${t}_late(id)&order=id&limit=1`)
  await asOwner(`create table ${t}_late (id int primary key, project_id int)`)
  expect((await read()).body).toMatchObject({ code: 'relationship_not_found' })
  await asOwner(`alter table ${t}_late add foreign key (project_id) references ${t}_projects`)
  expect((await read()).body).toEqual([{ id: 1, [`${t}_late`]: [] }])
  await asOwner(`drop table ${t}_late`)
  expect((await read()).body).toMatchObject({ code: 'relationship_not_found' })
})

describe('a value whose type is called as a media type is a body', () => {
  test('a page shows its source and runs nothing', async () => {
    const { status, text, headers } = await quoin(`rpc/${t}_page`, { headers: { accept: 'text/html,*/*' } })
    expect([status, text]).toEqual([200, '<b>hi</b>'])
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('bytes are as they are', async () => {
    const accept = `application/vnd.${t}`
    const { headers, text } = await quoin(`rpc/${t}_bytes`, { headers: { accept } })
    expect(headers.get('content-type')).toBe(`application/vnd.${t}`)
    expect(text).toBe(new TextDecoder().decode(Uint8Array.from([0, 0xff, 0x10])))
    const head = await quoin(`rpc/${t}_bytes`, { method: 'HEAD', headers: { accept } })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, accept])
  })

  test('whoever takes any type gets JSON, as rpc() of supabase-js means it', async () => {
    expect((await quoin(`rpc/${t}_page`)).text).toBe('"<b>hi</b>"')
    expect((await quoin(`rpc/${t}_page`, { headers: { accept: '*/*' } })).text).toBe('"<b>hi</b>"')
    expect((await quoin(`rpc/${t}_any`)).headers.get('content-type')).toBe('application/octet-stream')
  })

  test('a domain over a domain is as the one under it, and a slash alone makes no media type', async () => {
    expect((await quoin(`rpc/${t}_twice`)).body).toMatchObject({ id: 1, name: 'one' })
    expect((await quoin(`rpc/${t}_price`)).text).toBe('12')
    expect((await quoin(`rpc/${t}_voids`)).body).toEqual([])
  })

  test('of a type that is not accepted it is 406', async () => {
    expect((await quoin(`rpc/${t}_page`, { headers: { accept: 'image/png' } })).status).toBe(406)
  })
})

test('thousands of parameters are refused, and none of them ends a statement', async () => {
  const many = Array.from({ length: 1_001 }, (_, i) => `a${i}=1`).join('&')
  expect((await quoin(`rpc/${t}_add?${many}`)).status).toBe(400)
  const hostile = encodeURIComponent(`a") from x;--`)
  expect((await quoin(`rpc/${t}_add?${hostile}=1`)).body.code).toBe('function_not_found')
  expect((await quoin(`rpc/${t}_clients`)).body.code).toBe('function_not_found')
})
