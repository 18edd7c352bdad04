// What SQL sent to /v1/sql must never reach: secrets in `quoin`, the owner's rights, and the session of the next
// caller.

import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freshName, makeSqlCaller } from './caller.ts'

const { sql, transaction } = await makeSqlCaller()
const owner = new Client({ connectionString: inject('stack').database_url })
let ownerName: string

beforeAll(async () => {
  await owner.connect()
  ownerName = (await owner.query('select current_user::text as name')).rows[0].name
})
afterAll(() => owner.end())

describe('no way of changing the role reaches the keys', () => {
  const SECRET = 'select key_hash from quoin.api_keys'
  const inDo = (first: string) => `do $$ begin ${first}; perform count(*) from quoin.api_keys; end $$`

  test('the table with the secrets is there, and the owner can read it', async () => {
    expect((await owner.query('select count(*)::int as n from quoin.api_keys')).rows[0].n).toBeGreaterThan(0)
  })

  test.each([
    'select * from quoin.api_keys',
    'table quoin.projects',
    inDo('reset role'),
    inDo('set local role none'),
    inDo("perform set_config('role', 'none', true)"),
    inDo("perform set_config('role', session_user, true)"),
    "select set_config('role', 'none', false), count(*) from quoin.api_keys",
    'select query_to_xml($$select * from quoin.api_keys$$, true, true, $$$$)',
    "select pg_read_file('PG_VERSION')",
    'select * from pg_authid',
    "select lo_import('/etc/passwd')",
    "insert into quoin.api_keys (name) values ('x')",
    'create table quoin.mine (a int)',
    'create function quoin.uid2() returns text language sql return 1::text',
    'create or replace function quoin.uid() returns text language sql return 1::text',
  ])('%s', async text => {
    const { status, body } = await sql(text)
    expect(status).toBe(403)
    expect(body.code).toBe('42501')
  })

  test.each([
    'reset role',
    'set role none',
    'set local role none',
    'reset all',
    "select set_config('role', 'none', false)",
  ])('nor after %s in a transaction', async text => {
    const { body } = await transaction([text, 'select session_user::text as s', SECRET])
    expect(body).toMatchObject({ code: '42501' })
    expect(body.detail).toMatch(/^statements\[2\]/)
  })

  // It would take back the default privileges that keep later functions from anon.
  test.each(['drop owned by service_role', 'reassign owned by service_role to anon'])(
    '%s is refused and takes no default privilege away',
    async statement => {
      const defaults = 'select count(*)::int as n from pg_default_acl'
      const before = (await owner.query(defaults)).rows[0].n
      expect(before).toBeGreaterThan(0)
      const { status, body } = await sql(statement)
      expect([status, body.code]).toEqual([400, 'statement_not_allowed'])
      expect((await owner.query(defaults)).rows[0].n).toBe(before)
    },
  )

  test('the owner and every other role with more rights cannot be taken on', async () => {
    const { rows } = await owner.query(
      "select rolname from pg_roles where rolname not in ('anon', 'service_role', 'authenticator')",
    )
    expect(rows.length).toBeGreaterThan(1)
    for (const { rolname } of rows) {
      for (const first of [[], ['reset role']]) {
        const { body } = await transaction([...first, `set role "${rolname}"`])
        expect({ rolname, code: body.code }).toEqual({ rolname, code: '42501' })
      }
      const { body } = await sql("select set_config('session_authorization', $1, false)", [rolname])
      expect({ rolname, code: body.code }).toEqual({ rolname, code: '42501' })
    }
  })

  test('after RESET ROLE the caller is a role that owns nothing and may do nothing', async () => {
    const { body } = await transaction([
      'reset role',
      'select current_user::text as u, session_user::text as s',
    ])
    expect(body.results[1].rows).toEqual([{ u: 'authenticator', s: 'authenticator' }])
    const owned = await owner.query(
      "select count(*)::int as n from pg_class where relowner = 'authenticator'::regrole",
    )
    expect(owned.rows[0].n).toBe(0)
    for (const text of ['select * from todos', 'create table public.mine (a int)', 'create schema mine'])
      expect((await transaction(['reset role', text])).body.code).toBe('42501')
  })
})

