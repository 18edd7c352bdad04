// The queries that read the catalog of the exposed schemas, or the functions of one name, and what they answer. Pure.
// pg_catalog is readable by every role, so what is known does not depend on who asks; that is why the rights of all
// roles stand in it.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName, Statement } from '../../../db/sql.ts'
import { writeArrayLiteral } from '../../../lib/array-literal.ts'
import type { Column, DatabaseFunction, FunctionArgument, MediaResult, Relation } from './catalog-types.ts'
import { foreignKeys } from './foreign-keys-sql.ts'
import { CATALOG_VERSION, RELATIONSHIP_FACTS, type RelationshipFacts } from './relationship-facts.ts'
import { columnOrigins, ONLY_WITH_KEYS, VIEW_KEY } from './view-key-sql.ts'

/** In the order in which rights are listed. */
const ROLES: readonly DatabaseRole[] = ['anon', 'service_role', 'authenticated']

/**
 * A JSON array, one entry per role: whether `condition`, given the role, holds; null for a role that is not there. By a
 * name that nobody has, Postgres' functions for rights would fail.
 */
function rightsSql(condition: (role: string) => string): string {
  return `json_build_array(${ROLES.map(role => condition(`to_regrole('${role}')`)).join(', ')})`
}

/** Without a right to the schema none to what is in it is of use; of a column that is asked with its relation. */
function usesSchema(role: string): string {
  return `has_schema_privilege(${role}, n.oid, 'USAGE')`
}

const COLUMN_RIGHTS = rightsSql(
  role => `has_column_privilege(${role}, c.oid, a.attnum, 'SELECT, INSERT, UPDATE')`,
)
const RELATION_RIGHTS = rightsSql(
  role =>
    `${usesSchema(role)} and (has_any_column_privilege(${role}, c.oid, 'SELECT, INSERT, UPDATE')` +
    ` or has_table_privilege(${role}, c.oid, 'DELETE'))`,
)
const FUNCTION_RIGHTS = rightsSql(
  role => `${usesSchema(role)} and has_function_privilege(${role}, p.oid, 'EXECUTE')`,
)

/**
 * Of the column `a` of `c` in `n`, with its default `d` and type `t`. Identity columns have no default expression of
 * their own; their sequence gives the next value. It is found by its oid: pg_get_serial_sequence fails for a table
 * that somebody drops meanwhile, and with it the whole reading. A domain's default is for columns without one.
 */
export const DEFAULT_SQL = `case
  when a.attidentity in ('a', 'd') then (select format('nextval(%L::regclass)', s.objid::regclass)
    from pg_depend s where s.refclassid = 'pg_class'::regclass and s.refobjid = c.oid and s.refobjsubid = a.attnum
      and s.classid = 'pg_class'::regclass and s.deptype = 'i')
  when a.attgenerated = '' then coalesce(pg_get_expr(d.adbin, d.adrelid), pg_get_expr(t.typdefaultbin, 0)) end`

/** A JSON array of the names of the key's columns in the relation `c`; the query begins with `columnOrigins`. */
export const PRIMARY_KEY = `case c.relkind when 'v' then (${VIEW_KEY}) else
  (select coalesce(json_agg(a.attname order by k.place), '[]')
    from pg_constraint p cross join unnest(p.conkey) with ordinality k(attnum, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
    where p.conrelid = c.oid and p.contype = 'p') end`

/** Of the type `t`: the one under its domains. */
const BASE_TYPE = `(with recursive b(oid, base) as (
    select t.oid, t.typbasetype union all select u.oid, u.typbasetype from b join pg_type u on u.oid = b.base)
  select format_type(oid, -1) from b where base = 0)`

const RELATIONS = `select coalesce(json_agg(json_build_object(
    'schema', n.nspname, 'name', c.relname, 'rights', ${RELATION_RIGHTS},
    'columns', (select coalesce(json_agg(
        json_build_array(a.attname, format_type(a.atttypid, -1), ${DEFAULT_SQL}, ${COLUMN_RIGHTS},
          case t.typtype when 'd' then ${BASE_TYPE} end)
        order by a.attnum), '[]')
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'primaryKey', ${PRIMARY_KEY}, 'isView', c.relkind = 'v',
    'changes', pg_relation_is_updatable(c.oid, true))
    order by n.nspname, c.relname), '[]')
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p')`

