/** A look moves staged inserts (migration 0009) in its own transaction: what becomes of them when that fails. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres, type TestPostgres } from '../gateway/support.ts'
import { abortingProxy } from './aborting-proxy.ts'
import { countChunks } from './outbox-tables.ts'
import { makeWorld, metric, startTestListener, type World } from './support.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(async () => {
  await postgres.remove()
})

/** A world with a watched table, whose inserts are staged. */
async function makeStagingWorld(): Promise<World> {
  const world = await makeWorld(postgres)
  await world.client.query('create table public.todos (id int primary key)')
  await world.client.query("select quoin.watch_table('public.todos'::regclass, '{INSERT,UPDATE,DELETE}')")
  return world
}

const insertRows = (world: World, count: number) =>
  world.client.query('insert into public.todos select generate_series(1, $1::int)', [count])

/** The keys that arrived, in order. */
const arrivedKeys = (world: World) =>
  world.ingest.chunks.flatMap(({ changes }) => (changes ?? []).map(({ key }) => key))

it('takes fewer rows at a time after a move that Postgres has cancelled', async () => {
  const world = await makeStagingWorld()
  // Stands for rows that take longer than the listener lets Postgres work.
  const { rows } = await world.client.query('select name from quoin.staging_tables')
  const staging = rows[0].name
  await world.client.query(`
    alter function quoin_staging.move_${staging}(pg_lsn, text, pg_lsn[]) rename to move_quickly;
    create function quoin_staging.move_${staging}(up_to pg_lsn, failure text, other_chunks pg_lsn[]) returns void language plpgsql as $$ begin
      if (select count(*) from quoin_staging.${staging} where "!position" <= up_to) > 100 then
        raise exception using errcode = 'query_canceled', message = 'statement timeout';
      end if;
      perform quoin_staging.move_quickly(up_to, failure, other_chunks);
    end $$`)
  await insertRows(world, 250)
  const listener = await startTestListener(world)
  const keys = Array.from({ length: 250 }, (_, i) => `["${i + 1}"]`)
  await expect.poll(() => arrivedKeys(world)).toEqual(keys)
  const sizes = world.ingest.chunks.map(({ change_count }) => change_count)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100)
  expect(await metric(listener, 'database_failures_total')).toBe(0)
})

it('sends nothing of a look that Postgres has taken back', async () => {
  const world = await makeStagingWorld()
  const proxy = await abortingProxy(world.databaseUrl)
  await insertRows(world, 1)
  const listener = await startTestListener({ ...world, databaseUrl: proxy.url })
  await expect.poll(() => proxy.aborted(), { timeout: 15_000 }).toBeGreaterThan(1)
  expect(world.ingest.chunks).toEqual([])
  expect(await metric(listener, 'database_failures_total')).toBeGreaterThan(0)
  proxy.letThrough()
  await expect.poll(() => metric(listener, 'confirmed_chunks_total')).toBe(1)
  expect(await countChunks(world.client)).toBe(0)
  expect(arrivedKeys(world)).toEqual(['["1"]'])
})
