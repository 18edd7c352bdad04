/**
 * What a table that somebody holds locked can do to others: whoever asks what the table is waits for it, with one of
 * the owner's connections, which every key is looked up with.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { asOwner, freshPrefix } from '../contract/data-api/caller.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'

const TABLE = `${freshPrefix()}_held`
const READERS = 30

beforeAll(() => asOwner(`create table public.${TABLE} (id int primary key)`))
afterAll(() => asOwner(`drop table public.${TABLE}`))

// The attack: LOCK TABLE by one call, and many readings of the schema beside it.
it('lets a new key in while many wait to read the structure of a locked table', async () => {
  const { base_url: url } = inject('stack')
  const reader = await makeKey('service_role')
  const { key } = await makeKey('anon')
  await using holder = await connectOwner()
  await using watcher = await connectOwner()
  await holder.query(`begin; lock table public.${TABLE}`)
  const readings = Array.from({ length: READERS }, () =>
    fetch(`${url}/v1/database/tables/public/${TABLE}`, { headers: { apikey: reader.key } }),
  )
  const waiting = `select count(*)::int as n from pg_locks where not granted and relation = 'public.${TABLE}'::regclass`
  await expect.poll(async () => (await watcher.query(waiting)).rows[0].n).toBeGreaterThanOrEqual(3)
  const signal = AbortSignal.timeout(5_000)
  const answer = await fetch(`${url}/v1/db/todos?limit=1`, { headers: { apikey: key }, signal })
  expect(answer.status).toBe(200)
  await holder.query('rollback')
  const statuses = await Promise.all(readings.map(async reading => (await reading).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
})
