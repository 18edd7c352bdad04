// What a watched table costs a transaction of the usual size: pgbench's own (TPC-B: three updates, a select and an
// insert between BEGIN and COMMIT), with its accounts watched, in turns with the same on accounts that nothing
// watches.

import type pg from 'pg'
import {
  type CostOptions,
  connect,
  inTurns,
  type Rounds,
  SCHEMA,
  type TableName,
  watch,
} from './outbox-costs.ts'

/** pgbench's scale: as many branches as writers, that these seldom wait for each other. */
const BRANCHES = 32
const TELLERS = 10 * BRANCHES
/** Of pgbench's 100 000 a branch, enough that two writers seldom want the same. */
const ACCOUNTS = 100_000

/** Committed transactions a second, of this many connections at once. */
export async function measurePgbench(client: pg.Client, url: string, options: CostOptions): Promise<Rounds> {
  await prepare(client)
  const writers = await Promise.all(Array.from({ length: options.writers }, () => connect(url)))
  try {
    return await inTurns(client, options.rounds, async table => {
      const endsAt = performance.now() + options.seconds * 1_000
      const counts = await Promise.all(writers.map(writer => transactUntil(writer, table, endsAt)))
      return counts.reduce((sum, count) => sum + count, 0) / options.seconds
    })
  } finally {
    for (const writer of writers) await writer.end()
  }
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(`
    create table ${SCHEMA}.branches (bid int primary key, bbalance int, filler char(88)) with (fillfactor = 80);
    create table ${SCHEMA}.tellers (tid int primary key, bid int, tbalance int, filler char(84)) with (fillfactor = 80);
    create table ${SCHEMA}.history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
    insert into ${SCHEMA}.branches select i, 0 from generate_series(1, ${BRANCHES}) i;
    insert into ${SCHEMA}.tellers select i, (i - 1) / 10 + 1, 0 from generate_series(1, ${TELLERS}) i`)
  for (const table of ['unwatched', 'watched'] as const) {
    await client.query(`
      create table ${SCHEMA}.accounts_${table} (aid int primary key, bid int, abalance int, filler char(84))
        with (fillfactor = 80);
      insert into ${SCHEMA}.accounts_${table} select i, i % ${BRANCHES} + 1, 0, ''
        from generate_series(1, ${ACCOUNTS}) i`)
  }
  await watch(client, SCHEMA, 'accounts_watched')
  await client.query('vacuum analyze')
}

async function transactUntil(writer: pg.Client, table: TableName, endsAt: number): Promise<number> {
  const statement = (name: string, text: string) => (values: number[]) =>
    writer.query({ name: `${name} ${table}`, text, values })
  const updateAccount = statement(
    'account',
    `update ${SCHEMA}.accounts_${table} set abalance = abalance + $2 where aid = $1`,
  )
  const readAccount = statement('balance', `select abalance from ${SCHEMA}.accounts_${table} where aid = $1`)
  const updateTeller = statement(
    'teller',
    `update ${SCHEMA}.tellers set tbalance = tbalance + $2 where tid = $1`,
  )
  const updateBranch = statement(
    'branch',
    `update ${SCHEMA}.branches set bbalance = bbalance + $2 where bid = $1`,
  )
  const addHistory = statement(
    'history',
    `insert into ${SCHEMA}.history (tid, bid, aid, delta, mtime) values ($1, $2, $3, $4, current_timestamp)`,
  )
  let count = 0
  for (; performance.now() < endsAt; count++) {
    const [account, branch, teller] = [upTo(ACCOUNTS), upTo(BRANCHES), upTo(TELLERS)]
    const delta = upTo(10_000) - 5_000
    await writer.query('begin')
    await updateAccount([account, delta])
    await readAccount([account])
    await updateTeller([teller, delta])
    await updateBranch([branch, delta])
    await addHistory([teller, branch, account, delta])
    await writer.query('commit')
  }
  return count
}

function upTo(most: number): number {
  return 1 + Math.floor(Math.random() * most)
}
