// What the schema's description has beyond the list of tables: for each relation its keys, indexes, triggers, policies
// and rights, and beside them functions and types. Pure.
// Of what is dropped meanwhile pg_get_* answers null; it is called once for each (`offset 0`), and such rows are left
// out.

import type { DatabaseRole } from '../../db/database.ts'
import { accessOf, type Rights } from './access.ts'
import {
  type DatabaseSchema,
  EXPRESSION_LENGTH_MAX,
  FUNCTIONS_MAX,
  type Policy,
  type TableStructure,
  TYPES_MAX,
} from './structure.ts'
import {
  type Additions,
  bytesUpTo,
  cut,
  ENUM_VALUES,
  FUNCTIONS_BYTES_MAX,
  possibleMethods,
  type RelationRow,
  TYPES_BYTES_MAX,
  toTable,
  withoutGone,
} from './tables-sql.ts'

const expression = (text: string) => cut(text, EXPRESSION_LENGTH_MAX)

const listOf = (row: string, from: string, order: string) =>
  `(select coalesce(json_agg(${row} order by ${order}), '[]') from ${from})`

/** The first of a list, up to their bytes, and whether these are all. */
const firstOf = (row: string, from: string, place: string, bytesMax: number) =>
  `(select json_build_object(
      'rows', coalesce(json_agg(l.body order by l.place) filter (where l.bytes <= ${bytesMax}), '[]'),
      'whole', coalesce(max(l.bytes) <= ${bytesMax}, true))
    from (select l.*, ${bytesUpTo('l.body', 'l.place')} as bytes
      from (select ${row} as body, ${place} as place from ${from} offset 0) l) l)`

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

/** Public, or a role whose rights this one has. */
const appliesTo = (role: DatabaseRole) =>
  `exists (select from unnest(p.polroles) r(oid) where r.oid = 0 or pg_has_role('${role}', r.oid, 'USAGE'))`

const POLICIES = listOf(
  `json_build_object('name', p.polname, 'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert'
      when 'w' then 'update' when 'd' then 'delete' else 'all' end,
    'roles', (select json_agg(case when o.oid = 0 then 'public' else r.rolname end order by o.place)
      from unnest(p.polroles) with ordinality o(oid, place) left join pg_roles r on r.oid = o.oid
      where o.oid = 0 or r.oid is not null),
    'permissive', p.polpermissive, 'using', ${expression('pg_get_expr(p.polqual, p.polrelid)')},
    'check', ${expression('pg_get_expr(p.polwithcheck, p.polrelid)')},
    'applies', json_build_object('anon', ${appliesTo('anon')}, 'service_role', ${appliesTo('service_role')}))`,
  'pg_policy p where p.polrelid = c.oid',
  'p.polname',
)

/** Of a privilege on the whole table null, else the columns that it is held for. */
const columnsSql = (role: DatabaseRole, privilege: string) =>
  `case when not has_table_privilege('${role}', c.oid, '${privilege}') then (
    select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and has_column_privilege('${role}', c.oid, a.attnum, '${privilege}')) end`

const rightsSql = (role: DatabaseRole) => `json_build_object(
  'usage', has_schema_privilege('${role}', n.oid, 'USAGE'),
  'privileges', (select coalesce(json_agg(lower(u.name) order by u.place), '[]')
    from unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) with ordinality u(name, place)
    where has_table_privilege('${role}', c.oid, u.name)),
  'columns', json_build_object('select', ${columnsSql(role, 'SELECT')}, 'insert', ${columnsSql(role, 'INSERT')},
    'update', ${columnsSql(role, 'UPDATE')}),
  'bypasses', (select r.rolsuper or r.rolbypassrls from pg_roles r where r.rolname = '${role}')
    or (pg_has_role('${role}', c.relowner, 'USAGE') and not c.relforcerowsecurity))`

const SIZE = `case c.relkind when 'p' then (
    with recursive p(oid) as (select c.oid union all select i.inhrelid from p join pg_inherits i on i.inhparent = p.oid)
    select coalesce(sum(pg_total_relation_size(p.oid)), 0) from p)
  when 'v' then null when 'f' then null else pg_total_relation_size(c.oid) end`