// The attack: code of the caller that runs when the owner touches a table, and so runs as the owner.
describe("no code of the caller runs with the owner's rights", () => {
  const name = freshName('trap')
  const [table, secret] = [`public.${name}_t`, `${name}_secret`]
  beforeAll(async () => {
    await owner.query(`create table ${table} (id int, v text); create table quoin.${secret} (v text);
      insert into quoin.${secret} values ('hidden')`)
    await sql(`create function ${name}() returns trigger language plpgsql as $$ begin
      new.v := (select v from quoin.${secret}); return new; end $$`)
  })
  afterAll(async () => {
    await owner.query(`drop table ${table}; drop table quoin.${secret}`)
    await sql(`drop function ${name}`)
  })

  test.each([
    [
      'a trigger on a table of the owner',
      `create trigger t before insert on ${table} for each row execute function ${name}()`,
    ],
    ['a rule', `create rule r as on insert to ${table} do also select 1`],
    ['a policy', `create policy p on ${table} using (true)`],
    ['a default', `alter table ${table} alter column v set default 'x'`],
    ['a column with a check of the caller', `alter table ${table} add check (v is null)`],
    ['an index on an expression of the caller', `create index on ${table} (lower(v))`],
    ['a foreign key', `create table ${name}_fk (id int references ${table} (id))`],
    ['being its owner', `alter table ${table} owner to service_role`],
    ['truncating it', `truncate ${table}`],
    ['an event trigger', `create event trigger ${name} on ddl_command_start execute function ${name}()`],
    [
      'a function in pg_catalog',
      'create function pg_catalog.lower(text) returns text language sql return $1',
    ],
    ['a function that runs as the owner', `alter function ${name} owner to current_user`],
    [
      "replacing a function of the owner's",
      'create or replace function todo_stats() returns int language sql return 1',
    ],
    ['an extension that is not trusted', 'create extension file_fdw'],
    ['a language that is not trusted', 'create language plpython3u'],
    ['a C function', `create function ${name}_c() returns int language c as 'libc', 'getpid'`],
    ['a larger role', 'create role more superuser'],
    ['its own membership', 'grant quoin_owner to service_role'],
  ])('%s', async (_, text) => {
    const replaced = text
      .replace('quoin_owner', ownerName)
      .replace('owner to current_user', `owner to ${ownerName}`)
    const { status, body } = await sql(replaced)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(['42501', '42883', '42704', '58P01', '0A000', '42P13', '42830']).toContain(body.code)
  })

  // An overload in public is found before the one in pg_catalog only when public stands first in the search path.
  test("overloads of the caller are not what Quoin's own statements call", async () => {
    const overload = (
      set: string,
      value: string,
    ) => `create or replace function public.set_config(text, text, boolean)
      returns text language plpgsql as $$ begin ${set} return ${value}; end $$`
    await sql(overload("insert into todos (title) values ('overload ran');", "'x'"))
    const { body } = await sql('select current_user::text as u')
    await sql('select 1')
    const ran = await sql("select count(*)::int as n from todos where title = 'overload ran'")
    await sql('drop function public.set_config(text, text, boolean)')
    expect(body.rows).toEqual([{ u: 'service_role' }])
    expect(ran.body.rows).toEqual([{ n: 0 }])
  })

  test('a function of the caller that is SECURITY DEFINER runs as service_role, not more', async () => {
    const definer = freshName('definer')
    await sql(`create function ${definer}() returns text language plpgsql security definer as
      $$ begin return current_user::text; end $$`)
    expect((await sql(`select ${definer}() as u`)).body.rows).toEqual([{ u: 'service_role' }])
    await sql(`drop function ${definer}`)
  })
})

describe('what one call sets is gone for the next', () => {
  /** As many calls at once as the gateway has connections, so that every one of them is seen. */
  const everyConnection = async (text: string) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => sql(text)))
    return answers.map(({ body }) => body.rows)
  }

  test('settings', async () => {
    await sql("set application_name = 'left behind'")
    await sql("set search_path = 'nowhere'")
    await sql("select set_config('my.secret', 'left behind', false)")
    await sql("set datestyle = 'German'")
    await sql('set role anon')
    const rows = await everyConnection(
      "select current_setting('my.secret', true) as secret, current_setting('search_path') as path, " +
        'current_user::text as u, current_date::text as d',
    )
    for (const [row] of rows) {
      expect(row.secret ?? '').toBe('')
      expect(row.path).toBe('"public"')
      expect(row.u).toBe('service_role')
      expect(row.d).toMatch(/^\d{4}-/)
    }
  })

  test('temporary tables', async () => {
    await sql('create temp table left_behind as select 1 as a')
    for (const [row] of await everyConnection("select to_regclass('left_behind')::text as t"))
      expect(row.t).toBeNull()
  })

  // The attack: a temporary table in the place of a table that the next caller reads.
  test('a temporary table does not stand in for a real one in the next call', async () => {
    await sql('create temp table todos (id int)')
    for (const [row] of await everyConnection(
      "select 'todos'::regclass::oid::int as t, 'public.todos'::regclass::oid::int as p",
    ))
      expect(row.t).toBe(row.p)
  })

  test('advisory locks', async () => {
    const key = Math.floor(Math.random() * 2 ** 31)
    await sql('select pg_advisory_lock($1)', [key])
    const { rows } = await owner.query('select pg_try_advisory_lock($1) as free', [key])
    expect(rows).toEqual([{ free: true }])
    await owner.query('select pg_advisory_unlock($1)', [key])
  })

  test('cursors that outlive their transaction', async () => {
    await sql('declare left_behind cursor with hold for select 1')
    for (const [row] of await everyConnection(
      "select count(*)::int as n from pg_cursors where name = 'left_behind'",
    ))
      expect(row.n).toBe(0)
  })

  test('the values of sequences', async () => {
    const sequence = freshName('seq')
    await sql(`create sequence ${sequence}`)
    await sql(`select nextval('${sequence}')`)
    const answers = await Promise.all(Array.from({ length: 30 }, () => sql(`select currval('${sequence}')`)))
    for (const { body } of answers) expect(body.code).toBe('55000')
    await sql(`drop sequence ${sequence}`)
  })
})

describe('the session', () => {
  test('runs as the role of the key, with its request in reach of policies', async () => {
    const { body } = await sql(`select current_user::text as u, session_user::text as s,
      current_setting('request.jwt.claims')::json as claims, current_setting('request.method') as method,
      current_setting('request.path') as path`)
    expect(body.rows).toEqual([
      {
        u: 'service_role',
        s: 'authenticator',
        claims: { role: 'service_role' },
        method: 'POST',
        path: '/v1/sql',
      },
    ])
  })

  test('shows no credential among the headers', async () => {
    const { text } = await sql("select current_setting('request.headers') as headers")
    expect(text).not.toContain('svc_')
    expect(text).toContain('content-type')
  })
})
