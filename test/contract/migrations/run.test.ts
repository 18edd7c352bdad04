// Runs of migrations, as the Worker and `npm run migrate` make them: what is applied, what is taken back, and what is
// said of a failure. Each test has a database of its own.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runResult } from '../../../src/features/migrations/run-result.ts'
import type { BatchResult } from '../../../src/features/migrations/runner/batch-runner.ts'
import {
  applyPending,
  changesBetween,
  type Files,
  failureOf,
  type MigrationDatabase,
  migrationDatabase,
  snapshot,
} from '../../support/migrations.ts'

let database: MigrationDatabase

beforeEach(async () => {
  database = await migrationDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

const apply = (files: Files) => applyPending(database, files)

const namesOf = (files: BatchResult['applied']) => files.map(file => file.name)

async function ask<Row>(sql: string): Promise<Row[]> {
  return (await database.owner.query(sql)).rows
}

describe('a run', () => {
  it('applies .sql and .cjs files in order and in one transaction, each with its hash', async () => {
    const files = {
      '0001_notes.sql': 'create table notes (id int primary key);',
      '0002_body.cjs': "exports.up = pgm => pgm.addColumn('notes', { body: { type: 'text' } })",
      '10_rows.sql': "insert into notes values (1, 'a'); insert into notes values (2, 'b')",
      '0003_asks.cjs': `exports.up = async pgm => {
        const [{ n }] = await pgm.db.select('select count(*)::int as n from notes')
        pgm.sql(\`comment on table notes is '\${n} rows'\`)
      }`,
      '0005_then.cjs': "exports.up = (pgm, run) => pgm.db.query('create table then_run ()').then(run)",
      '0004_later.cjs':
        "exports.up = (pgm, done) => setTimeout(() => { pgm.sql('create table later ()'); done() }, 1)",
    }
    const result = await apply(files)
    expect(result.failure).toBeNull()
    expect(namesOf(result.applied)).toEqual([
      '0001_notes.sql',
      '0002_body.cjs',
      '0003_asks.cjs',
      '0004_later.cjs',
      '0005_then.cjs',
      '10_rows.sql',
    ])
    expect(
      await ask('select count(distinct xmin::text)::int as transactions, count(*)::int from pgmigrations'),
    ).toEqual([{ transactions: 1, count: 6 }])
    const hashes = await ask<{ hash: string }>(
      `select hash from quoin.migration_hashes h
         join pgmigrations p on p.id = h.migration_id and p.name = h.name order by p.id`,
    )
    expect(hashes.map(row => row.hash)).toEqual(result.applied.map(file => file.hash))
    expect(
      await ask("select obj_description('notes'::regclass) as said, to_regclass('later') as later"),
    ).toEqual([{ said: '0 rows', later: 'later' }])
    expect(await apply(files)).toMatchObject({ applied: [], failure: null })
  })

  it.each([
    ['.sql', 'sql', (sql: string) => sql],
    ['.sql and .cjs', 'cjs', (sql: string) => `exports.up = pgm => pgm.sql(${JSON.stringify(sql)})`],
  ])(
    'of five %s files of which the fourth fails leaves the whole catalog as it was',
    async (_, ending, write) => {
      const before = await snapshot(database.owner)
      const failure = await failureOf(database, {
        '0001_tables.sql':
          "create schema app; create table app.a (id serial primary key, k text default 'x' check (k > ''))",
        [`0002_more.${ending}`]: write(
          "create type mood as enum ('ok'); create view v as select * from app.a",
        ),
        '0003_code.sql': `create function f() returns trigger language plpgsql as $$ begin return new; end $$;
        create trigger t before insert on app.a for each row execute function f();
        alter table app.a enable row level security; create policy p on app.a using (true);
        grant select on app.a to anon; alter default privileges in schema app grant select on tables to anon;
        comment on table app.a is 'all'; create role migrated_role; insert into app.a default values`,
        [`0004_fails.${ending}`]: write(
          "create table b (); insert into app.a (id, k) values (2, null), (3, ''); create table c ()",
        ),
        '0005_never.sql': 'create table never ()',
      })
      expect(changesBetween(before, await snapshot(database.owner))).toEqual([])
      expect(failure).toMatchObject({ file: `0004_fails.${ending}`, code: '23514' })
      expect(failure.statement).toBe("insert into app.a (id, k) values (2, null), (3, '')")
      expect(await ask("select 1 from pg_roles where rolname = 'migrated_role'")).toEqual([])
    },
  )

  it('commits before a file that asks for no transaction, runs it, and goes on behind it', async () => {
    const files = {
      '0001_notes.sql': 'create table notes (body text)',
      '0002_index.sql':
        '-- quoin:no-transaction\r\ncreate unique index concurrently notes_body on notes (body);\nselect 1',
      '0003_constraint.sql': 'alter table notes add constraint notes_body unique using index notes_body',
      '0004_index.cjs':
        "exports.up = pgm => { pgm.noTransaction(); pgm.sql('create index concurrently b on notes (body)') }",
      '0005_value.sql': "create type mood as enum ('sad')",
      '0006_value.sql': "-- quoin:no-transaction\nalter type mood add value 'ok'",
      '0007_used.sql': "create table moods (m mood default 'ok')",
    }
    const result = await apply(files)
    expect(result.failure).toBeNull()
    expect(namesOf(result.applied)).toEqual(Object.keys(files))
    expect(namesOf(result.outside)).toEqual(['0002_index.sql', '0004_index.cjs', '0006_value.sql'])
    expect(result.parts.map(part => namesOf(part.files))).toEqual([
      ['0001_notes.sql'],
      ['0002_index.sql'],
      ['0003_constraint.sql'],
      ['0004_index.cjs'],
      ['0005_value.sql'],
      ['0006_value.sql'],
      ['0007_used.sql'],
    ])
    expect(
      await ask("select count(*)::int from pg_index where indrelid = 'notes'::regclass and indisvalid"),
    ).toEqual([{ count: 2 }])
  })

  it('that fails outside of a transaction keeps what it did, and what is committed before it', async () => {
    const result = await apply({
      '0001_notes.sql': 'create table notes (body text)',
      '0002_index.sql':
        '-- quoin:no-transaction\ncreate table half (); create index concurrently i on notes (wrong)',
      '0003_index.sql': 'create table never ()',
    })
    expect(namesOf(result.applied)).toEqual(['0001_notes.sql'])
    expect(result).toMatchObject({
      isRolledBack: false,
      outside: [],
      failure: { code: '42703', place: { line: 2 } },
    })
    expect(runResult(result).summary).toBe(
      '0002_index.sql failed, outside of a transaction: what it had done stays, and an index may be invalid. ' +
        'Committed before it: 0001_notes.sql.',
    )
    expect(await ask("select to_regclass('half') as half, to_regclass('never') as never")).toEqual([
      { half: 'half', never: null },
    ])
  })

  it('that fails behind such a file takes back its own part alone, and says what is committed', async () => {
    const result = await apply({
      '0001_notes.sql': 'create table notes (body text)',
      '0002_index.sql': '-- quoin:no-transaction\ncreate index concurrently i on notes (body)',
      '0003_gone.sql': 'create table gone ()',
      '0004_wrong.sql': 'select wrong',
    })
    expect(runResult(result)).toMatchObject({
      ok: false,
      summary:
        '0004_wrong.sql failed: what ran with it was rolled back. ' +
        'Committed before it: 0001_notes.sql, 0002_index.sql.',
      applied: [{ name: '0001_notes.sql' }, { name: '0002_index.sql' }],
      outside_transaction: ['0002_index.sql'],
      parts: [{}, {}, { migrations: ['0003_gone.sql', '0004_wrong.sql'], in_transaction: true }],
      failed: { name: '0004_wrong.sql', code: '42703' },
    })
    expect(await ask("select to_regclass('gone') as gone, count(*)::int from pgmigrations")).toEqual([
      { gone: null, count: 2 },
    ])
  })

  it.each([
    [
      'a new value of an enum',
      "alter type mood add value 'ok'; select 'ok'::mood",
      '55P04',
      /no-transaction.*file behind/,
    ],
    [
      'a COMMIT in its code',
      'do $$ begin commit; end $$',
      '2D000',
      /begins with the line "-- quoin:no-transaction"/,
    ],
    [
      'triggers that wait for COMMIT',
      'create table p (id int primary key, p int references p deferrable initially deferred); ' +
        'insert into p values (1, 1); alter table p add c int',
      '55006',
      /set constraints all immediate/,
    ],
  ])('that needs a COMMIT for %s names the way out', async (_, sql, code, hint) => {
    await database.owner.query("create type mood as enum ('sad')")
    expect(await failureOf(database, { '0001_a.sql': sql })).toMatchObject({
      code,
      hint: expect.stringMatching(hint),
    })
  })

  // Postgres 16 and 17 would run them as the owner, 18 with the search path of the bookkeeping.
  it.each([
    ['at its end', "set role service_role; insert into theirs values ('end')"],
    [
      'before it gives the role back',
      "set local role service_role; insert into theirs values ('back'); reset role",
    ],
  ])('runs what a file has deferred under another role %s', async (_, sql) => {
    await database.owner.query(`
      create schema trap authorization service_role; grant usage on schema trap to public;
      set role service_role;
      create table trap.theirs (t text); create table trap.seen (who text, path text);
      create function trap.f() returns trigger language plpgsql as $$
        begin insert into trap.seen values (current_user, current_setting('search_path')); return null; end $$;
      create constraint trigger t after insert on trap.theirs deferrable initially deferred
        for each row execute function trap.f();
      reset role`)
    const files = { '0001_a.sql': sql.replace('theirs', 'trap.theirs'), '0002_b.sql': 'create table b ()' }
    expect(await apply(files)).toMatchObject({ failure: null })
    expect(await ask('select * from trap.seen')).toEqual([
      { who: 'service_role', path: expect.stringMatching(/^"public", /) },
    ])
  })

  it('leaves what the owner has deferred to COMMIT', async () => {
    const table =
      'create table tree (id int primary key, up int references tree deferrable initially deferred)'
    const files = {
      '0001_tree.sql': table,
      '0002_child.sql': 'insert into tree values (2, 1)',
      '0003_parent.sql': 'insert into tree values (1, null)',
    }
    expect(await apply(files)).toMatchObject({ failure: null })
  })

  it('gives each file the settings of a new connection, whatever the one before set', async () => {
    const { failure } = await apply({
      '0001_dump.sql':
        "select pg_catalog.set_config('search_path', '', false); set statement_timeout = 40; set role anon; " +
        'set check_function_bodies = off',
      '0002_asks.cjs':
        "exports.up = async pgm => { await pgm.db.query('select pg_sleep(0.05)'); pgm.createTable('notes', {}) }",
      '0003_local.sql': "set local role service_role; set local search_path = 'nowhere'",
    })
    expect(failure).toBeNull()
    expect(
      await ask("select tableowner = current_user as ours from pg_tables where tablename = 'notes'"),
    ).toEqual([{ ours: true }])
  })

  it('hands the shorthands of a file on to all behind it', async () => {
    const { failure } = await apply({
      '0001_id.cjs':
        "exports.shorthands = { key: { type: 'uuid', primaryKey: true } }; exports.up = () => {}",
      '0002_table.cjs': "exports.up = pgm => pgm.createTable('keyed', { id: 'key' })",
    })
    expect(failure).toBeNull()
    await apply({
      '0001_id.cjs':
        "exports.shorthands = { key: { type: 'uuid', primaryKey: true } }; exports.up = () => {}",
      '0003_table.cjs': "exports.up = pgm => pgm.createTable('other', { id: 'key' })",
    })
    expect(
      await ask(
        "select format_type(atttypid, null) from pg_attribute where attrelid = 'other'::regclass and attnum = 1",
      ),
    ).toEqual([{ format_type: 'uuid' }])
  })

  it('looks names up in public, and behind it where the deployment says', async () => {
    await database.owner.query("create schema extensions; create type extensions.code as enum ('a')")
    const files = { '0001_code.sql': 'create table coded (c code)' }
    expect((await failureOf(database, files)).code).toBe('42704')
    expect(await applyPending(database, files, { extraSearchPath: ['extensions'] })).toMatchObject({
      failure: null,
    })
    expect(await ask("select to_regclass('public.coded')::text as t")).toEqual([{ t: 'coded' }])
  })
})

describe('a file holds what psql takes', () => {
  it.each([
    ['dollar quotes', "do $a$ begin perform '$$;'; perform $b$;$b$; end $a$; create table made ()"],
    ['nested comments', '/* a /* ; */ ; */ create table made (); -- ;'],
    ["E'' strings", "create table made (t text default E'\\';'); comment on table made is 'a''; b'"],
    ['a byte order mark', '\uFEFFcreate table made ();'],
    ['a byte order mark before a comment', '\uFEFF-- first\ncreate table made ();'],
    ['CRLF', '-- a\r\ncreate table made (\r\n);\r\n'],
    ['quoted names', 'create table "a;b" (); create table made ("select;" int)'],
    [
      'BEGIN ATOMIC',
      'create function f() returns int begin atomic select 1; select 2; end; create table made ()',
    ],
    ['savepoints', 'create table made (); savepoint a; drop table made; rollback to a; release a'],
    ['nothing else', 'create table made ();;; ; '],
  ])('%s', async (_, sql) => {
    expect(await apply({ '0001_a.sql': sql })).toMatchObject({ failure: null })
    expect(await ask("select to_regclass('made')::text as made")).toEqual([{ made: 'made' }])
  })

  it('no statement at all', async () => {
    expect(
      await apply({ '0001_a.sql': '', '0002_b.sql': '-- later', '0003_c.cjs': 'exports.up = () => {}' }),
    ).toMatchObject({
      applied: [{}, {}, {}],
      failure: null,
    })
  })

  it('5 MB in 20 000 statements and in one', async () => {
    const words = 'x'.repeat(200)
    const many = Array.from({ length: 20_000 }, (_, id) => `insert into big values (${id}, '${words}');\n`)
    const one = Array.from({ length: 20_000 }, (_, id) => `(${-id - 1}, '${words}')`)
    const files = {
      '0001_big.sql': `create table big (id int, words text);\n${many.join('')}`,
      '0002_more.sql': `insert into big values ${one.join(',\n')}`,
    }
    expect(await apply(files)).toMatchObject({ failure: null })
    expect(await ask('select count(*)::int from big')).toEqual([{ count: 40_000 }])
  })
})
