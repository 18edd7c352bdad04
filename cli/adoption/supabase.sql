-- What schemas and policies of Supabase name, as far as it is not there: `npm run adopt -- supabase` applies this file
-- (docs/adopt.md). The owner of DATABASE_URL runs it once Quoin has moved in. It can be run again and again: nothing
-- that is there is replaced. It says of each object whether it was made or was there.
--
-- What this must keep true: all of it belongs to a role that nobody logs in as, and runs with the rights of whoever
-- calls it. A signed-in person may do what policies and grants give to `authenticated`, and nothing by default.

begin;

set local search_path = pg_catalog, pg_temp;

do $adopt$
declare
  wanted record;
  is_there boolean;
begin
  for wanted in select * from (values
    -- What signed-in persons act as (DATA_USER_ROLE). The owner may take it on, to try policies.
    ('role authenticated', $$exists (select from pg_roles where rolname = 'authenticated')$$,
      $$create role authenticated nologin noinherit$$),
    ('authenticator may act as authenticated', $$pg_has_role('authenticator', 'authenticated', 'set')$$,
      $$grant authenticated to authenticator with admin false, inherit false, set true$$),
    ('the owner may act as authenticated', $$pg_has_role('authenticated', 'set')$$,
      $$grant authenticated to current_user with inherit false, set true$$),

    -- The owner of what follows, by the name that dumps give rights to.
    ('role supabase_auth_admin', $$exists (select from pg_roles where rolname = 'supabase_auth_admin')$$,
      $$create role supabase_auth_admin nologin noinherit$$),
    ('the owner has the rights of supabase_auth_admin',
      $$to_regnamespace('auth') is not null and to_regnamespace('extensions') is not null
        or pg_has_role('supabase_auth_admin', 'usage') and pg_has_role('supabase_auth_admin', 'set')$$,
      $$grant supabase_auth_admin to current_user with inherit true, set true$$),

    -- Bodies that are expressions are bound to pg_catalog when they are made, and can be inlined into policies. Those
    -- of Supabase read settings of one claim first (request.jwt.claim.sub), which nobody sets here: what a function of
    -- somebody's leaves in one must not make a person another.
    ('schema auth', $$to_regnamespace('auth') is not null$$,
      $$create schema auth authorization supabase_auth_admin;
        comment on schema auth is 'Who calls, as policies of Supabase ask for it.';
        grant usage on schema auth to anon, authenticated, service_role$$),
    ('function auth.jwt()', $$to_regprocedure('auth.jwt()') is not null$$,
      $$create function auth.jwt() returns jsonb language sql stable parallel safe
          return nullif(current_setting('request.jwt.claims', true), '')::jsonb;
        comment on function auth.jwt() is 'Claims of the end user behind this call.';
        revoke all on function auth.jwt() from public;
        grant execute on function auth.jwt() to anon, authenticated, service_role$$),
    ('function auth.uid()', $$to_regprocedure('auth.uid()') is not null$$,
      $$create function auth.uid() returns uuid language sql stable parallel safe
          return (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid;
        comment on function auth.uid() is 'The end user behind this call (claim "sub"), who must be a UUID.';
        revoke all on function auth.uid() from public;
        grant execute on function auth.uid() to anon, authenticated, service_role$$),
    ('function auth.role()', $$to_regprocedure('auth.role()') is not null$$,
      $$create function auth.role() returns text language sql stable parallel safe
          return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role';
        comment on function auth.role() is 'The role of this call: anon, authenticated or service_role.';
        revoke all on function auth.role() from public;
        grant execute on function auth.role() to anon, authenticated, service_role$$),
    ('function auth.email()', $$to_regprocedure('auth.email()') is not null$$,
      $$create function auth.email() returns text language sql stable parallel safe
          return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email';
        comment on function auth.email() is 'The claim "email" of the end user behind this call.';
        revoke all on function auth.email() from public;
        grant execute on function auth.email() to anon, authenticated, service_role$$),

    -- What foreign keys refer to, and triggers of new users wait for. It has no passwords and nobody signs in by it.
    ('table auth.users', $$to_regclass('auth.users') is not null$$,
      $$create table auth.users (
          id uuid primary key,
          email text,
          phone text,
          raw_app_meta_data jsonb,
          raw_user_meta_data jsonb,
          email_confirmed_at timestamptz,
          last_sign_in_at timestamptz,
          created_at timestamptz default now(),
          updated_at timestamptz default now()
        );
        comment on table auth.users is
          'Ids of persons, for foreign keys and triggers. Who they are, the identity provider knows.';
        alter table auth.users enable row level security;
        grant select, insert, update, delete on auth.users to service_role$$),

    ('schema extensions', $$to_regnamespace('extensions') is not null$$,
      $$create schema extensions authorization supabase_auth_admin;
        grant usage on schema extensions to anon, authenticated, service_role$$),
    ('extension uuid-ossp', $$case when exists (select from pg_extension where extname = 'uuid-ossp') then true
        when exists (select from pg_available_extensions where name = 'uuid-ossp') then false end$$,
      $$create extension "uuid-ossp" with schema extensions$$),
    ('extension pgcrypto', $$case when exists (select from pg_extension where extname = 'pgcrypto') then true
        when exists (select from pg_available_extensions where name = 'pgcrypto') then false end$$,
      $$create extension pgcrypto with schema extensions$$),

    -- Nobody reads it here: realtime follows the tables that clients name, as far as policies show them.
    ('publication supabase_realtime', $$exists (select from pg_publication where pubname = 'supabase_realtime')$$,
      $$set local client_min_messages = error; -- Postgres warns that nobody could follow it.
        create publication supabase_realtime;
        set local client_min_messages = notice$$)
  ) as objects (what, test, make) loop
    execute format('select %s', wanted.test) into is_there;
    if is_there = false then
      if wanted.what ~ '^(function|table) ' and exists (select from pg_namespace
          where nspname = 'auth' and nspowner = to_regrole('supabase_auth_admin')) then
        set local role supabase_auth_admin;
      end if;
      execute wanted.make;
      reset role;
    end if;
    raise notice '%: %', case is_there when true then 'was there' when false then 'made' else 'this Postgres lacks' end,
      wanted.what;
  end loop;

  -- What anon may do in Quoin's own schemas: helpers of policies, files, messages. An upgrade may give it more.
  for wanted in
    with schemas as (select oid, nspname, nspacl from pg_namespace where nspname in ('quoin', 'storage', 'realtime')),
    relations as (select c.oid, c.relacl, c.relkind from pg_class c where c.relnamespace in (select oid from schemas)),
    rights (what, on_what, acl) as (
      select '%s', format('schema %I', nspname), nspacl from schemas
      union all select '%s', format('schema %I', nspname), nspacl from pg_namespace
        where nspname = 'public' and has_schema_privilege(oid, 'usage with grant option')
      union all select '%s', format('table %s', oid::regclass), relacl from relations where relkind <> 'S'
      union all select '%s', format('sequence %s', oid::regclass), relacl from relations where relkind = 'S'
      union all select format('%%s (%I)', a.attname), format('table %s', r.oid::regclass), a.attacl
        from relations r join pg_attribute a on a.attrelid = r.oid
      union all select '%s', format('routine %s', p.oid::regprocedure), p.proacl from pg_proc p
        where p.pronamespace in (select oid from schemas)
    )
    select on_what, string_agg(format(what, lower(a.privilege_type)), ', ') as privileges
      from rights cross join aclexplode(acl) a
      where a.grantee = 'anon'::regrole and not exists (select from aclexplode(acl) b
        where b.grantee = 'authenticated'::regrole and b.privilege_type = a.privilege_type)
      group by on_what order by on_what
  loop
    execute format('grant %s on %s to authenticated', wanted.privileges, wanted.on_what);
    raise notice 'made: authenticated has % on %, as anon has', wanted.privileges, wanted.on_what;
  end loop;
end
$adopt$;

commit;
