// The realtime part of the chaos test: clients that drop and come back at random follow a table, while the listener,
// the Worker and the gateway are killed in turn; then the wait until all has come; then the verdict of each client.

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { storeApiKey } from '../../cli/support/api-key.ts'
import { waitUntil } from '../../cli/support/wait.ts'
import { Follower } from './follower.ts'
import { type Parts, startParts } from './parts.ts'
import { type Commit, judge, type Verdict } from './verdict.ts'
import { makeTables, readJournal, WATCHED, type Written, writeWhileKilling } from './writers.ts'

const AWAY_MS_MAX = 2_000
const PROGRESS_INTERVAL_MS = 5_000

export const REALTIME_VICTIMS = ['listener', 'worker', 'gateway'] as const
type Victim = (typeof REALTIME_VICTIMS)[number]

export interface RealtimeChaosOptions {
  readonly dataDir: string
  /** At least so many are committed; more, when the killing takes longer. */
  readonly changes: number
  readonly changesPerSecond: number
  readonly followers: number
  /** Rounds in which each part is killed once; undefined: until all changes are made. */
  readonly rounds: number | undefined
  /** Changes between one kill and the next, at most. */
  readonly changesBetween: number
  /** How long a socket is kept, at most. */
  readonly stayMs: number
  /** For what comes behind the last change. */
  readonly drainDeadlineMs: number
}

export interface RealtimeChaosSummary {
  committed: number
  kills: Record<Victim, number>
  connections: number
  received: number
  repeats: number
  /** How often a client was told that it may have missed something. */
  refetches: number
  writeSeconds: number
  drainSeconds: number
  /** Why connections and joins failed, and how often: they are tried again. */
  failures: Record<string, number>
  /** Of all clients together, each entry with the client's name. */
  verdict: Verdict
}

interface Scene {
  readonly options: RealtimeChaosOptions
  readonly parts: Parts
  readonly followers: readonly Follower[]
  readonly written: Written
  readonly kills: Record<Victim, number>
  readonly say: (line: string) => void
}

/** Starts everything, runs, and leaves nothing behind but the folder. */
export async function runRealtimeChaos(
  options: RealtimeChaosOptions,
  say: (line: string) => void,
): Promise<RealtimeChaosSummary> {
  say('starting Postgres, the gateway, the Worker and the listener')
  const roomy = { REALTIME_SOCKETS_PER_ADDRESS: '5000', REALTIME_SOCKETS_PER_KEY: '5000' }
  await using parts = await startParts(options.dataDir, roomy)
  const followers = await makeFollowers(options, parts)
  const kills = { listener: 0, worker: 0, gateway: 0 }
  const written = { committedChanges: 0, rolledBack: 0, brokenOff: 0 }
  const scene: Scene = { options, parts, followers, written, kills, say }
  const running = followers.map(follower => follower.run())
  const progress = setInterval(() => say(progressLine(scene)), PROGRESS_INTERVAL_MS)
  try {
    return await perform(scene)
  } finally {
    clearInterval(progress)
    for (const follower of followers) follower.end()
    await Promise.all(running)
  }
}

/** Half of them as anon, half as service_role; of each, half resume by number and half by name. */
async function makeFollowers(options: RealtimeChaosOptions, parts: Parts): Promise<Follower[]> {
  return await withOwner(parts, async owner => {
    await makeTables(owner)
    await owner.query(`grant select on public.${WATCHED} to anon, service_role`)
    const roles = ['anon', 'service_role'] as const
    const make = (role: (typeof roles)[number]) =>
      storeApiKey(owner, { role, name: 'chaos', rateLimitPerMinute: 1_000_000 })
    const keys = [await make(roles[0]), await make(roles[1])]
    return Array.from({ length: options.followers }, (_, i) => {
      const resumes = i % 2 === 0 ? 'after' : 'client'
      return new Follower({
        baseUrl: parts.baseUrl,
        key: keys[Math.floor(i / 2) % 2]?.key ?? '',
        table: WATCHED,
        name: `follower-${i}-${resumes}`,
        resumes,
        stayMs: options.stayMs,
        awayMs: AWAY_MS_MAX,
      })
    })
  })
}

