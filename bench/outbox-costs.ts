// What a watched table costs those who write to it: each figure beside the same writes to a table that nothing watches,
// in turns on the same Postgres. The outbox is emptied between rounds.

import { randomBytes } from 'node:crypto'
import pg from 'pg'

export const SCHEMA = 'bench_outbox'
const TABLES = ['unwatched', 'watched', 'constant'] as const
export type TableName = (typeof TABLES)[number]
/** What is held against the table that nothing watches. */
type Rival = Exclude<TableName, 'unwatched'>

/** One figure of each round, of the table that nothing watches and of its rival. */
export type Rounds = Record<'unwatched' | 'rival', number[]>

export interface CostOptions {
  rounds: number
  seconds: number
  writers: number
}

/**
 * Makes the tables and watches one of them. Another has a trigger that writes the same constant into the outbox at each
 * statement: about the least that a statement trigger can cost that keeps an outbox.
 */
export async function prepareTables(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${SCHEMA} cascade; create schema ${SCHEMA}`)
  for (const table of TABLES) {
    await client.query(`
      create table ${SCHEMA}.${table} (id bigint generated always as identity primary key, group_id int not null,
        name text not null, amount numeric(12,2) not null, created_at timestamptz not null default now())`)
  }
  await watch(client, SCHEMA, 'watched')
  await client.query(`
    create function ${SCHEMA}.write_constant() returns trigger language plpgsql as $$
      begin
        insert into quoin.row_events (table_id, table_schema, table_name, event, keys, change_count, rows)
          values (0, 'bench_outbox', 'constant', 'INSERT', '{"[\\"1\\"]"}', 1, '{null}');
        return null;
      end $$;
    create trigger write_constant after insert on ${SCHEMA}.constant
      referencing new table as new_rows for each statement execute function ${SCHEMA}.write_constant()`)
}

/** Watches a table for every event by a webhook of its own: without one, the Worker's cron would end the watching. */
export async function watch(client: pg.Client, schema: string, table: string): Promise<void> {
  await client.query(
    `insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url)
      values ('bench', $1::text, $2::text, format('%I.%I', $1::text, $2::text)::regclass,
        '{INSERT,UPDATE,DELETE}', 'http://127.0.0.1:9/')`,
    [schema, table],
  )
  await client.query("select quoin.apply_watch(format('%I.%I', $1::text, $2::text)::regclass)", [
    schema,
    table,
  ])
}

/** Ends the watching and takes the tables away. */
export async function dropTables(client: pg.Client): Promise<void> {
  await client.query('delete from quoin.webhooks where table_schema = $1', [SCHEMA])
  await client.query(`drop schema ${SCHEMA} cascade`)
  await emptyOutbox(client)
}

/** Takes away what the triggers recorded. */
export async function emptyOutbox(client: pg.Client): Promise<void> {
  await client.query('truncate quoin.row_events')
}

/** Milliseconds of one statement that writes 100 000 rows. */
export function measureBulk(
  client: pg.Client,
  statement: 'insert' | 'update',
  rounds: number,
): Promise<Rounds> {
  const sql = (table: string) =>
    statement === 'insert'
      ? `insert into ${SCHEMA}.${table} (group_id, name, amount) select i % 1000, 'item ' || i, i * 1.25 ` +
        'from generate_series(1, 100000) i'
      : `update ${SCHEMA}.${table} set amount = amount + 1 where id <= 100000`
  return inTurns(client, rounds, table => millisecondsOf(() => client.query(sql(table))))
}

/** Milliseconds of one single-row insert, the median of 21, whose text is this long and cannot be compressed. */
export function measureSingle(client: pg.Client, bytes: number, rounds: number): Promise<Rounds> {
  const name = randomBytes(Math.ceil(bytes / 2))
    .toString('hex')
    .slice(0, bytes)
  return inTurns(client, rounds, async table => {
    const sql = `insert into ${SCHEMA}.${table} (group_id, name, amount) values (1, $1, 2)`
    const figures: number[] = []
    for (let write = 0; write < 21; write++)
      figures.push(
        await millisecondsOf(() => client.query({ name: `single ${table}`, text: sql, values: [name] })),
      )
    return median(figures)
  })
}

/** Milliseconds of the first statement of a new connection, the median of 9: one row inserted, or updated. */
export function measureFirst(
  client: pg.Client,
  url: string,
  statement: 'insert' | 'update',
  rounds: number,
): Promise<Rounds> {
  const sql = (table: string) =>
    statement === 'insert'
      ? `insert into ${SCHEMA}.${table} (group_id, name, amount) values (1, 'item', 2)`
      : `update ${SCHEMA}.${table} set amount = amount + 1 where id = 1`
  return inTurns(client, rounds, async table => {
    const figures: number[] = []
    for (let write = 0; write < 9; write++) {
      const writer = await connect(url)
      figures.push(await millisecondsOf(() => writer.query(sql(table))))
      await writer.end()
    }
    return median(figures)
  })
}

/** What one transaction is: a lone statement, or BEGIN, one row, COMMIT, each a trip of its own. */
export type TransactionKind = 'statement' | 'block'

/** Committed transactions of one inserted row a second, of this many connections at once. */
export async function measureWriters(
  client: pg.Client,
  url: string,
  kind: TransactionKind,
  options: CostOptions,
  rival: Rival = 'watched',
): Promise<Rounds> {
  const writers = await Promise.all(Array.from({ length: options.writers }, () => connect(url)))
  try {
    const measure = async (table: TableName) => {
      const endsAt = performance.now() + options.seconds * 1_000
      const counts = await Promise.all(writers.map(writer => writeUntil(writer, table, kind, endsAt)))
      return counts.reduce((sum, count) => sum + count, 0) / options.seconds
    }
    return await inTurns(client, options.rounds, measure, rival)
  } finally {
    for (const writer of writers) await writer.end()
  }
}

async function writeUntil(
  writer: pg.Client,
  table: TableName,
  kind: TransactionKind,
  endsAt: number,
): Promise<number> {
  const text = `insert into ${SCHEMA}.${table} (group_id, name, amount) values (1, 'item', 2)`
  let count = 0
  for (; performance.now() < endsAt; count++) {
    if (kind === 'block') await writer.query('begin')
    await writer.query({ name: `write ${table}`, text })
    if (kind === 'block') await writer.query('commit')
  }
  return count
}

export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

export async function inTurns(
  client: pg.Client,
  rounds: number,
  measure: (table: TableName) => Promise<number>,
  rival: Rival = 'watched',
): Promise<Rounds> {
  const figures: Rounds = { unwatched: [], rival: [] }
  for (const table of ['unwatched', rival] as const) await measure(table)
  for (let round = 0; round < rounds; round++) {
    figures.unwatched.push(await measure('unwatched'))
    figures.rival.push(await measure(rival))
    await emptyOutbox(client)
    await client.query('checkpoint').catch(() => {
      // Only who may is spared the checkpoint of the round before.
    })
  }
  return figures
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN
}
