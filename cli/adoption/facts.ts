// What decides whether Quoin may move into a database: one query, which an old Postgres understands too. It wants a
// search path of nothing but pg_catalog; then names come quoted and with their schema.
//
// Who owns what is compared by oid. Membership would say nothing: the owner is a member of callers' roles.

import type { Client } from 'pg'
import {
  CALLERS,
  ROLES,
  type RoleName,
  SUPABASE_ROLES,
  type SupabaseRole,
  USER_ROLE,
} from '../support/own-roles.ts'

export type Attributes = Readonly<Record<string, boolean>>

/** Rights that callers or PUBLIC have on objects of one kind, from one grantor. */
export interface ExcessRights {
  readonly kind: 'table' | 'schema' | 'database'
  readonly grantor: string
  readonly privileges: string
  readonly objects: readonly string[]
}

export interface DefaultRights {
  readonly role: string
  /** Null: in every schema. */
  readonly schema: string | null
  readonly kind: string
  readonly privileges: string
  readonly grantees: string
}

export interface Facts {
  readonly version: string
  readonly version_number: number
  readonly owner: { readonly name: string; readonly attributes: Attributes }
  readonly database: { readonly name: string; readonly owner: string; readonly may_create_schema: boolean }
  readonly roles: readonly {
    readonly name: RoleName | SupabaseRole
    readonly attributes: Attributes
    /** Whether the owner may grant it. */
    readonly is_grantable: boolean
  }[]
  readonly memberships: readonly {
    readonly member: RoleName | SupabaseRole
    readonly role: string
    readonly grantor: string
    readonly has_admin: boolean
    readonly inherits: boolean
  }[]
  /** Null: there is none. */
  readonly quoin_schema: { readonly owner: string; readonly is_empty: boolean } | null
  /** Whether quoin.platform_migrations is the owner's, and no caller can have written into it. */
  readonly has_own_books: boolean
  /** Schemas by the names of those that Quoin makes beside its own. */
  readonly taken_schemas: readonly { readonly name: string; readonly owner: string }[]
  readonly public_schema: { readonly owner: string; readonly may_create: boolean } | null
  readonly user_migrations: {
    readonly owner: string
    readonly is_inert: boolean
    /** What others have rights on: the table and its sequence. */
    readonly opened: readonly { readonly kind: string; readonly name: string; readonly grantees: string }[]
  } | null
  /** What callers own, by role; as Postgres describes it. */
  readonly owned: readonly { readonly role: string; readonly objects: readonly string[] }[]
  readonly excess: readonly ExcessRights[]
  readonly defaults: readonly DefaultRights[]
  /** Routines that run with the rights of an owner and whose names callers can lead astray. */
  readonly exposed: readonly { readonly owner: string; readonly routines: readonly string[] }[]
}

const listOf = (names: readonly string[]) => names.map(name => `'${name}'`).join(', ')
const rowsOf = (query: string) => `(select coalesce(json_agg(found), '[]') from (${query}) found)`

const ATTRIBUTES = `json_build_object('superuser', r.rolsuper, 'createrole', r.rolcreaterole,
  'createdb', r.rolcreatedb, 'replication', r.rolreplication, 'bypassrls', r.rolbypassrls,
  'login', r.rolcanlogin, 'inherit', r.rolinherit)`
const IS_USERS = "(n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'quoin'))"
const IS_USER_MIGRATIONS = "(n.nspname = 'public' and c.relname = 'pgmigrations')"

/** Of a table c: nothing else runs when its owner reads or writes it. */
const IS_INERT = `(c.relkind = 'r' and not c.relrowsecurity
  and not exists (select from pg_trigger g where g.tgrelid = c.oid)
  and not exists (select from pg_rewrite w where w.ev_class = c.oid)
  and not exists (select from pg_inherits i where c.oid in (i.inhparent, i.inhrelid)))`

/** Others' rights on a table c, on its columns and on the sequence that belongs to it. */
const OPENED_SQL = `
  select case s.relkind when 'S' then 'sequence' else 'table' end as kind, s.oid::regclass::text as name,
    string_agg(distinct case a.grantee when 0 then 'public' else a.grantee::regrole::text end, ', ') as grantees
  from pg_class s cross join lateral (select * from aclexplode(s.relacl) union all
      select x.* from pg_attribute t cross join aclexplode(t.attacl) x where t.attrelid = s.oid) a
  where a.grantee <> s.relowner and (s.oid = c.oid or s.oid in (select e.objid from pg_depend e
    where e.classid = 'pg_class'::regclass and e.refclassid = 'pg_class'::regclass and e.refobjid = c.oid))
  group by s.oid, s.relkind order by kind desc`

const rolesSql = (roles: readonly string[]) => `
  select r.rolname as name, ${ATTRIBUTES} as attributes,
    pg_has_role(r.oid, 'member with admin option') as is_grantable
  from pg_roles r where r.rolname in (${listOf(roles)}) order by r.rolname`

