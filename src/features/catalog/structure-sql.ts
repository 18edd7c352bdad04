// What the schema's description has beyond the list of tables: for each relation its keys, indexes and triggers, and
// beside them functions and types. Pure.
// Of what is dropped meanwhile pg_get_* answers null; it is called once for each (`offset 0`), and such rows are left
// out.

import type { KeyRole } from '../../db/database.ts'
import { accessOf } from './access.ts'
import { cut, expression, firstOf, listOf } from './sql-parts.ts'
import { type DatabaseSchema, FUNCTIONS_MAX, type TableStructure, TYPES_MAX } from './structure.ts'
import {
  type Additions,
  ENUM_VALUES,
  FUNCTIONS_BYTES_MAX,
  factsOf,
  type RelationRow,
  TYPES_BYTES_MAX,
  toTable,
  withoutGone,
} from './tables-sql.ts'

const KEY_COLUMNS = `(select json_agg(a.attname order by u.place) from unnest(k.conkey) with ordinality u(attnum, place)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum)`

const UNIQUE_KEYS = listOf(
  `json_build_object('name', k.conname, 'columns', ${KEY_COLUMNS})`,
  "pg_constraint k where k.conrelid = c.oid and k.contype = 'u'",
  'k.conname',
)

/** Not by pg_get_constraintdef, which fails for what is gone: it looks with the transaction's eyes. */
const checksOf = (owner: string, written: (expression: string) => string) =>
  listOf(
    `json_build_object('name', k.conname, 'expression', ${expression('k.expression')}, 'validated', k.convalidated)`,
    `(select k.conname, k.convalidated, ${written('k.conbin')} as expression from pg_constraint k
      where ${owner} and k.contype = 'c' offset 0) k where k.expression is not null`,
    'k.conname',
  )

/** The one constraint whose text has more than its index says: the operators. Of one that is gone the index is too. */
const EXCLUSIONS = listOf(
  `json_build_object('name', k.conname, 'definition', ${expression('k.definition')})`,
  `(select k.conname, case when pg_get_indexdef(k.conindid) is not null then pg_get_constraintdef(k.oid) end
      as definition
    from pg_constraint k where k.conrelid = c.oid and k.contype = 'x' offset 0) k where k.definition is not null`,
  'k.conname',
)

const INDEXES = listOf(
  `json_build_object('name', i.relname, 'definition', ${expression('i.definition')}, 'unique', i.indisunique,
    'primary_key', i.indisprimary, 'valid', i.indisvalid, 'size_bytes', i.size, 'scans', i.scans)`,
  `(select x.relname, i.indisunique, i.indisprimary, i.indisvalid, pg_get_indexdef(i.indexrelid) as definition,
      pg_relation_size(i.indexrelid) as size, pg_stat_get_numscans(i.indexrelid) as scans
    from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid offset 0) i
  where i.definition is not null and i.size is not null`,
  'i.relname',
)

/** Quoin's own call a function of its own schema, whatever they are called. */
const TRIGGERS = listOf(
  `json_build_object('name', g.tgname, 'definition', ${expression('g.definition')},
    'enabled', g.tgenabled in ('O', 'A'), 'of_quoin', g.nspname = 'quoin')`,
  `(select g.tgname, g.tgenabled, fn.nspname, pg_get_triggerdef(g.oid) as definition
    from pg_trigger g join pg_proc f on f.oid = g.tgfoid join pg_namespace fn on fn.oid = f.pronamespace
    where g.tgrelid = c.oid and not g.tgisinternal offset 0) g where g.definition is not null`,
  'g.tgname',
)

const SIZE = `case c.relkind when 'p' then (
    with recursive p(oid) as (select c.oid union all select i.inhrelid from p join pg_inherits i on i.inhparent = p.oid)
    select coalesce(sum(pg_total_relation_size(p.oid)), 0) from p)
  when 'v' then null when 'f' then null else pg_total_relation_size(c.oid) end`

