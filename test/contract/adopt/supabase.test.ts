// `npm run adopt -- supabase`: what schemas and policies of Supabase name comes to a database that Quoin is in, and
// nothing that is there is replaced.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeOwnRoles } from '../../../cli/backup/roles.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { upgradeProblems } from '../../../cli/upgrade/problems.ts'
import { sqlIn, sqlOfPage, useAdoptDatabase } from './database.ts'

const shop = useAdoptDatabase()

const OLD_ID = '0d8f2ad0-3c6a-4b8e-9d50-2f1a4c7f0a01'
const NEW_ID = '7b1f5f6e-20b4-4a3c-8a3e-5f7a90c1b002'

const refusal = () =>
  shop.adoptSupabase().then(
    () => 'it was not refused',
    (err: Error) => `${err.name}: ${err.message}`,
  )

describe('a database that Quoin is in', () => {
  it('gets all of it once, and nothing the second time', async () => {
    await shop.adopt()
    const made = await shop.adoptSupabase()
    expect(made.filter(line => !line.startsWith('made: '))).toEqual([])
    expect(made).toEqual(expect.arrayContaining(['made: role authenticated', 'made: function auth.uid()']))
    const before = await shop.snapshot()
    const again = await shop.adoptSupabase()
    expect(again.filter(line => !line.startsWith('was there: '))).toEqual([])
    expect(await shop.snapshot()).toEqual(before)
  })

  it('gets nothing that runs with the rights of others, or that anybody logs in as', async () => {
    await shop.adopt()
    await shop.adoptSupabase()
    const roles =
      await shop.run(`select rolname, rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolbypassrls
      or rolreplication as is_strong
      from pg_roles where rolname in ('authenticated', 'supabase_auth_admin') order by 1`)
    expect(roles).toEqual([
      { rolname: 'authenticated', is_strong: false },
      { rolname: 'supabase_auth_admin', is_strong: false },
    ])
    const routines = await shop.run(`select p.proname, p.prosecdef, p.proowner::regrole::text as owner,
      has_function_privilege('public', p.oid, 'execute') as is_open
      from pg_proc p where pronamespace = 'auth'::regnamespace order by 1`)
    const plain = { prosecdef: false, owner: 'supabase_auth_admin', is_open: false }
    expect(routines).toEqual(['email', 'jwt', 'role', 'uid'].map(proname => ({ proname, ...plain })))
    const defaults = await shop.run(`select from pg_default_acl d, aclexplode(d.defaclacl) a
      where a.grantee = 'authenticated'::regrole`)
    expect(defaults).toEqual([])
    // Signed-in persons have what nobody has, and not a table of Quoin's own.
    const rights = (role: string) =>
      shop.run(`select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('quoin', 'storage', 'realtime', 'auth', 'public') and c.relkind in ('r', 'v', 'S')
          and has_any_column_privilege('${role}', c.oid, 'select, insert, update') order by 1`)
    expect(await rights('authenticated')).toEqual(await rights('anon'))
  })

  it('keeps what is there by these names', async () => {
    await shop.adopt()
    const owner = await shop.connect('shop')
    await owner.query(`create schema auth; create schema extensions; create publication supabase_realtime;
      create function auth.uid() returns text return 'mine'; create table auth.users (id text primary key)`)
    const before = await shop.snapshot()
    const said = await shop.adoptSupabase()
    expect(said).toEqual(
      expect.arrayContaining([
        'was there: function auth.uid()',
        'was there: table auth.users',
        'made: function auth.jwt()',
      ]),
    )
    expect((await owner.query('select auth.uid()')).rows).toEqual([{ uid: 'mine' }])
    const after = await shop.snapshot()
    expect(
      before.filter(
        fact =>
          !after.includes(fact) &&
          !/^schema (quoin|storage|realtime|public)|^table (storage|realtime)/.test(fact),
      ),
    ).toEqual(before.filter(fact => /^routine (quoin|storage|realtime)/.test(fact) && !after.includes(fact)))
  })

  it('has its foreign keys and triggers on auth.users, which the owner makes', async () => {
    await shop.adopt()
    await shop.adoptSupabase()
    const owner = await shop.connect('shop')
    await owner.query(`
      create table public.profiles (id uuid primary key references auth.users on delete cascade, email text);
      create function public.welcome() returns trigger language plpgsql security definer
        set search_path = pg_catalog, pg_temp as $$
        begin insert into public.profiles values (new.id, new.email); return new; end $$;
      create trigger on_auth_user_created after insert on auth.users for each row execute function public.welcome();
      create extension if not exists "uuid-ossp" with schema extensions`)
    const hook = await shop.connect('shop', 'service_role')
    await hook.query(
      `insert into auth.users (id, email) values (extensions.uuid_generate_v4(), 'ada@example.com')`,
    )
    expect((await owner.query('select email from public.profiles')).rows).toEqual([
      { email: 'ada@example.com' },
    ])
    await hook.query('delete from auth.users')
    expect((await owner.query('select email from public.profiles')).rows).toEqual([])
    expect((await shop.adoptSupabase()).filter(line => !line.startsWith('was there: '))).toEqual([])
  })

  it('is told after an upgrade what signed-in persons lack of what anon got', async () => {
    await shop.adopt()
    await shop.adoptSupabase()
    const owner = await shop.connect('shop')
    const closed = /^authenticated lacks rights .* npm run adopt -- supabase$/
    expect((await upgradeProblems(owner)).filter(problem => closed.test(problem))).toEqual([])
    await owner.query(
      `create function quoin.later() returns int return 1; grant execute on function quoin.later() to anon`,
    )
    expect(await upgradeProblems(owner)).toContainEqual(expect.stringMatching(closed))
    expect((await shop.adoptSupabase()).filter(line => line.startsWith('made'))).toEqual([
      'made: authenticated has execute on routine quoin.later(), as anon has',
    ])
    expect((await upgradeProblems(owner)).filter(problem => closed.test(problem))).toEqual([])
  })
})

