// What SQL can do that somebody sends with a service_role key: everything with their own data, and nothing with the
// owner's rights. Each attack runs as `service_role`, the way /v1/sql runs it: the authenticator's connection with the
// role set. The tests have a database of their own, made by the same migrations, because some of them leave traps in it.

import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { runMigrations } from '../../local/migrations.ts'
import { waitUntil } from '../../local/wait.ts'
import { startGateway } from '../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../src/db/database.ts'
import { SqlWire } from '../../src/db/sql-wire.ts'

const INSUFFICIENT_PRIVILEGE = '42501'
const OWNER = 'quoin_owner'
const DATABASE = `roles_${randomBytes(6).toString('hex')}`

/** Attacks of one statement, each refused by Postgres for want of rights. */
const REFUSED: Readonly<Record<string, string>> = {
  // Becoming somebody else.
  'SET ROLE to the owner': `set role ${OWNER}`,
  'SET SESSION AUTHORIZATION to the owner': `set session authorization ${OWNER}`,
  'SET SESSION AUTHORIZATION to anon': 'set session authorization anon',
  "changing the owner's password": `alter role ${OWNER} password 'known'`,
  'making itself stronger': 'alter role service_role createrole',
  'making a role': 'create role helper',
  'granting itself the owner': `grant ${OWNER} to service_role`,
  'granting itself a predefined role': 'grant pg_read_server_files to service_role',
  'changing what the owner grants by default': `alter default privileges for role ${OWNER} grant all on tables to service_role`,
  "taking over the owner's objects": `reassign owned by ${OWNER} to service_role`,
  "dropping the owner's objects": `drop owned by ${OWNER}`,
  // Reading what is not the caller's.
  'reading the hashes of keys': 'select key_hash from quoin.api_keys',
  'reading projects': 'select * from quoin.projects',
  'locking the table of keys': 'do $$ begin lock table quoin.api_keys in access share mode; end $$',
  'copying the table of keys': 'copy quoin.api_keys to stdout',
  'a view on keys': 'create view public.peek as select * from quoin.api_keys; select * from public.peek',
  'a foreign key that would tell which key exists':
    'create table public.probe (id uuid references quoin.api_keys (id))',
  'reading which migrations ran': 'select * from public.pgmigrations',
  'pretending that a migration ran':
    "insert into public.pgmigrations (name, run_on) values ('0099_x', now())",
  'taking a number of the migrations': "select nextval('public.pgmigrations_id_seq')",
  'reading password hashes': 'select * from pg_authid',
  'reading all large objects': 'select * from pg_largeobject',
  'reading statistics of other tables': 'select * from pg_statistic',
  // Code that the owner would run.
  "a trigger on the owner's table":
    'create trigger trap before insert on public.owned for each row execute function public.trap()',
  "a constraint trigger on the owner's table":
    'create constraint trigger trap after insert on public.owned for each row execute function public.trap()',
  "a rule on the owner's table": 'create rule trap as on insert to public.owned do also select 1',
  "a policy on the owner's table": 'create policy trap on public.owned using (public.trap_condition())',
  "a check on the owner's table": 'alter table public.owned add check (public.trap_condition())',
  "a default on the owner's table": "alter table public.owned alter note set default 'x'",
  "an index on the owner's table": 'create index on public.owned (upper(note))',
  "statistics on the owner's table": 'create statistics public.trap on id, note from public.owned',
  "a child of the owner's table": 'create table public.child () inherits (public.owned)',
  "a partition of the owner's table": 'create table public.part partition of public.parted default',
  "a foreign key to the owner's table": 'create table public.ref (id bigint references public.owned)',
  "emptying the owner's table": 'truncate public.owned',
  "switching off the owner's policies": 'alter table public.owned disable row level security',
  "dropping the owner's table": 'drop table public.owned',
  "renaming the owner's table": 'alter table public.owned rename to other',
  "replacing the owner's function": 'create or replace function public.owned_function() returns int return 2',
  'replacing a helper of policies': "create or replace function quoin.uid() returns text return 'alice'",
  'anything in the schema quoin': 'create table quoin.trap ()',
  'anything in pg_catalog': 'create function pg_catalog.trap() returns int return 1',
  'a schema': 'create schema trap',
  "a cast between Postgres' own types": 'create cast (text as json) without function',
  'an operator class': 'create operator class public.trap default for type int using btree as operator 1 <',
  'an event trigger': 'create event trigger trap on ddl_command_end execute function public.trap_event()',
  'a publication of all tables': 'create publication trap for all tables',
  'a subscription':
    "create subscription trap connection 'host=127.0.0.1' publication p with (connect = false)",
  'a function in C': "create function public.trap_c() returns int language c as 'libc', 'system'",
  "a function of Postgres' insides":
    "create function public.trap_i() returns int language internal as 'pg_backend_pid'",
  'a procedural language': 'create language plperlu',
  'an extension': 'create extension pgcrypto',
  'a connection back as the owner (dblink)': 'create extension dblink',
  'a connection back as the owner (postgres_fdw)': 'create extension postgres_fdw',
  'a foreign-data wrapper': 'create foreign data wrapper trap',
  'switching triggers off': "set session_replication_role = 'replica'",
  // The machine below.
  'running a program': "copy (select 1) to program 'id'",
  'reading a program': "create temp table t (a text); copy t from program 'id'",
  'writing a file': "copy (select 1) to '/tmp/quoin-trap'",
  'reading a file with COPY': "create temp table f (a text); copy f from '/etc/passwd'",
  'reading a file': "select pg_read_file('/etc/passwd')",
  'reading a binary file': "select pg_read_binary_file('/etc/passwd')",
  'listing a folder': "select pg_ls_dir('/')",
  'listing the log': 'select pg_ls_logdir()',
  'a large object from a file': "select lo_import('/etc/passwd')",
  'a large object to a file': "select lo_export(lo_from_bytea(0, 'x'), '/tmp/quoin-trap')",
  'loading a library': "load '/tmp/trap.so'",
  'settings of the server': "alter system set log_statement = 'all'",
  'settings of the database': `alter database ${DATABASE} set search_path = public`,
  'settings of the owner': `alter role ${OWNER} set search_path = public`,
  'settings that log': "set log_statement = 'none'",
  'libraries to load at the next connection':
    "alter role service_role set session_preload_libraries = '/tmp/trap'",
  'reloading the configuration': 'select pg_reload_conf()',
  'a replication slot': "select pg_create_physical_replication_slot('trap')",
  'a logical replication slot': "select pg_create_logical_replication_slot('trap', 'pgoutput')",
  'reading changes of a slot': "select pg_logical_slot_get_changes('trap', null, null)",
  'a backup': "select pg_backup_start('trap')",
  'a database': 'create database trap',
  'a tablespace': "create tablespace trap location '/tmp'",
  'statistics of all': 'select pg_stat_reset()',
  'the control file': 'select pg_current_logfile()',
}