async function perform(scene: Scene): Promise<RealtimeChaosSummary> {
  const { options, parts, followers, written } = scene
  await waitUntil({ what: 'everybody follows', deadlineMs: 60_000 }, async () =>
    followers.every(({ connections }) => connections > 0) ? true : undefined,
  )
  scene.say(`${followers.length} clients follow`)
  const { databaseUrl } = parts
  const writeMs = await writeWhileKilling(killInTurns(scene), { ...options, databaseUrl }, written)
  const writtenAtMs = performance.now()
  const commits = await withOwner(parts, readJournal)
  scene.say(`${commits.length} changes are committed; waiting until everybody has them`)
  const wait = { what: 'all have come', deadlineMs: options.drainDeadlineMs, intervalMs: 100 }
  // What does not come is what the verdict calls lost.
  await waitUntil(wait, async () =>
    followers.every(({ receipts }) => receipts.length >= commits.length) ? true : undefined,
  ).catch(() => undefined)
  const sum = (count: (follower: Follower) => number) => followers.reduce((all, one) => all + count(one), 0)
  return {
    committed: commits.length,
    kills: scene.kills,
    connections: sum(({ connections }) => connections),
    received: sum(({ receipts }) => receipts.length),
    repeats: sum(({ repeats }) => repeats),
    refetches: sum(({ refetches }) => refetches.length),
    writeSeconds: Math.round(writeMs / 100) / 10,
    drainSeconds: Math.round((performance.now() - writtenAtMs) / 100) / 10,
    failures: failuresOf(followers),
    verdict: verdictOf(commits, followers),
  }
}

async function killInTurns({ options, parts, written, kills, say }: Scene): Promise<void> {
  const { rounds = Number.POSITIVE_INFINITY, changes, changesBetween } = options
  for (let round = 0; round < rounds && (round === 0 || written.committedChanges < changes); round++) {
    for (const victim of REALTIME_VICTIMS) {
      const until = written.committedChanges + randomInt(Math.ceil(changesBetween / 4), changesBetween)
      while (written.committedChanges < until) await delay(1)
      say(`kill: ${victim}`)
      await parts[victim].kill()
      await delay(randomInt(AWAY_MS_MAX))
      await parts[victim].start()
      kills[victim] += 1
    }
  }
}

function verdictOf(commits: readonly Commit[], followers: readonly Follower[]): Verdict {
  const verdict: Verdict = { lost: [], invented: [], reordered: [], misnamed: [] }
  const names = new Map<string, string>()
  for (const { settings, receipts } of followers) {
    const own = judge(commits, receipts)
    for (const what of Object.keys(verdict) as (keyof Verdict)[])
      verdict[what].push(...own[what].map(one => `${settings.name}: ${one}`))
    // A number means one change, whoever gets it.
    for (const { webhookId, name } of receipts) {
      const known = names.get(webhookId) ?? name
      names.set(webhookId, known)
      if (known !== name) verdict.misnamed.push(`${settings.name}: ${webhookId} is ${known} and ${name}`)
    }
  }
  return verdict
}

function failuresOf(followers: readonly Follower[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const { failures } of followers)
    for (const [reason, count] of failures) all[reason] = (all[reason] ?? 0) + count
  return all
}

async function withOwner<T>({ databaseUrl }: Parts, run: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: databaseUrl })
  await owner.connect()
  try {
    return await run(owner)
  } finally {
    await owner.end()
  }
}

function progressLine({ written, followers, options }: Scene): string {
  const counts = followers.map(({ receipts }) => receipts.length)
  const here = followers.filter(({ isJoined }) => isJoined).length
  return (
    `committed ${written.committedChanges} of ${options.changes}, received ${Math.min(...counts)} to ` +
    `${Math.max(...counts)} by each, ${here} of ${followers.length} are here`
  )
}
