// `npm run bench:storage`: what a file costs, up and down, beside a bare Worker of ten lines in the same runtime, in
// turns within one run. Then whether ten files of 100 MB leave the runtime larger than one. Prints tables; asserts
// nothing.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processMemory } from './memory.ts'
import { printMachine } from './report.ts'
import { startStack } from './stack.ts'
import { bareWay, quoinWays, seedBucket, type Way } from './storage-ways.ts'
import { type FileServer, startBare, startQuoin } from './storage-workers.ts'
import { measureTransfers, printTransfers } from './transfers.ts'
import { buildWorker } from './workerd.ts'

const LARGE = 100_000_000
const TIMES = Number(process.env.BENCH_TIMES ?? 10)
/** Files of each size in a round, and how many rounds. */
const SIZES = [
  { bytes: 1_000, files: 50 },
  { bytes: 1_000_000, files: 10 },
  { bytes: LARGE, files: 1 },
]
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)

// As the local stack starts it: see local/worker.ts.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= '--gc-global'
const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(folder, 0o755)
console.log('building the Worker and starting Postgres, the gateway and workerd ...')
const bundle = await buildWorker(join(folder, 'dist'))
const stack = await startStack(join(folder, 'stack'))
const state = join(folder, 'state')

try {
  const { facts } = stack
  const key = await seedBucket(facts)
  printMachine()

  const [quoin, bare] = [await startQuoin(bundle, join(state, 'quoin'), facts), await startBare(state)]
  const ways = [bareWay(bare.url), quoinWays(quoin.url, key).v1]
  const pids = [bare.pid, quoin.pid]
  printTransfers(await measureTransfers(ways, { pids, sizes: SIZES, rounds: ROUNDS }))
  await Promise.all([quoin.stop(), bare.stop()])

  console.log(
    `\n| memory of workerd, MB | at rest | after one | after ${TIMES} | at most |\n|---|---|---|---|---|`,
  )
  await printMemory(await startBare(join(state, 'bare')), ({ url }) => bareWay(url))
  for (const name of ['v1', 'form', 'tus'] as const)
    await printMemory(
      await startQuoin(bundle, join(state, name), facts),
      ({ url }) => quoinWays(url, key)[name],
    )
} finally {
  await stack.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Each in a runtime that has done nothing else: none gives back what it once had. */
async function printMemory(server: FileServer, wayOf: (server: FileServer) => Way): Promise<void> {
  const way = wayOf(server)
  const sizes = [processMemory(server.pid).now]
  const bytes = Buffer.alloc(LARGE, 'quoin')
  for (let time = 1; time <= TIMES; time++) {
    await way.upload('memory.bin', bytes)
    await way.download('memory.bin')
    sizes.push(processMemory(server.pid).now)
  }
  const { now, peak } = processMemory(server.pid)
  console.log(`| ${way.name} | ${sizes[0]} | ${sizes[1]} | ${now} | ${peak} |`)
  await server.stop()
}
