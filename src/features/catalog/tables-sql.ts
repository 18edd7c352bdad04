// The one query that describes the exposed schemas, and the shape of its answer: the list of tables by itself, or with
// all that `structure-sql.ts` adds to each. Pure.

import type { DatabaseRole } from '../../db/database.ts'
import type { Statement } from '../../db/sql.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { changesOf, DEFAULT_SQL, PRIMARY_KEY } from '../data-api/catalog/catalog-sql.ts'
import { relationships } from '../data-api/catalog/relationships-sql.ts'
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

/** A text up to the bound. */
export const cut = (text: string, lengthMax = TEXT_LENGTH_MAX): string => `left(${text}, ${lengthMax})`

/**
 * Bytes of all tables that are listed, of the functions, and of enums and domains each: together less than an answer of
 * the database may have. Each of their texts is bounded, but twenty thousand of them are more than that.
 */
const TABLES_BYTES_MAX = 9 * 1024 * 1024
export const FUNCTIONS_BYTES_MAX = 4 * 1024 * 1024
export const TYPES_BYTES_MAX = 1024 * 1024

/** Bytes of a JSON inside the answer of the database, which is JSON itself, and of all that come before it. */
export const bytesUpTo = (body: string, order: string): string =>
  `sum(octet_length(to_json(${body}::text)::text)) over (order by ${order})`

/** Of an enum `t`, or of a domain over one. */
export const ENUM_VALUES = `(select
    case when count(*) <= ${ENUM_VALUES_MAX} then json_agg(e.enumlabel order by e.enumsortorder) end
  from pg_enum e where e.enumtypid = coalesce(nullif(t.typbasetype, 0), t.oid))`

/** Each column of an enum has all labels with it. That is too much to be made first and measured then. */
const LABELS_BYTES = `(select coalesce(sum(l.bytes), 0) from pg_attribute a join pg_type t on t.oid = a.atttypid
  join labels l on l.oid = coalesce(nullif(t.typbasetype, 0), t.oid) where a.attrelid = c.oid and not a.attisdropped)`

const COLUMNS = `(select coalesce(json_agg(json_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
    'nullable', not (a.attnotnull or t.typnotnull), 'default', ${cut(DEFAULT_SQL)},
    'generated', a.attidentity = 'a' or a.attgenerated <> '',
    'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by_default' end,
    'computed_as', case when a.attgenerated <> '' then ${cut('pg_get_expr(d.adbin, d.adrelid)')} end,
    'comment', ${cut('col_description(c.oid, a.attnum)')}, 'enum_values', ${ENUM_VALUES}) order by a.attnum), '[]')
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)`

/** What grants let a role do with rows; a change goes by a filter, so it needs SELECT too. */
function grantsSql(role: DatabaseRole): string {
  const any = (privilege: string) => `has_any_column_privilege('${role}', c.oid, '${privilege}')`
  const uses = `has_schema_privilege('${role}', n.oid, 'USAGE')`
  return `json_build_object('GET', ${uses} and ${any('SELECT')}, 'POST', ${uses} and ${any('INSERT')},
    'PATCH', ${uses} and ${any('SELECT')} and ${any('UPDATE')},
    'DELETE', ${uses} and ${any('SELECT')} and has_table_privilege('${role}', c.oid, 'DELETE'))`
}

/** Privileges are asked of the catalog as it is now, and are null then. So it is asked last: nothing before is. */
const IS_GONE = `has_table_privilege('anon', c.oid, 'SELECT') is null`

const FIELDS = `'schema', n.nspname, 'name', c.relname,
  'kind', case c.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized_view'
    when 'f' then 'foreign_table' else 'partitioned_table' end,
  'comment', ${cut("obj_description(c.oid, 'pg_class')")}, 'columns', ${COLUMNS}, 'primary_key', ${PRIMARY_KEY},
  'foreign_keys', coalesce((select k.keys from keys_from k where k.oid = c.oid), '[]'),
  'row_level_security', c.relrowsecurity,
  'rows_estimated', case when c.relkind <> 'v' and c.reltuples >= 0 then c.reltuples::bigint end,
  'changes', pg_relation_is_updatable(c.oid, true),
  'grants', json_build_object('anon', ${grantsSql('anon')}, 'service_role', ${grantsSql('service_role')})`

