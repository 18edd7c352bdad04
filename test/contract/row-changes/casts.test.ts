// What a user's code can do from inside the trigger. A cast to json runs there while a row becomes an image, with the
// rights of the writer: it must reach nothing that the writer could not, and never make the write fail.

import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase
let caller: Client

beforeAll(async () => {
  db = await openOutboxDatabase()
  caller = await db.connect('service_role')
})

afterAll(async () => {
  await db.end()
})

/** A watched table of service_role's with a column whose cast to json runs this PL/pgSQL, which ends with a RETURN. */
async function watchedWithCast(body: string): Promise<string> {
  const name = randomBytes(5).toString('hex')
  await caller.query(`
    create type public.mood_${name} as enum ('fine');
    create function public.cast_${name}(mood public.mood_${name}) returns json language plpgsql
      as $cast$ ${body} $cast$;
    create cast (public.mood_${name} as json) with function public.cast_${name}(public.mood_${name});
    create table public.t_${name} (id int primary key, mood public.mood_${name})`)
  await db.watch(`public.t_${name}`)
  return `public.t_${name}`
}

/** The row as the cast made it, or the error; the write itself has succeeded. */
async function outcomeOf(body: string): Promise<string | undefined> {
  const table = await watchedWithCast(body)
  await caller.query(`insert into ${table} values (1, 'fine')`)
  const [chunk, ...others] = await db.chunks(table)
  expect(others).toEqual([])
  const [change] = chunk?.changes ?? []
  expect(change?.key).toBe('["1"]')
  return change?.error ?? change?.row ?? undefined
}

