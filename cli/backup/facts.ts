// What a backup must know of a database beside its schema. Each query wants a search path of nothing but pg_catalog.

import type { Client } from 'pg'
import { quoteIdentifier, quoteQualified } from '../../src/db/sql.ts'
import { readLife } from './life.ts'
import type { Manifest } from './manifest.ts'
import { FIRST_OID_OF_USERS } from './objects.ts'
import { oneRow } from './session.ts'

const NOT_OF_THE_SYSTEM = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`

/**
 * Rows of these are about the database that they are in, and stay there. So a restored one begins without writes of
 * files under way, and has nothing to delete.
 */
const ROWS_THAT_STAY = [
  'quoin.backups',
  'quoin.database_epoch',
  'quoin.storage_claims',
  'quoin.lost_versions',
  'quoin.storage_sweeps',
]

export interface TableToCopy {
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** Without those that Postgres computes. */
  readonly columns: readonly string[]
  /** Of a table of an extension: which of its rows are not the extension's own. Null: all rows of the table. */
  readonly condition: string | null
  readonly is_readable: boolean
}

/** Of tables that belong to an extension, the extension brings the rows, but for those that it says are the user's. */
const TABLES_SQL = `
  select c.oid::int8::float8 as oid, n.nspname as schema, c.relname as name,
    (select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as is_readable,
    (select e.extcondition[array_position(e.extconfig, c.oid)] from pg_extension e
      where c.oid = any (e.extconfig)) as condition
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence <> 't' and ${NOT_OF_THE_SYSTEM}
    and (exists (select from pg_extension e where c.oid = any (e.extconfig)) or not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))
  order by n.nspname, c.relname`

/** The tables whose rows go into a backup, by name. */
export async function readTables(client: Client): Promise<TableToCopy[]> {
  const { rows } = await client.query<TableToCopy>(TABLES_SQL)
  return rows.filter(({ schema, name }) => !ROWS_THAT_STAY.includes(`${schema}.${name}`))
}

const SEQUENCES_SQL = `
  select n.nspname as schema, c.relname as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'S' and c.relpersistence <> 't' and ${NOT_OF_THE_SYSTEM}
    and (exists (select from pg_extension e where c.oid = any (e.extconfig)) or not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))
  order by n.nspname, c.relname`

/** Where each sequence stands. */
export async function readSequences(client: Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ schema: string; name: string }>(SEQUENCES_SQL)
  const sequences: Manifest['sequences'] = []
  for (const sequence of rows) {
    const sql = `select last_value::text as last_value, is_called from ${quoteQualified(sequence)}`
    sequences.push({
      ...sequence,
      ...(await oneRow<{ last_value: string; is_called: boolean }>(client, sql)),
    })
  }
  return sequences
}

/** Everything that can own or be granted, but for Postgres' own roles. */
const ROLES_SQL = `
  select r.rolname as name,
    concat_ws(' ',
      case when rolcanlogin then 'login' else 'nologin' end,
      case when rolinherit then 'inherit' else 'noinherit' end,
      case when rolsuper then 'superuser' end, case when rolcreatedb then 'createdb' end,
      case when rolcreaterole then 'createrole' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end) as attributes
  from pg_roles r
  where r.rolname !~ '^pg_' and (
    r.oid in (select d.refobjid from pg_shdepend d where d.refclassid = 'pg_authid'::regclass
      and d.dbid = (select oid from pg_database where datname = current_database()))
    or r.oid in (select a.grantee from pg_database d cross join aclexplode(d.datacl) a
      where d.datname = current_database() and a.grantee <> d.datdba)
    or r.oid in (select relowner from pg_class where oid >= ${FIRST_OID_OF_USERS}
      union select nspowner from pg_namespace where oid >= ${FIRST_OID_OF_USERS}
      union select proowner from pg_proc where oid >= ${FIRST_OID_OF_USERS}))
  order by r.rolname`

const DATABASE_SQL = `
  select d.datname as name, pg_encoding_to_char(d.encoding) as encoding, d.datcollate as lc_collate,
    d.datctype as lc_ctype,
    case d.datlocprovider when 'c' then 'libc' when 'i' then 'icu' else 'builtin' end as locale_provider,
    coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') as locale,
    (select coalesce(json_agg(json_build_object('name', split_part(setting, '=', 1),
        'value', substr(setting, strpos(setting, '=') + 1))), '[]')
      from pg_db_role_setting s cross join unnest(s.setconfig) setting
      where s.setdatabase = d.oid and s.setrole = 0) as settings,
    (select case when d.datacl is not null then coalesce(json_agg(json_build_object(
        'grantee', case a.grantee when 0 then null else pg_get_userbyid(a.grantee) end,
        'privilege', a.privilege_type, 'is_grantable', a.is_grantable)), '[]') end
      from aclexplode(d.datacl) a where a.grantee <> d.datdba) as grants
  from pg_database d where d.datname = current_database()`

const PLACE_SQL = `
  select current_setting('server_version') as postgres_version,
    current_setting('server_version_num')::int as postgres_version_number,
    pg_current_wal_lsn()::text as lsn,
    (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'quoin') as owner,
    to_regclass('quoin.platform_migrations') is not null as has_migrations,
    (select count(*)::int from pg_largeobject_metadata) as large_objects,
    (select coalesce(json_agg(json_build_object('name', extname, 'version', extversion) order by extname), '[]')
      from pg_extension where extname <> 'plpgsql') as extensions,
    (select coalesce(json_agg(json_build_object('oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname)), '[]')
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and ${NOT_OF_THE_SYSTEM}) as relations`

/**
 * Where applications look names up, as far as nobody else has made anything there that runs code or hides a name of a
 * schema behind: functions that a constraint or a generated column calls often rely on it. Others' plain tables do
 * neither: reading one runs nothing of theirs, and a name is in a schema once.
 */
const SEARCH_PATH_SQL = `
  with candidates as (
    select n.oid, n.nspname from pg_namespace n
    where (n.nspname = 'public' or n.oid in (select extnamespace from pg_extension)
        or n.nspname = any (select btrim(name, ' "') from pg_db_role_setting s cross join unnest(s.setconfig) setting
          cross join unnest(string_to_array(substr(setting, strpos(setting, '=') + 1), ',')) name
          where s.setrole = 0 and setting like 'search_path=%'
            and s.setdatabase = (select oid from pg_database where datname = current_database())))
      and ${NOT_OF_THE_SYSTEM} and n.nspname <> 'quoin'
  ), others as (
    select oid from pg_roles
    where not rolsuper and rolname <> current_user
      and oid is distinct from (select nspowner from pg_namespace where nspname = 'quoin')
  )
  select n.nspname as schema from candidates n
  where not exists (select from pg_proc where pronamespace = n.oid and proowner in (select oid from others))
    and not exists (select from pg_operator where oprnamespace = n.oid and oprowner in (select oid from others))
    and not exists (select from pg_class c
      where c.relnamespace = n.oid and c.relowner in (select oid from others)
        and (c.relkind not in ('r', 'p', 'i', 'I', 'S') or c.relhasrules or exists (
          select from pg_class hidden join candidates m on m.oid = hidden.relnamespace
          where hidden.relname = c.relname and m.oid <> n.oid)))
    and not exists (select from pg_type t
      left join pg_type element on element.typarray = t.oid
      left join pg_class c on c.oid = coalesce(element.typrelid, t.typrelid)
      where t.typnamespace = n.oid and t.typowner in (select oid from others)
        and (coalesce(c.relkind, '-') not in ('r', 'p') or exists (
          select from pg_type hidden join candidates m on m.oid = hidden.typnamespace
          where hidden.typname = t.typname and m.oid <> n.oid)))
  order by n.nspname <> 'public', n.nspname`

interface Place {
  readonly postgres_version: string
  readonly postgres_version_number: number
  readonly lsn: string
  readonly owner: string | null
  readonly has_migrations: boolean
  readonly large_objects: number
  readonly extensions: Manifest['extensions']
  readonly relations: Manifest['relations']
}

export type DatabaseFacts = Pick<
  Manifest,
  | 'postgres_version'
  | 'postgres_version_number'
  | 'lsn'
  | 'owner'
  | 'epoch'
  | 'storage'
  | 'extensions'
  | 'relations'
  | 'platform_migrations'
  | 'database'
  | 'roles'
  | 'search_path'
> & { readonly largeObjects: number }

/** Name, encoding, locale, settings and rights of the database. */
export function readDatabase(client: Client): Promise<Manifest['database']> {
  return oneRow<Manifest['database']>(client, DATABASE_SQL)
}

/** All that the manifest says of the database as a whole. */
export async function readDatabaseFacts(client: Client): Promise<DatabaseFacts> {
  const { has_migrations, large_objects, ...place } = await oneRow<Place>(client, PLACE_SQL)
  const migrations = has_migrations
    ? await client.query<{ name: string }>('select name from quoin.platform_migrations order by run_on, id')
    : { rows: [] }
  return {
    ...place,
    ...(await readLife(client)),
    largeObjects: large_objects,
    platform_migrations: migrations.rows.map(({ name }) => name),
    database: await readDatabase(client),
    roles: (await client.query<Manifest['roles'][number]>(ROLES_SQL)).rows,
    search_path: (await client.query<{ schema: string }>(SEARCH_PATH_SQL)).rows.map(({ schema }) => schema),
  }
}

const EXTENSION_MEMBERS = `
  select from pg_depend d where d.deptype = 'e' and d.classid = found.classid and d.objid = found.objid`

/** What users made, the extensions that a provider puts into each database left aside; at most `max` of it. */
export async function listObjects(client: Client, max: number): Promise<string[]> {
  const { rows } = await client.query<{ described: string }>(
    `select pg_describe_object(found.classid, found.objid, 0) as described
     from (
       select 'pg_class'::regclass as classid, c.oid as objid from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         where c.oid >= ${FIRST_OID_OF_USERS} and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and ${NOT_OF_THE_SYSTEM}
       union all select 'pg_proc'::regclass, oid from pg_proc where oid >= ${FIRST_OID_OF_USERS}
       union all select 'pg_type'::regclass, t.oid from pg_type t join pg_namespace n on n.oid = t.typnamespace
         where t.oid >= ${FIRST_OID_OF_USERS} and t.typtype in ('d', 'e', 'r') and ${NOT_OF_THE_SYSTEM}
       union all select 'pg_namespace'::regclass, n.oid from pg_namespace n
         where n.oid >= ${FIRST_OID_OF_USERS} and ${NOT_OF_THE_SYSTEM}
       union all select 'pg_default_acl'::regclass, oid from pg_default_acl where pg_has_role(defaclrole, 'usage')
     ) found
     where not exists (${EXTENSION_MEMBERS})
     order by found.classid = 'pg_default_acl'::regclass, 1 limit $1`,
    [max],
  )
  return rows.map(({ described }) => described)
}

/** `copy` of a table's rows, or of those that are not an extension's own. */
export function copyOutSql({ schema, name, columns, condition }: TableToCopy): string {
  const table = quoteQualified({ schema, name })
  const list = columns.map(quoteIdentifier).join(', ')
  if (condition !== null && condition !== '')
    return `copy (select ${list} from only ${table} ${condition}) to stdout`
  return `copy ${table} ${list === '' ? '' : `(${list})`} to stdout`
}
