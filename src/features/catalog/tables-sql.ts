// The one query that describes the tables of the exposed schemas, and the shape of its answer. Pure.

import type { DatabaseRole } from '../../db/database.ts'
import type { Statement } from '../../db/sql.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { changesOf, DEFAULT_SQL, PRIMARY_KEY } from '../data-api/catalog/catalog-sql.ts'
import { columnOrigins } from '../data-api/catalog/view-key-sql.ts'
import {
  COLUMNS_MAX,
  type DatabaseTable,
  type DatabaseTables,
  ENUM_VALUES_MAX,
  TABLES_MAX,
  type TableMethod,
  TEXT_LENGTH_MAX,
} from './schemas.ts'

const cut = (text: string) => `left(${text}, ${TEXT_LENGTH_MAX})`

/** `counted` are all, by schema and name; those beyond a bound are counted and not described. */
const LISTED = `counted(oid, place, columns) as materialized (
    select c.oid, row_number() over by_name, sum(c.relnatts) over by_name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p')
      window by_name as (order by n.nspname, c.relname)),
  listed(oid) as materialized (
    select oid from counted where place <= ${TABLES_MAX} and columns <= ${COLUMNS_MAX})`

/** Of an enum, or of a domain over one. */
const ENUM_VALUES = `(select
    case when count(*) <= ${ENUM_VALUES_MAX} then json_agg(e.enumlabel order by e.enumsortorder) end
  from pg_enum e where e.enumtypid = coalesce(nullif(t.typbasetype, 0), t.oid))`

const COLUMNS = `(select coalesce(json_agg(json_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
    'nullable', not (a.attnotnull or t.typnotnull), 'default', ${cut(DEFAULT_SQL)},
    'generated', a.attidentity = 'a' or a.attgenerated <> '',
    'comment', ${cut('col_description(c.oid, a.attnum)')}, 'enum_values', ${ENUM_VALUES}) order by a.attnum), '[]')
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)`

const namesOf = (numbers: string, relation: string) => `(select json_agg(a.attname order by k.place)
  from unnest(${numbers}) with ordinality k(attnum, place)
  join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.attnum)`

/** A key to a partitioned table has further rows, one for each partition there: children of a key of the same table. */
const FOREIGN_KEYS = `(select coalesce(json_agg(json_build_object('columns', ${namesOf('f.conkey', 'f.conrelid')},
    'references', json_build_object('schema', rn.nspname, 'table', rc.relname,
      'columns', ${namesOf('f.confkey', 'f.confrelid')})) order by f.conname), '[]')
  from pg_constraint f join pg_class rc on rc.oid = f.confrelid join pg_namespace rn on rn.oid = rc.relnamespace
  where f.conrelid = c.oid and f.contype = 'f'
    and not exists (select from pg_constraint p where p.oid = f.conparentid and p.conrelid = f.conrelid))`

/** What grants let a role do with rows; a change goes by a filter, so it needs SELECT too. */
function grantsSql(role: DatabaseRole): string {
  const any = (privilege: string) => `has_any_column_privilege('${role}', c.oid, '${privilege}')`
  const uses = `has_schema_privilege('${role}', n.oid, 'USAGE')`
  return `json_build_object('GET', ${uses} and ${any('SELECT')}, 'POST', ${uses} and ${any('INSERT')},
    'PATCH', ${uses} and ${any('SELECT')} and ${any('UPDATE')},
    'DELETE', ${uses} and ${any('SELECT')} and has_table_privilege('${role}', c.oid, 'DELETE'))`
}

const TABLES = `select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname,
    'kind', case c.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized_view'
      when 'f' then 'foreign_table' else 'partitioned_table' end,
    'comment', ${cut("obj_description(c.oid, 'pg_class')")}, 'columns', ${COLUMNS}, 'primary_key', ${PRIMARY_KEY},
    'foreign_keys', ${FOREIGN_KEYS}, 'row_level_security', c.relrowsecurity,
    'rows_estimated', case when c.relkind <> 'v' and c.reltuples >= 0 then c.reltuples::bigint end,
    'changes', pg_relation_is_updatable(c.oid, true),
    'grants', json_build_object('anon', ${grantsSql('anon')}, 'service_role', ${grantsSql('service_role')}))
    order by n.nspname, c.relname), '[]')
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid in (select oid from listed)`

/** One row with one text: the tables of `schemas` as JSON. The search path must hold pg_catalog alone. */
export function tablesStatement(schemas: readonly string[]): Statement<string> {
  return {
    sql: `select (with recursive ${columnOrigins('')}, ${LISTED}
      select json_build_object('tables', (${TABLES}),
        'complete', (select count(*) from counted) = (select count(*) from listed))::text)`,
    params: [writeArrayLiteral(schemas)],
  }
}

/** Privileges are asked of the catalog as it is now: none is known of a table that somebody drops meanwhile. */
type Grants = Record<TableMethod, boolean | null>

interface TablesRow {
  tables: (Omit<DatabaseTable, 'anon' | 'readable' | 'writable'> & {
    /** Bits of `pg_relation_is_updatable`. */
    changes: number
    grants: Record<DatabaseRole, Grants>
  })[]
  complete: boolean
}

/** The tables in the text that the statement answers, without those that were dropped while it ran. */
export function parseTables(text: string): DatabaseTables {
  const { tables, complete } = JSON.parse(text) as TablesRow
  return { tables: tables.flatMap(toTable), complete }
}

function toTable({ changes, grants, ...table }: TablesRow['tables'][number]): DatabaseTable | [] {
  const readable = grants.service_role.GET
  if (readable === null) return []
  const possible: TableMethod[] = ['GET', ...changesOf(changes)]
  const methodsOf = (granted: Grants) => possible.filter(method => granted[method])
  return {
    ...table,
    anon: methodsOf(grants.anon),
    readable,
    writable: methodsOf(grants.service_role).filter(method => method !== 'GET'),
  }
}
