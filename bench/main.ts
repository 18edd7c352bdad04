// `npm run bench`: what a call costs, beside PostgREST on the same Postgres and a constant answer of the same Worker.
// Measures in turns within one run, because the machine's speed drifts. Prints a table; asserts nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoadOptions, measureInTurns } from './load.ts'
import { hasNginx, startNginx } from './nginx.ts'
import { startPostgrest } from './postgrest.ts'
import { printMachine, printReport, WITH_NGINX } from './report.ts'
import { seedBenchTable } from './seed.ts'
import { startStack } from './stack.ts'
import { benchTargets } from './targets.ts'
import { buildWorker, startWorkerd } from './workerd.ts'

/** So long that the lots of permits and the minute of the limits begin anew. */
const MANY_KEYS_SECONDS = Number(process.env.BENCH_MANY_KEYS_SECONDS ?? 60)

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

  const nginx = hasNginx() ? await startNginx(folder, postgrest.url, seeded.anonKey) : undefined
  if (nginx) cleanups.push(nginx.stop)
  else console.log('nginx is not installed, so there is no yardstick with key check and limit')

  const { facts } = stack
  const processes = {
    workerd: worker.pid,
    gateway: facts.pids.gateway ?? 0,
    Postgres: facts.pids.postgres ?? 0,
    PostgREST: postgrest.pid,
    ...(nginx && { nginx: nginx.pid }),
  }
  const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
  const seconds = Number(process.env.BENCH_SECONDS ?? 3)
  const token = { apikey: seeded.anonKey, authorization: `Bearer ${postgrest.anonToken}` }
  const yardsticks = [
    { name: 'PostgREST', url: postgrest.url, headers: {} },
    ...(nginx ? [{ name: WITH_NGINX, url: nginx.url, headers: token }] : []),
  ]
  const { reads, manyKeys } = benchTargets(facts, seeded, worker.url, yardsticks)
  printMachine()
  for (const connections of (process.env.BENCH_CONNECTIONS ?? '1,10,32').split(',').map(Number)) {
    const options: LoadOptions = { connections, seconds, rounds, processes }
    printReport(await measureInTurns(reads, options), options)
  }
  const options: LoadOptions = { connections: 32, seconds: MANY_KEYS_SECONDS, rounds: 1, processes }
  printReport(await measureInTurns(manyKeys, options), options)
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup()
}
