// `npm run chaos:usage`: 10 000 answered requests over 20 keys from parallel clients, while the Worker and Postgres are
// killed again and again, and every fourth key is rotated. Then the usage that is counted must be what was answered; a
// request whose answer was lost may count or not, and of a key with a high limit what a killed isolate was lent. Ends
// with 1 where a key's usage is anything else. Waits some minutes: usage comes late, what counts twice later still.

import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { type StoredApiKey, storeApiKey } from '../../cli/support/api-key.ts'
import { waitUntil } from '../../cli/support/wait.ts'
import { type Parts, startParts } from './parts.ts'

const REQUESTS = Number(process.env['CHAOS_REQUESTS'] ?? 10_000)
const KEYS = 20
const CLIENTS = 8
const KILLS = ['worker', 'postgres', 'worker', 'worker', 'postgres', 'worker'] as const
/** A limit that has each request counted by itself, and one at which isolates are lent permits for a second. */
const LIMITS = [5_999, 100_000] as const
/** What an isolate may hold of one key at this rate when it is killed: that counts as used. */
const LENT_MAX = 100
/** Limiters tell whole minutes, at their next minute. */
const USAGE_DEADLINE_MS = 240_000
/** Every limiter has told twice by then. */
const SECOND_LOOK_MS = 130_000

interface Tally {
  key: StoredApiKey
  limit: number
  answered: number
  lost: number
}

const folder = mkdtempSync(join(tmpdir(), 'quoin-usage-'))
// As root, Postgres runs as another user, who must be able to pass through.
chmodSync(folder, 0o755)
const startedAt = performance.now()
const say = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`)

say('starting Postgres, the gateway and the Worker')
await using parts = await startParts(join(folder, 'parts'))
const tallies = await withOwner(makeKeys)
let begun = 0
let answeredInAll = 0
const clients = Array.from({ length: CLIENTS }, () => call(parts))
await killInTurns(parts)
await rotateSome(parts)
await Promise.all(clients)
const sum = (name: 'answered' | 'lost') => tallies.reduce((total, tally) => total + tally[name], 0)
say(`${sum('answered')} answered, ${sum('lost')} without an answer; waiting for the usage`)

const usage = await waitForUsage()
const workerKills = KILLS.filter(victim => victim === 'worker').length
const wrong = tallies.filter(({ key, limit, answered, lost }) => {
  const counted = usage.get(key.id) ?? 0
  const lent = limit === LIMITS[0] ? 0 : workerKills * LENT_MAX
  return counted < answered || counted > answered + lost + lent
})
const counted = tallies.reduce((total, { key }) => total + (usage.get(key.id) ?? 0), 0)
say(`${counted} counted; ${wrong.length} keys wrong`)
for (const { key, limit, answered, lost } of wrong)
  console.log(`  ${key.id} (${limit}): ${answered} answered, ${lost} lost, ${usage.get(key.id) ?? 0} counted`)
if (wrong.length > 0) process.exitCode = 1
rmSync(folder, { recursive: true, force: true })

/** Calls until so many requests are answered, with one key after the other. */
async function call({ baseUrl }: Parts): Promise<void> {
  while (answeredInAll < REQUESTS) {
    const tally = tallies[begun % KEYS] as Tally
    begun += 1
    try {
      const response = await fetch(`${baseUrl}/v1/modules`, {
        headers: { apikey: tally.key.key },
        signal: AbortSignal.timeout(10_000),
      })
      await response.text()
      if (response.ok) {
        tally.answered += 1
        answeredInAll += 1
      }
      // A limiter that could not read its key lets nobody in, and says so.
      else if (response.status !== 503) throw new Error(`answered with ${response.status}`)
    } catch {
      tally.lost += 1
      await delay(200)
    }
  }
}

async function killInTurns(live: Parts): Promise<void> {
  for (const [i, victim] of KILLS.entries()) {
    const until = ((i + 1) * REQUESTS) / (KILLS.length + 2)
    while (answeredInAll < until) await delay(5)
    say(`kill: ${victim}, after ${answeredInAll} answers`)
    await live[victim].kill(victim === 'postgres' ? 'SIGQUIT' : 'SIGKILL')
    await delay(randomInt(500))
    await live[victim].start()
  }
}

/** The old keys are good for an hour, and clients go on with them: they count in the windows of the new ones. */
async function rotateSome({ baseUrl }: Parts): Promise<void> {
  for (const tally of tallies.filter((_, i) => i % 4 === 0)) {
    const response = await fetch(`${baseUrl}/v1/keys/${tally.key.id}/rotate`, {
      method: 'POST',
      headers: { apikey: tally.key.key, 'content-type': 'application/json' },
      body: JSON.stringify({ overlap_seconds: 3_600 }),
    })
    await response.text()
    if (!response.ok) throw new Error(`a rotation was answered with ${response.status}`)
    tally.answered += 1
    answeredInAll += 1
  }
  say('rotated every fourth key')
}

/** What is counted, once nothing more can come: every key has what was answered, or time is up. Then once more. */
async function waitForUsage(): Promise<Map<string, number>> {
  const wait = { what: 'the usage is there', deadlineMs: USAGE_DEADLINE_MS, intervalMs: 2_000 }
  await waitUntil(wait, async () => {
    const read = await withOwner(readUsage)
    return tallies.every(({ key, answered }) => (read.get(key.id) ?? 0) >= answered) ? true : undefined
  }).catch(() => undefined)
  say('the usage is there; looking again when every limiter has told once more')
  await delay(SECOND_LOOK_MS)
  return withOwner(readUsage)
}

async function readUsage(owner: Client): Promise<Map<string, number>> {
  const { rows } = await owner.query('select key_id, sum(total)::int as n from quoin.usage group by key_id')
  return new Map(rows.map(({ key_id, n }) => [key_id, n]))
}

async function makeKeys(owner: Client): Promise<Tally[]> {
  const made: Tally[] = []
  for (let i = 0; i < KEYS; i++) {
    const limit = LIMITS[i % 2 === 0 ? 0 : 1]
    const key = await storeApiKey(owner, { role: 'service_role', name: 'usage', rateLimitPerMinute: limit })
    made.push({ key, limit, answered: 0, lost: 0 })
  }
  return made
}

async function withOwner<T>(work: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: parts.databaseUrl })
  owner.on('error', () => {
    // A connection that breaks fails the query under way.
  })
  await owner.connect()
  try {
    return await work(owner)
  } finally {
    await owner.end()
  }
}