/** What a query adds to the list of tables. */
export interface Additions {
  /** Further fields of each relation `c` in `n`: names and values of a JSON object. */
  fields?: string
  /** How many parts of a relation these describe, beside its columns. */
  parts?: string
  /** Further fields of the answer; a place for conditions on `complete` is beside it. */
  beside?: string
  isComplete?: string
}

/**
 * One row with one text: the relations of `schemas` as JSON, or of them that of one name. The search path must hold
 * pg_catalog alone. Only the first relations are described, by schema and name; those beyond a bound are counted.
 */
export function relationsStatement(
  schemas: readonly string[],
  { fields, parts, beside, isComplete }: Additions = {},
  name?: string,
): Statement<string> {
  const ofName = name === undefined ? '' : ' and c.relname = $2::text'
  const isListed =
    name === undefined
      ? `where place <= ${TABLES_MAX} and parts <= ${COLUMNS_MAX} and labels <= ${TABLES_BYTES_MAX}`
      : ''
  return {
    sql: `select (with recursive ${columnOrigins(ofName)},
      labels(oid, bytes) as materialized (
        select e.enumtypid, sum(octet_length(e.enumlabel)) from pg_enum e
          group by e.enumtypid having count(*) <= ${ENUM_VALUES_MAX}),
      counted(oid, place, parts, labels) as materialized (
        select c.oid, row_number() over by_name, sum(c.relnatts${parts ? ` + ${parts}` : ''}) over by_name,
          sum(${LABELS_BYTES}) over by_name
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p')${ofName}
          window by_name as (order by n.nspname, c.relname)),
      listed(oid) as materialized (select oid from counted ${isListed}),
      ${relationships('select oid from listed')},
      described(nspname, relname, body) as materialized (
        select n.nspname, c.relname, json_build_object(${FIELDS}${fields ? `, ${fields}` : ''}, 'gone', ${IS_GONE})
          from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid in (select oid from listed)),
      kept(nspname, relname, body) as materialized (
        select nspname, relname, body from (select d.*, ${bytesUpTo('d.body', 'd.nspname, d.relname')} as bytes
          from described d) d ${name === undefined ? `where bytes <= ${TABLES_BYTES_MAX}` : ''})
      select json_build_object(
        'tables', (select coalesce(json_agg(body order by nspname, relname), '[]') from kept),
        ${beside ? `${beside},` : ''}
        'complete', (select count(*) from counted) = (select count(*) from kept)
          ${isComplete ? `and ${isComplete}` : ''})::text)`,
    params: [writeArrayLiteral(schemas), ...(name === undefined ? [] : [name])],
  }
}

/** A relation as the query answers it, with whatever was added. */
export type RelationRow<More = object> = Omit<DatabaseTable, 'anon' | 'readable' | 'writable'> & {
  /** Bits of `pg_relation_is_updatable`. */
  changes: number
  grants: Record<DatabaseRole, Record<TableMethod, boolean>>
  gone: boolean
} & More

/** The tables in the text that the statement answers, without those that were dropped while it ran. */
export function parseTables(text: string): DatabaseTables {
  const { tables, complete } = JSON.parse(text) as { tables: RelationRow[]; complete: boolean }
  return { tables: withoutGone(tables).map(toTable), complete }
}

/** Those that were there to the end. */
export function withoutGone<Row extends { gone: boolean }>(rows: readonly Row[]): Row[] {
  return rows.filter(({ gone }) => !gone)
}

/** The methods that a relation takes by its kind; grants decide who may. */
export function possibleMethods(changes: number): TableMethod[] {
  return ['GET', ...changesOf(changes)]
}

/** A relation as the list has it; what a query added stays on it. */
export function toTable<Row extends RelationRow>({ changes, grants, gone: _, ...table }: Row) {
  const methodsOf = (role: DatabaseRole) => possibleMethods(changes).filter(method => grants[role][method])
  return {
    ...table,
    anon: methodsOf('anon'),
    readable: grants.service_role.GET,
    writable: methodsOf('service_role').filter(method => method !== 'GET'),
  }
}