/** Of the type `t`, where it is a domain: the row of the type under it and under further domains. */
const UNDER_DOMAIN = `with recursive u(oid) as (
    select t.typbasetype where t.typbasetype <> 0
    union all select d.typbasetype from u join pg_type d on d.oid = u.oid where d.typbasetype <> 0)
  select y.oid, y.typrelid, y.typtype from u join pg_type y on y.oid = u.oid where y.typbasetype = 0`

const FUNCTIONS = `select coalesce(json_agg(json_build_object(
    'schema', n.nspname, 'name', p.proname, 'version', p.oid || ' ' || p.xmin, 'rights', ${FUNCTION_RIGHTS},
    'argumentNames', p.proargnames, 'argumentModes', p.proargmodes,
    'argumentTypes', (select coalesce(json_agg(format_type(u.type, -1) order by u.place), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u(type, place)),
    'defaults', p.pronargdefaults, 'returnsSet', p.proretset, 'isVolatile', p.provolatile = 'v',
    'rowColumns', (select json_agg(a.attname order by a.attnum) from pg_attribute a
      where a.attrelid = coalesce(b.typrelid, t.typrelid) and a.attrelid <> 0 and a.attnum > 0 and not a.attisdropped),
    'resultTable', (select json_build_object('schema', rn.nspname, 'name', rc.relname)
      from pg_class rc join pg_namespace rn on rn.oid = rc.relnamespace
      where rc.oid = coalesce(b.typrelid, t.typrelid) and rc.relkind <> 'c'),
    'media', case when t.typtype = 'd' and (t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or t.typname = '*/*')
      then json_build_object('type', lower(t.typname), 'isBytes', b.oid = 'bytea'::regtype) end,
    'returnsVoid', p.prorettype = 'void'::regtype,
    'returnsRecord', p.prorettype = 'record'::regtype, 'returnsRow', t.typtype = 'c' or b.typtype = 'c')
    order by n.nspname, p.proname, p.oid), '[]')
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  join pg_type t on t.oid = p.prorettype left join lateral (${UNDER_DOMAIN}) b on true
  where n.nspname = any ($1::text[]) and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype`

const KNOWN = `'version', (${CATALOG_VERSION}), 'relations', (${RELATIONS}), 'functions', (${FUNCTIONS})`

/**
 * One row with one text: the catalog of `schemas` as JSON, with what relationships are made of where that is asked: it
 * takes the text of every view. The search path must hold pg_catalog alone.
 */
export function catalogStatement(schemas: readonly string[], withRelationships: boolean): Statement {
  const params = [writeArrayLiteral(schemas)]
  if (!withRelationships) {
    const sql = `with recursive ${columnOrigins(ONLY_WITH_KEYS)} select json_build_object(${KNOWN})`
    return { sql, params }
  }
  const parts = `${columnOrigins('')}, ${foreignKeys('true')}`
  const sql = `with recursive ${parts} select json_build_object(${KNOWN}, 'relationships', ${RELATIONSHIP_FACTS})`
  return { sql, params }
}

/** One row with one text: the version that the catalog of `schemas` has now. */
export function versionStatement(schemas: readonly string[]): Statement {
  return { sql: `select (${CATALOG_VERSION})`, params: [writeArrayLiteral(schemas)] }
}

const OF_NAME = ' and c.relname = $2::text'

/** One row with one text: the relation of a name as JSON, in a list. The search path must hold pg_catalog alone. */
export function relationStatement({ schema, name }: QualifiedName): Statement {
  return {
    sql: `with recursive ${columnOrigins(OF_NAME + ONLY_WITH_KEYS)} ${RELATIONS}${OF_NAME}`,
    params: [writeArrayLiteral([schema]), name],
  }
}

/** One row with one text: the overloads of a name as JSON. The search path must hold pg_catalog alone. */
export function functionsStatement({ schema, name }: QualifiedName): Statement {
  return {
    sql: `${FUNCTIONS} and p.proname = $2::text`,
    params: [writeArrayLiteral([schema]), name],
  }
}