// `inherit_option` came with Postgres 16: as a column it would be an error before. So would `prosqlbody` before 14.
const membershipsSql = (roles: readonly string[]) => `
  select r.rolname as member, m.roleid::regrole::text as role, m.grantor::regrole::text as grantor,
    m.admin_option as has_admin, coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, false) as inherits
  from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname in (${listOf(roles)}) order by 1, 2, 3`

// What is left after Quoin has been taken back: the table of its migrations, with its sequence, key and types.
const IS_EMPTY = `(n.nspowner = me.oid
  and not exists (select from aclexplode(n.nspacl) a where a.grantee <> n.nspowner)
  and not exists (select from pg_class c where c.relnamespace = n.oid and not (c.relowner = me.oid and (
    c.relname in ('platform_migrations_id_seq', 'platform_migrations_pkey')
    or (c.relname = 'platform_migrations' and ${IS_INERT} and not exists (${OPENED_SQL})))))
  and not exists (select from pg_depend d where d.refclassid = 'pg_namespace'::regclass and d.refobjid = n.oid
    and d.classid not in ('pg_class'::regclass, 'pg_type'::regclass))
  and not exists (select from pg_type t where t.typnamespace = n.oid
    and t.typname not in ('platform_migrations', '_platform_migrations')))`

// But for temporary objects: they go with their sessions.
const ownedSql = (roles: readonly string[]) => `
  select role, json_agg(object order by object) as objects from (
    select r.rolname as role, pg_describe_object(o.classid, o.objid, o.objsubid) as object
      from pg_shdepend o join pg_roles r on r.oid = o.refobjid
        cross join lateral pg_identify_object(o.classid, o.objid, o.objsubid) known
      where o.refclassid = 'pg_authid'::regclass and o.deptype = 'o' and o.dbid = d.oid
        and coalesce(known.schema, '') !~ '^pg_(toast_)?temp' and r.rolname in (${listOf(roles)})
    union all
    select r.rolname, 'this database' from pg_roles r where r.oid = d.datdba and r.rolname in (${listOf(roles)})
  ) owned group by role order by role`

// Rights on columns fall with those on the table. Postgres' own schemas count too: superusers can open them.
const excessSql = (mayMake: string) => `
  select kind, grantor, string_agg(distinct lower(privilege), ', ') as privileges,
    json_agg(distinct object order by object) as objects from (
    select 'table' as kind, a.grantor::regrole::text as grantor, a.privilege_type as privilege,
        c.oid::regclass::text as object
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        cross join lateral (select * from aclexplode(c.relacl) union all
          select x.* from pg_attribute t cross join aclexplode(t.attacl) x where t.attrelid = c.oid) a
        join callers on callers.oid = a.grantee
      where ${IS_USERS} and not ${IS_USER_MIGRATIONS} and a.grantee <> c.relowner
        and a.privilege_type in ('TRIGGER', 'REFERENCES', 'MAINTAIN')
    union all
    select 'schema', replace(a.grantor::regrole::text, 'pg_database_owner', d.datdba::regrole::text),
        a.privilege_type, quote_ident(n.nspname)
      from pg_namespace n cross join aclexplode(n.nspacl) a join callers on callers.oid = a.grantee
      where n.nspname <> 'quoin' and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner
        and not (${mayMake})
    union all
    select 'database', a.grantor::regrole::text, a.privilege_type, quote_ident(d.datname)
      from aclexplode(d.datacl) a join callers on callers.oid = a.grantee
      where a.privilege_type = 'CREATE' and a.grantee <> d.datdba
  ) rights group by kind, grantor order by kind desc, grantor`

// What the owner makes in every schema, it makes in quoin too. Postgres itself lets PUBLIC execute routines and use
// types: the first migration ends the former, and types are harmless.
const DEFAULTS_SQL = `
  select role, schema, kind, string_agg(distinct privilege, ', ') as privileges,
    string_agg(distinct grantee, ', ') as grantees from (
    select f.defaclrole::regrole::text as role, quote_ident(n.nspname) as schema,
      case f.defaclobjtype::text when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'routines'
        when 'T' then 'types' when 'n' then 'schemas' else 'large objects' end as kind,
      case when n.oid is null and f.defaclrole = me.oid then 'all' else lower(a.privilege_type) end as privilege,
      case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
    from pg_default_acl f cross join aclexplode(f.defaclacl) a
      left join pg_namespace n on n.oid = f.defaclnamespace
    where a.grantee <> f.defaclrole and (
      (n.oid is null and f.defaclrole = me.oid and not (a.grantee = 0 and f.defaclobjtype in ('f', 'T')))
      or (f.defaclobjtype = 'r' and a.privilege_type in ('TRIGGER', 'REFERENCES', 'MAINTAIN')
        and a.grantee in (select oid from callers)))
  ) rights group by role, schema, kind order by role, schema, kind`

/** Tables in which a foreign key changes rows, as their owner, when somebody changes a row of another table. */
const CASCADED = `(select k.conrelid from pg_constraint k where k.contype = 'f'
  and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd')))`

/** Of a routine p: made by `npm run adopt -- supabase`. What its names mean was settled then. */
const IS_OF_SUPABASE_SQL = `coalesce(to_jsonb(p) ->> 'prosqlbody' is not null and p.oid in (
      to_regprocedure('auth.jwt()'), to_regprocedure('auth.uid()'), to_regprocedure('auth.role()'),
      to_regprocedure('auth.email()')), false)`

