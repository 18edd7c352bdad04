// One run of the chaos test: changes at a steady rate on a watched table, while every part of their way is killed in
// turn at random moments; then the wait until all has come; then the verdict.

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { waitUntil } from '../../cli/support/wait.ts'
import { watchTable } from '../support/webhooks.ts'
import { type Parts, startParts } from './parts.ts'
import { ChaosReceiver } from './receiver.ts'
import { judge, type Verdict } from './verdict.ts'
import { makeTables, readJournal, WATCHED, type Written, writeWhileKilling } from './writers.ts'

/** How long a part stays away, at most. */
const AWAY_MS_MAX = 2_000
const PROGRESS_INTERVAL_MS = 2_000

/** In the order in which they are killed. A listener that begins anew sends at once what a killed queue forgot. */
export const VICTIMS = ['receiver', 'postgres', 'worker', 'listener'] as const
export type Victim = (typeof VICTIMS)[number]

export interface ChaosOptions {
  dataDir: string
  /** At least so many are committed; more, when the killing takes longer. */
  changes: number
  changesPerSecond: number
  /** Rounds in which each part is killed once; undefined: until all changes are made. */
  rounds: number | undefined
  /** Changes between one kill and the next, at most. */
  changesBetween: number
  /**
   * A receiver that fails is tried once a minute; true: the webhook is changed when it is back, so that it is tried
   * at once.
   */
  isNudged: boolean
  /** For what comes behind the last change. */
  drainDeadlineMs: number
}

export interface ChaosSummary {
  committed: number
  rolledBack: number
  brokenOff: number
  kills: Record<Victim, number>
  receipts: number
  repeats: number
  writeSeconds: number
  drainSeconds: number
  /** Chunks that were left in the outbox. */
  left: number
  verdict: Verdict
}

interface Scene {
  options: ChaosOptions
  parts: Parts
  receiver: ChaosReceiver
  written: Written
  kills: Record<Victim, number>
  webhookId: string
  say: (line: string) => void
}

/** Starts everything, runs, and leaves nothing behind but the folder. */
export async function runChaos(options: ChaosOptions, say: (line: string) => void): Promise<ChaosSummary> {
  say('starting Postgres, the gateway, the Worker and the listener')
  await using parts = await startParts(options.dataDir)
  const receiver = new ChaosReceiver()
  await receiver.open()
  const progress = setInterval(() => say(progressLine(scene)), PROGRESS_INTERVAL_MS)
  const scene: Scene = {
    options,
    parts,
    receiver,
    written: { committedChanges: 0, rolledBack: 0, brokenOff: 0 },
    kills: { receiver: 0, postgres: 0, worker: 0, listener: 0 },
    webhookId: await withOwner(parts, async owner => {
      await makeTables(owner)
      return await watchTable(owner, WATCHED, receiver.url)
    }),
    say,
  }
  try {
    return await perform(scene)
  } finally {
    clearInterval(progress)
    await receiver.close()
  }
}

async function perform(scene: Scene): Promise<ChaosSummary> {
  const { options, parts, receiver, written } = scene
  const { databaseUrl } = parts
  const writeMs = await writeWhileKilling(killInTurns(scene), { ...options, databaseUrl }, written)
  const writtenAtMs = performance.now()
  const commits = await withOwner(parts, readJournal)
  scene.say(`${commits.length} changes are committed; waiting for the rest of them`)
  await waitForRest(scene, commits.length)
  const left = await withOwner(parts, countOutbox)
  return {
    committed: commits.length,
    rolledBack: written.rolledBack,
    brokenOff: written.brokenOff,
    kills: scene.kills,
    receipts: receiver.receipts.length,
    repeats: receiver.receipts.length - receiver.takenCount,
    writeSeconds: Math.round(writeMs / 100) / 10,
    drainSeconds: Math.round((performance.now() - writtenAtMs) / 100) / 10,
    left,
    verdict: judge(commits, receiver.receipts),
  }
}

async function killInTurns({ options, written, kills, ...rest }: Scene): Promise<void> {
  const { rounds = Number.POSITIVE_INFINITY, changes, changesBetween } = options
  for (let round = 0; round < rounds && (round === 0 || written.committedChanges < changes); round++) {
    for (const victim of VICTIMS) {
      const until = written.committedChanges + randomInt(Math.ceil(changesBetween / 4), changesBetween)
      while (written.committedChanges < until) await delay(1)
      rest.say(`kill: ${victim}`)
      await KILLS[victim]({ options, written, kills, ...rest })
      kills[victim] += 1
    }
  }
}

const away = () => delay(randomInt(AWAY_MS_MAX))

/** Each kills one part and resolves when that is back. */
const KILLS: Record<Victim, (scene: Scene) => Promise<void>> = {
  listener: async ({ parts }) => {
    await parts.listener.kill()
    await away()
    await parts.listener.start()
  },
  worker: async ({ parts }) => {
    await parts.worker.kill()
    await away()
    await parts.worker.start()
  },
  postgres: async ({ parts }) => {
    await parts.postgres.kill('SIGQUIT')
    await away()
    await parts.postgres.start()
  },
  receiver: async ({ receiver, parts, options, webhookId }) => {
    receiver.fail(true)
    await away()
    await receiver.close()
    await away()
    await receiver.open()
    receiver.fail(false)
    if (options.isNudged) await withOwner(parts, owner => nudge(owner, webhookId))
  },
}

/** What PATCH does to the row; the next change of the table tells the webhook's object. */
async function nudge(owner: Client, webhookId: string): Promise<void> {
  await owner.query('update quoin.webhooks set version = version + 1 where id = $1', [webhookId])
}

async function waitForRest({ receiver, options, parts }: Scene, count: number): Promise<void> {
  const wait = { deadlineMs: options.drainDeadlineMs, intervalMs: 100 }
  // What does not come is what the verdict calls lost.
  await waitUntil({ ...wait, what: 'all have come' }, async () =>
    receiver.takenCount >= count ? true : undefined,
  ).catch(() => undefined)
  await waitUntil({ ...wait, what: 'the outbox is empty' }, async () =>
    (await withOwner(parts, countOutbox)) === 0 ? true : undefined,
  ).catch(() => undefined)
}

async function countOutbox(owner: Client): Promise<number> {
  const { rows } = await owner.query('select count(*) from quoin.row_events')
  return Number(rows[0]?.count)
}

async function withOwner<T>(
  { databaseUrl }: Pick<Parts, 'databaseUrl'>,
  run: (owner: Client) => Promise<T>,
): Promise<T> {
  const owner = new Client({ connectionString: databaseUrl })
  await owner.connect()
  try {
    return await run(owner)
  } finally {
    await owner.end()
  }
}

function progressLine({ written, receiver, options }: Scene): string {
  return (
    `committed ${written.committedChanges} of ${options.changes}, received ${receiver.takenCount}, ` +
    `repeats ${receiver.receipts.length - receiver.takenCount}`
  )
}