describe("a user's cast to json", () => {
  it('runs in the trigger (so that the tests below can fail), as the writer', async () => {
    const row = await outcomeOf('begin return to_json(current_user::text); end')
    expect(JSON.parse(row ?? '')).toEqual({ id: 1, mood: 'service_role' })
  })

  // Each of these would be a way from a service_role key to what belongs to the platform.
  const attacks = {
    'reads the hashes of API keys': 'select to_json(max(key_hash)) from quoin.api_keys',
    "reads webhooks' secrets": 'select to_json(max(secret_encrypted)) from quoin.webhooks',
    'reads the outbox': 'select to_json(count(*)) from quoin.row_events',
    'reads the audit log': 'select to_json(count(*)) from quoin.audit_logs',
    'becomes the owner': "select to_json(set_config('role', 'quoin_owner', false))",
    'becomes the outbox': "select to_json(set_config('role', 'quoin_outbox', true))",
    'switches triggers off': "select to_json(set_config('session_replication_role', 'replica', false))",
    'watches a table by itself':
      "select to_json(quoin.watch_table('quoin.api_keys'::regclass, '{INSERT}')::text)",
    'connects elsewhere': "select to_json(public.dblink('dbname=quoin', 'select 1'))",
  }
  for (const [name, sql] of Object.entries(attacks)) {
    it(`fails when it ${name}, and the write succeeds`, async () => {
      const error = await outcomeOf(`begin return (${sql}); end`)
      expect(error).toMatch(/permission denied|security-definer|does not exist/)
    })
  }

  it('leaves a transaction that writes as it was', async () => {
    const table = await watchedWithCast("begin return '1'; end")
    await caller.query('begin')
    for (let id = 1; id <= 3; id++)
      await caller.query(`insert into ${table} values (${id}, 'fine'), (${-id}, 'fine')`)
    await caller.query('savepoint s')
    await caller.query(`update ${table} set mood = mood where id = 1`)
    await caller.query('rollback to s')
    await caller.query(`delete from ${table} where id = 1`)
    await caller.query('commit')
    expect((await db.chunks(table)).map(({ event, change_count }) => [event, change_count])).toEqual([
      ['INSERT', 2],
      ['INSERT', 2],
      ['INSERT', 2],
      ['DELETE', 1],
    ])
  })

  it('that finds no row of its own hides none of ours', async () => {
    const table = await watchedWithCast(
      "declare found_mood text; begin select 'x' into strict found_mood from pg_class where false; return '1'; end",
    )
    await caller.query(`insert into ${table} values (1, 'fine')`)
    await caller.query(`insert into ${table} values (2, 'fine'), (3, null)`)
    expect((await db.changes(table)).map(({ key, error }) => [key, error])).toEqual([
      ['["1"]', 'query returned no rows'],
      ['["2"]', 'query returned no rows'],
      ['["3"]', null],
    ])
  })

  it('writes no event of its own', async () => {
    const forge = `insert into quoin.row_events (table_id, table_schema, table_name, event, change_count, rows)
      values (1, 'public', 'forged', 'INSERT', 1, '{null}')`
    expect(await outcomeOf(`begin ${forge}; return '1'; end`)).toMatch('permission denied')
    const { rows } = await db.owner.query("select 1 from quoin.row_events where table_name = 'forged'")
    expect(rows).toEqual([])
  })

  /** What PL/pgSQL and SQL would find in the writer's own schemas, were a name of ours not qualified. */
  it.each(['public', 'pg_temp'])(
    'gains nothing by types in %s that are called like those of Postgres',
    async schema => {
      const plain = await db.watched('id int primary key, name text')
      const other = await db.watched('id int primary key, tags text[]')
      const writer = await db.connect('owner')
      await writer.query(`
      set timezone = 'UTC';
      create function ${schema}.spy(pg_catalog.text) returns pg_catalog.bool language plpgsql as $$
        begin raise 'trap: ran as %', current_user; end $$;
      create table ${schema}.record (a pg_catalog.int4)`)
      for (const type of ['text', 'bool', 'int4', 'int8', 'oid', 'json', 'regclass', 'varchar'])
        await writer.query(
          `create domain ${schema}.${type} as pg_catalog.${type} check (${schema}.spy(value::pg_catalog.text))`,
        )
      await writer.query(`set search_path = ${schema}, pg_catalog`)
      for (const table of [plain, other]) {
        await writer.query(`insert into ${table} values (1, null)`)
        await writer.query(`update ${table} set id = 2`)
        await writer.query(`delete from ${table}`)
        await writer.query(`insert into ${table} values (3, null), (4, null)`)
      }
      for (const table of [plain, other])
        expect((await db.changes(table)).map(({ error }) => error)).toEqual([null, null, null, null, null])
      await db.owner.query(
        schema === 'public' ? `drop function public.spy(text) cascade; drop table public.record` : 'select 1',
      )
    },
  )

  it('gains nothing by operators and functions that it puts before those of Postgres', async () => {
    await caller.query(`
      create function public.spy() returns void language plpgsql as $$
        begin
          if current_user <> 'service_role' then raise 'trap: ran as %', current_user; end if;
        end $$;
      create function public.spy_eq(a text, b text) returns boolean language plpgsql as $$
        begin perform public.spy(); return a operator(pg_catalog.=) b; end $$;
      create function public.spy_cat(a text, b text) returns text language plpgsql as $$
        begin perform public.spy(); return a operator(pg_catalog.||) b; end $$;
      create function public.spy_div(a bigint, b int) returns bigint language plpgsql as $$
        begin perform public.spy(); return a operator(pg_catalog./) b; end $$;
      create function public.spy_minus(a int, b int) returns int language plpgsql as $$
        begin perform public.spy(); return 2000000000; end $$;
      create function public.array_append(json[], json) returns json[] language plpgsql as $$
        begin raise 'trap: array_append'; end $$;
      create function public.row_to_json(record) returns json language plpgsql as $$
        begin return '{"forged":true}'; end $$;
      grant execute on function public.spy, public.spy_eq, public.spy_cat, public.spy_div, public.spy_minus,
        public.array_append, public.row_to_json to public;
      create operator public.- (leftarg = int, rightarg = int, function = public.spy_minus);
      create operator public.= (leftarg = text, rightarg = text, function = public.spy_eq);
      create operator public.|| (leftarg = text, rightarg = text, function = public.spy_cat);
      create operator public./ (leftarg = bigint, rightarg = int, function = public.spy_div)`)
    const table = await watchedWithCast(
      "begin perform set_config('search_path', 'public, pg_catalog', false); return '1'; end",
    )
    for (const sql of [
      `insert into ${table} values (1, 'fine')`,
      `insert into ${table} select i, 'fine' from generate_series(2, 2500) i`,
      `update ${table} set mood = mood`,
      `delete from ${table}`,
    ])
      await caller.query(sql)
    const plain = await db.watched('id int primary key, name text')
    const writer = await db.connect('owner')
    await writer.query("set timezone = 'UTC'; set search_path = public, pg_catalog")
    await writer.query(`insert into ${plain} values (1, 'a')`)
    await writer.query(`update ${plain} set id = 2, name = 'b'`)
    await writer.query(`delete from ${plain}`)
    expect((await db.changes(plain)).map(({ key, row }) => [key, row])).toEqual([
      ['["1"]', '{"id":1,"name":"a"}'],
      ['["2"]', '{"id":2,"name":"b"}'],
      ['["2"]', '{"id":2,"name":"b"}'],
    ])
    const changes = await db.changes(table)
    expect(changes).toHaveLength(7500)
    expect(changes.filter(change => change.error !== null)).toEqual([])
  })

  it('that fails for one row of many costs that one its image, and no other', async () => {
    const table = await watchedWithCast(
      "begin if random() < 0 then return '1'; end if; raise exception 'no image today'; end",
    )
    await caller.query(`insert into ${table} values (1, null), (2, 'fine'), (3, null)`)
    await caller.query(`update ${table} set id = id + 10 where id = 2`)
    const [unmade, inserted] = [
      { row: null, error: 'no image today' },
      { event: 'INSERT', old_key: null, old_row: null },
    ]
    expect(await db.changes(table)).toEqual([
      { ...inserted, key: '["1"]', row: '{"id":1,"mood":null}', error: null },
      { ...inserted, key: '["2"]', ...unmade },
      { ...inserted, key: '["3"]', row: '{"id":3,"mood":null}', error: null },
      { event: 'UPDATE', key: '["12"]', old_key: '["2"]', old_row: null, ...unmade },
    ])
  })

  it('that fails an assertion does not fail the write', async () => {
    const table = await watchedWithCast("begin assert false, 'never'; return '1'; end")
    await caller.query(`insert into ${table} values (1, 'fine')`)
    await caller.query(`insert into ${table} values (2, 'fine'), (3, null)`)
    expect((await db.changes(table)).map(({ key, error }) => [key, error])).toEqual([
      ['["1"]', 'never'],
      ['["2"]', 'never'],
      ['["3"]', null],
    ])
  })

  it('that answers what is no JSON text, or null, does not spoil the others', async () => {
    const table = await watchedWithCast('begin return null; end')
    await caller.query(`insert into ${table} values (1, 'fine')`)
    expect(await db.changes(table)).toHaveLength(1)
  })
})

