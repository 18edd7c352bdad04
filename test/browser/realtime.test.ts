// supabase-js as it is, in two pages of a real browser: each sees the row changes that policies let it see, and both
// hear each other.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import {
  makePerson,
  PersonsBrowser,
  type RegisteredClient,
  registerClient,
  tokensFor,
} from '../support/applications.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { connectBrowser } from '../support/shared-browser.ts'

const { base_url } = inject('stack')
const table = `notes_${crypto.randomUUID().replaceAll('-', '').slice(0, 10)}`
/** The build that pages take from a CDN. */
const SUPABASE = readFileSync(
  createRequire(import.meta.url)
    .resolve('@supabase/supabase-js')
    .replace(/index\.\w+$/, 'umd/supabase.js'),
)

let browser: Browser
let site: Receiver
let application: RegisteredClient

beforeAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`
    create table ${table} (id bigint generated always as identity primary key,
      owner_id text not null default quoin.uid(), body text not null);
    alter table ${table} enable row level security;
    grant select, insert, update, delete on ${table} to anon;
    create policy own on ${table} to anon
      using (owner_id = (select quoin.uid())) with check (owner_id = (select quoin.uid()))`)
  browser = await connectBrowser()
  application = await registerClient({ access_token_strategy: 'jwt' })
  site = await startReceiver(({ path }, answer) => {
    answer.setHeader('content-type', path === '/supabase.js' ? 'text/javascript' : 'text/html')
    answer.end(path === '/supabase.js' ? SUPABASE : '<!doctype html><script src="/supabase.js"></script>')
  })
})

afterAll(async () => {
  await using owner = await connectOwner()
  await owner.query(`drop table if exists ${table}`)
  await Promise.all([site?.[Symbol.asyncDispose](), browser?.close()])
})

/** What a page has heard, as `event words`, in order. */
interface Heard {
  readonly heard: string[]
}
type Given = { url: string; key: string; token: string | null; table: string }

interface Seat extends AsyncDisposable {
  readonly page: Page
  readonly id: string
  readonly token: string | null
  heard(): Promise<string[]>
}

/** Somebody in front of a page of their own, signed in or not. */
async function sit(key: string, { signsIn = true } = {}): Promise<Seat> {
  const person = await makePerson()
  const tokens = signsIn
    ? await tokensFor({ client: application, browser: new PersonsBrowser(person), scope: 'openid' })
    : null
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(site.url)
  const token = tokens?.access_token ?? null
  await page.evaluate(makeClient, { url: base_url, key, token, table })
  return {
    page,
    id: person.id,
    token,
    heard: () => page.evaluate(() => (window as unknown as Heard).heard),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** In the page. */
async function makeClient({ url, key, token }: Given): Promise<void> {
  const { supabase } = window as unknown as { supabase: typeof import('@supabase/supabase-js') }
  const client = supabase.createClient(url, key, token === null ? {} : { accessToken: async () => token })
  await client.realtime.setAuth()
  Object.assign(window, { client, heard: [] })
}

type InPage = { client: import('@supabase/supabase-js').SupabaseClient; heard: string[] }

/** In the page: resolves when the table is followed. */
function followTable(name: string): Promise<void> {
  const { client, heard } = window as unknown as InPage
  return new Promise((resolve, reject) => {
    client
      .channel('rows')
      .on('postgres_changes', { event: '*', schema: 'public', table: name }, change => {
        heard.push(`${change.eventType} ${'body' in change.new ? change.new['body'] : ''}`.trim())
      })
      .subscribe((status, error) =>
        status === 'SUBSCRIBED' ? resolve() : reject(error ?? new Error(status)),
      )
  })
}

async function write(seat: Seat, key: string, body: string): Promise<void> {
  const answer = await fetch(`${base_url}/v1/db/${table}`, {
    method: 'POST',
    headers: { apikey: key, authorization: `Bearer ${seat.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body }),
  })
  expect(answer.ok, await answer.text()).toBe(true)
}

it('shows each page the changes that policies let it see, and a row that changes hands as gone and come', async () => {
  const { key } = await makeKey('anon')
  await using ann = await sit(key)
  await using bob = await sit(key)
  await Promise.all([ann, bob].map(({ page }) => page.evaluate(followTable, table)))

  await write(ann, key, 'of ann')
  await expect.poll(ann.heard).toEqual(['INSERT of ann'])
  await write(bob, key, 'of bob')
  // What comes for bob comes in order: nothing of ann's was in front of it.
  await expect.poll(bob.heard).toEqual(['INSERT of bob'])

  await using owner = await connectOwner()
  await owner.query(`update ${table} set owner_id = $1 where body = 'of ann'`, [bob.id])
  await expect.poll(ann.heard).toEqual(['INSERT of ann', 'DELETE'])
  await expect.poll(bob.heard).toEqual(['INSERT of bob', 'INSERT of ann'])
})

/** In the page: joins the room, and notes what is broadcast there and who is present. */
function enterRoom(key: string): Promise<void> {
  const { client, heard } = window as unknown as InPage
  const room = client.channel('room', { config: { broadcast: { ack: true }, presence: { key } } })
  Object.assign(window, { room })
  return new Promise((resolve, reject) => {
    room
      .on('broadcast', { event: '*' }, ({ event, payload }) => {
        const words = payload instanceof ArrayBuffer ? `${new Uint8Array(payload)}` : JSON.stringify(payload)
        heard.push(`${event} ${words}`)
      })
      .on('presence', { event: 'sync' }, () =>
        heard.push(`present ${Object.keys(room.presenceState()).sort().join(' ')}`),
      )
      .subscribe(async (status, error) => {
        if (status !== 'SUBSCRIBED') return reject(error ?? new Error(status))
        if ((await room.track({ at: 'the door' })) === 'ok') resolve()
        else reject(new Error('nobody was told that this page is present'))
      })
  })
}

/** In the page. */
function say({ event, payload }: { event: string; payload: unknown }): Promise<string> {
  const { room } = window as unknown as { room: import('@supabase/supabase-js').RealtimeChannel }
  return room.send({ type: 'broadcast', event, payload })
}

it('carries broadcasts from page to page, and says who is present and who has left', async () => {
  const { key } = await makeKey('anon')
  await using ann = await sit(key, { signsIn: false })
  const bob = await sit(key, { signsIn: false })
  await ann.page.evaluate(enterRoom, 'ann')
  await bob.page.evaluate(enterRoom, 'bob')
  await expect.poll(async () => (await ann.heard()).at(-1)).toBe('present ann bob')
  await expect.poll(async () => (await bob.heard()).at(-1)).toBe('present ann bob')

  expect(await ann.page.evaluate(say, { event: 'hello', payload: { digits: 1.5, text: 'ä' } })).toBe('ok')
  await expect.poll(async () => (await bob.heard()).at(-1)).toBe('hello {"digits":1.5,"text":"ä"}')
  const bytes = () =>
    (window as unknown as { room: import('@supabase/supabase-js').RealtimeChannel }).room.send({
      type: 'broadcast',
      event: 'bytes',
      payload: new Uint8Array([0, 255]).buffer,
    })
  expect(await bob.page.evaluate(bytes)).toBe('ok')
  await expect.poll(async () => (await ann.heard()).at(-1)).toBe('bytes 0,255')
  // Who sends hears nothing of it, unless it asks for that.
  expect((await ann.heard()).filter(words => words.startsWith('hello'))).toEqual([])

  await bob[Symbol.asyncDispose]()
  await expect.poll(async () => (await ann.heard()).at(-1)).toBe('present ann')
})