let owner: Client
/** Connections of the test under way. */
const clients: Client[] = []

async function connect(url: string): Promise<Client> {
  const target = new URL(url)
  target.pathname = `/${DATABASE}`
  const client = new Client({ connectionString: target.href })
  client.on('error', () => {})
  await client.connect()
  clients.push(client)
  return client
}

async function connectCaller(role: 'anon' | 'service_role'): Promise<Client> {
  const client = await connect(inject('stack').data_database_url)
  await client.query(`set role ${role}`)
  return client
}

function ownerUrl(): string {
  const url = new URL(inject('stack').database_url)
  url.pathname = `/${DATABASE}`
  return url.href
}

/** The SQLSTATE with which these statements fail; undefined when they do not. */
async function failureOf(client: Client, sql: string): Promise<string | undefined> {
  try {
    await client.query(sql)
    return undefined
  } catch (err) {
    return err instanceof Error && 'code' in err ? String(err.code) : String(err)
  }
}

beforeAll(async () => {
  const maker = new Client({ connectionString: inject('stack').database_url })
  await maker.connect()
  await maker.query(`create database ${DATABASE}`)
  await maker.end()
  await runMigrations(ownerUrl(), 'up', () => {})
  owner = await connect(inject('stack').database_url)
  clients.length = 0
  await owner.query(`
    create table public.owned (id bigint generated always as identity primary key, note text);
    alter table public.owned enable row level security;
    create table public.parted (id int) partition by list (id);
    create function public.owned_function() returns int return 1;
  `)
  const caller = await connectCaller('service_role')
  await caller.query(`
    create function public.trap() returns trigger language plpgsql as $$ begin raise 'trap'; end $$;
    create function public.trap_condition() returns boolean return true;
    create function public.trap_event() returns event_trigger language plpgsql as $$ begin raise 'trap'; end $$;
  `)
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
})

