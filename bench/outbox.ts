// `npm run bench:outbox`: what watching a table costs its writers (issue 5). Starts a stack of its own, or measures
// the database that BENCH_DATABASE_URL names (the owner's connection string; without the writers through the Worker).
// Prints a table; asserts nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureApiWriters } from './outbox-api.ts'
import {
  type CostOptions,
  connect,
  dropTables,
  measureBulk,
  measureFirst,
  measureSingle,
  measureWriters,
  median,
  prepareTables,
  type Rounds,
} from './outbox-costs.ts'
import { measurePgbench } from './outbox-pgbench.ts'
import { startStack } from './stack.ts'

const options: CostOptions = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 5),
  seconds: Number(process.env.BENCH_SECONDS ?? 5),
  writers: Number(process.env.BENCH_CONNECTIONS ?? 32),
}

async function measureAll(url: string): Promise<void> {
  const client = await connect(url)
  try {
    await prepareTables(client)
    console.log(`\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`)
    console.log(`${options.rounds} rounds, in turns; medians\n`)
    console.log(
      '| what | unit | unwatched | watched | watched / unwatched | gain |\n|---|---|---|---|---|---|',
    )
    for (const statement of ['insert', 'update'] as const)
      print(`${statement} of 100 000 rows`, 'ms', await measureBulk(client, statement, options.rounds))
    for (const [label, bytes] of Object.entries({ '100 B': 100, '64 KB': 65_536, '1 MB': 1e6, '4 MB': 4e6 }))
      print(`insert of a row of ${label}`, 'ms', await measureSingle(client, bytes, options.rounds))
    for (const statement of ['insert', 'update'] as const)
      print(
        `first ${statement} of a connection`,
        'ms',
        await measureFirst(client, url, statement, options.rounds),
      )
    for (const kind of ['block', 'statement'] as const)
      for (const rival of ['watched', 'constant'] as const)
        print(
          `${options.writers} writers, a ${kind} each` +
            `${rival === 'constant' ? ', a trigger that writes a constant' : ''}`,
          'transactions/s',
          await measureWriters(client, url, kind, options, rival),
        )
    const transactions = await measurePgbench(client, url, options)
    print(`${options.writers} writers, pgbench's transaction`, 'transactions/s', transactions)
    await dropTables(client)
  } finally {
    await client.end()
  }
}

/** Ratios and gains are taken round by round: what drifts meets both sides of one round alike. */
function print(what: string, unit: string, { unwatched, rival }: Rounds): void {
  const pairs = rival.map((figure, round) => [figure, unwatched[round] ?? Number.NaN] as const)
  const digits = unit === 'ms' && median(rival) < 100 ? 2 : 0
  const cells = [
    median(unwatched).toFixed(digits),
    median(rival).toFixed(digits),
    median(pairs.map(([one, other]) => one / other)).toFixed(2),
    median(pairs.map(([one, other]) => one - other)).toFixed(digits),
  ]
  console.log(`| ${[what, unit, ...cells].join(' | ')} |`)
}

const given = process.env.BENCH_DATABASE_URL
if (given !== undefined) {
  await measureAll(given)
} else {
  const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
  // As root, Postgres runs as another user, who must be able to pass through.
  await chmod(folder, 0o755)
  const stack = await startStack(join(folder, 'stack'))
  // What it sends would take from the processors while writers are measured.
  process.kill(stack.facts.pids.listener ?? 0, 'SIGSTOP')
  try {
    await measureAll(stack.facts.database_url)
    const rounds = await measureApiWriters(stack.facts, folder, options)
    print(`${options.writers} writers through /v1/db`, 'rows/s', rounds)
  } finally {
    process.kill(stack.facts.pids.listener ?? 0, 'SIGCONT')
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
