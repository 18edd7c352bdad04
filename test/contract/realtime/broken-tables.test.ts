// What becomes of subscriptions when policies fail and tables change under them: whoever may miss something is told,
// and all others get their rows.

import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { openRaw, type RawClient, type SignedIn, signIn } from '../../support/realtime.ts'
import { freshPrefix } from '../data-api/caller.ts'

const prefix = freshPrefix()
const ROWS = `${prefix}_rows`
const KILL = `${prefix}_kill`

let owner: TestClient
let anonKey: string
let serviceKey: string
let ada: SignedIn
let opened: RawClient[] = []

beforeAll(async () => {
  owner = await connectOwner()
  const keys = await Promise.all([
    makeKey('anon', { rateLimitPerMinute: 1_000_000 }),
    makeKey('service_role', { rateLimitPerMinute: 1_000_000 }),
  ])
  anonKey = keys[0].key
  serviceKey = keys[1].key
  ada = await signIn()
  await asSuperuser(`create function public.${KILL}() returns bool language plpgsql security definer as $$
    begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); return true; end $$`)
})
beforeEach(async () => {
  await owner.query(`
    create table ${ROWS} (id int primary key, owner text, note text);
    alter table ${ROWS} enable row level security;
    create policy all_rows on ${ROWS} for select to anon using (true);
    grant select on ${ROWS} to anon, service_role`)
})
afterEach(async () => {
  for (const client of opened) client.drop()
  opened = []
  await owner.query(`drop table if exists ${ROWS}, ${ROWS}_renamed`)
  await owner.query(`delete from quoin.realtime_watches where table_name like $1 || '%'`, [prefix])
})
afterAll(async () => {
  await owner?.end()
  await asSuperuser(`drop function if exists public.${KILL}()`)
})

