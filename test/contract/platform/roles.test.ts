// What SQL can do that somebody sends with a service_role key: everything with their own data, and nothing with the
// owner's rights. Each attack runs as `service_role`, the way /v1/sql runs it: the authenticator's connection with
// the role set. The tests have a database of their own, made by the same migrations, because some of them leave traps
// in it.

import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { runMigrations } from '../../../cli/migrations.ts'
import { waitUntil } from '../../../cli/support/wait.ts'
import { startGateway } from '../../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { OWNER, refusedStatements } from './role-attacks.ts'

const INSUFFICIENT_PRIVILEGE = '42501'
const DATABASE = `roles_${randomBytes(6).toString('hex')}`

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
  await runMigrations(ownerUrl(), 'up', ['platform'], () => {})
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
  for (const [name, sql] of Object.entries(refusedStatements(DATABASE))) {
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
    create function public.trap_equal_identifier(
        a information_schema.sql_identifier, b information_schema.sql_identifier)
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
    const sql = "select 1 from quoin.platform_migrations where name = 'x'::varchar"
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
    const quiet = () => {}
    expect(await runMigrations(ownerUrl(), 'up', ['platform', 'user'], quiet)).toEqual([])
    expect(await runMigrations(ownerUrl(), 'down', ['user'], quiet)).toEqual([])
    expect(await runMigrations(ownerUrl(), 'down', ['platform'], quiet)).toHaveLength(1)
    expect(await runMigrations(ownerUrl(), 'up', ['platform'], quiet)).toHaveLength(1)
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
  it('is not taken back while callers own anything; goes down and up again after that', async () => {
    const caller = await connectCaller('service_role')
    await caller.query(`create table public.kept (id int); insert into public.kept values (1);
      do $$ begin for i in 1..20 loop execute 'create table public.kept_' || i || ' ()'; end loop; end $$`)
    // Temporary objects belong to sessions: those of the tests before are gone once their connections are.
    await waitUntil({ what: 'other sessions end', deadlineMs: 10_000 }, async () => {
      const { rows } = await owner.query(
        "select 1 from pg_stat_activity where datname = current_database() and usename = 'authenticator' and pid <> $1",
        [backendId(caller)],
      )
      return rows.length === 0 || undefined
    })
    const quiet = () => {}
    const { rows: before } = await owner.query('select count(*)::int as n from quoin.platform_migrations')
    const takeBack = () => runMigrations(ownerUrl(), 'down', ['platform'], quiet)
    for (let left = before[0].n; left > 1; left -= 1) await takeBack()
    const kept = async () => {
      const { rows } = await owner.query(
        'select tableowner, (select count(*)::int from public.kept) as n from pg_tables ' +
          "where tablename = 'kept'",
      )
      return rows
    }
    await expect(takeBack()).rejects.toThrow(
      /own in this database stands in the way .*\n(.+\n){20}and \d+ more\n/,
    )
    expect(await kept()).toEqual([{ tableowner: 'service_role', n: 1 }])
    expect((await caller.query('select quoin.uid() as uid')).rows).toEqual([{ uid: null }])
    // These tests wrote all of it: so they trust it, but for what would stand in the way of moving in again.
    await owner.query(`drop function public.definer, public.whoami;
      reassign owned by anon, service_role to ${OWNER}`)
    expect(await takeBack()).toEqual(['0001_create-roles-and-schema'])
    expect(await kept()).toEqual([{ tableowner: OWNER, n: 1 }])
    const { rows: remains } = await owner.query(
      `select pg_describe_object(classid, objid, 0) as what from pg_depend
       where refclassid = 'pg_namespace'::regclass and refobjid = 'quoin'::regnamespace order by 1`,
    )
    expect(remains.map(({ what }) => what)).toEqual([
      'sequence quoin.platform_migrations_id_seq',
      'table quoin.platform_migrations',
    ])
    const { rows: left } = await owner.query(
      `select count(*)::int as n from pg_default_acl where defaclnamespace = 'public'::regnamespace
        or defaclrole in ('${OWNER}'::regrole, 'service_role'::regrole)`,
    )
    expect(left[0].n).toBe(0)
    expect(await runMigrations(ownerUrl(), 'up', ['platform'], quiet)).toHaveLength(before[0].n)
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
  const migration = createRequire(import.meta.url)(
    '../../../migrations/platform/0001_create-roles-and-schema.cjs',
  )
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
