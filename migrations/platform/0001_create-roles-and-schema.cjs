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
// that it can change and drop what service_role creates. What is granted already is not granted again.
const GRANT_MEMBERSHIPS = `
  do $do$
  declare
    granted text;
  begin
    foreach granted in array array['anon', 'service_role'] loop
      if not pg_has_role('authenticator', granted, 'set') then
        execute format('grant %I to authenticator with admin false, inherit false, set true', granted);
      end if;
      if not (pg_has_role(granted, 'usage') and pg_has_role(granted, 'set')) then
        execute format('grant %I to current_user with inherit true, set true', granted);
      end if;
    end loop;
  end
  $do$
`

// What `down` must leave as it is. Where callers' roles have rights in this database already, whoever gave them decides
// what they may do: they get no other rights in `public` here. `npm run migrate` says what does not work then.
const REMEMBER = `
  create table quoin.found_before (what text primary key);
  comment on table quoin.found_before is 'What was so in this database before Quoin, and stays when Quoin goes.';
  revoke all on table quoin.found_before from public;

  insert into quoin.found_before
    select 'rights of callers' where exists (
      select from pg_shdepend d join pg_roles r on r.oid = d.refobjid
      where d.refclassid = 'pg_authid'::regclass and d.deptype <> 'o' and r.rolname in ('anon', 'service_role')
        and d.dbid = (select oid from pg_database where datname = current_database()))
    union all
    select 'closed routines of ' || case r.rolname when 'service_role' then 'service_role' else 'the owner' end
      from pg_default_acl d join pg_roles r on r.oid = d.defaclrole
      where r.rolname in (current_user, 'service_role') and d.defaclnamespace = 0 and d.defaclobjtype = 'f'
        and not exists (select from aclexplode(d.defaclacl) a where a.grantee = 0);
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

// Where `public` belongs to somebody else, that role grants what is missing. Where it has tables already, somebody
// works with them, and most likely looks for names in it: operators that service_role made there would run with that
// role's rights. So it may not create there.
const GRANT_PUBLIC_SCHEMA = `
  do $do$
  begin
    if exists (select from quoin.found_before where what = 'rights of callers') then
      return;
    end if;
    if (select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'public') then
      revoke create on schema public from public;
      grant usage on schema public to anon, service_role;
      if not exists (select from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
            and c.relname <> 'pgmigrations' and not exists (select from pg_depend d
              where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')) then
        grant create on schema public to service_role;
      end if;
    end if;
    alter default privileges in schema public grant select, insert, update, delete on tables to service_role;
    alter default privileges in schema public grant usage, select on sequences to service_role;
    alter default privileges in schema public grant execute on routines to service_role;
  end
  $do$
`

// Default privileges of a schema can only add to the global ones: so PUBLIC loses EXECUTE globally.
const CLOSE_ROUTINES = `
  alter default privileges revoke execute on routines from public;
  alter default privileges for role service_role revoke execute on routines from public;
`

// What the owner already has in public is granted alike, but for the table of its migrations. Members of extensions and
// objects of others stay as they are, as do functions that run with the owner's rights: such a one may run any SQL.
// Functions that everybody may call now remain so: an application that runs already may depend on it.
const GRANT_EXISTING = `
  do $do$
  declare
    found record;
    me oid := (select oid from pg_roles where rolname = current_user);
    is_adopted boolean := exists (select from quoin.found_before where what = 'rights of callers');
    open_functions text;
  begin
    for found in
      select c.relkind, c.oid::regclass as name from pg_class c
        where not is_adopted and c.relnamespace = 'public'::regnamespace and c.relowner = me
          and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and c.relname <> 'pgmigrations'
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
            and (d.deptype = 'e' or d.refobjid = to_regclass('public.pgmigrations')))
    loop
      if found.relkind = 'S' then
        execute format('grant usage, select on sequence %s to service_role', found.name);
      else
        execute format('grant select, insert, update, delete on table %s to service_role', found.name);
      end if;
    end loop;
    for found in
      select p.oid::regprocedure as name from pg_proc p
        where not is_adopted and p.pronamespace = 'public'::regnamespace and p.proowner = me and not p.prosecdef
          and not exists (
            select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    loop
      execute format('grant execute on routine %s to service_role', found.name);
    end loop;
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

// What callers wrote is neither changed nor given away: in the owner's hands it would run with the owner's rights, even
// where nobody calls it. ANALYZE, for one, runs the functions of indexes as the table's owner. So down refuses while
// callers own anything, unless they had rights before Quoin: then all of theirs stays theirs. Default privileges and
// user mappings count as owned too, but cannot change hands. Names are callers' text: a line break in one must not pass
// for a line of this message.
const REFUSE_OWNED = `
  do $do$
  declare
    owned bigint;
    listed text;
  begin
    if exists (select from quoin.found_before where what = 'rights of callers') then
      return;
    end if;
    select count(*), string_agg(regexp_replace(pg_describe_object(classid, objid, 0), '[[:cntrl:]]', '?', 'g'),
        chr(10) order by n) filter (where n <= 20)
      into owned, listed
      from (
        select d.classid, d.objid, row_number() over (order by d.classid, d.objid) as n
        from pg_shdepend d cross join pg_identify_object(d.classid, d.objid, 0) o
        where d.refclassid = 'pg_authid'::regclass and d.deptype = 'o'
          and d.refobjid in (select oid from pg_roles where rolname in ('anon', 'service_role'))
          and d.dbid = (select oid from pg_database where datname = current_database())
          and d.classid not in ('pg_default_acl'::regclass, 'pg_user_mapping'::regclass)
          and not starts_with(coalesce(o.schema, ''), 'pg_temp_')
      ) found;
    if owned > 0 then
      raise exception 'What anon or service_role own in this database stands in the way (objects: %)', owned
        using detail = listed || case when owned > 20 then format(e'\\nand %s more', owned - 20) else '' end,
          hint = 'Read each: whoever owns it next, their rights are what it runs with. Drop it, or give it away with '
            'ALTER ... OWNER TO ... Whoever trusts all of it: REASSIGN OWNED BY anon, service_role TO ... '
            'Then take Quoin back again.';
    end if;
  end
  $do$
`

// DROP OWNED takes grants away, default privileges, and temporary objects: callers own nothing else now. What they had
// and made where they had rights before Quoin stays.
// The schema stays, since the table in it tells that this went down.
// CREATE on public is not given back to PUBLIC: since Postgres 15 it does not have it to begin with.
const REVOKE_ALL = `
  do $do$
  declare
    before text[] := array(select what from quoin.found_before);
  begin
    if 'closed routines of service_role' <> all (before) then
      alter default privileges for role service_role grant execute on routines to public;
    end if;
    if 'closed routines of the owner' <> all (before) then
      alter default privileges grant execute on routines to public;
    end if;
    if 'rights of callers' = any (before) then
      revoke all on schema quoin from anon, service_role;
      return;
    end if;
    alter default privileges in schema public revoke all on tables from service_role;
    alter default privileges in schema public revoke all on sequences from service_role;
    alter default privileges in schema public revoke all on routines from service_role;
    drop owned by anon, service_role;
  end
  $do$;
  drop function quoin.uid();
  drop function quoin.claims();
  drop table quoin.found_before;
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
    REMEMBER,
    GRANT_MEMBERSHIPS,
    CREATE_HELPERS,
    GRANT_PUBLIC_SCHEMA,
    CLOSE_ROUTINES,
    GRANT_EXISTING,
  ]) {
    pgm.sql(sql)
  }
}

exports.down = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(REFUSE_OWNED)
  pgm.sql(REVOKE_ALL)
  pgm.sql(DROP_ROLES)
}
