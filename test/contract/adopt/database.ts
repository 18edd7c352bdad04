// A cluster of a test file's own with the database `shop`, which belongs to the role `shop`: roles belong to a whole
// cluster. Registers the hooks that make and drop it anew around each test.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { adoptSupabase } from '../../../cli/adoption/supabase.ts'
import { runMigrations } from '../../../cli/migrations.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { startPostgres, type TestPostgres } from '../../gateway/support.ts'

const PAGE = readFileSync(join(PROJECT_DIR, 'docs/adopt.md'), 'utf8')

/** How many of Quoin's own migrations there are behind the first. */
export const LATER_MIGRATIONS = readdirSync(join(PROJECT_DIR, 'migrations/platform')).length - 1

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface AdoptDatabase {
  /** Runs SQL as the superuser. */
  run(sql: string): Promise<unknown[]>
  /** A connection that ends with the test; after `set role`, where one is named. */
  connect(user: string, role?: string): Promise<Client>
  /** Applies Quoin's own migrations as the owner; answers their names. */
  adopt(owner?: string): Promise<string[]>
  /** Why `adopt` is refused; throws where it is not. */
  refusal(owner?: string): Promise<string>
  takeBack(): Promise<string[]>
  /** As `npm run adopt -- supabase`; answers what it says. */
  adoptSupabase(): Promise<string[]>
  /** The command, as one types it. */
  migrate(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
  /** Everything that moving in might change, as texts. */
  snapshot(): Promise<string[]>
}

export function useAdoptDatabase(): AdoptDatabase {
  let postgres: TestPostgres
  const clients: Client[] = []
  let admin: Client

  const urlOf = (user: string) => {
    const url = new URL(postgres.url(user))
    url.pathname = '/shop'
    return url.href
  }
  const connect = async (user: string, role?: string) => {
    const client = new Client({ connectionString: urlOf(user) })
    client.on('error', () => {})
    await client.connect()
    clients.push(client)
    if (role !== undefined) await client.query(`set role ${role}`)
    return client
  }

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.remove())

  beforeEach(async () => {
    await postgres.admin.query(`
      create role shop login createdb createrole bypassrls password 'SHOP'`)
    await postgres.admin.query('create database shop owner shop')
    admin = await connect('postgres')
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end()
    await postgres.admin.query('drop database shop with (force)')
    const { rows } = await postgres.admin.query(`
      select string_agg(quote_ident(rolname), ', ') as names from pg_roles
      where oid >= 16384 and rolname not in ('app', 'other', 'cleartext_user', 'md5_user')`)
    await postgres.admin.query(`drop owned by ${rows[0].names}; drop role ${rows[0].names}`)
  })

  const quiet = () => {}
  const adopt = (owner = 'shop') => runMigrations(urlOf(owner), 'up', ['platform'], quiet)
  return {
    run: async sql => (await admin.query(sql)).rows,
    connect,
    adopt,
    refusal: async owner => {
      const failure = await adopt(owner).catch((err: Error) => err)
      if (!(failure instanceof Error)) throw new Error('it was not refused')
      if (failure.name !== 'StackError') throw failure
      return failure.message
    },
    adoptSupabase: async () => {
      const said: string[] = []
      await adoptSupabase(urlOf('shop'), line => said.push(line))
      return said
    },
    takeBack: () => runMigrations(urlOf('shop'), 'down', ['platform'], quiet),
    migrate: (args = ['--platform'], env = {}) =>
      new Promise(done => {
        const program = join(PROJECT_DIR, 'cli/migrate.ts')
        const all = { ...process.env, DATABASE_URL: urlOf('shop'), ...env }
        const child = execFile(process.execPath, [program, ...args], { env: all }, (_, stdout, stderr) =>
          done({ code: child.exitCode, stdout, stderr }),
        )
      }),
    snapshot: async () => (await admin.query(SNAPSHOT)).rows.map(row => row.fact),
  }
}

const acl = (column: string) =>
  `coalesce((select string_agg(a::text, ' ' order by a::text) from unnest(${column}) a), '')`