afterAll(async () => {
  await owner.end()
  const maker = new Client({ connectionString: inject('stack').database_url })
  await maker.connect()
  await maker.query(`drop database ${DATABASE} with (force)`)
  await maker.end()
})

describe('SQL as service_role is refused', () => {
  for (const [name, sql] of Object.entries(REFUSED)) {
    it(`${name}`, async () => {
      const caller = await connectCaller('service_role')
      expect(await failureOf(caller, sql)).toBe(INSUFFICIENT_PRIVILEGE)
    })
  }

  it("ending or cancelling the owner's sessions", async () => {
    const caller = await connectCaller('service_role')
    const { rows } = await owner.query('select pg_backend_pid() as pid')
    for (const verb of ['terminate', 'cancel']) {
      expect(await failureOf(caller, `select pg_${verb}_backend(${rows[0].pid})`)).toBe(
        INSUFFICIENT_PRIVILEGE,
      )
    }
  })

  it("a large object of the owner's", async () => {
    const { rows } = await owner.query("select lo_from_bytea(0, 'secret') as id")
    const caller = await connectCaller('service_role')
    expect(await failureOf(caller, `select lo_get(${rows[0].id})`)).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await failureOf(caller, `select lo_unlink(${rows[0].id})`)).toBe(INSUFFICIENT_PRIVILEGE)
  })

  it("what the owner's session is doing", async () => {
    await owner.query("select 'whisper'")
    const caller = await connectCaller('service_role')
    const { rows } = await caller.query(
      `select count(*)::int as seen from pg_stat_activity where usename = '${OWNER}' and query like '%whisper%'`,
    )
    expect(rows[0].seen).toBe(0)
  })
})

describe('RESET ROLE', () => {
  it('leads to a role that has nothing and can become nothing but what callers may be', async () => {
    const caller = await connectCaller('service_role')
    await caller.query('reset role')
    const { rows } = await caller.query('select current_user as name')
    expect(rows[0].name).toBe('authenticator')
    for (const sql of [
      'select * from public.owned',
      'select * from quoin.api_keys',
      'select quoin.uid()',
      'create table public.mine ()',
      `set role ${OWNER}`,
      'set role postgres',
      'alter role authenticator createrole',
      'alter role authenticator bypassrls',
      'grant anon to authenticator with admin true',
    ]) {
      expect([sql, await failureOf(caller, sql)]).toEqual([sql, INSUFFICIENT_PRIVILEGE])
    }
  })

  it('gives nothing either from inside a block, a function or the other role', async () => {
    const caller = await connectCaller('anon')
    const sql = "do $$ begin execute 'reset role'; perform count(*) from quoin.api_keys; end $$"
    expect(await failureOf(caller, sql)).toBe(INSUFFICIENT_PRIVILEGE)
  })
})