// Postgres runs these with the rights of an owner, in the session of whoever makes it do so. That session decides what
// their names mean, unless they say where to look. The temporary schema comes first unless it is named, also before
// pg_catalog, and anybody can make types and views there; in `public` service_role may or will make functions. A
// trigger that can be deferred runs as whoever queued it, after the routine that did.
const EXPOSED_SQL = `
  select p.proowner::regrole::text as owner, json_agg(p.oid::regprocedure::text order by p.oid::regprocedure::text)
    as routines
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
  where ${IS_USERS} and p.proowner not in (select oid from callers) and l.lanname not in ('internal', 'c')
    and not exists (
      select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
    and not ${IS_OF_SUPABASE_SQL}
    and (p.prosecdef
      or exists (select from pg_depend e
        where e.refclassid = 'pg_proc'::regclass and e.refobjid = p.oid and e.objid in (
        select t.oid from pg_trigger t where t.tgdeferrable or t.tgrelid in ${CASCADED}
        union all select k.oid from pg_constraint k where k.contypid <> 0 or k.conrelid in ${CASCADED}
        union all select c.oid from pg_class c where c.oid in ${CASCADED}
        union all select w.oid from pg_rewrite w where w.ev_class in ${CASCADED}
        union all select f.oid from pg_attrdef f where f.adrelid in ${CASCADED}
        union all select x.indexrelid from pg_index x where x.indrelid in ${CASCADED})))
    and not exists (select from unnest(p.proconfig) setting where
      setting ~ '^search_path=([a-z0-9_]+, *)*pg_temp$' and setting !~ '[= ,](public|pg_temp),')
  group by p.proowner order by 1`

interface Asked {
  readonly callers: readonly string[]
  readonly roles: readonly string[]
  /** SQL: whether the grantee of a right `a` may make things in the schema `n`. */
  readonly mayMake: string
}

const factsSql = ({ callers, roles, mayMake }: Asked) => `
  with me as (select oid from pg_roles where rolname = current_user),
    callers as (select oid from pg_roles where rolname in (${listOf(callers)})
      union all select 0)
  select current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_number,
    (select json_build_object('name', r.oid::regrole::text, 'attributes', ${ATTRIBUTES})
      from pg_roles r where r.oid = me.oid) as owner,
    json_build_object('name', quote_ident(d.datname), 'owner', d.datdba::regrole::text,
      'may_create_schema', has_database_privilege(d.oid, 'create')) as database,
    ${rowsOf(rolesSql(roles))} as roles,
    ${rowsOf(membershipsSql(roles))} as memberships,
    (select json_build_object('owner', n.nspowner::regrole::text, 'is_empty', ${IS_EMPTY})
      from pg_namespace n where n.nspname = 'quoin') as quoin_schema,
    (select coalesce(json_agg(json_build_object('name', n.nspname, 'owner', n.nspowner::regrole::text)
        order by n.nspname desc), '[]')
      from pg_namespace n where n.nspname in ('storage', 'realtime')) as taken_schemas,
    exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'quoin' and c.relname = 'platform_migrations' and c.relkind = 'r'
        and n.nspowner = me.oid and c.relowner = me.oid and not exists (
          select from aclexplode(c.relacl) a join callers on callers.oid = a.grantee)) as has_own_books,
    (select json_build_object('owner', n.nspowner::regrole::text, 'may_create',
        has_schema_privilege(n.oid, 'create') and has_schema_privilege(n.oid, 'usage'))
      from pg_namespace n where n.nspname = 'public') as public_schema,
    (select json_build_object('owner', c.relowner::regrole::text, 'is_inert', ${IS_INERT},
        'opened', ${rowsOf(OPENED_SQL)})
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where ${IS_USER_MIGRATIONS}) as user_migrations,
    ${rowsOf(ownedSql(roles))} as owned,
    ${rowsOf(excessSql(mayMake))} as excess,
    ${rowsOf(DEFAULTS_SQL)} as defaults,
    ${rowsOf(EXPOSED_SQL)} as exposed
  from me cross join pg_database d where d.datname = current_database()`

/** Before Quoin moves in. Reads only. */
export function readFacts(client: Client): Promise<Facts> {
  return ask(client, { callers: CALLERS, roles: ROLES, mayMake: 'false' })
}

/** Once it has: service_role may make things where its administrator lets it, and persons get a role. Reads only. */
export function readFactsForUsers(client: Client): Promise<Facts> {
  return ask(client, {
    callers: [...CALLERS, USER_ROLE],
    roles: [...CALLERS, ...SUPABASE_ROLES],
    mayMake: "a.grantee = to_regrole('service_role') and n.nspname not in ('auth', 'extensions')",
  })
}

async function ask(client: Client, asked: Asked): Promise<Facts> {
  const { rows } = await client.query<Facts>(factsSql(asked))
  const [facts] = rows
  if (facts === undefined) throw new Error('the role of this connection is gone')
  return facts
}
