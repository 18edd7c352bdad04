// `npm run bench:realtime`: how long a change takes from its commit to the sockets that follow its table, and what
// they cost (issue 38). On a stack of its own, under `wrangler dev`, with limits that no run reaches. Prints a table;
// asserts nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupMemory, WORKERD } from './memory.ts'
import { makeKey, makeTable, makeTokens, measureSpread, type Spread, sightCounts } from './realtime-load.ts'
import { type BenchSocket, openSockets } from './realtime-sockets.ts'
import { printMachine } from './report.ts'
import { startStack } from './stack.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const sockets = Number(process.env.BENCH_SOCKETS ?? 1_000)

const CLASSES = [1, 50, 500]
const SOCKETS_OF_CLASSES = 500
const ANYBODY = 'true'
/** Asked for each person by himself, and true for all. */
const ANY_PERSON = 'quoin.uid() is not null and length(owner) > 0'

const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(folder, 0o755)
const stack = await startStack(join(folder, 'stack'), {
  REALTIME_SOCKETS_PER_KEY: '20000',
  REALTIME_SOCKETS_PER_ADDRESS: '20000',
  REALTIME_DELIVERIES_PER_SECOND: '1000000',
})
try {
  const { facts } = stack
  const apiKey = await makeKey(facts)
  const open = (count: number, table: string, tokens?: readonly string[]) =>
    openSockets(count, { url: facts.base_url, apiKey, table, ...(tokens && { tokens }) })
  printMachine()
  console.log(`${rounds} rounds of ${seconds} s\n`)
  console.log(
    '| what | round | p50, ms | p99, ms | last, ms | receipts | more |\n|---|---|---|---|---|---|---|',
  )

  await makeTable(facts, 'bench_steady', ANYBODY)
  for (const [count, changesPerSecond] of [
    [1, 200],
    [100, 30],
  ] as const) {
    const opened = await open(count, 'bench_steady')
    await measureSpread(facts, 'bench_steady', opened, { changesPerSecond, seconds: 3 })
    for (let round = 1; round <= rounds; round++) {
      const spread = await measureSpread(facts, 'bench_steady', opened, { changesPerSecond, seconds })
      printRow(
        `${changesPerSecond} changes a second to ${count === 1 ? 'one socket' : `${count} sockets`}`,
        round,
        spread,
      )
    }
    await closeAll(opened)
  }

  await makeTable(facts, 'bench_many', ANYBODY)
  const before = groupMemory(facts.pids.worker ?? 0, WORKERD)
  const startedAtMs = performance.now()
  const many = await open(sockets, 'bench_many')
  const joinMs = Math.round(performance.now() - startedAtMs)
  for (let round = 1; round <= rounds; round++) {
    const spread = await measureSpread(facts, 'bench_many', many, { changesPerSecond: 1, seconds: 1 })
    const after = groupMemory(facts.pids.worker ?? 0, WORKERD)
    printRow(
      `a change to ${sockets} sockets`,
      round,
      spread,
      `joined in ${joinMs} ms; ${before}, ${after} MB`,
    )
  }
  await closeAll(many)

  const tokens = await makeTokens(facts, SOCKETS_OF_CLASSES)
  for (const classes of CLASSES) {
    const table = `bench_classes_${classes}`
    await makeTable(facts, table, ANY_PERSON)
    const ofClasses = Array.from({ length: SOCKETS_OF_CLASSES }, (_, i) => tokens[i % classes] ?? '')
    const opened = await open(SOCKETS_OF_CLASSES, table, ofClasses)
    await measureSpread(facts, table, opened, { changesPerSecond: 2, seconds: 1 })
    const was = await sightCounts(facts)
    const spread = await measureSpread(facts, table, opened, { changesPerSecond: 2, seconds })
    const is = await sightCounts(facts)
    const perChange = (is.statements - was.statements) / (is.changes - was.changes)
    const more = `${perChange.toFixed(1)} statements a change`
    printRow(`2 changes a second to ${SOCKETS_OF_CLASSES} sockets of ${classes} classes`, 1, spread, more)
    await closeAll(opened)
  }
} finally {
  await stack.stop()
  await rm(folder, { recursive: true, force: true })
}

function printRow(what: string, round: number, { p50, p99, max, count }: Spread, more = ''): void {
  console.log(`| ${[what, round, p50, p99, max, count, more].join(' | ')} |`)
}

async function closeAll(opened: readonly BenchSocket[]): Promise<void> {
  for (const { surprises } of opened) if (surprises.length > 0) console.error(surprises.join('\n'))
  await Promise.all(opened.map(socket => socket.close()))
}
