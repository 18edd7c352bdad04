// What the database has by the names that migrations use, in one query.

import type { PlatformDatabase } from '../../../db/database.ts'
import { type RelationNow, relationKey } from './known-relations.ts'

/**
 * Waits for nobody: pg_total_relation_size takes ACCESS SHARE on the table and all of its indexes, so it is not asked
 * for those that somebody has locked. A table counts with its partitions and children; an index stands for its table.
 */
const RELATIONS_SQL = `
select w.schema, w.name, n.nspname as table_schema, t.relname as table_name,
  case when t.relkind in ('r', 'm', 'p') then tree.rows end as rows,
  case when t.relkind in ('r', 'm', 'p') and not coalesce(tree.oids && locked.oids, false)
    then (select sum(pg_catalog.pg_total_relation_size(oid)) from unnest(tree.oids) as oid)::int8
  end as size_bytes
from pg_catalog.json_to_recordset($1::json) as w(schema text, name text)
  join pg_catalog.pg_namespace named on named.nspname = w.schema
  join pg_catalog.pg_class c on c.relnamespace = named.oid and c.relname = w.name
  left join pg_catalog.pg_index i on i.indexrelid = c.oid
  join pg_catalog.pg_class t on t.oid = coalesce(i.indrelid, c.oid)
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  cross join lateral (
    with recursive members as (
      select t.oid union select h.inhrelid from pg_catalog.pg_inherits h join members m on h.inhparent = m.oid
    )
    select array_agg(m.oid) as oids,
      sum(nullif(p.reltuples, -1)) filter (where p.relkind <> 'p')::int8 as rows
    from members m join pg_catalog.pg_class p on p.oid = m.oid
  ) tree
  cross join (
    select array_agg(coalesce(x.indrelid, l.relation)) as oids
    from pg_catalog.pg_locks l left join pg_catalog.pg_index x on x.indexrelid = l.relation
    where l.mode = 'AccessExclusiveLock' and l.relation is not null
  ) locked`

interface Row {
  schema: string
  name: string
  table_schema: string
  table_name: string
  size_bytes: number | null
  rows: number | null
}

/** The relations that are there, by `relationKey`; no trip when nothing is asked for. */
export async function relationsNow(
  deps: { platform: Pick<PlatformDatabase, 'query'> },
  keys: ReadonlySet<string>,
): Promise<Map<string, RelationNow>> {
  if (keys.size === 0) return new Map()
  const wanted = [...keys].map(key => {
    const [schema, name] = JSON.parse(key) as [string, string]
    return { schema, name }
  })
  const rows = await deps.platform.query<Row>(RELATIONS_SQL, [JSON.stringify(wanted)])
  return new Map(
    rows.map(row => [
      relationKey(row),
      { shown: `${row.table_schema}.${row.table_name}`, sizeBytes: row.size_bytes, rows: row.rows },
    ]),
  )
}
