// Who calls a restored database by HTTP gets the answers of the one that was backed up, and receivers what they know:
// two of Quoin side by side, each with a gateway, a Worker and a listener of its own, and with one store of files.

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, inject, it } from 'vitest'
import { storeApiKey } from '../../../cli/support/api-key.ts'
import { migrationDatabase } from '../../support/migrations.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { SECRETS_KEY } from '../../support/webhooks.ts'
import { callDb } from '../data-api/caller.ts'
import { standardHeaders } from '../webhooks/chain.ts'
import { serveDatabase } from './serve.ts'
import { backupOf, command, emptyDatabase, testFolder } from './support.ts'

/** Quoin on this database, its Worker's state in this folder. `call` answers all but the request's id. */
async function serve(DATABASE_URL: string, stateFolder: string) {
  const vars = { ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true', DB_SCHEMAS: 'public,shop' }
  const quoin = await serveDatabase(DATABASE_URL, stateFolder, vars)
  return {
    async call(path: string, headers: Record<string, string>, body?: unknown, method?: string) {
      const sent = { method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body }
      const answer = await callDb(quoin.url + path, {}, sent)
      delete answer.body?.request_id
      return { status: answer.status, range: answer.headers.get('content-range'), body: answer.body }
    },
    sweep: () => quoin.worker.scheduled({ cron: '17 * * * *' }),
    [Symbol.asyncDispose]: () => quoin[Symbol.asyncDispose](),
  }
}

const SCHEMA = `
  create schema shop; grant usage on schema shop to anon, service_role;
  create type public.mood as enum ('sad', 'ok');
  create table public.authors (id bigint generated always as identity primary key, name text, moods public.mood[]);
  create table public.books (id bigint primary key, author_id bigint references public.authors, title text,
    is_public boolean, words tsvector generated always as (to_tsvector('english', title)) stored);
  alter table public.books enable row level security;
  create policy read_public on public.books for select to anon using (is_public);
  create table shop.orders (id bigint generated always as identity (start 1000 increment 5), total numeric);
  create view public.titles with (security_invoker) as select title from public.books;
  create function public.search(word text) returns setof public.books language sql stable
    as 'select * from public.books where words @@ to_tsquery(word)';
  create function public.whoami() returns text language sql stable as 'select current_user::text';
  insert into public.authors (name, moods) values ('Ünal "the\t\\first"', '{sad,ok}'), (null, null);
  insert into public.books values (9007199254740993, 1, 'A whale', true), (2, 2, 'A hidden whale', false);
  insert into shop.orders (total) values (0.10), (null);
  grant execute on function public.search to anon;
  insert into storage.buckets (id, name) values ('shelf', 'shelf');
  create policy read_shelf on storage.objects for select to anon using (bucket_id = 'shelf' and name like 'seen/%');
  grant select on all tables in schema public, shop to anon;
  grant all on all tables in schema public, shop to service_role`

const SHOP = { 'accept-profile': 'shop', 'content-profile': 'shop' }
const ASKED: [path: string, headers?: Record<string, string>, body?: unknown][] = [
  ['/v1/db/authors?order=id'],
  ['/v1/db/books?order=id', { prefer: 'count=exact' }],
  ['/v1/db/books?select=title&words=fts.hidden'],
  ['/v1/db/titles?order=title'],
  ['/v1/db/orders?order=id', SHOP],
  ['/v1/db/rpc/search?order=id', {}, { word: 'whale' }],
  ['/v1/db/rpc/whoami', {}, {}],
  ['/v1/webhooks'],
]

/** A file by both faces, as whoever has these headers gets it: the status, and the text where there is one. */
async function fileOf(
  { call }: Awaited<ReturnType<typeof serve>>,
  name: string,
  who: Record<string, string>,
) {
  const answers = await Promise.all(
    ['/v1/storage/objects/shelf/', '/storage/v1/object/authenticated/shelf/'].map(path =>
      call(path + name, who),
    ),
  )
  return answers.map(({ status, body }) => (status === 200 ? body : status))
}
/** What `fileOf` has of no file, and of one that is not for the caller. */
const NO_FILE = [404, 400]

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

it('is served as the database of the backup was: rows, rights, functions, keys and webhooks', async () => {
  await using source = await migrationDatabase()
  await source.owner.query(SCHEMA)
  const keys = [
    await storeApiKey(source.owner, { role: 'anon', name: 'page' }),
    await storeApiKey(source.owner, { role: 'service_role', name: 'server' }),
  ]
  const [anon, service] = keys.map(({ key }) => ({ apikey: key }))
  if (anon === undefined || service === undefined) throw new Error('two keys were made')
  await using receiver = await startReceiver()
  const sentOf = (title: string) => receiver.waitFor(({ body }) => body.includes(title))
  const verified = (request: Received) =>
    new StandardWebhook(SECRET).verify(request.body, standardHeaders(request))
  using folder = testFolder()
  await using target = await emptyDatabase()
  const states = [join(folder.path, 'before'), join(folder.path, 'after')] as const
  for (const state of states) mkdirSync(state)

  await using before = await serve(source.url, states[0])
  const webhook = {
    name: 'of books',
    table_name: 'books',
    events: ['INSERT'],
    headers: { 'X-Shelf': 'seven' },
  }
  const fields = { ...webhook, url: `${receiver.url}/hook`, secret: SECRET }
  const session = { cookie: inject('stack').session_cookie_user ?? '' }
  const made = await before.call('/api/webhooks', session, fields)
  expect(made.status).toBe(201)
  const write = { id: 3, author_id: 1, title: 'before', is_public: true }
  expect((await before.call('/v1/db/books', service, write)).status).toBe(201)
  expect(verified(await sentOf('before'))).toMatchObject({ row: { id: 3 } })
  const hasArrived = async () => {
    const { body } = await before.call(`/v1/webhooks/${made.body.id}`, service)
    return body.statistics.succeeded
  }
  await expect.poll(hasArrived).toBe(1)
  const store = async (name: string, body: string, method: string) => {
    const headers = { ...service, 'content-type': 'text/plain' }
    return (await before.call(`/v1/storage/objects/shelf/${name}`, headers, body, method)).status
  }
  for (const name of ['seen/replaced', 'seen/deleted', 'seen/shared', 'hidden'])
    expect(await store(name, 'of yesterday', 'POST')).toBe(201)

  const { location } = await backupOf(source.url, folder.path, { SECRETS_KEY })
  expect(await store('seen/replaced', 'of today', 'PUT')).toBe(200)
  const remove = ({ call }: typeof before, name: string) =>
    call(`/v1/storage/objects/shelf/${name}`, service, undefined, 'DELETE')
  expect((await remove(before, 'seen/deleted')).status).toBe(200)

  expect(await command(target.url, 'restore.ts', location)).toMatchObject({ code: 0 })
  symlinkSync(join(states[0], 'r2'), join(states[1], 'r2'))
  await using after = await serve(target.url, states[1])
  for (const who of [anon, service])
    for (const [path, headers, body] of ASKED) {
      const call = [path, { ...who, ...headers }, body] as const
      expect([path, await after.call(...call)]).toEqual([path, await before.call(...call)])
    }
  // What the answers are the same of is what was asked for.
  expect((await after.call('/v1/db/books', anon)).body).toHaveLength(2)
  expect((await after.call('/v1/db/books', service)).body).toHaveLength(3)
  const logsOf = ({ call }: typeof before) => call(`/api/webhooks/${made.body.id}/logs`, session)
  expect(await logsOf(after)).toEqual(await logsOf(before))

  // Files are of the same moment as the rows, and those of now are where they were.
  for (const name of ['seen/replaced', 'seen/deleted'])
    expect(await fileOf(after, name, anon)).toEqual(['of yesterday', 'of yesterday'])
  expect(await fileOf(before, 'seen/replaced', anon)).toEqual(['of today', 'of today'])
  for (const [quoin, name] of [
    [before, 'seen/deleted'],
    [after, 'hidden'],
  ] as const)
    expect(await fileOf(quoin, name, anon)).toEqual(NO_FILE)
  // What one loses here stays for the other, however long ago it was.
  expect((await remove(after, 'seen/shared')).status).toBe(200)
  await target.ask(`update quoin.lost_versions set lost_at = now() - interval '30 days'`)
  await after.sweep()
  expect(await fileOf(before, 'seen/shared', anon)).toEqual(['of yesterday', 'of yesterday'])

  // Life goes on: the next number of a sequence, and a delivery with the secret and the header that were encrypted.
  const order = await after.call(
    '/v1/db/orders',
    { ...service, ...SHOP, prefer: 'return=representation' },
    {},
  )
  expect(order.body).toEqual([{ id: 1010, total: null }])
  expect((await after.call('/v1/db/books', service, { ...write, id: 4, title: 'after' })).status).toBe(201)
  const sent = await sentOf('after')
  expect(verified(sent)).toMatchObject({ event: 'INSERT', row: { id: 4, title: 'after' } })
  expect(sent.headers['x-shelf']).toBe('seven')
})
