// What a watched table costs those who write through the Worker: single rows by /v1/db, in workerd itself, in turns
// with the same writes to a table that nothing watches.

import { join } from 'node:path'
import pg from 'pg'
import { storeApiKey } from '../cli/support/api-key.ts'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { type Generator, loadGenerator } from './load.ts'
import { type CostOptions, emptyOutbox, type Rounds, watch } from './outbox-costs.ts'
import { buildWorker, startWorkerd } from './workerd.ts'

const TABLES = { unwatched: 'bench_api_unwatched', watched: 'bench_api_watched' } as const
const ROW = JSON.stringify({ group_id: 1, name: 'item', amount: 2 })
/** High enough that no run comes near it. */
const RATE_LIMIT_PER_MINUTE = 100_000_000

/** Rows written a second by this many connections at once, one row a request. */
export async function measureApiWriters(
  facts: StackFacts,
  folder: string,
  options: CostOptions,
): Promise<Rounds> {
  const client = new pg.Client({ connectionString: facts.database_url })
  await client.connect()
  const key = await prepare(client)
  const workerd = await startWorkerd(folder, await buildWorker(join(folder, 'bundle')), facts)
  const generator = await loadGenerator()
  const figures: Rounds = { unwatched: [], rival: [] }
  try {
    for (const name of ['unwatched', 'watched'] as const)
      await load(generator, workerd.url, key, name, options)
    for (let round = 0; round < options.rounds; round++) {
      for (const name of ['unwatched', 'watched'] as const)
        figures[name === 'watched' ? 'rival' : name].push(
          await load(generator, workerd.url, key, name, options),
        )
      await emptyOutbox(client)
    }
  } finally {
    await workerd.stop()
    await client.end()
  }
  return figures
}

async function load(
  generator: Generator,
  workerUrl: string,
  key: string,
  name: keyof typeof TABLES,
  { writers, seconds }: CostOptions,
): Promise<number> {
  const headers = { apikey: key, 'content-type': 'application/json' }
  const target = { name, what: 'writers', url: `${workerUrl}/v1/db/${TABLES[name]}`, headers, body: ROW }
  return (await generator(target, writers, seconds)).requestsPerSecond
}

async function prepare(client: pg.Client): Promise<string> {
  for (const table of Object.values(TABLES)) {
    await client.query(`
      create table public.${table} (id bigint generated always as identity primary key, group_id int not null,
        name text not null, amount numeric(12,2) not null, created_at timestamptz not null default now());
      grant insert, select on public.${table} to service_role`)
  }
  await watch(client, 'public', TABLES.watched)
  const key = {
    name: 'bench writers',
    role: 'service_role',
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
  } as const
  return (await storeApiKey(client, key)).key
}
