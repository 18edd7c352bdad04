// Writers who change rows of a watched table and write down, in the same transaction, what they changed: so the
// journal holds exactly what was committed, also where a writer never learned whether its COMMIT was. A row's change
// is named by the number in it, and a deletion by the number of the row that it deleted. A change's place in the
// journal is taken while its row is locked: of one key, places are in the order of the commits.

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Commit } from './verdict.ts'

export const WATCHED = 'chaos_rows'
const JOURNAL = 'chaos_journal'

const KEYS = 300
/** Of a hundred transactions, so many are rolled back, and so many change something that a savepoint takes back. */
const ROLLBACKS_PERCENT = 10
const SAVEPOINTS_PERCENT = 10
/** More than a message of the queue takes along. */
const LARGE_CHARACTERS = 90_000

export interface WritersOptions {
  databaseUrl: string
  writers: number
  changesPerSecond: number
  isOver: () => boolean
}

/** What happened until now. */
export interface Written {
  committedChanges: number
  rolledBack: number
  /** Transactions of which the writer lost sight: committed or not. */
  brokenOff: number
}

/** Makes the tables; the watching is up to the caller. */
export async function makeTables(owner: Client): Promise<void> {
  await owner.query(`
    create table public.${WATCHED} (id bigint primary key, change bigint not null, note text not null);
    create table public.${JOURNAL} (place bigint generated always as identity, name text not null,
      keys bigint[] not null);
    create sequence public.chaos_changes`)
}

/** What was committed, in the order of each key. */
export async function readJournal(owner: Client): Promise<Commit[]> {
  const { rows } = await owner.query<{ name: string; keys: string[] }>(
    `select name, keys from public.${JOURNAL} order by place`,
  )
  return rows.map(({ name, keys }) => ({ name, keys: keys.map(Number) }))
}

const WRITERS = 6

interface KilledOptions {
  readonly databaseUrl: string
  readonly changes: number
  readonly changesPerSecond: number
}

/** Writes until all of `killing` is done and so many changes are made. Answers how long that took, in milliseconds. */
export async function writeWhileKilling(
  killing: Promise<void>,
  { databaseUrl, changes, changesPerSecond }: KilledOptions,
  written: Written,
): Promise<number> {
  const startedAtMs = performance.now()
  let isKilling = true
  const done = killing.finally(() => {
    isKilling = false
  })
  const isOver = () => !isKilling && written.committedChanges >= changes
  await Promise.all([done, runWriters({ databaseUrl, changesPerSecond, writers: WRITERS, isOver }, written)])
  return performance.now() - startedAtMs
}

/** Writes until it is over. What ends a connection only makes a writer open another. */
async function runWriters(options: WritersOptions, written: Written): Promise<void> {
  const writers = Array.from({ length: options.writers }, () => write(options, written))
  await Promise.all(writers)
}

async function write(options: WritersOptions, written: Written): Promise<void> {
  const intervalMs = (1_000 * options.writers) / options.changesPerSecond
  let client: Client | undefined
  let nextAtMs = performance.now()
  while (!options.isOver()) {
    try {
      client ??= await connect(options.databaseUrl)
      const count = await runTransaction(client)
      written.committedChanges += count
      if (count === 0) written.rolledBack += 1
      nextAtMs += Math.max(1, count) * intervalMs
    } catch (err) {
      if (!isRetryable(err)) throw err
      written.brokenOff += 1
      await client?.end().catch(() => undefined)
      client = undefined
      nextAtMs = performance.now() + 100
    }
    const pauseMs = nextAtMs - performance.now()
    // After a pause of Postgres nobody catches up: the rate is what is asked for.
    if (pauseMs > 0) await delay(pauseMs)
    else nextAtMs = performance.now()
  }
  await client?.end()
}

/** Deadlocks are Postgres' to resolve; the rest is a connection that was lost or could not be had. */
function isRetryable(err: unknown): boolean {
  const { code = '' } = err as { code?: string }
  return !/^(22|23|42)/.test(code)
}

/** One to three statements; answers how many changes were committed, 0 when they were rolled back. */
async function runTransaction(client: Client): Promise<number> {
  let changes = 0
  await client.query('begin')
  for (let left = randomInt(1, 4); left > 0; left--) changes += await change(client)
  if (randomInt(100) < SAVEPOINTS_PERCENT) {
    await client.query('savepoint before')
    await change(client)
    await client.query('rollback to savepoint before')
  }
  const isTakenBack = randomInt(100) < ROLLBACKS_PERCENT
  await client.query(isTakenBack ? 'rollback' : 'commit')
  return isTakenBack ? 0 : changes
}

const JOURNAL_COLUMNS = `insert into public.${JOURNAL} (name, keys)`

/** Weights and statements; the first parameter is a key, the second a note. */
const STATEMENTS: readonly [weight: number, sql: string][] = [
  [
    35,
    `with done as (insert into public.${WATCHED} values ($1, nextval('public.chaos_changes'), $2)
      on conflict do nothing returning id, change)
      ${JOURNAL_COLUMNS} select 'INSERT ' || change, array[id] from done`,
  ],
  [
    35,
    `with done as (update public.${WATCHED} set change = nextval('public.chaos_changes'), note = $2
      where id = $1 returning id, change)
      ${JOURNAL_COLUMNS} select 'UPDATE ' || change, array[id] from done`,
  ],
  [
    10,
    `with done as (update public.${WATCHED} set change = nextval('public.chaos_changes'), note = left($2, 100)
      where id between $1 and $1::bigint + 4 returning id, change)
      ${JOURNAL_COLUMNS} select 'UPDATE ' || change, array[id] from done`,
  ],
  [
    18,
    `with done as (delete from public.${WATCHED} where id = $1 and $2::text is not null returning id, change)
      ${JOURNAL_COLUMNS} select 'DELETE ' || change, array[id] from done`,
  ],
  [
    2,
    // To a key of nobody else, so that it cannot fail.
    `with done as (update public.${WATCHED} set id = ${KEYS} + nextval('public.chaos_changes'),
        change = nextval('public.chaos_changes'), note = left($2, 100)
      where id = $1 returning id, change)
      ${JOURNAL_COLUMNS} select 'UPDATE ' || change, array[$1::bigint, id] from done`,
  ],
]

async function change(client: Client): Promise<number> {
  const note = randomInt(100) === 0 ? 'large '.repeat(LARGE_CHARACTERS / 6) : `note ${randomInt(1_000_000)}`
  const { rowCount } = await client.query(pickStatement(), [randomInt(KEYS), note])
  return rowCount ?? 0
}

function pickStatement(): string {
  let chance = randomInt(STATEMENTS.reduce((sum, [weight]) => sum + weight, 0))
  const picked = STATEMENTS.find(([weight]) => {
    chance -= weight
    return chance < 0
  })
  if (picked === undefined) throw new Error('the chance is below the sum of the weights')
  return picked[1]
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {
    // The query under way, or the next one, is rejected as well.
  })
  await client.connect()
  return client
}