describe('what runs as the owner', () => {
  // A trap does its work unless the owner calls it, so that only the attack is noticed.
  const TRAPS = `
    create function public.trap_equal(a varchar, b varchar) returns boolean language plpgsql as $$
      begin
        if current_user = '${OWNER}' then raise 'trap: ran as the owner'; end if;
        return a::text = b::text;
      end $$;
    create operator public.= (leftarg = varchar, rightarg = varchar, function = public.trap_equal);
    create function public.trap_equal_identifier(a information_schema.sql_identifier, b information_schema.sql_identifier)
      returns boolean language plpgsql as $$
      begin
        if current_user = '${OWNER}' then raise 'trap: ran as the owner'; end if;
        return a::text = b::text;
      end $$;
    create operator public.= (leftarg = information_schema.sql_identifier,
      rightarg = information_schema.sql_identifier, function = public.trap_equal_identifier);
    create function public.set_config(text, varchar, boolean) returns text language plpgsql as $$
      begin raise 'trap: ran as %', current_user; end $$;
    create function public.now() returns timestamptz language plpgsql as $$
      begin raise 'trap: ran as %', current_user; end $$;
    create function public.json_agg(anyelement) returns json language plpgsql as $$
      begin raise 'trap: ran as %', current_user; end $$;
    create function public.length(varchar) returns int language plpgsql as $$
      begin raise 'trap: ran as %', current_user; end $$;
  `

  beforeAll(async () => {
    const caller = await connectCaller('service_role')
    await caller.query(TRAPS)
  })

  it('would step into these traps with `public` on its search path (so that the tests below can fail)', async () => {
    const sql = "select 1 from public.pgmigrations where name = 'x'::varchar"
    await expect(owner.query(sql)).rejects.toThrow('trap: ran as the owner')
    await expect(owner.query("select length('x'::varchar)")).rejects.toThrow('trap: ran as')
  })

  it("finds nothing of a caller's in Quoin's own queries", async () => {
    await using gateway = await openGateway()
    const platform = new PlatformDatabase(
      new SqlWire({ connectionString: ownerUrl(), gatewayUrl: gateway.url }),
    )
    const sql =
      'select name, length(name::varchar) as length, now() as at from quoin.projects where name = $1::varchar'
    expect(await platform.query(sql, ['default'])).toMatchObject([{ name: 'default', length: 7 }])
  })

  it("finds nothing of a caller's in the books of the migrations", async () => {
    expect(await runMigrations(ownerUrl(), 'up', () => {})).toEqual([])
    expect(await runMigrations(ownerUrl(), 'down', () => {})).toHaveLength(1)
    expect(await runMigrations(ownerUrl(), 'up', () => {})).toHaveLength(1)
  })

  it('is not what a SECURITY DEFINER function of a caller runs as', async () => {
    const caller = await connectCaller('service_role')
    await caller.query(`
      create function public.definer() returns text language plpgsql security definer as $$
        begin perform count(*) from quoin.api_keys; return current_user; end $$;
      create function public.whoami() returns text language sql security definer return current_user;
    `)
    expect(await failureOf(caller, 'select public.definer()')).toBe(INSUFFICIENT_PRIVILEGE)
    const { rows } = await caller.query('select public.whoami() as name')
    expect(rows[0].name).toBe('service_role')
  })
})

describe('the helpers of policies', () => {
  it('read the claims of the call, and nothing outside of one', async () => {
    const caller = await connectCaller('anon')
    const read = 'select quoin.claims() as claims, quoin.uid() as uid'
    expect((await caller.query(read)).rows[0]).toEqual({ claims: null, uid: null })
    await caller.query(`select set_config('request.jwt.claims', '{"sub":"alice","role":"anon"}', false)`)
    expect((await caller.query(read)).rows[0]).toEqual({
      claims: { sub: 'alice', role: 'anon' },
      uid: 'alice',
    })
    await caller.query(`select set_config('request.jwt.claims', '', false)`)
    expect((await caller.query(read)).rows[0]).toEqual({ claims: null, uid: null })
  })

  // A temporary schema or a schema put first on the path is where names of one's own would be found first.
  it('cannot be led astray by names that the session puts before those of Postgres', async () => {
    const caller = await connectCaller('service_role')
    await caller.query(`
      create function pg_temp.current_setting(text, boolean) returns text return '{"sub":"mallory"}';
      create function public.current_setting(text, boolean) returns text return '{"sub":"mallory"}';
      create function public.arrow(jsonb, text) returns text return 'mallory';
      create operator public.->> (leftarg = jsonb, rightarg = text, function = public.arrow);
      set search_path = public, pg_temp, pg_catalog;
      select pg_catalog.set_config('request.jwt.claims', '{"sub":"alice"}', false);
    `)
    const { rows } = await caller.query('select quoin.uid() as uid')
    expect(rows[0].uid).toBe('alice')
  })
})