/** It looks with the transaction's eyes, and fails for a view that is gone. */
const VIEW_DEFINITION = `case when c.relkind in ('v', 'm') and has_table_privilege('anon', c.oid, 'SELECT') is not null
  then ${expression('pg_get_viewdef(c.oid)')} end`

const FIELDS = `'partition_of', (select json_build_object('schema', pn.nspname, 'table', pc.relname)
    from pg_inherits i join pg_class pc on pc.oid = i.inhparent join pg_namespace pn on pn.oid = pc.relnamespace
    where i.inhrelid = c.oid and c.relispartition),
  'unique_keys', ${UNIQUE_KEYS}, 'checks', ${checksOf('k.conrelid = c.oid', text => `pg_get_expr(${text}, c.oid)`)},
  'exclusions', ${EXCLUSIONS}, 'view_definition', ${VIEW_DEFINITION},
  'referenced_by', coalesce((select k.keys from keys_to k where k.oid = c.oid), '[]'),
  'indexes', ${INDEXES}, 'triggers', ${TRIGGERS}, 'row_level_security_forced', c.relforcerowsecurity,
  'size_bytes', ${SIZE}`

/** Everything of one relation, however much that is. */
export const TABLE_ADDITIONS: Additions = { fields: FIELDS }

const PARTS = `(select count(*) from pg_index i where i.indrelid = c.oid)
  + (select count(*) from pg_trigger g where g.tgrelid = c.oid)
  + (select count(*) from pg_constraint k where k.conrelid = c.oid)`

const EXPOSED_FUNCTIONS =
  'pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any ($1::text[])'

const mayCall = (role: KeyRole) =>
  `has_schema_privilege('${role}', f.namespace, 'USAGE') and has_function_privilege('${role}', f.oid, 'EXECUTE')`

const FUNCTIONS = firstOf(
  `json_build_object('schema', f.nspname, 'name', f.proname, 'kind', case f.prokind when 'p' then 'procedure'
      when 'a' then 'aggregate' when 'w' then 'window' else 'function' end,
    'arguments', ${expression('f.arguments')}, 'returns', ${expression('pg_get_function_result(f.oid)')},
    'language', f.lanname,
    'volatility', case f.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
    'security_definer', f.prosecdef, 'comment', ${cut("obj_description(f.oid, 'pg_proc')")},
    'extension', f.extension, 'anon', ${mayCall('anon')}, 'service_role', ${mayCall('service_role')},
    'gone', has_function_privilege('anon', f.oid, 'EXECUTE') is null)`,
  `(select p.*, n.nspname, n.oid as namespace, l.lanname, pg_get_function_arguments(p.oid) as arguments,
      (select e.extname from pg_depend d join pg_extension e on e.oid = d.refobjid
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e') as extension
    from (select p.*, row_number() over (order by n.nspname, p.proname, p.oid) as place
      from ${EXPOSED_FUNCTIONS}) p
    join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where p.place <= ${FUNCTIONS_MAX} offset 0) f`,
  'f.place',
  FUNCTIONS_BYTES_MAX,
)

/** Enums, domains and composite types; each relation has a row type too, which is none of them. */
const exposedTypes = (kind: 'e' | 'd' | 'c') => `pg_type t join pg_namespace n on n.oid = t.typnamespace
    left join pg_class r on r.oid = t.typrelid
    where n.nspname = any ($1::text[]) and t.typtype = '${kind}' and coalesce(r.relkind, 'c') = 'c'`

const typesOf = (kind: 'e' | 'd' | 'c') =>
  `(select t.*, n.nspname, row_number() over (order by n.nspname, t.typname) as place
    from ${exposedTypes(kind)} order by place limit ${TYPES_MAX}) t`

const ENUMS = firstOf(
  `json_build_object('schema', t.nspname, 'name', t.typname, 'values', ${ENUM_VALUES},
    'comment', ${cut("obj_description(t.oid, 'pg_type')")})`,
  typesOf('e'),
  't.place',
  TYPES_BYTES_MAX,
)

