// Several exposed schemas: which one a call means, and that no other is reached.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { asOwner, callDb, type DbCall, freshPrefix } from './caller.ts'

const t = freshPrefix()
let quoin: TestWorker
let apikey: string
let anonKey: string

beforeAll(async () => {
  await asOwner(`
    create table public.${t}_items (id int primary key);
    create schema ${t}_other;
    create table ${t}_other.${t}_items (id text primary key, note text default 'other');
    create table ${t}_other.only_here (id int primary key);
    create function ${t}_other.whoami() returns text language sql stable as 'select current_schema()';
    create type public.${t}_letter as (sign text);
    create function public.${t}_same(a ${t}_letter, b ${t}_letter) returns boolean language sql immutable
      return lower((a).sign) = lower((b).sign);
    create operator public.= (leftarg = ${t}_letter, rightarg = ${t}_letter, function = public.${t}_same);
    create table ${t}_other.letters (letter public.${t}_letter);
    insert into ${t}_other.letters values (row('A')), (row('b'));
    ${overloadsSql(`${t}_other`)}
    create schema ${t}_hidden;
    create table ${t}_hidden.secrets (id int);
    grant usage on schema ${t}_other, ${t}_hidden to service_role;
    grant usage on schema ${t}_other to anon;
    grant execute on function public.${t}_same to service_role;
    grant select, insert on ${t}_other.plain to anon;
    grant execute on all functions in schema ${t}_other to anon;
    grant select, insert, update on all tables in schema ${t}_other, ${t}_hidden to service_role;
    grant execute on all functions in schema ${t}_other to service_role;
  `)
  quoin = await startTestWorker({ vars: { DB_SCHEMAS: `public,${t}_other` } })
  apikey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
  anonKey = (await makeKey('anon', { rateLimitPerMinute: 100_000 })).key
})

afterAll(async () => {
  await quoin?.close()
  await asOwner(`drop table public.${t}_items; drop schema ${t}_other, ${t}_hidden cascade;
    drop type public.${t}_letter cascade`)
})

/**
 * Overloads that fit the arguments of Quoin's own SQL better than pg_catalog's: whoever may create functions could
 * change with them what everybody else reads and writes.
 */
function overloadsSql(schema: string): string {
  return `
    create table ${schema}.plain (id int primary key, list int[], note varchar);
    insert into ${schema}.plain values (1, '{7,8}', 'cat');
    create function ${schema}.one() returns int language sql stable return 1;
    create function ${schema}.forge(json, record) returns json language plpgsql as $$ begin return '["forged"]'; end $$;
    create aggregate ${schema}.json_agg(record) (sfunc = ${schema}.forge, stype = json);
    create function ${schema}.json_populate_recordset(${schema}.plain, json) returns setof ${schema}.plain
      language sql return (select row(666, null, 'forged')::${schema}.plain);
    create function ${schema}.to_json(int) returns json language sql return '"forged"'::json;
    create function ${schema}.to_jsonb(int[]) returns jsonb language sql return '"forged"'::jsonb;
    create function ${schema}.to_tsvector(varchar) returns tsvector language sql return 'forged'::tsvector;
  `
}

const db = (path: string, call?: DbCall) => callDb(`${quoin.url}/v1/db/${path}`, { apikey }, call)
const other = `${t}_other`

test('the first schema is meant unless a profile names another, and the answer says which', async () => {
  const plain = await db(`${t}_items`)
  expect([plain.status, plain.headers.get('content-profile')]).toEqual([200, 'public'])
  const written = await db(`${t}_items`, {
    method: 'POST',
    body: { id: 'x' },
    headers: { 'content-profile': other, 'accept-profile': 'public' },
  })
  expect([written.status, written.body]).toEqual([201, [{ id: 'x', note: 'other' }]])
  const read = await db(`${t}_items`, { headers: { 'accept-profile': other } })
  expect([read.body, read.headers.get('content-profile')]).toEqual([[{ id: 'x', note: 'other' }], other])
  expect((await db(`${t}_items`)).body).toEqual([])
})

test('a table of one schema is not found in the other', async () => {
  expect((await db('only_here')).status).toBe(404)
  expect((await db('only_here', { headers: { 'accept-profile': other } })).status).toBe(200)
})

test('functions run with the schema of the call on their path', async () => {
  const called = await db('rpc/whoami', { method: 'POST', headers: { 'content-profile': other } })
  expect(called.body).toBe(other)
  expect((await db('rpc/whoami', { method: 'POST' })).body.code).toBe('function_not_found')
})

test('an upsert finds the key of the table in the schema of the call', async () => {
  const headers = { 'content-profile': other, prefer: 'resolution=merge-duplicates' }
  const merged = await db(`${t}_items`, { method: 'POST', body: { id: 'x', note: 'again' }, headers })
  expect([merged.status, merged.body]).toEqual([200, [{ id: 'x', note: 'again' }]])
})

test('a schema that is not in DB_SCHEMAS is 406, even with rights on it', async () => {
  const { status, body } = await db('secrets', { headers: { 'accept-profile': `${t}_hidden` } })
  expect([status, body.code]).toEqual([406, 'schema_not_exposed'])
  expect(body.hint).toContain(`public, ${other}`)
})

// Extensions put their types and operators into public, and tables of every schema use them.
test('an operator of a type in public works on a table in another schema', async () => {
  const headers = { 'accept-profile': other }
  const { status, body } = await db('letters?letter=eq.(a)', { headers })
  expect([status, body]).toEqual([200, [{ letter: { sign: 'A' } }]])
})

test("no overload in the schema of a call stands in for one of Postgres' own functions", async () => {
  const anon = (path: string, call: DbCall = {}) =>
    callDb(`${quoin.url}/v1/db/${path}`, { apikey: anonKey }, { ...call, headers: profile })
  const profile = { 'accept-profile': other, 'content-profile': other }
  const row = { id: 1, list: [7, 8], note: 'cat' }
  expect((await anon('plain')).body).toEqual([row])
  expect((await anon('plain?list->0=eq.7')).body).toEqual([row])
  expect((await anon('plain?note=fts.cat')).body).toEqual([row])
  expect((await anon('rpc/one', { method: 'POST' })).body).toBe(1)
  const inserted = { id: 2, list: null, note: 'new' }
  expect((await anon('plain', { method: 'POST', body: inserted })).body).toEqual([inserted])
})
