// DB_EXTRA_SEARCH_PATH: what an extension puts into a schema of its own is found by its name alone, after everything
// in the exposed schemas, and is not served itself.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { asOwner, callDb, type DbCall, freshPrefix } from './caller.ts'

const t = freshPrefix()
const extensions = `${t}_extensions`
let quoin: TestWorker
let apikey: string

beforeAll(async () => {
  await asOwner(`
    set check_function_bodies = off;
    create schema ${extensions};
    create extension citext schema ${extensions};
    create function ${extensions}.${t}_shout(word text) returns text language sql immutable return upper(word);
    create table ${extensions}.${t}_hidden (id int primary key);
    create function ${extensions}.${t}_twice() returns text language sql immutable return 'extension';
    create function public.${t}_twice() returns text language sql immutable return 'exposed';
    create schema ${t}_other;
    create table public.${t}_people (name ${extensions}.citext primary key);
    create table ${t}_other.people (name ${extensions}.citext primary key);
    insert into public.${t}_people values ('Ada'), ('Bob');
    insert into ${t}_other.people values ('Eve');
    create function public.${t}_find(wanted text) returns setof public.${t}_people language sql stable as
      $$ select * from public.${t}_people where name = wanted::citext $$;
    grant usage on schema ${extensions}, ${t}_other to service_role;
    grant execute on function ${extensions}.${t}_shout, ${extensions}.${t}_twice to service_role;
    grant select on ${extensions}.${t}_hidden, ${t}_other.people to service_role;
  `)
  quoin = await startTestWorker({
    vars: { DB_SCHEMAS: `public,${t}_other`, DB_EXTRA_SEARCH_PATH: ` ${extensions} ` },
  })
  apikey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
})

afterAll(async () => {
  await quoin?.close()
  await asOwner(`drop schema ${extensions}, ${t}_other cascade; drop function public.${t}_find, public.${t}_twice;
    drop table public.${t}_people`)
})

const db = (path: string, call?: DbCall) => callDb(`${quoin.url}/v1/db/${path}`, { apikey }, call)

async function sql(text: string) {
  const response = await quoin.fetch('/v1/sql', {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: text }),
  })
  return { status: response.status, body: await response.json() }
}

test('a filter uses the operator of an extension, in each exposed schema', async () => {
  expect(await db(`${t}_people?name=eq.ADA`)).toMatchObject({ status: 200, body: [{ name: 'Ada' }] })
  const headers = { 'accept-profile': `${t}_other` }
  expect(await db('people?name=eq.EVE', { headers })).toMatchObject({ status: 200, body: [{ name: 'Eve' }] })
})

test('a function finds a type of an extension by its name alone', async () => {
  const called = await db(`rpc/${t}_find`, { method: 'POST', body: { wanted: 'bOB' } })
  expect(called).toMatchObject({ status: 200, body: [{ name: 'Bob' }] })
})

test('SQL finds types, operators and functions of an extension by their names alone', async () => {
  const answer = await sql(`select 'A'::citext = 'a' as same, ${t}_shout('a') as shout`)
  expect(answer).toMatchObject({ status: 200, body: { rows: [{ same: true, shout: 'A' }] } })
})

test('what an exposed schema has is found before it', async () => {
  expect((await sql(`select ${t}_twice() as place`)).body).toMatchObject({ rows: [{ place: 'exposed' }] })
})

test('its tables and functions are not served', async () => {
  expect((await db(`${t}_hidden`)).status).toBe(404)
  expect((await db(`rpc/${t}_shout`, { method: 'POST', body: { word: 'a' } })).status).toBe(404)
  const { status, body } = await db(`${t}_hidden`, { headers: { 'accept-profile': extensions } })
  expect([status, body.code]).toEqual([406, 'schema_not_exposed'])
})