const SNAPSHOT = `
  select 'schema ' || nspname || ' ' || nspowner::regrole || ' ' || ${acl('nspacl')} as fact
    from pg_namespace where nspname !~ '^pg_'
  union all select 'table ' || oid::regclass || ' ' || relowner::regrole || ' ' || ${acl('relacl')}
    from pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
  union all select 'routine ' || oid::regprocedure || ' ' || proowner::regrole || ' ' || ${acl('proacl')}
    from pg_proc where pronamespace::regnamespace::text !~ '^(pg_|information_schema)'
  union all select 'trigger ' || tgrelid::regclass || ' ' || tgname from pg_trigger where not tgisinternal
  union all select 'default ' || defaclrole::regrole || ' ' || defaclnamespace || defaclobjtype::text || ' ' || a
    from pg_default_acl, unnest(defaclacl) a
  union all select 'role ' || rolname || ' ' || to_jsonb(r)::text from pg_roles r
  union all select 'member ' || member::regrole || ' ' || roleid::regrole || ' ' || grantor::regrole || ' ' ||
    admin_option || inherit_option || set_option from pg_auth_members
  order by 1`

/** What is to be copied: the indented lines. */
export function sqlIn(text: string): string {
  return text
    .split('\n')
    .filter(line => line.startsWith('  '))
    .map(line => line.trim())
    .join('\n')
}

/** The SQL of docs/adopt.md that stands behind this mark, for the owner `shop`. */
export function sqlOfPage(mark: string): string {
  const found = new RegExp(`<!-- ${mark} -->\\n+ *\`\`\`sql\\n(.*?) *\`\`\``, 's').exec(PAGE)?.[1]
  if (found === undefined) throw new Error(`docs/adopt.md has no SQL for ${mark}`)
  return found
    .replaceAll(/\b(postgres|app_owner)\b/g, 'shop')
    .replaceAll(/^ +/gm, '')
    .trim()
}

/** As Supabase's own scripts make them; its owner of tables, `postgres`, is `shop` here. */
export const SUPABASE = `
  create role supabase_admin login superuser createdb createrole replication bypassrls password 'SUPABASE_ADMIN';
  set role supabase_admin;
  create role anon nologin noinherit;
  create role authenticated nologin noinherit;
  create role service_role nologin noinherit bypassrls;
  create role authenticator login noinherit password 'AUTHENTICATOR';
  grant anon, authenticated, service_role to authenticator;
  grant anon, authenticated, service_role to shop;
  create schema extensions;
  create schema auth;
  create table auth.users (id uuid primary key);
  create schema storage;
  create table storage.buckets (id text, name text, public boolean, file_size_limit bigint, allowed_mime_types text[]);
  create table storage.objects (id uuid primary key default gen_random_uuid(), bucket_id text, name text, owner uuid,
    owner_id text, user_metadata jsonb, created_at timestamptz);
  create function storage.foldername(name text) returns text[] return string_to_array(name, '/');
  grant select on storage.buckets, storage.objects to shop;
  grant usage on schema public, extensions, auth, storage to shop, anon, authenticated, service_role;
  do $do$
  declare
    maker text;
    kind text;
  begin
    foreach maker in array array['shop', 'supabase_admin'] loop
      foreach kind in array array['tables', 'routines', 'sequences'] loop
        execute format('alter default privileges for role %I in schema public grant all on %s
          to shop, anon, authenticated, service_role', maker, kind);
      end loop;
    end loop;
  end
  $do$;
  create table public.reports (id int);
  reset role;
  set role shop;
  create table public.orders (id bigint generated always as identity primary key, note text);
  insert into public.orders (note) values ('first');
  reset role;
`

/** Roles as Quoin would make them, by somebody else. */
export const CALLER_ROLES = `
  create role authenticator login noinherit password 'AUTHENTICATOR';
  create role anon nologin noinherit;
  create role service_role nologin noinherit bypassrls;
  grant anon, service_role to shop with admin true;
`
