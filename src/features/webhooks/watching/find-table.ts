// Which table a webhook is to watch: its names become the oid by which it is known from then on, so that a rename is
// followed. Decides nothing about columns or events.

import type { PlatformDatabase } from '../../../db/database.ts'
import { DomainError } from '../../../errors.ts'

export interface WatchingDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

export interface TableName {
  table_schema: string
  table_name: string
}

const FIND = `
  select c.oid::bigint as table_id, quoin.unwatchable_reason(c.oid) as reason
  from (select 1) as one
  left join pg_catalog.pg_namespace n on n.nspname = $1::text
  left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = $2::text
    -- Indexes, sequences and types share the names of tables.
    and c.relkind in ('r', 'p', 'v', 'm', 'f')`

/** The oid of a table that can be watched; else `table_not_watchable`, with the reason. */
export async function findWatchableTable({ platform }: WatchingDeps, table: TableName): Promise<number> {
  const { table_schema, table_name } = table
  const [found] = await platform.query<{ table_id: number | null; reason: string | null }>(FIND, [
    table_schema,
    table_name,
  ])
  if (found?.table_id && found.reason === null) return found.table_id
  throw new DomainError('table_not_watchable', `The table ${table_schema}.${table_name} cannot be watched`, {
    detail: found?.reason ?? undefined,
    hint: "Row changes are watched on ordinary and partitioned tables outside Quoin's own and Postgres' schemas.",
  })
}
