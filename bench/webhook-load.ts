// What is written to the watched table, and what is measured of it.

import type pg from 'pg'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { waitUntil } from '../cli/support/wait.ts'
import { connect, writeSteadily } from './steady-writer.ts'
import type { BenchReceiver } from './webhook-receiver.ts'

const TABLE = 'bench_watched'
const DRAIN_DEADLINE_MS = 600_000
const MEMORY_SAMPLES = 12

/** Makes a table and a webhook with a secret that watches it; answers the owner's connection. */
export async function prepareWatched(facts: StackFacts, url: string): Promise<pg.Client> {
  const client = await connect(facts.database_url)
  await client.query(`create table public.${TABLE} (id bigint generated always as identity primary key,
    group_id int not null, name text not null, amount numeric(12,2) not null,
    created_at timestamptz not null default now())`)
  const response = await fetch(`${facts.base_url}/api/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: facts.session_cookie_admin ?? '' },
    body: JSON.stringify({
      name: 'bench',
      table_name: TABLE,
      events: ['INSERT'],
      url,
      secret: 'a secret of the benchmark',
    }),
  })
  if (response.status !== 201)
    throw new Error(`the webhook cannot be made: ${response.status} ${await response.text()}`)
  return client
}

export interface Latency {
  /** Milliseconds. */
  p50: number
  p99: number
  count: number
}

/** Single-row inserts at a steady rate, and for each the time from the answer of its commit to its receipt. */
export async function measureLatency(
  facts: StackFacts,
  receiver: BenchReceiver,
  rate: { changesPerSecond: number; seconds: number },
): Promise<Latency> {
  const text = `insert into public.${TABLE} (group_id, name, amount) values (1, 'item', 2) returning id`
  const commits = await writeSteadily(facts.database_url, text, rate)
  await waitUntil({ what: 'all have come', deadlineMs: DRAIN_DEADLINE_MS }, async () =>
    [...commits.keys()].every(id => receiver.arrivalOf(id) !== undefined) ? true : undefined,
  )
  const times = [...commits].map(([id, atMs]) => (receiver.arrivalOf(id) ?? Number.NaN) - atMs)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => Math.round((sorted[Math.floor(sorted.length * part)] ?? Number.NaN) * 10) / 10
  return { p50: at(0.5), p99: at(0.99), count: sorted.length }
}

/** Deliveries a second of rows that one statement wrote, from its commit to the last receipt. */
export async function measureThroughput(
  client: pg.Client,
  receiver: BenchReceiver,
  { rows }: { rows: number },
): Promise<number> {
  const before = receiver.count
  await insertRows(client, rows)
  const startedAtMs = performance.now()
  await waitUntil({ what: 'all have come', deadlineMs: DRAIN_DEADLINE_MS }, async () =>
    receiver.count >= before + rows ? true : undefined,
  )
  return Math.round((rows * 1_000) / (performance.now() - startedAtMs))
}

export interface Backlog {
  perSecond: number
  /** Samples at equal parts of the backlog, the first before it, by process. */
  megabytes: Record<string, number[]>
}

/** As `measureThroughput`, with the memory of processes at equal parts of the way. */
export async function measureBacklog(
  client: pg.Client,
  receiver: BenchReceiver,
  { rows, memory }: { rows: number; memory: () => Record<string, number> },
): Promise<Backlog> {
  const before = receiver.count
  const samples = [memory()]
  await insertRows(client, rows)
  const startedAtMs = performance.now()
  for (let part = 1; part <= MEMORY_SAMPLES; part++) {
    await waitUntil({ what: 'the backlog drains', deadlineMs: DRAIN_DEADLINE_MS }, async () =>
      receiver.count >= before + (rows * part) / MEMORY_SAMPLES ? true : undefined,
    )
    samples.push(memory())
  }
  const perSecond = Math.round((rows * 1_000) / (performance.now() - startedAtMs))
  const names = Object.keys(samples[0] ?? {})
  const megabytes = names.map(name => [name, samples.map(sample => sample[name] ?? Number.NaN)] as const)
  return { perSecond, megabytes: Object.fromEntries(megabytes) }
}

async function insertRows(client: pg.Client, rows: number): Promise<void> {
  await client.query(
    `insert into public.${TABLE} (group_id, name, amount) select i % 1000, 'item ' || i, i * 1.25 ` +
      'from generate_series(1, $1::int) i',
    [rows],
  )
}