it('is for a database that Quoin is in', async () => {
  expect(await refusal()).toMatch(
    /^StackError: Quoin is not in this database yet .*npm run migrate -- up --platform/,
  )
})

const ALL = 'public, authenticator, anon, service_role, authenticated'

/** What a dump may bring, and what is said; the SQL that is printed mends it. */
const OPEN: Record<string, { setup: string; says: RegExp; sql: string }> = {
  'a role authenticated of somebody else that logs in': {
    setup: 'create role authenticated login; grant authenticated to shop with admin true',
    says: /The role authenticated exists already, with other attributes than callers may have/,
    sql: 'alter role authenticated nologin;',
  },
  'a role authenticated that others than authenticator may act as': {
    setup:
      'create role authenticated; grant authenticated to shop with admin true; grant authenticated to anon',
    says: /anon is a member of authenticated: callers' SQL could take on its rights/,
    sql: 'revoke authenticated from anon granted by postgres;',
  },
  'tables with every right, as Supabase grants them': {
    setup: `create role authenticated; grant authenticated to shop with admin true; set role shop;
      create table public.orders (id int); grant all on public.orders to anon, authenticated, service_role;
      alter default privileges in schema public grant all on tables to authenticated; reset role`,
    says: /Callers could put triggers on tables.*Whatever tables shop makes in schema public, authenticated could/s,
    sql: `revoke maintain, references, trigger on table public.orders from ${ALL};
alter default privileges for role shop in schema public
revoke maintain, references, trigger on tables from authenticated;`,
  },
  'functions that run as their owner with the search path of callers': {
    setup: `set role shop;
      create function public.f() returns int language sql security definer as 'select 1'; reset role`,
    says: /Some routines run with the rights of an owner/,
    sql: 'alter routine public.f() set search_path = pg_catalog, extensions, pg_temp;',
  },
}

it.each(Object.entries(OPEN))(
  'is not for a database with %s, until that is mended',
  async (_, { setup, says, sql }) => {
    await shop.adopt()
    await shop.run(setup)
    const before = await shop.snapshot()
    const refused = await refusal()
    expect(refused).toMatch(says)
    expect(sqlIn(refused)).toBe(sql)
    expect(await shop.snapshot()).toEqual(before)
    await shop.run(sqlIn(refused))
    await shop.run('grant authenticated to shop with admin true').catch(() => {})
    expect(await shop.adoptSupabase()).toContain('made: authenticator may act as authenticated')
  },
)

/** Lines as pg_dump and Supabase's command line write them. */
const DUMP = String.raw`
\restrict token
SET session_replication_role = replica;
CREATE SCHEMA IF NOT EXISTS "public";
COMMENT ON SCHEMA public IS 'standard public schema';
CREATE EXTENSION IF NOT EXISTS "pg_graphql" WITH SCHEMA "graphql";
CREATE FUNCTION public.welcome() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public' AS $$
begin
  insert into public.profiles (id, token) values (new.id, extensions.uuid_generate_v4());
  return new;
end $$;
ALTER FUNCTION "public"."welcome"() OWNER TO "postgres";
CREATE TABLE IF NOT EXISTS "public"."profiles" (id uuid NOT NULL PRIMARY KEY, token text);
ALTER TABLE public.profiles OWNER TO postgres;
CREATE TABLE public.notes (id int PRIMARY KEY, user_id uuid, body text);
COPY public.notes (id, user_id, body) FROM stdin;
1	${OLD_ID}	a
2	${OLD_ID}	b
\.
ALTER TABLE ONLY public.notes ADD CONSTRAINT notes_user FOREIGN KEY (user_id) REFERENCES public.profiles(id);
ALTER TABLE ONLY public.profiles ADD CONSTRAINT people FOREIGN KEY (id) REFERENCES auth.users(id) ON DELETE CASCADE;
ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON public.notes TO authenticated USING ((auth.uid() = user_id));
CREATE PUBLICATION "supabase_realtime" WITH (publish = 'insert, update, delete, truncate');
ALTER PUBLICATION "supabase_realtime" OWNER TO "postgres";
ALTER PUBLICATION supabase_realtime ADD TABLE ONLY public.notes;
GRANT ALL ON SCHEMA public TO postgres;
GRANT USAGE ON SCHEMA "public" TO "authenticated";
GRANT ALL ON FUNCTION public.welcome() TO anon;
GRANT ALL ON FUNCTION public.welcome() TO supabase_auth_admin;
GRANT ALL ON TABLE public.notes TO anon;
GRANT ALL ON TABLE "public"."notes" TO "authenticated";
GRANT ALL ON TABLE public.notes TO service_role;
GRANT ALL ON TABLE public.notes TO "supabase_storage_admin";
ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT ALL ON TABLES TO anon;
\unrestrict token
`

