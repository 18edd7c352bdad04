// The one query behind all checks, and the shape of its answer. Pure. It sees the relations of the exposed schemas;
// Quoin's own are in a schema that cannot be exposed, and those of extensions are left out by what pg_depend says.

import type { Statement } from '../../db/sql.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import type { Check, FoundObject } from './check.ts'

/** Nobody waits for a lock because of the advisor. */
export const LOCK_TIMEOUT_MS = 50
/** Of the query over the catalog; five thousand tables take about one second. */
const STATEMENT_TIMEOUT_MS = 8_000

/**
 * Compiling the query would take longer than running it. What it begins with the planner takes for a few rows, so that
 * it would go through all tables once for each column: not in nested loops.
 */
const SETTINGS: Statement<string> = {
  sql:
    "select set_config('lock_timeout',$1,true),set_config('statement_timeout',$2,true)," +
    "set_config('jit','off',true),set_config('enable_nestloop','off',true)",
  params: [String(LOCK_TIMEOUT_MS), String(STATEMENT_TIMEOUT_MS)],
}

/** Looking at a relation waits for whoever has one of these, or keeps the next one waiting. */
const BUSY = `busy(oid) as materialized (
    select distinct coalesce(x.indrelid, l.relation)
    from pg_locks l left join pg_index x on x.indexrelid = l.relation
    where l.mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock') and l.relation is not null
      and l.database = (select d.oid from pg_database d where d.datname = current_database()))`

const SCHEMAS = `schemas(oid, name, anon_uses) as materialized (
    select n.oid, n.nspname, has_schema_privilege('anon', n.oid, 'USAGE')
    from pg_namespace n where n.nspname = any ($1::text[]))`

/** Rights are null of what somebody dropped meanwhile, and no check finds that. */
const OWN = `own as materialized (
    select c.oid, s.name as schema, c.relname::text as name, c.relkind, c.relispartition, c.relrowsecurity, c.reltuples,
      case c.relkind when 'r' then 'table' when 'p' then 'partitioned_table' when 'v' then 'view'
        when 'm' then 'materialized_view' else 'foreign_table' end as kind,
      pg_get_userbyid(c.relowner)::text as owner,
      c.oid in (select b.oid from busy b) as is_busy,
      s.anon_uses and has_any_column_privilege('anon', c.oid, 'SELECT') as anon_selects,
      s.anon_uses and has_any_column_privilege('anon', c.oid, 'INSERT') as anon_inserts,
      s.anon_uses and has_any_column_privilege('anon', c.oid, 'UPDATE') as anon_updates,
      s.anon_uses and has_table_privilege('anon', c.oid, 'DELETE') as anon_deletes
    from pg_class c join schemas s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))`

/**
 * With partitions and children. A size is measured, which takes a short lock; where somebody has the table locked, or
 * `$2` is false, it is the last one that Postgres noted.
 */
const SIZES = `tree(root, oid) as (
    select o.oid, o.oid from own o where o.relkind <> 'v'
    union select t.root, h.inhrelid from tree t join pg_inherits h on h.inhparent = t.oid),
  sizes as materialized (
    select t.root,
      sum(case when c.relkind not in ('r', 'm') then null
        when $2::bool and c.oid not in (select b.oid from busy b) then pg_total_relation_size(c.oid)
        else c.relpages::int8 * current_setting('block_size')::int8 end)::int8 as bytes,
      sum(case when c.reltuples >= 0 then c.reltuples when c.relkind in ('r', 'm') then pg_stat_get_live_tuples(c.oid)
        end) filter (where c.relkind <> 'p')::int8 as rows
    from tree t join pg_class c on c.oid = t.oid group by t.root),
  relations as materialized (
    select o.*, z.bytes, z.rows, exists (select from pg_policy p where p.polrelid = o.oid) as has_policies
    from own o left join sizes z on z.root = o.oid)`

/** Printing an expression opens the table, so those of a table that somebody has locked are left out. */
const POLICIES = `policies as materialized (
    select p.oid, p.polrelid, p.polname::text as name, p.polcmd as command,
      p.polpermissive as is_permissive, p.polroles,
      pg_get_expr(p.polqual, p.polrelid) as using_sql, pg_get_expr(p.polwithcheck, p.polrelid) as check_sql,
      exists (select from unnest(p.polroles) g where g = 0 or pg_has_role('anon', g, 'USAGE')) as is_anons
    from pg_policy p join relations r on r.oid = p.polrelid where not r.is_busy)`

/** When the advisor was asked. */
const ASKED = 'asked(at) as (select $3::timestamptz)'

/** Of one check's facts together: those behind it are counted and not listed, as those behind its most rows. */
const FACTS_BYTES_MAX = 1024 * 1024

function foundSql({ id, sql, rowsMax }: Check): string {
  return `'${id}', (select json_build_object('count', count(*), 'rows', coalesce(
      json_agg(json_build_array(f.oid::int8, f.schema, f.name, f.kind, f.owner, f.bytes, f.rows, f.facts)
        order by f.place) filter (where f.place <= ${rowsMax} and f.length <= ${FACTS_BYTES_MAX}), '[]'))
    from (select q.*, row_number() over w as place,
        sum(octet_length(q.facts::text)) over (w rows unbounded preceding) as length
      from (${sql}) q(oid, schema, name, kind, owner, bytes, rows, facts)
      window w as (order by q.bytes desc nulls last, q.schema, q.name, q.facts::text)) f)`
}

export interface AdvisorQuestion {
  schemas: readonly string[]
  /** False: nothing is asked that can meet a lock, or a relation that was dropped meanwhile. */
  measures: boolean
  now: Date
}

/**
 * Settings and the query: one row with one text. To be run in one transaction, with a search path of pg_catalog alone.
 */
export function advisorStatements(
  checks: readonly Check[],
  { schemas, measures, now }: AdvisorQuestion,
): Statement<string>[] {
  const sql = `with recursive ${[BUSY, SCHEMAS, OWN, SIZES, POLICIES, ASKED].join(',\n')}
    select json_build_object(${checks.map(foundSql).join(',\n')})::text`
  return [SETTINGS, { sql, params: [writeArrayLiteral(schemas), String(measures), now.toISOString()] }]
}

type FoundRow = [
  oid: number,
  schema: string,
  name: string,
  kind: FoundObject['kind'],
  owner: string,
  bytes: number | null,
  rows: number | null,
  facts: unknown,
]

/** What the query found by one check: all are counted, the largest are there. */
export interface Found {
  count: number
  rows: { object: FoundObject; facts: unknown }[]
}

/** By the id of the check. */
export function parseFound(text: string): Map<string, Found> {
  const answer = JSON.parse(text) as Record<string, { count: number; rows: FoundRow[] }>
  return new Map(
    Object.entries(answer).map(([id, { count, rows }]) => [id, { count, rows: rows.map(toFoundRow) }]),
  )
}

function toFoundRow([oid, schema, name, kind, owner, bytes, rows, facts]: FoundRow): Found['rows'][number] {
  return { object: { oid, schema, name, kind, owner, bytes, rows }, facts }
}