/** All that is read of the exposed schemas at once. */
export interface CatalogFacts {
  /** Changes with whatever the rest is made of. */
  readonly version: string
  readonly relations: readonly Relation[]
  readonly functions: readonly DatabaseFunction[]
  /** Undefined where nobody asked for them. */
  readonly relationships: RelationshipFacts | undefined
}

/** As `rightsSql` lists them. */
type Rights = (boolean | null)[]

interface CatalogRow {
  version: string
  relationships?: RelationshipFacts
  relations: RelationRow[]
  functions: FunctionRow[]
}

interface RelationRow {
  schema: string
  name: string
  columns: [name: string, type: string, defaultSql: string | null, rights: Rights, baseType: string | null][]
  primaryKey: string[]
  isView: boolean
  /** Bits of `pg_relation_is_updatable`. */
  changes: number
  rights: Rights
}

interface FunctionRow {
  schema: string
  name: string
  version: string
  argumentNames: string[] | null
  argumentModes: string[] | null
  argumentTypes: string[]
  defaults: number
  returnsSet: boolean
  isVolatile: boolean
  /** Of a composite result. */
  rowColumns: string[] | null
  resultTable: QualifiedName | null
  media: MediaResult | null
  returnsVoid: boolean
  returnsRecord: boolean
  returnsRow: boolean
  rights: Rights
}

/** What the statement answers, by its text. */
export function parseCatalog(text: string): CatalogFacts {
  const { version, relations, functions, relationships } = JSON.parse(text) as CatalogRow
  return {
    version,
    relations: relations.map(toRelation),
    functions: functions.map(toFunction),
    relationships,
  }
}

/** The relation in the text that the statement of one name answers; none where there is none. */
export function parseRelations(text: string): Relation[] {
  return (JSON.parse(text) as RelationRow[]).map(toRelation)
}

/** The overloads in the text that the statement of one name answers. */
export function parseFunctions(text: string): DatabaseFunction[] {
  return (JSON.parse(text) as FunctionRow[]).map(toFunction)
}

const CHANGES = [
  [8, 'POST'],
  [4, 'PATCH'],
  [16, 'DELETE'],
] as const

/** The methods that the bits of `pg_relation_is_updatable` stand for. */
export function changesOf(bits: number): Relation['changes'] {
  return CHANGES.filter(([bit]) => (bits & bit) !== 0).map(([, method]) => method)
}

function rolesOf(rights: Rights): DatabaseRole[] {
  return ROLES.filter((_, i) => rights[i] === true)
}

function toRelation({ columns, rights, changes, ...relation }: RelationRow): Relation {
  return {
    ...relation,
    columns: columns.map(toColumn),
    changes: changesOf(changes),
    usableBy: rolesOf(rights),
  }
}

function toColumn([name, type, sql, rights, baseType]: RelationRow['columns'][number]): Column {
  return { name, type, baseType: baseType ?? type, defaultSql: sql ?? undefined, usableBy: rolesOf(rights) }
}

function toFunction(row: FunctionRow): DatabaseFunction {
  const { argumentModes: modes } = row
  const inputs = row.argumentTypes
    .map((type, i) => ({ name: row.argumentNames?.[i] ?? '', type, mode: modes?.[i] ?? 'i' }))
    .filter(({ mode }) => mode === 'i' || mode === 'b' || mode === 'v')
  const outputNames = (modes ?? []).flatMap((mode, i) =>
    mode === 'o' || mode === 'b' || mode === 't' ? [row.argumentNames?.[i] ?? ''] : [],
  )
  const hasOutputs = outputNames.length > 0
  const firstDefault = inputs.length - row.defaults
  return {
    schema: row.schema,
    name: row.name,
    version: row.version,
    arguments: inputs.map(
      ({ name, type, mode }, i): FunctionArgument => ({
        name,
        type,
        hasDefault: i >= firstDefault,
        isVariadic: mode === 'v',
      }),
    ),
    returns: row.returnsVoid ? 'void' : row.returnsRow || hasOutputs ? 'row' : 'scalar',
    isRecord: row.returnsRecord && !hasOutputs,
    resultColumns: row.rowColumns ?? outputNames,
    resultTable: row.resultTable ?? undefined,
    media: row.returnsSet ? undefined : (row.media ?? undefined),
    returnsSet: row.returnsSet,
    isVolatile: row.isVolatile,
    usableBy: rolesOf(row.rights),
  }
}
