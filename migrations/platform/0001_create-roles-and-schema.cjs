// The three database roles, the two helpers in the schema `quoin` that policies call, and who may do what in `public`.
// Runs as an ordinary owner (LOGIN, CREATEROLE, BYPASSRLS) on Postgres 16 or newer, Neon included.
// Roles belong to the whole cluster: another database may have made them, or may still need them after `down`.
//
// What this must keep true: SQL running as `service_role` never runs code as the owner and never reads `quoin.*`. Hence
// no TRIGGER or REFERENCES on the owner's tables (a trigger runs as whoever writes), and nothing on `pgmigrations`. For
// the same reason the bodies of helpers are bound to pg_catalog when they are made, so that nothing in `public` can
// stand in.

const CREATE_ROLES = `
  do $do$
  declare
    wanted record;
  begin
    for wanted in
      select * from (values
        ('authenticator', 'login noinherit'),
        ('anon', 'nologin noinherit'),
        ('service_role', 'nologin noinherit bypassrls')
      ) as roles (name, attributes)
    loop
      begin
        if not exists (select from pg_roles where rolname = wanted.name) then
          execute format('create role %I %s', wanted.name, wanted.attributes);
        end if;
      exception when duplicate_object or unique_violation then
        -- Another database of this cluster made it a moment ago.
        null;
      end;
    end loop;
  end
  $do$
`

// A role of the same name that somebody else made may hold more rights than callers should ever have: that is refused,
// not repaired, since it may serve somebody.
const REFUSE_STRONGER_ROLES = `
  do $do$
  declare
    found text;
  begin
    select string_agg(rolname, ', ') into found from pg_roles
      where (rolname in ('authenticator', 'anon', 'service_role')
          and (rolsuper or rolcreaterole or rolcreatedb or rolreplication))
        or (rolname in ('authenticator', 'anon') and rolbypassrls)
        or (rolname in ('anon', 'service_role') and rolcanlogin)
        or (rolname = 'authenticator' and (rolinherit or not rolcanlogin))
        or (rolname = 'service_role' and not rolbypassrls);
    if found is not null then
      raise exception 'Roles that exist with other attributes than Quoin needs: %', found
        using hint = 'authenticator: LOGIN NOINHERIT; anon: NOLOGIN; service_role: NOLOGIN BYPASSRLS; nothing else. '
          'Alter or drop them, then migrate again.';
    end if;
    select string_agg(format('%s in %s', member.rolname, granted.rolname), ', ') into found
      from pg_auth_members m
      join pg_roles member on member.oid = m.member
      join pg_roles granted on granted.oid = m.roleid
      where member.rolname in ('authenticator', 'anon', 'service_role')
        and not (member.rolname = 'authenticator' and granted.rolname in ('anon', 'service_role'));
    if found is not null then
      raise exception 'Memberships that would give callers more than their own rights: %', found
        using hint = 'Revoke them (on Neon: create these roles with SQL, not in the console), then migrate again.';
    end if;
  end
  $do$
`

// SET but not INHERIT: what logs in has no rights at all until it has chosen a role. The owner is a member of both, so
// that it can change and drop what service_role creates.
const GRANT_MEMBERSHIPS = `
  grant anon, service_role to authenticator with admin false, inherit false, set true;
  grant anon, service_role to current_user with inherit true, set true;
`

// A body that is an expression is bound to its functions and operators when it is created: it needs no search_path of
// its own, and unlike a function with a SET clause it can be inlined into the policies that call it.
// The schema is there already, with the table of the migrations that ran.
const CREATE_HELPERS = `
  comment on schema quoin is
    'Quoin''s own tables, closed to callers, and the helpers that row-level security policies call.';
  revoke all on schema quoin from public;

  create function quoin.claims() returns jsonb
    language sql stable security invoker parallel safe
    return nullif(pg_catalog.current_setting('request.jwt.claims', true), '')::jsonb;
  comment on function quoin.claims() is 'Claims of the end user behind this call; null outside a call.';

  create function quoin.uid() returns text
    language sql stable security invoker parallel safe
    return quoin.claims() ->> 'sub';
  comment on function quoin.uid() is 'The end user behind this call (claim "sub"); null when nobody is signed in.';

  revoke all on function quoin.claims(), quoin.uid() from public;
  grant usage on schema quoin to anon, service_role;
  grant execute on function quoin.claims(), quoin.uid() to anon, service_role;
`

