// `npm run bench`: what a call costs, beside PostgREST on the same Postgres and a constant answer of the same Worker.
// Measures in turns within one run, because the machine's speed drifts. Prints a table; asserts nothing.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureInTurns, type Target } from './load.ts'
import { startPostgrest } from './postgrest.ts'
import { printReport } from './report.ts'
import { seedBenchTable, TABLE } from './seed.ts'
import { startStack } from './stack.ts'
import { buildWorker, startWorkerd } from './workerd.ts'

const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 32)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)

/** A hundred rows of one group, in order: an index gives the group, the order is sorted. */
const FILTER = 'select=id,name,amount,created_at&group_id=eq.7&order=id&limit=100'

const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]

try {
  console.log('building the Worker and starting Postgres, the gateway, workerd and PostgREST ...')
  const bundle = await buildWorker(join(folder, 'dist'))
  const stack = await startStack(join(folder, 'stack'))
  cleanups.push(stack.stop)
  const { apiKey, rowId } = await seedBenchTable(stack.facts)
  const worker = await startWorkerd(join(folder, 'workerd'), bundle, stack.facts)
  cleanups.push(worker.stop)
  const postgrest = await startPostgrest(folder, stack.facts)
  cleanups.push(postgrest.stop)

  const headers = { apikey: apiKey }
  const targets: Target[] = [
    { name: 'constant', what: 'constant', url: `${worker.url}/healthz`, headers: {} },
    {
      name: 'quoin',
      what: 'row by primary key',
      url: `${worker.url}/v1/db/${TABLE}?id=eq.${rowId}`,
      headers,
    },
    {
      name: 'postgrest',
      what: 'row by primary key',
      url: `${postgrest.url}/${TABLE}?id=eq.${rowId}`,
      headers: {},
    },
    { name: 'quoin', what: '100 filtered rows', url: `${worker.url}/v1/db/${TABLE}?${FILTER}`, headers },
    { name: 'postgrest', what: '100 filtered rows', url: `${postgrest.url}/${TABLE}?${FILTER}`, headers: {} },
  ]
  const results = await measureInTurns(targets, {
    connections: CONNECTIONS,
    seconds: SECONDS,
    rounds: ROUNDS,
  })
  printReport(results, { connections: CONNECTIONS, seconds: SECONDS, rounds: ROUNDS })
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup()
}