describe("a user's cast to text", () => {
  it('never runs, also when a key became of its type after the table was watched', async () => {
    const table = await db.watched('id int primary key, n int')
    const name = table.replace('public.t_', '')
    await db.owner.query(`alter table ${table} owner to service_role`)
    await caller.query(`
      create type public.key_${name} as enum ('a', 'b');
      create function public.text_${name}(key public.key_${name}) returns text language plpgsql as
        $$ begin return 'ran as ' || current_user; end $$;
      grant execute on function public.text_${name} to public;
      create cast (public.key_${name} as text) with function public.text_${name}(public.key_${name});
      alter table ${table} alter column id type public.key_${name} using 'a'`)
    await caller.query(`insert into ${table} values ('b', 1)`)
    await caller.query(`update ${table} set n = 2`)
    await db.watch(table)
    await caller.query(`update ${table} set n = 3`)
    expect((await db.changes(table)).map(({ key }) => key)).toEqual(['["b"]', '["b"]', '["b"]'])
  })
})

describe('a row that cannot be an image', () => {
  it('for its size is recorded with its key and the reason, and costs others beside it nothing', async () => {
    const table = await db.watched('id int primary key, data text')
    await db.owner.query(`insert into ${table} select 1, repeat('x', 68 * 1024 * 1024)`)
    await db.owner.query(
      `insert into ${table} select i, repeat('y', case i when 3 then 68 * 1024 * 1024 else 1 end) ` +
        'from generate_series(2, 4) i',
    )
    const changes = await db.changes(table)
    expect(changes.map(({ key, row }) => [key, row])).toEqual([
      ['["1"]', null],
      ['["2"]', '{"id":2,"data":"y"}'],
      ['["3"]', null],
      ['["4"]', '{"id":4,"data":"y"}'],
    ])
    const [first, second, third, fourth] = changes.map(({ error }) => error)
    expect([second, fourth]).toEqual([null, null])
    for (const error of [first, third]) expect(error).toMatch('larger than')
  })
})

describe('the role of the outbox', () => {
  it('may log in nowhere, and service_role may not use what it uses', async () => {
    for (const sql of [
      'set role quoin_outbox',
      'insert into quoin.row_events default values',
      'select quoin.changes_json(null)',
      'select * from quoin.listener_state',
      "select quoin.apply_watch('public.pgmigrations'::regclass)",
    ])
      await expect(caller.query(sql)).rejects.toThrow(/permission denied|does not exist/)
  })

  it('holds exactly the rights that it needs', async () => {
    const { rows } = await db.owner.query(`
      select c.relname as name, a.privilege_type as right
      from pg_class c cross join aclexplode(c.relacl) a where a.grantee = 'quoin_outbox'::regrole
      union all select c.relname || '.' || t.attname, a.privilege_type
      from pg_attribute t join pg_class c on c.oid = t.attrelid cross join aclexplode(t.attacl) a
      where a.grantee = 'quoin_outbox'::regrole order by 1`)
    expect(rows).toEqual([
      { name: 'listener_state', right: 'SELECT' },
      { name: 'row_events', right: 'INSERT' },
      { name: 'watches', right: 'SELECT' },
    ])
  })

  it('may add nothing to the schema whose functions the owner runs', async () => {
    const { rows } = await db.owner.query(
      "select has_schema_privilege('quoin_outbox', 'quoin', 'create') as may_create",
    )
    expect(rows).toEqual([{ may_create: false }])
  })

  it('owns the only function that SQL can call for more rights; triggers of files are not called', async () => {
    const { rows } = await db.owner.query(`
      select p.proname as name, p.proowner::regrole::text as owner, p.prosecdef as is_definer
      from pg_proc p where p.pronamespace = 'quoin'::regnamespace
        and (p.prosecdef or has_function_privilege('public', p.oid, 'execute')) order by 1`)
    const trigger = { owner: 'quoin_storage', is_definer: true }
    expect(rows).toEqual([
      { name: 'append_chunk', owner: 'quoin_outbox', is_definer: true },
      { name: 'key_of', owner: expect.any(String), is_definer: false },
      { name: 'note_lost_versions', ...trigger },
      { name: 'record_changes', owner: expect.any(String), is_definer: false },
      { name: 'take_version', ...trigger },
      { name: 'use_claim', ...trigger },
    ])
  })
})
