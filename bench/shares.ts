// `npm run bench:shares`: what one key's slow calls cost the others. One anon key sends filters that take the database
// for ever, eleven at a time; another reads rows by primary key. Prints the other's times without and with the attack.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { storeApiKey } from '../cli/support/api-key.ts'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { type Seeded, seedBenchTable, TABLE } from './seed.ts'
import { startStack } from './stack.ts'
import { buildWorker, startWorkerd } from './workerd.ts'

const ATTACKERS = 11
const READERS = 4
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15)
/** No odd length is twice a sum, which the matcher finds out by trying all of them. */
const PATTERN = encodeURIComponent('^(a*)(a*)(a*)(a*)\\1\\2\\3\\4$')

const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
await chmod(folder, 0o755)
const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]

try {
  console.log('building the Worker and starting Postgres, the gateway and workerd ...')
  const bundle = await buildWorker(join(folder, 'dist'))
  const stack = await startStack(join(folder, 'stack'))
  cleanups.push(stack.stop)
  const seeded = await seedBenchTable(stack.facts)
  const attackerKey = await seedAttack(stack.facts)
  const worker = await startWorkerd(join(folder, 'workerd'), bundle, stack.facts)
  cleanups.push(worker.stop)
  console.log(`${READERS} readers, ${SECONDS} s each; ms\n`)
  print('alone', await read(worker.url, seeded))
  const attack = startAttack(worker.url, attackerKey)
  print(`beside ${ATTACKERS} slow filters`, await read(worker.url, seeded))
  console.log(`\nthe attack's answers: ${JSON.stringify(await attack.stop())}`)
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup()
}

async function seedAttack({ database_url }: StackFacts): Promise<string> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    await client.query(`create table public.bench_slow as select repeat('a', 199) as text;
      grant select on public.bench_slow to anon`)
    return (await storeApiKey(client, { name: 'attack', role: 'anon', rateLimitPerMinute: 1_000_000 })).key
  } finally {
    await client.end()
  }
}

function startAttack(url: string, apikey: string) {
  const answers: Record<string, number> = {}
  let isOver = false
  const attack = async (): Promise<void> => {
    while (!isOver) {
      const response = await fetch(`${url}/v1/db/bench_slow?text=match.${PATTERN}`, { headers: { apikey } })
      const { code } = (await response.json()) as { code: string }
      answers[code] = (answers[code] ?? 0) + 1
    }
  }
  const attacks = Array.from({ length: ATTACKERS }, attack)
  const stop = async () => {
    isOver = true
    await Promise.all(attacks)
    return answers
  }
  return { stop }
}

/** The milliseconds of each read, from the shortest. */
async function read(url: string, { anonKey, rowId }: Seeded): Promise<number[]> {
  const times: number[] = []
  const endsAt = performance.now() + SECONDS * 1_000
  const reader = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now()
      const response = await fetch(`${url}/v1/db/${TABLE}?id=eq.${rowId}`, { headers: { apikey: anonKey } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`a reader got ${response.status}`)
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return times.sort((a, b) => a - b)
}

function print(what: string, times: readonly number[]): void {
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)
  console.log(`${what}: ${times.length} reads, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`)
}
