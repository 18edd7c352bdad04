// What relationships are made of: foreign keys, the columns of tables that views show, and functions from a row to
// rows. Each has its version, so that a text can say which of them it was made for. Pure.

import type { QualifiedName } from '../../../db/sql.ts'
import { KEYS_SHOWN } from './view-key-sql.ts'

/** A foreign key, wherever its tables are. Columns are paired by place. */
export interface ForeignKey {
  readonly name: string
  /** Its oid, a space, and the number of the transaction that changed it last. */
  readonly version: string
  readonly table: TableId
  readonly columns: readonly string[]
  readonly referencedTable: TableId
  readonly referencedColumns: readonly string[]
  /** True: a row is referred to by one row at most. */
  readonly oneToOne: boolean
}

/** A table with its oid. */
export interface TableId extends QualifiedName {
  readonly oid: string
}

/** A view of an exposed schema, and which columns of which tables it shows, through views under it. */
export interface ViewColumns extends QualifiedName {
  readonly oid: string
  readonly version: string
  /** Columns of primary keys of tables that it shows whole. */
  readonly keyColumns: readonly string[]
  readonly columns: readonly {
    readonly name: string
    readonly tableOid: string
    readonly tableColumn: string
  }[]
}

/** A function of an exposed schema from a row of `argument` to rows of `result`. */
export interface RelationshipFunction extends QualifiedName {
  readonly version: string
  readonly argument: QualifiedName
  readonly result: QualifiedName
  readonly returnsOne: boolean
}

/** What a relationship was made of. A text that uses it fails where these are not so any more. */
export interface Reliance {
  /** Tables whose foreign keys were looked at, all of them. */
  readonly tableOids: readonly string[]
  readonly views: readonly Pick<ViewColumns, 'oid' | 'version'>[]
  readonly relationshipFunctions: readonly Pick<RelationshipFunction, 'version'>[]
}

export interface RelationshipFacts {
  /** The exposed schemas. */
  readonly schemas: readonly string[]
  /** Of all schemas: views of exposed ones may show their tables. */
  readonly foreignKeys: readonly ForeignKey[]
  readonly views: readonly ViewColumns[]
  readonly relationshipFunctions: readonly RelationshipFunction[]
}

const NAME = (namespace: string, relation: string) =>
  `'schema', ${namespace}.nspname, 'name', ${relation}.relname`
const TABLE = (alias: string) => `json_build_object('oid', ${alias}.oid::text, ${NAME(`${alias}_n`, alias)})`

const FOREIGN_KEYS = `select coalesce(json_agg(json_build_object(
    'name', f.name, 'version', f.oid || ' ' || f.xmin, 'table', ${TABLE('o')}, 'columns', f.columns,
    'referencedTable', ${TABLE('r')}, 'referencedColumns', f.referenced, 'oneToOne', f.one_to_one)
    order by f.name), '[]')
  from foreign_keys f
  join pg_class o on o.oid = f.conrelid join pg_namespace o_n on o_n.oid = o.relnamespace
  join pg_class r on r.oid = f.confrelid join pg_namespace r_n on r_n.oid = r.relnamespace
  where f.conparentid = 0`

const VIEWS = `select coalesce(json_agg(json_build_object(
    'oid', c.oid::text, ${NAME('n', 'c')}, 'version', w.oid || ' ' || w.xmin,
    'keyColumns', (${KEYS_SHOWN}), 'columns', (select coalesce(json_agg(json_build_object(
        'name', a.attname, 'tableOid', o.origin::text, 'tableColumn', b.attname) order by a.attnum), '[]')
      from column_origins o join pg_attribute a on a.attrelid = o.view and a.attnum = o.attnum
      join pg_attribute b on b.attrelid = o.origin and b.attnum = o.place
      where o.view = c.oid))), '[]')
  from views v join pg_class c on c.oid = v.oid join pg_namespace n on n.oid = c.relnamespace
  join pg_rewrite w on w.ev_class = c.oid and w.rulename = '_RETURN'`

const RELATIONSHIP_FUNCTIONS = `select coalesce(json_agg(json_build_object(
    'schema', n.nspname, 'name', p.proname, 'version', p.oid || ' ' || p.xmin,
    'argument', json_build_object(${NAME('an', 'ac')}), 'result', json_build_object(${NAME('rn', 'rc')}),
    'returnsOne', not p.proretset or p.prorows = 1)), '[]')
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  join pg_type ta on ta.oid = p.proargtypes[0] join pg_class ac on ac.oid = ta.typrelid and ac.relkind <> 'c'
  join pg_namespace an on an.oid = ac.relnamespace
  join pg_type tr on tr.oid = p.prorettype join pg_class rc on rc.oid = tr.typrelid and rc.relkind <> 'c'
  join pg_namespace rn on rn.oid = rc.relnamespace
  where n.nspname = any ($1::text[]) and p.pronargs = 1 and p.prokind = 'f'`

/** A JSON object, `RelationshipFacts`; the query begins with `columnOrigins` and `foreignKeys`. */
export const RELATIONSHIP_FACTS = `json_build_object('schemas', $1::text[],
  'foreignKeys', (${FOREIGN_KEYS}), 'views', (${VIEWS}), 'relationshipFunctions', (${RELATIONSHIP_FUNCTIONS}))`

const VERSIONS = (alias: string) =>
  `coalesce(string_agg(${alias}.oid || ' ' || ${alias}.xmin, ',' order by ${alias}.oid), '')`

/** A text that changes with the catalog of the schemas `$1`. Reading it costs a small part of reading the catalog. */
export const CATALOG_VERSION = `md5(concat_ws(';',
  (select ${VERSIONS('c')} from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p')),
  (select coalesce(string_agg(a.attrelid || ' ' || a.attnum || ' ' || a.xmin, ',' order by a.attrelid, a.attnum), '')
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p') and a.attnum > 0),
  (select ${VERSIONS('f')} from pg_constraint f where f.contype in ('f', 'p', 'u')),
  (select ${VERSIONS('w')} from pg_rewrite w where w.rulename = '_RETURN'),
  (select ${VERSIONS('t')} from pg_type t where t.typelem = 0 and t.typnamespace <> 'pg_catalog'::regnamespace),
  (select ${VERSIONS('n')} from pg_namespace n where n.nspname !~ '^pg_'),
  (select ${VERSIONS('p')} from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any ($1::text[]))))`
