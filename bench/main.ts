// `npm run bench`: what a call costs, beside PostgREST on the same Postgres and a constant answer of the same Worker.
// Measures in turns within one run, because the machine's speed drifts. Prints a table; asserts nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoadOptions, measureInTurns } from './load.ts'
import { startPostgrest } from './postgrest.ts'
import { printReport } from './report.ts'
import { seedBenchTable } from './seed.ts'
import { startStack } from './stack.ts'
import { benchTargets } from './targets.ts'
import { buildWorker, startWorkerd } from './workerd.ts'

const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(folder, 0o755)
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]

try {
  console.log('building the Worker and starting Postgres, the gateway, workerd and PostgREST ...')
  const bundle = await buildWorker(join(folder, 'dist'))
  const stack = await startStack(join(folder, 'stack'))
  cleanups.push(stack.stop)
  const seeded = await seedBenchTable(stack.facts)
  const worker = await startWorkerd(join(folder, 'workerd'), bundle, stack.facts)
  cleanups.push(worker.stop)
  const postgrest = await startPostgrest(folder, stack.facts)
  cleanups.push(postgrest.stop)

  const options: LoadOptions = {
    connections: Number(process.env.BENCH_CONNECTIONS ?? 32),
    seconds: Number(process.env.BENCH_SECONDS ?? 5),
    rounds: Number(process.env.BENCH_ROUNDS ?? 3),
    processes: { workerd: worker.pid, gateway: stack.facts.pids.gateway ?? 0 },
  }
  const targets = benchTargets(stack.facts, seeded, worker.url, postgrest.url)
  printReport(await measureInTurns(targets, options), options)
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup()
}
