// The listener's side of the agreement in docs/design/row-changes.md, and writing chunks as the triggers do.

import type { Client } from 'pg'
import { runMigrations } from '../../cli/migrations.ts'

/** Writes a chunk as the triggers do. */
const WRITE_CHUNK = `
  create function quoin.write_test_chunk(in_table oid, in_keys text[], in_old_keys text[], in_rows json[]) returns void
    begin atomic
      insert into quoin.row_events (table_id, table_schema, table_name, event, keys, old_keys, change_count, rows)
        values (in_table, 'public', 'todos', 'INSERT', in_keys, in_old_keys, cardinality(in_rows), in_rows);
    end
`

export interface WrittenChange {
  readonly key: string | null
  /** The number of this change, somewhere in its row. */
  readonly n: number
}

/** Makes Quoin's own tables in this database. */
export async function createOutbox(databaseUrl: string, client: Client): Promise<void> {
  await runMigrations(databaseUrl, 'up', ['platform'], () => undefined)
  await client.query(WRITE_CHUNK)
}

export interface ChunkOptions {
  readonly tableId?: number
  /** Default: the keys of the changes. */
  readonly keys?: readonly string[] | null
  /** As of an UPDATE that changed them. */
  readonly oldKeys?: readonly string[] | null
  /** Makes each row so many bytes larger. */
  readonly padding?: number
}

/** Makes the table `public.todos` and watches it: its changes are recorded, and notified of, by triggers. */
export async function watchTodos(client: Client): Promise<void> {
  await client.query(`
    create table public.todos (id bigint primary key, title text);
    insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url) values
      ('test', 'public', 'todos', 'public.todos'::regclass, '{INSERT,UPDATE,DELETE}', 'http://127.0.0.1:9/');
    select quoin.apply_watch('public.todos'::regclass)`)
}

/** Writes one chunk in the client's transaction, or in one of its own. */
export async function writeChunk(
  client: Client,
  changes: readonly WrittenChange[],
  { tableId = 1, keys = keysOf(changes), oldKeys = null, padding = 0 }: ChunkOptions = {},
): Promise<void> {
  const images = changes.map(({ n }) => {
    // The number has more digits than JavaScript keeps.
    return `{"n":${n},"exact":9007199254740993.000000000000000001,"text":"${'x'.repeat(padding)}"}`
  })
  await client.query('select quoin.write_test_chunk($1, $2, $3, $4)', [tableId, keys, oldKeys, images])
}

/** Chunks of one change, each with a key of its own. */
export async function writeManyChunks(client: Client, count: number): Promise<void> {
  await client.query(
    `insert into quoin.row_events (table_id, table_schema, table_name, event, keys, change_count, rows)
     select 1, 'public', 'todos', 'INSERT', array['k' || i], 1, array['{"n":' || i || '}']::json[]
     from generate_series(1, $1::int) i`,
    [count],
  )
}

/** As the triggers write them: the keys of the changes, in order. */
function keysOf(changes: readonly WrittenChange[]): string[] {
  return changes.map(({ key }) => String(key))
}

export async function countChunks(client: Client): Promise<number> {
  const { rows } = await client.query('select count(*)::int as chunks from quoin.row_events')
  return rows[0].chunks
}