async function asSuperuser(sql: string): Promise<void> {
  const { superuser_url, database_url } = inject('stack')
  const url = new URL(superuser_url ?? '')
  url.pathname = new URL(database_url).pathname
  const client = new Client({ connectionString: url.href })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

interface Follower extends RawClient {
  ids(): number[]
  refetches(): string[]
}

/** Follows the table on a socket of its own. */
async function follow(name: string, key: string, token?: string): Promise<Follower> {
  const client = await openRaw({ key })
  opened.push(client)
  const topic = `${prefix} ${name}`
  const changes = [{ event: '*', schema: 'public', table: ROWS }]
  expect(await client.join(topic, changes, {}, token)).toMatchObject({ status: 'ok' })
  return {
    ...client,
    ids: () => client.changes(topic).map(({ record, old_record }) => (record ?? old_record).id),
    refetches: () =>
      client.news(topic).flatMap(({ message, reason }) => (message === 'must_refetch' ? [reason] : [])),
  }
}

let ids = 0
async function write(note = 'x'): Promise<number> {
  ids += 1
  await owner.query(`insert into ${ROWS} values ($1, 'all', $2)`, [ids, note])
  return ids
}

const has = (client: Follower, id: number) => expect.poll(client.ids).toContain(id)
const isTold = (client: Follower, timeout = 15_000) =>
  expect.poll(client.refetches, { timeout }).not.toEqual([])

describe('a policy that fails for one person', () => {
  it.each([
    ['raises', `(1 / (length(note) - 1))::text is not null`, /22012/],
    ['sleeps', `pg_sleep(30) is not null`, /./],
    ['ends its own connection', `public.${KILL}()`, /./],
    ['asks for more than there is', `length(repeat(note, 1100000000)) > 0`, /./],
  ])('and %s is told to that person, and the others have their rows', async (_, condition, reason) => {
    await owner.query(`drop policy all_rows on ${ROWS};
      create policy bad on ${ROWS} for select to anon
        using (case when quoin.uid() = '${ada.sub}' then ${condition} else true end)`)
    const [others, all, victim] = await Promise.all([
      follow('others', anonKey),
      follow('all', serviceKey),
      follow('victim', anonKey, ada.token),
    ])
    const startedAt = performance.now()
    const id = await write()
    await Promise.all([has(others, id), has(all, id)])
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    await isTold(victim)
    expect(victim.refetches()[0]).toMatch(reason)
    expect(victim.ids()).toEqual([])
    expect([...others.refetches(), ...all.refetches()]).toEqual([])

    // Also while it is not asked, and again when it is mended.
    const second = await write()
    await Promise.all([has(others, second), has(all, second)])
    await owner.query(
      `drop policy bad on ${ROWS}; create policy all_rows on ${ROWS} for select to anon using (true)`,
    )
    await expect
      .poll(
        async () => {
          await write()
          return victim.ids().length
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBeGreaterThan(0)
  })
})

describe('a table that changes under a subscription', () => {
  let anon: Follower
  let service: Follower
  beforeEach(async () => {
    anon = await follow('anon', anonKey)
    service = await follow('service', serviceKey)
    const id = await write()
    await Promise.all([has(anon, id), has(service, id)])
  })
  const both = (check: (client: Follower) => Promise<unknown>) => Promise.all([anon, service].map(check))

  it('has its new columns in what comes behind', async () => {
    await owner.query(`alter table ${ROWS} add column more int default 7`)
    const id = await write()
    await both(client => has(client, id))
    const { record, columns } = anon.changes(`${prefix} anon`).at(-1)
    expect(record).toEqual({ id, owner: 'all', note: 'x', more: 7 })
    expect(columns.map(({ name }: { name: string }) => name)).toContain('more')
  })

  it.each([
    ['gets a column', 'add column more int'],
    ['loses a column', 'drop column note'],
    ['has a column renamed', 'rename column note to words'],
  ])('and %s behind a change says must_refetch of that change', async (_, alteration) => {
    ids += 1
    await owner.query(
      `begin; insert into ${ROWS} values (${ids}, 'all', 'secret'); alter table ${ROWS} ${alteration}; commit`,
    )
    await both(client =>
      expect
        .poll(() => client.refetches().length + client.ids().filter(id => id === ids).length)
        .toBeGreaterThan(0),
    )
    for (const client of [anon, service])
      if (!client.ids().includes(ids)) expect(client.refetches()).not.toEqual([])
    if (alteration.startsWith('drop'))
      expect(JSON.stringify([anon.frames, service.frames])).not.toContain('secret')
  })

  it('and is not granted any more gives no row, and says so', async () => {
    await owner.query(`revoke select on ${ROWS} from anon`)
    const id = await write('secret')
    await has(service, id)
    await isTold(anon)
    expect(anon.ids()).not.toContain(id)
    expect(JSON.stringify(anon.frames)).not.toContain('secret')
  })

  it('and has no policy any more gives no row', async () => {
    await owner.query(`drop policy all_rows on ${ROWS}`)
    const id = await write('secret')
    await has(service, id)
    await owner.query(`create policy all_rows on ${ROWS} for select to anon using (true)`)
    await has(anon, await write())
    expect(anon.ids()).not.toContain(id)
    expect(JSON.stringify(anon.frames)).not.toContain('secret')
  })

  it('and loses its row-level security gives every row', async () => {
    await owner.query(`drop policy all_rows on ${ROWS}; alter table ${ROWS} disable row level security`)
    const id = await write()
    await both(client => has(client, id))
  })

  it('and is renamed is never silent', async () => {
    await owner.query(`alter table ${ROWS} rename to ${ROWS}_renamed`)
    ids += 1
    const id = ids
    await owner.query(`insert into ${ROWS}_renamed values ($1, 'all', 'x')`, [id])
    await both(client =>
      expect.poll(() => client.refetches().length + Number(client.ids().includes(id))).toBeGreaterThan(0),
    )
  })

  it('and is dropped says must_refetch', async () => {
    await owner.query(`drop table ${ROWS}`)
    await both(client => isTold(client, 45_000))
  })

  it('and is dropped and made anew says must_refetch', async () => {
    await owner.query(`drop table ${ROWS}; create table ${ROWS} (id int primary key, owner text, note text);
      grant select on ${ROWS} to anon, service_role`)
    await write()
    await both(client => isTold(client, 45_000))
  })
})

describe('a client that reads nothing', () => {
  it('while ten thousand changes go by is cut off with a reason, and the others have them all', async () => {
    const [deaf, others] = [await follow('deaf', anonKey), await follow('others', anonKey)]
    deaf.ws.pause()
    const first = ids + 1
    for (let batch = 0; batch < 10; batch++) {
      await owner.query(
        `insert into ${ROWS} select g, 'all', repeat('x', 2000) from generate_series($1::int, $1::int + 999) g`,
        [ids + 1],
      )
      ids += 1_000
    }
    const seen = () => new Set(others.ids().filter(id => id >= first)).size
    const heard = setInterval(() => others.push('phoenix', 'heartbeat', {}), 200)
    try {
      await expect.poll(seen, { timeout: 60_000, interval: 200 }).toBe(10_000)
    } finally {
      clearInterval(heard)
    }
    deaf.ws.resume()
    expect(await deaf.closed()).toEqual({ code: 1013, reason: 'slow_consumer' })
    expect(deaf.news(`${prefix} deaf`).at(-1)?.message).toMatch(/^slow_consumer/)
  })
})
