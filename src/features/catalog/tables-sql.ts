// The one query that describes the exposed schemas, and the shape of its answer: the list of tables by itself, or with
// all that `structure-sql.ts` adds to each. Pure.

import type { Statement } from '../../db/sql.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { changesOf, DEFAULT_SQL, PRIMARY_KEY } from '../data-api/catalog/catalog-sql.ts'
import { relationships } from '../data-api/catalog/foreign-keys-sql.ts'
import { columnOrigins, ONLY_WITH_KEYS } from '../data-api/catalog/view-key-sql.ts'
import { type AccessFacts, accessOf, grantedMethods } from './access.ts'
import { ACCESS_FIELDS, type AccessRow } from './access-sql.ts'
import {
  COLUMNS_MAX,
  type DatabaseTable,
  type DatabaseTables,
  ENUM_VALUES_MAX,
  TABLES_MAX,
} from './schemas.ts'
import { bytesUpTo, cut } from './sql-parts.ts'

/**
 * Bytes of all tables that are listed, of the functions, and of enums and domains each: together less than an answer of
 * the database may have. Each of their texts is bounded, but twenty thousand of them are more than that.
 */
const TABLES_BYTES_MAX = 9 * 1024 * 1024
export const FUNCTIONS_BYTES_MAX = 4 * 1024 * 1024
export const TYPES_BYTES_MAX = 1024 * 1024

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
  ${ACCESS_FIELDS}`

const POLICIES_COUNT = '(select count(*) from pg_policy p where p.polrelid = c.oid)'

/** What a query adds to the list of tables. */
export interface Additions {
  /** Further fields of each relation `c` in `n`: names and values of a JSON object. */
  fields?: string
  /** How many parts of a relation these describe, beside its columns and policies. */
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
    sql: `select (with recursive ${columnOrigins(ofName + ONLY_WITH_KEYS)},
      labels(oid, bytes) as materialized (
        select e.enumtypid, sum(octet_length(e.enumlabel)) from pg_enum e
          group by e.enumtypid having count(*) <= ${ENUM_VALUES_MAX}),
      counted(oid, place, parts, labels) as materialized (
        select c.oid, row_number() over by_name,
          sum(c.relnatts + ${POLICIES_COUNT}${parts ? ` + ${parts}` : ''}) over by_name,
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
export type RelationRow<More = object> = Omit<
  DatabaseTable,
  keyof AccessRow | 'access' | 'readable' | 'writable'
> &
  AccessRow & {
    /** Bits of `pg_relation_is_updatable`. */
    changes: number
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

/** What its access follows from. */
export function factsOf(row: RelationRow): AccessFacts {
  return { ...row, methods: ['GET', ...changesOf(row.changes)] }
}

/** A relation as the list has it; what a query added stays on it. */
export function toTable<Row extends RelationRow>(row: Row) {
  const { changes: _, rights, policies: __, gone: ___, ...table } = row
  const facts = factsOf(row)
  const methods = grantedMethods(facts, rights.service_role)
  return {
    ...table,
    access: { anon: accessOf(facts, 'anon', rights.anon) },
    readable: methods.includes('GET'),
    writable: methods.filter(method => method !== 'GET'),
  }
}
