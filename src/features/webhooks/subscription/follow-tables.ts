// Keeps webhooks with their tables: names follow a rename, and a table that was dropped is watched again as soon as
// one of its name is there. Triggers of tables that have stayed are the business of the stream.

import type { PlatformDatabase } from '../../../db/database.ts'
import { applyingOf } from '../../row-changes/watching/apply-watch.ts'

export interface FollowingDeps {
  platform: Pick<PlatformDatabase, 'query' | 'transaction'>
}

const TABLES = 'pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace'

const IS_RENAMED =
  'c.oid = w.table_id and (n.nspname::text, c.relname::text) <> (w.table_schema, w.table_name)'

const FIND_RENAMED = `select w.id from quoin.webhooks w cross join ${TABLES} where ${IS_RENAMED}`

const WRITE_NAMES = `
  update quoin.webhooks w
  set table_schema = n.nspname, table_name = c.relname, version = w.version + 1, updated_at = now()
  from ${TABLES} where ${IS_RENAMED}
  returning w.id`

/**
 * Writes down what watched tables are called by now: after a drop, a table is looked for by the names that stand
 * there.
 */
export async function followRenames({ platform }: FollowingDeps): Promise<void> {
  // An update of no row would raise the registry's version too, and have every isolate read it again each minute.
  if ((await platform.query(FIND_RENAMED, [], 'repeatable')).length > 0) await platform.query(WRITE_NAMES)
}

const IS_MADE_AGAIN = `
  n.nspname = w.table_schema and c.relname = w.table_name and quoin.unwatchable_reason(c.oid) is null
  and not exists (select from pg_catalog.pg_class watched where watched.oid = w.table_id)`

const FIND_MADE_AGAIN = `
  select distinct w.table_id::bigint as gone_id, c.oid::bigint as table_id
  from quoin.webhooks w cross join ${TABLES} where ${IS_MADE_AGAIN}`

const MOVE_WEBHOOKS = `
  update quoin.webhooks w set table_id = c.oid, version = w.version + 1, updated_at = now()
  from ${TABLES} where w.table_id = $1::bigint::oid and c.oid = $2::bigint::oid and ${IS_MADE_AGAIN}`

/**
 * Moves webhooks whose table is gone to the one that has its names now, where it can be watched: webhook and triggers
 * in one transaction. Changes of the old table that are still in the outbox stay theirs (`former_table_ids`). Answers
 * the tables that were busy or failed, with the error.
 */
export async function watchTablesMadeAgain({ platform }: FollowingDeps): Promise<Map<number, unknown>> {
  const failures = new Map<number, unknown>()
  const moves = await platform.query<{ gone_id: number; table_id: number }>(FIND_MADE_AGAIN, [], 'repeatable')
  for (const { gone_id, table_id } of moves) {
    const move = { sql: MOVE_WEBHOOKS, params: [String(gone_id), String(table_id)] }
    try {
      await platform.transaction([move, ...applyingOf([gone_id, table_id])])
    } catch (err) {
      failures.set(table_id, err)
    }
  }
  return failures
}