const GRANT_PUBLIC_SCHEMA = `
  revoke create on schema public from public;
  grant usage on schema public to anon, service_role;
  grant create on schema public to service_role;
`

// Default privileges of a schema can only add to the global ones: so PUBLIC loses EXECUTE globally.
const GRANT_DEFAULTS = `
  alter default privileges in schema public grant select, insert, update, delete on tables to service_role;
  alter default privileges in schema public grant usage, select on sequences to service_role;
  alter default privileges in schema public grant execute on routines to service_role;
  alter default privileges revoke execute on routines from public;
  alter default privileges for role service_role revoke execute on routines from public;
`

// What the owner already has in public is granted alike. Members of extensions and objects of others stay as they are,
// and functions that everybody may call now remain so: an application that runs already may depend on it.
const GRANT_EXISTING = `
  do $do$
  declare
    found record;
    open_functions text;
  begin
    for found in
      select c.relkind, c.oid::regclass as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relowner = current_user::regrole
          and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
          and not exists (
            select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    loop
      if found.relkind = 'S' then
        execute format('grant usage, select on sequence %s to service_role', found.name);
      else
        execute format('grant select, insert, update, delete on table %s to service_role', found.name);
      end if;
    end loop;
    for found in
      select p.oid::regprocedure as name from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole
          and not exists (
            select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    loop
      execute format('grant execute on routine %s to service_role', found.name);
    end loop;
    if to_regclass('public.pgmigrations') is not null then
      revoke all on table public.pgmigrations from anon, service_role;
    end if;
    if to_regclass('public.pgmigrations_id_seq') is not null then
      revoke all on sequence public.pgmigrations_id_seq from anon, service_role;
    end if;
    select string_agg(p.oid::regprocedure::text, ', ') into open_functions from pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (
          select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        and has_function_privilege('anon', p.oid, 'execute');
    if open_functions is not null then
      raise warning 'The role anon may call these functions, since everybody may: %', open_functions
        using hint = 'REVOKE EXECUTE ON FUNCTION ... FROM PUBLIC for those that the anon key must not reach.';
    end if;
  end
  $do$
`

// Tables that service_role made are users' data: they go to the owner. After that, DROP OWNED only takes grants away.
// The schema stays, since the table in it tells that this went down.
// CREATE on public is not given back to PUBLIC: since Postgres 15 it does not have it to begin with.
const REVOKE_ALL = `
  reassign owned by anon, service_role to current_user;
  alter default privileges for role service_role grant execute on routines to public;
  alter default privileges grant execute on routines to public;
  alter default privileges in schema public revoke all on tables from service_role;
  alter default privileges in schema public revoke all on sequences from service_role;
  alter default privileges in schema public revoke all on routines from service_role;
  drop function quoin.uid();
  drop function quoin.claims();
  drop owned by anon, service_role;
`

// Roles are the cluster's: another database of it may be in use. That one's grants keep anon and service_role from
// being dropped. But nothing in it depends on authenticator, which may log in to it all the same. So authenticator goes
// last, and only when both others could go.
const DROP_ROLES = `
  do $do$
  begin
    begin
      drop role if exists service_role;
      drop role if exists anon;
      drop role if exists authenticator;
    exception when dependent_objects_still_exist or insufficient_privilege then
      raise notice 'The roles stay: another database uses them, or another owner made them.';
    end;
  end
  $do$
`

exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    CREATE_ROLES,
    REFUSE_STRONGER_ROLES,
    GRANT_MEMBERSHIPS,
    CREATE_HELPERS,
    GRANT_PUBLIC_SCHEMA,
    GRANT_DEFAULTS,
    GRANT_EXISTING,
  ]) {
    pgm.sql(sql)
  }
}

exports.down = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(REVOKE_ALL)
  pgm.sql(DROP_ROLES)
}