/** An expression without a table: nothing but the domain's own absence says that what it calls may be gone too. */
const OF_DOMAIN = (text: string) =>
  `case when has_type_privilege('anon', t.oid, 'USAGE') is not null then pg_get_expr(${text}, 0) end`

const DOMAINS = firstOf(
  `json_build_object('schema', t.nspname, 'name', t.typname, 'type', format_type(t.typbasetype, t.typtypmod),
    'nullable', not t.typnotnull, 'default', ${cut(OF_DOMAIN('t.typdefaultbin'))},
    'checks', ${checksOf('k.contypid = t.oid', OF_DOMAIN)}, 'comment', ${cut("obj_description(t.oid, 'pg_type')")})`,
  typesOf('d'),
  't.place',
  TYPES_BYTES_MAX,
)

const COMPOSITES = firstOf(
  `json_build_object('schema', t.nspname, 'name', t.typname, 'attributes', ${listOf(
    "json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))",
    'pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped',
    'a.attnum',
  )}, 'comment', ${cut("obj_description(t.oid, 'pg_type')")})`,
  typesOf('c'),
  't.place',
  TYPES_BYTES_MAX,
)

const areAllTypes = (kind: 'e' | 'd' | 'c') => `(select count(*) from ${exposedTypes(kind)}) <= ${TYPES_MAX}`

/** Every relation of the schemas, and what is beside them. */
export const SCHEMA_ADDITIONS: Additions = {
  fields: FIELDS,
  parts: PARTS,
  beside: `'functions', ${FUNCTIONS}, 'enums', ${ENUMS}, 'domains', ${DOMAINS}, 'composite_types', ${COMPOSITES}`,
  isComplete: `(select count(*) from ${EXPOSED_FUNCTIONS}) <= ${FUNCTIONS_MAX}
    and ${areAllTypes('e')} and ${areAllTypes('d')} and ${areAllTypes('c')}`,
}

type StructureRow = RelationRow<
  Omit<TableStructure, keyof RelationRow | 'grants' | 'access' | 'readable' | 'writable'>
>

interface FirstOf<Row> {
  rows: Row[]
  whole: boolean
}

interface SchemaRow {
  tables: StructureRow[]
  functions: FirstOf<DatabaseSchema['functions'][number] & { gone: boolean }>
  enums: FirstOf<DatabaseSchema['enums'][number]>
  domains: FirstOf<DatabaseSchema['domains'][number]>
  composite_types: FirstOf<DatabaseSchema['composite_types'][number]>
  complete: boolean
}

/** The schema in the text that the statement answers, without what was dropped while it ran. */
export function parseSchema(text: string): DatabaseSchema {
  const {
    tables,
    functions,
    enums,
    domains,
    composite_types: composites,
    complete,
  } = JSON.parse(text) as SchemaRow
  return {
    tables: withoutGone(tables).map(toStructure),
    functions: withoutGone(functions.rows).map(({ gone: _, ...fn }) => fn),
    enums: enums.rows,
    domains: domains.rows,
    composite_types: composites.rows,
    complete: complete && [functions, enums, domains, composites].every(({ whole }) => whole),
  }
}

/** The relation in the text that the statement of one name answers; undefined where there is none, or no longer. */
export function parseStructure(text: string): TableStructure | undefined {
  const { tables } = JSON.parse(text) as { tables: StructureRow[] }
  return withoutGone(tables).map(toStructure)[0]
}

function toStructure(row: StructureRow): TableStructure {
  const { anon, service_role: service } = row.rights
  return {
    ...toTable(row),
    policies: row.policies.map(({ applies: _, ...policy }) => policy),
    grants: { anon: anon.privileges, service_role: service.privileges },
    access: {
      anon: accessOf(factsOf(row), 'anon', anon),
      service_role: accessOf(factsOf(row), 'service_role', service),
    },
  }
}