it('loads a dump of Supabase as docs/adopt.md says, with the ids that people have now', async () => {
  await shop.adopt()
  await shop.adoptSupabase()
  const owner = await shop.connect('shop')
  await owner.query(`insert into auth.users (id, email) values ('${OLD_ID}', 'ada@example.com')`)
  const script = join(PROJECT_DIR, 'cli/adoption/supabase.sed')
  const dump = execFileSync('sed', ['-E', '-f', script], { input: DUMP, encoding: 'utf8' })
  expect(dump).toContain(`COPY public.notes (id, user_id, body) FROM stdin;\n1\t${OLD_ID}\ta\n`)
  // What psql does with rows, for a client that has no psql.
  const rows = `insert into public.profiles values ('${OLD_ID}');
    insert into public.notes values (1, '${OLD_ID}', 'a');`
  await owner.query(dump.replace(/^COPY .*?^\\\.$/ms, rows))
  const refused = await refusal()
  expect(sqlIn(refused)).toBe(
    'alter routine public.welcome() set search_path = pg_catalog, extensions, pg_temp;',
  )
  await owner.query(sqlIn(refused))
  expect((await shop.adoptSupabase()).filter(line => line.startsWith('made'))).toEqual([])

  await owner.query(`create trigger on_auth_user_created after insert on auth.users
    for each row execute function public.welcome();
    create policy files on storage.objects for insert to authenticated with check (owner_id = auth.uid()::text)`)
  const rest = (await owner.query(sqlOfPage('supabase-rest'))).rows.map(row => Object.values(row)[0])
  expect(rest).toEqual([
    expect.stringMatching(/^CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users .*;$/),
    expect.stringMatching(
      /^create policy files on storage.objects as PERMISSIVE for INSERT to authenticated with .*;$/,
    ),
  ])
  await owner.query(`drop trigger on_auth_user_created on auth.users; drop policy files on storage.objects`)
  for (const statement of rest) await owner.query(String(statement))

  const ids = sqlOfPage('supabase-ids').replace(
    /^\\copy .*$/m,
    `insert into moved values ('${OLD_ID}', '${NEW_ID}');`,
  )
  await owner.query(ids)
  const seen = await shop.connect('shop', 'authenticated')
  await seen.query(`select set_config('request.jwt.claims', '{"sub": "${NEW_ID}"}', false)`)
  expect((await seen.query('select id from public.notes')).rows).toEqual([{ id: 1 }])
  const keys = await shop.run(`select conname, confupdtype, confdeltype from pg_constraint
    where contype = 'f' and conrelid in ('public.notes'::regclass, 'public.profiles'::regclass) order by 1`)
  expect(keys).toEqual([
    { conname: 'notes_user', confupdtype: 'a', confdeltype: 'a' },
    { conname: 'people', confupdtype: 'a', confdeltype: 'c' },
  ])
  await owner.query(
    `create table public.drafts (id serial primary key); alter table public.drafts enable row level security`,
  )
  const grants = (await owner.query(sqlOfPage('supabase-grants'))).rows.map(({ statement }) => statement)
  expect(grants.toSorted()).toEqual([
    'grant select, insert, update, delete on drafts to anon, authenticated;',
    'grant select, insert, update, delete on notes to anon, authenticated;',
    'grant usage on sequence drafts_id_seq to anon, authenticated;',
  ])
  for (const statement of grants) await owner.query(statement)
})

it('is made in a cluster that a backup with it is restored in', async () => {
  await shop.adopt()
  const owner = await shop.connect('shop')
  const roles = ['authenticated', 'supabase_auth_admin'].map(name => ({ name, attributes: 'nologin' }))
  expect(
    await makeOwnRoles(owner, { owner: 'shop', roles } as unknown as Parameters<typeof makeOwnRoles>[1]),
  ).toEqual(['authenticated', 'supabase_auth_admin'])
  const [rights] = await shop.run(`select pg_has_role('authenticator', 'authenticated', 'set') as may_act,
    pg_has_role('authenticator', 'authenticated', 'usage') as inherits,
    pg_has_role('shop', 'supabase_auth_admin', 'set') as owns`)
  expect(rights).toEqual({ may_act: true, inherits: false, owns: true })
})
