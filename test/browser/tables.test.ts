// supabase-js as it is, in a page of another origin in a real browser: what it sends passes the browser's preflight,
// and what it reads of an answer is exposed.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { connectBrowser } from '../support/shared-browser.ts'

const table = `songs_${crypto.randomUUID().replaceAll('-', '').slice(0, 10)}`
/** The build that pages take from a CDN. */
const SUPABASE = readFileSync(
  createRequire(import.meta.url)
    .resolve('@supabase/supabase-js')
    .replace(/index\.\w+$/, 'umd/supabase.js'),
)

let browser: Browser
let site: Receiver

beforeAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`
    create table ${table} (id int primary key, title text unique, after int references ${table});
    insert into ${table} values (1, 'one', null), (2, 'two', 1);
    create function ${table}_count() returns int language sql stable as 'select count(*)::int from ${table}';
    grant all on ${table} to service_role; grant execute on function ${table}_count to service_role`)
  browser = await connectBrowser()
  site = await startReceiver(({ path }, answer) => {
    answer.setHeader('content-type', path === '/supabase.js' ? 'text/javascript' : 'text/html')
    answer.end(path === '/supabase.js' ? SUPABASE : '<!doctype html><script src="/supabase.js"></script>')
  })
})

afterAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`drop function if exists ${table}_count; drop table if exists ${table}`)
  await Promise.all([site?.[Symbol.asyncDispose](), browser?.close()])
})

/** In the page. */
async function useTables({ url, key, name }: { url: string; key: string; name: string }) {
  const { supabase } = window as unknown as { supabase: typeof import('@supabase/supabase-js') }
  const db = supabase.createClient(url, key)
  const songs = () => db.from(name)
  return {
    read: await songs().select('id', { count: 'exact' }).order('id').limit(1),
    head: await songs().select('*', { count: 'exact', head: true }),
    joined: await songs().select('title,after(title)').eq('id', 2).single(),
    inserted: await songs().insert({ id: 3, title: 'three' }).select('id'),
    upserted: await songs().upsert({ id: 3, title: '3' }).select('title'),
    updated: await songs().update({ title: 'last' }).eq('id', 3).select('title').single(),
    removed: await songs().delete({ count: 'exact' }).eq('id', 3),
    called: await db.rpc(`${name}_count`),
    taken: await songs().insert({ id: 9, title: 'one' }),
    unfiltered: await songs().delete(),
  }
}

it('reads, writes and calls from a page of another origin', async () => {
  const { key } = await makeKey('service_role')
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(site.url)
  const { base_url: url } = inject('stack')
  expect(await page.evaluate(useTables, { url, key, name: table })).toMatchObject({
    read: { data: [{ id: 1 }], count: 2, status: 206, error: null },
    head: { data: null, count: 2, error: null },
    joined: { data: { title: 'two', after: { title: 'one' } } },
    inserted: { data: [{ id: 3 }], status: 201 },
    upserted: { data: [{ title: '3' }], status: 200 },
    updated: { data: { title: 'last' } },
    removed: { data: null, count: 1, status: 204 },
    called: { data: 2 },
    taken: {
      status: 409,
      error: { code: '23505', details: 'Key (title)=(one) already exists.', hint: null },
    },
    unfiltered: { status: 400, error: { code: '21000', message: 'DELETE requires a WHERE clause' } },
  })
  await page.close()
})
