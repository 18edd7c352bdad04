// `npm run adopt -- supabase`: what schemas and policies of Supabase name comes to a database that Quoin is in, and
// nothing that is there is replaced.

import { describe, expect, it } from 'vitest'
import { makeOwnRoles } from '../../../cli/backup/roles.ts'
import { upgradeProblems } from '../../../cli/upgrade/problems.ts'
import { sqlIn, useAdoptDatabase } from './database.ts'

const shop = useAdoptDatabase()

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
    sql: 'alter routine public.f() set search_path = pg_catalog, pg_temp;',
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