describe('default privileges', () => {
  beforeAll(async () => {
    await owner.query(`
      create table public.later (id serial primary key);
      create function public.later_function() returns int return 1;
    `)
    const caller = await connectCaller('service_role')
    await caller.query(`
      create table public.callers_own (id int);
      create function public.callers_function() returns int return 1;
    `)
  })

  const privileges = async (role: string, table: string) => {
    const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']
    const { rows } = await owner.query(
      'select p from unnest($1::text[]) p where has_table_privilege($2, $3, p)',
      [all, role, table],
    )
    return rows.map(row => row.p)
  }

  it("give service_role the four verbs on the owner's new tables, and nothing that runs code", async () => {
    expect(await privileges('service_role', 'public.later')).toEqual(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
    expect(await privileges('service_role', 'public.pgmigrations')).toEqual([])
    const caller = await connectCaller('service_role')
    expect((await caller.query('insert into public.later default values returning id')).rows).toEqual([
      { id: 1 },
    ])
  })

  it('give anon nothing: neither tables nor functions, whoever made them', async () => {
    expect(await privileges('anon', 'public.later')).toEqual([])
    expect(await privileges('anon', 'public.callers_own')).toEqual([])
    const anon = await connectCaller('anon')
    for (const sql of [
      'select public.later_function()',
      'select public.callers_function()',
      'create table public.x ()',
    ]) {
      expect([sql, await failureOf(anon, sql)]).toEqual([sql, INSUFFICIENT_PRIVILEGE])
    }
    const caller = await connectCaller('service_role')
    expect((await caller.query('select public.later_function() as n')).rows).toEqual([{ n: 1 }])
  })

  it('let the owner manage what service_role made', async () => {
    await owner.query('alter table public.callers_own add column note text')
    await owner.query('grant select on public.callers_own to anon')
    expect(await privileges('anon', 'public.callers_own')).toEqual(['SELECT'])
  })
})

describe('migration 0001', () => {
  it('goes down and up again; tables that service_role made are then the owner’s', async () => {
    const caller = await connectCaller('service_role')
    await caller.query('create table public.kept (id int); insert into public.kept values (1)')
    // Temporary objects belong to sessions: those of the tests before are gone once their connections are.
    await waitUntil({ what: 'other sessions end', deadlineMs: 10_000 }, async () => {
      const { rows } = await owner.query(
        "select 1 from pg_stat_activity where datname = current_database() and usename = 'authenticator' and pid <> $1",
        [backendId(caller)],
      )
      return rows.length === 0 || undefined
    })
    const quiet = () => {}
    const { rows: before } = await owner.query('select count(*)::int as n from public.pgmigrations')
    for (let left = before[0].n; left > 0; left -= 1) await runMigrations(ownerUrl(), 'down', quiet)
    const { rows } = await owner.query(
      "select tableowner, to_regnamespace('quoin') as quoin, (select count(*)::int from public.kept) as n from pg_tables where tablename = 'kept'",
    )
    expect(rows).toEqual([{ tableowner: OWNER, quoin: null, n: 1 }])
    const { rows: left } = await owner.query(
      `select count(*)::int as n from pg_default_acl where defaclnamespace = 'public'::regnamespace
        or defaclrole in ('${OWNER}'::regrole, 'service_role'::regrole)`,
    )
    expect(left[0].n).toBe(0)
    expect(await runMigrations(ownerUrl(), 'up', quiet)).toHaveLength(before[0].n)
    expect((await caller.query('select count(*)::int as n from public.kept')).rows[0].n).toBe(1)
  })

  // A role of the same name that is stronger would hand its strength to every caller.
  for (const [attribute, role] of [
    ['createrole', 'service_role'],
    ['bypassrls', 'anon'],
    ['inherit', 'authenticator'],
  ]) {
    it(`refuses a role ${role} that exists with ${attribute}`, async () => {
      await expect(applyAfter(`alter role ${role} ${attribute}`)).rejects.toThrow(
        'other attributes than Quoin needs',
      )
    })
  }

  it('refuses an authenticator that is a member of anything else', async () => {
    await expect(applyAfter('grant pg_read_all_data to authenticator')).rejects.toThrow(
      'more than their own rights',
    )
  })
})

function backendId(client: Client): number {
  return 'processID' in client ? Number(client.processID) : 0
}

/** Runs the migration's statements after `sql` in a transaction of the superuser that is taken back. */
async function applyAfter(sql: string): Promise<void> {
  const url = inject('stack').superuser_url
  if (url === null) throw new Error('needs the local superuser')
  const superuser = await connect(url)
  const migration = createRequire(import.meta.url)('../../migrations/0001_create-roles-and-schema.cjs')
  const statements: string[] = []
  migration.up({ sql: (statement: string) => statements.push(statement) })
  try {
    await superuser.query('begin')
    await superuser.query(sql)
    for (const statement of statements) await superuser.query(statement)
  } finally {
    await superuser.query('rollback')
  }
}

async function openGateway() {
  const gateway = await startGateway({ databaseUrls: [ownerUrl()] })
  return { url: gateway.url, [Symbol.asyncDispose]: () => gateway.close() }
}
