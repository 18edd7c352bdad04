// `npm run bench:webhooks`: how long a change takes from its commit to its receiver, and how many deliveries a second
// go. Also whether a backlog makes a process grow (issue 5). On a stack of its own, under `wrangler dev`: deliveries
// are signed and logged. The listener sends in batches, so that wrangler's proxy is not in the way. Prints a table;
// asserts nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupMemory, WORKERD } from './memory.ts'
import { startStack } from './stack.ts'
import { measureBacklog, measureLatency, measureThroughput, prepareWatched } from './webhook-load.ts'
import { BenchReceiver } from './webhook-receiver.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const backlogRows = Number(process.env.BENCH_ROWS ?? 100_000)

const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(folder, 0o755)
const stack = await startStack(join(folder, 'stack'))
const receiver = await BenchReceiver.open()
try {
  const { facts } = stack
  const client = await prepareWatched(facts, receiver.url)
  const memory = () => ({
    worker: groupMemory(facts.pids.worker ?? 0, WORKERD),
    listener: groupMemory(facts.pids.listener ?? 0),
  })
  console.log(`\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`)
  console.log(`${rounds} rounds of ${seconds} s\n`)
  console.log('| what | round | figure |\n|---|---|---|')
  const print = (what: string, round: number, figure: string) =>
    console.log(`| ${what} | ${round} | ${figure} |`)

  await measureLatency(facts, receiver, { changesPerSecond: 200, seconds: 3 })
  for (let round = 1; round <= rounds; round++) {
    const { p50, p99, count } = await measureLatency(facts, receiver, { changesPerSecond: 200, seconds })
    print('commit to receipt, 200 changes a second', round, `p50 ${p50} ms, p99 ${p99} ms, of ${count}`)
  }
  // The listener rests in between.
  const rare = await measureLatency(facts, receiver, { changesPerSecond: 0.25, seconds: 80 })
  print(
    'commit to receipt, a change every 4 s',
    1,
    `p50 ${rare.p50} ms, p99 ${rare.p99} ms, of ${rare.count}`,
  )
  for (let round = 1; round <= rounds; round++) {
    const perSecond = await measureThroughput(client, receiver, { rows: 800 * seconds })
    print(`deliveries of ${800 * seconds} rows, written at once`, round, `${perSecond} a second`)
  }
  const backlog = await measureBacklog(client, receiver, { rows: backlogRows, memory })
  print(`deliveries of ${backlogRows} rows, written at once`, 1, `${backlog.perSecond} a second`)
  for (const [name, samples] of Object.entries(backlog.megabytes))
    print(`memory of the ${name} meanwhile, MB`, 1, samples.join(', '))
  await client.end()
} finally {
  await receiver.close()
  await stack.stop()
  await rm(folder, { recursive: true, force: true })
}
