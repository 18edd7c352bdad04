// Several exposed schemas: which one a call means, and that no other is reached.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'
import { asOwner, callDb, type DbCall, freshPrefix } from './db-caller.ts'

const t = freshPrefix()
let quoin: TestWorker
let apikey: string

beforeAll(async () => {
  await asOwner(`
    create table public.${t}_items (id int primary key);
    create schema ${t}_other;
    create table ${t}_other.${t}_items (id text primary key, note text default 'other');
    create table ${t}_other.only_here (id int primary key);
    create function ${t}_other.whoami() returns text language sql stable as 'select current_schema()';
    create schema ${t}_hidden;
    create table ${t}_hidden.secrets (id int);
    grant usage on schema ${t}_other, ${t}_hidden to service_role;
    grant select, insert, update on all tables in schema ${t}_other, ${t}_hidden to service_role;
    grant execute on all functions in schema ${t}_other to service_role;
  `)
  quoin = await startTestWorker({ vars: { DB_SCHEMAS: `public,${t}_other` } })
  apikey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
})

afterAll(async () => {
  await quoin?.close()
  await asOwner(`drop table public.${t}_items; drop schema ${t}_other, ${t}_hidden cascade`)
})

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
