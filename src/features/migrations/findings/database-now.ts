// What the database has by the names that migrations use, in one query.

import type { PlatformDatabase } from '../../../db/database.ts'
import { type ForeignKey, type RelationNow, relationKey } from './known-relations.ts'

/**
 * A row for each relation that is wanted and there, and one for each domain, with its name alone.
 *
 * Waits for nobody: pg_total_relation_size takes ACCESS SHARE on the table and all of its indexes, so it is not asked
 * for those that somebody has locked. A table counts with its partitions and children; an index stands for its table.
 */
const DATABASE_SQL = `
select null as schema, y.typname::text as name, null as table_schema, null as table_name, null as rows,
  null as size_bytes, null as foreign_keys
from pg_catalog.pg_type y where y.typtype = 'd'
union all
select w.schema, w.name, n.nspname, t.relname,
  case when t.relkind in ('r', 'm', 'p') then tree.rows end,
  case when t.relkind in ('r', 'm', 'p') and not coalesce(tree.oids && locked.oids, false)
    then (select sum(pg_catalog.pg_total_relation_size(oid)) from unnest(tree.oids) as oid)::int8
  end,
  (
    select json_agg(json_build_object('name', k.conname, 'other', concat(otherschema.nspname, '.', other.relname),
      'columns', (select json_agg(a.attname) from pg_catalog.pg_attribute a where a.attrelid = t.oid
        and a.attnum = any (case when k.conrelid = t.oid then k.conkey else k.confkey end))))
    from pg_catalog.pg_constraint k
      join pg_catalog.pg_class other on other.oid = case when k.conrelid = t.oid then k.confrelid else k.conrelid end
      join pg_catalog.pg_namespace otherschema on otherschema.oid = other.relnamespace
    where k.contype = 'f' and t.oid in (k.conrelid, k.confrelid) and k.conrelid <> k.confrelid
  )
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
  schema: string | null
  name: string
  table_schema: string
  table_name: string
  size_bytes: number | null
  rows: number | null
  foreign_keys: ForeignKey[] | null
}

export interface DatabaseNow {
  /** By `relationKey`. */
  readonly relations: ReadonlyMap<string, RelationNow>
  readonly domains: ReadonlySet<string>
}

/** The relations of these keys that are there, and the names of all domains; no trip when nothing is asked for. */
export async function databaseNow(
  deps: { platform: Pick<PlatformDatabase, 'query'> },
  keys: ReadonlySet<string>,
): Promise<DatabaseNow> {
  const relations = new Map<string, RelationNow>()
  const domains = new Set<string>()
  if (keys.size === 0) return { relations, domains }
  const wanted = [...keys].map(key => {
    const [schema, name] = JSON.parse(key) as [string, string]
    return { schema, name }
  })
  for (const row of await deps.platform.query<Row>(DATABASE_SQL, [JSON.stringify(wanted)], 'repeatable')) {
    if (row.schema === null) domains.add(row.name)
    else
      relations.set(relationKey({ schema: row.schema, name: row.name }), {
        shown: `${row.table_schema}.${row.table_name}`,
        sizeBytes: row.size_bytes,
        rows: row.rows,
        foreignKeys: row.foreign_keys ?? [],
      })
  }
  return { relations, domains }
}
