// `npm run bench:outbox`: what watching a table costs its writers, each figure beside the same writes to a table that
// nothing watches, in turns on the same Postgres. Starts a stack of its own, or measures the database that
// BENCH_DATABASE_URL names (the owner's connection string). Prints a table; asserts nothing.

import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { median, printMachine } from './report.ts'
import { startStack } from './stack.ts'

const SCHEMA = 'bench_outbox'
const TABLES = ['unwatched', 'watched'] as const
type TableName = (typeof TABLES)[number]

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const writers = Number(process.env.BENCH_CONNECTIONS ?? 32)

/** One row inserted, which is prepared once a connection; `name` is its text. */
const insert = (table: TableName, name = 'item') => ({
  name: `write ${table}`,
  text: `insert into ${SCHEMA}.${table} (group_id, name, amount) values (1, $1, 2)`,
  values: [name],
})

const given = process.env.BENCH_DATABASE_URL
if (given !== undefined) {
  await measureAll(given)
} else {
  const folder = await mkdtemp(join(tmpdir(), 'quoin-bench-'))
  // As root, Postgres runs as another user, who must be able to pass through.
  await chmod(folder, 0o755)
  const stack = await startStack(join(folder, 'stack'))
  // What it sends would take from the processors while writers are measured.
  process.kill(stack.facts.pids.listener ?? 0, 'SIGSTOP')
  try {
    await measureAll(stack.facts.database_url)
  } finally {
    process.kill(stack.facts.pids.listener ?? 0, 'SIGCONT')
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureAll(url: string): Promise<void> {
  const client = await connect(url)
  const writing = await Promise.all(Array.from({ length: writers }, () => connect(url)))
  try {
    await prepareTables(client)
    printMachine()
    console.log(`${rounds} rounds, in turns; medians\n`)
    console.log('| what | unit | unwatched | watched | watched / unwatched |\n|---|---|---|---|---|')
    await inTurns(client, 'insert of 100 000 rows', 'ms', table =>
      millisecondsOf(() =>
        client.query(
          `insert into ${SCHEMA}.${table} (group_id, name, amount) select i % 1000, 'item ' || i, i * 1.25 ` +
            'from generate_series(1, 100000) i',
        ),
      ),
    )
    await inTurns(client, 'update of 100 000 rows', 'ms', table =>
      millisecondsOf(() =>
        client.query(`update ${SCHEMA}.${table} set amount = amount + 1 where id <= 100000`),
      ),
    )
    for (const [label, bytes] of Object.entries({ '100 B': 100, '64 KB': 65_536, '1 MB': 1e6 }))
      await inTurns(client, `insert of a row of ${label}`, 'ms', table => measureSingle(client, table, bytes))
    for (const [label, isBlock] of [
      ['block', true],
      ['statement', false],
    ] as const)
      await inTurns(client, `${writers} writers, a ${label} each`, 'transactions/s', table =>
        measureWriters(writing, table, isBlock),
      )
    await client.query('delete from quoin.webhooks where table_schema = $1', [SCHEMA])
    await client.query(`drop schema ${SCHEMA} cascade`)
  } finally {
    for (const one of [client, ...writing]) await one.end()
  }
}

/** Watched by a webhook of its own: without one, the Worker's cron would end the watching. */
async function prepareTables(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${SCHEMA} cascade; create schema ${SCHEMA}`)
  for (const table of TABLES) {
    await client.query(`
      create table ${SCHEMA}.${table} (id bigint generated always as identity primary key, group_id int not null,
        name text not null, amount numeric(12,2) not null, created_at timestamptz not null default now())`)
  }
  await client.query(`
    insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url)
      values ('bench', '${SCHEMA}', 'watched', '${SCHEMA}.watched'::regclass,
        '{INSERT,UPDATE,DELETE}', 'http://127.0.0.1:9/');
    select quoin.apply_watch('${SCHEMA}.watched'::regclass)`)
}

/**
 * Measures both tables once a round, empties the outbox between rounds and prints the medians. Ratios are taken round
 * by round: what drifts meets both sides of one round alike.
 */
async function inTurns(
  client: pg.Client,
  what: string,
  unit: string,
  measure: (table: TableName) => Promise<number>,
): Promise<void> {
  const figures: Record<TableName, number>[] = []
  for (let round = 0; round <= rounds; round++) {
    const unwatched = await measure('unwatched')
    const watched = await measure('watched')
    // The first round is for warming up.
    if (round > 0) figures.push({ unwatched, watched })
    await client.query('truncate quoin.row_events')
    await client.query('checkpoint').catch(() => {
      // Only who may is spared the checkpoint of the round before.
    })
  }
  const [unwatched, watched] = TABLES.map(table => median(figures.map(figure => figure[table])))
  const digits = unit === 'ms' && (watched ?? 0) < 100 ? 2 : 0
  const ratio = median(figures.map(figure => figure.watched / figure.unwatched)).toFixed(2)
  console.log(`| ${[what, unit, unwatched?.toFixed(digits), watched?.toFixed(digits), ratio].join(' | ')} |`)
}

/** Milliseconds of one single-row insert, the median of 21, whose text is this long and cannot be compressed. */
async function measureSingle(client: pg.Client, table: TableName, bytes: number): Promise<number> {
  const name = randomBytes(bytes / 2).toString('hex')
  const figures: number[] = []
  for (let write = 0; write < 21; write++)
    figures.push(await millisecondsOf(() => client.query(insert(table, name))))
  return median(figures)
}

/** Committed transactions a second of one inserted row: a lone statement, or BEGIN, the row and COMMIT. */
async function measureWriters(
  writing: readonly pg.Client[],
  table: TableName,
  isBlock: boolean,
): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000
  let count = 0
  const write = async (writer: pg.Client) => {
    for (; performance.now() < endsAt; count++) {
      if (isBlock) await writer.query('begin')
      await writer.query(insert(table))
      if (isBlock) await writer.query('commit')
    }
  }
  await Promise.all(writing.map(write))
  return count / seconds
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