const FIELDS = `'partition_of', (select json_build_object('schema', pn.nspname, 'table', pc.relname)
    from pg_inherits i join pg_class pc on pc.oid = i.inhparent join pg_namespace pn on pn.oid = pc.relnamespace
    where i.inhrelid = c.oid and c.relispartition),
  'unique_keys', ${UNIQUE_KEYS}, 'checks', ${checksOf('k.conrelid = c.oid', text => `pg_get_expr(${text}, c.oid)`)},
  'referenced_by', coalesce((select k.keys from keys_to k where k.oid = c.oid), '[]'),
  'indexes', ${INDEXES}, 'triggers', ${TRIGGERS}, 'row_level_security_forced', c.relforcerowsecurity,
  'policies', ${POLICIES}, 'size_bytes', ${SIZE},
  'asks_as_caller', c.relkind = 'v' and coalesce((
    select bool_or(case when o.option_name = 'security_invoker' then o.option_value::boolean end)
    from pg_options_to_table(c.reloptions) o), false),
  'rights', json_build_object('anon', ${rightsSql('anon')}, 'service_role', ${rightsSql('service_role')})`

/** Everything of one relation, however much that is. */
export const TABLE_ADDITIONS: Additions = { fields: FIELDS }

const PARTS = `(select count(*) from pg_index i where i.indrelid = c.oid)
  + (select count(*) from pg_trigger g where g.tgrelid = c.oid)
  + (select count(*) from pg_policy p where p.polrelid = c.oid)
  + (select count(*) from pg_constraint k where k.conrelid = c.oid)`

const EXPOSED_FUNCTIONS =
  'pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any ($1::text[])'

const mayCall = (role: DatabaseRole) =>
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

const typesOf = (
  kind: 'e' | 'd',
) => `(select t.*, n.nspname, row_number() over (order by n.nspname, t.typname) as place
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname = any ($1::text[]) and t.typtype = '${kind}' order by place limit ${TYPES_MAX}) t`

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

/** Every relation of the schemas, and what is beside them. */
export const SCHEMA_ADDITIONS: Additions = {
  fields: FIELDS,
  parts: PARTS,
  beside: `'functions', ${FUNCTIONS}, 'enums', ${ENUMS}, 'domains', ${DOMAINS}`,
  isComplete: `(select count(*) from ${EXPOSED_FUNCTIONS}) <= ${FUNCTIONS_MAX}
    and (select coalesce(max(k.n), 0) from (select count(*) as n from pg_type t
      join pg_namespace n on n.oid = t.typnamespace
      where n.nspname = any ($1::text[]) and t.typtype in ('e', 'd') group by t.typtype) k) <= ${TYPES_MAX}`,
}

type StructureRow = RelationRow<
  Omit<
    TableStructure,
    keyof RelationRow | 'grants' | 'access' | 'policies' | 'anon' | 'readable' | 'writable'
  > & {
    policies: (Policy & { applies: Record<DatabaseRole, boolean> })[]
    rights: Record<DatabaseRole, Rights>
  }
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
  complete: boolean
}

/** The schema in the text that the statement answers, without what was dropped while it ran. */
export function parseSchema(text: string): DatabaseSchema {
  const { tables, functions, enums, domains, complete } = JSON.parse(text) as SchemaRow
  return {
    tables: withoutGone(tables).map(toStructure),
    functions: withoutGone(functions.rows).map(({ gone: _, ...fn }) => fn),
    enums: enums.rows,
    domains: domains.rows,
    complete: complete && functions.whole && enums.whole && domains.whole,
  }
}

/** The relation in the text that the statement of one name answers; undefined where there is none, or no longer. */
export function parseStructure(text: string): TableStructure | undefined {
  const { tables } = JSON.parse(text) as { tables: StructureRow[] }
  return withoutGone(tables).map(toStructure)[0]
}

function toStructure(row: StructureRow): TableStructure {
  const { rights, policies, ...table } = row
  const methods = possibleMethods(row.changes)
  const facts = { ...table, methods, policies }
  return {
    ...toTable(table),
    policies: policies.map(({ applies: _, ...policy }) => policy),
    grants: { anon: rights.anon.privileges, service_role: rights.service_role.privileges },
    access: {
      anon: accessOf(facts, 'anon', rights.anon),
      service_role: accessOf(facts, 'service_role', rights.service_role),
    },
  }
}
