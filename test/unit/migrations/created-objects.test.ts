// What a migration creates, told from its text alone: names, schemas, signatures, and what is no finding.

import { describe, expect, it } from 'vitest'
import {
  type MigrationCreations,
  OBJECTS_MAX,
  readCreations,
  WORK_MAX,
} from '../../../src/features/migrations/detect-schema/read-creations.ts'
import { STATEMENT_TOKENS_MAX } from '../../../src/features/migrations/statement-size.ts'
import { StatementReader } from '../../../src/features/sql/statement.ts'
import { Turns, WORK_PER_TURN } from '../../../src/lib/turns.ts'
import { boundedWasm, loadNodeParser } from '../sql/node-parser.ts'

const parser = new StatementReader(() => loadNodeParser(boundedWasm))

const read = (sql: string): Promise<MigrationCreations> => readCreations(parser, sql, ['public'])
const shown = async (sql: string) => (await read(sql)).objects.map(({ type, label }) => `${type} ${label}`)
const failure = (sql: string) => read(sql).then(String, (err: unknown) => err)

describe('what a migration creates', () => {
  it.each<[string, string[]]>([
    ['create table notes (id int)', ['table notes']],
    ['create table if not exists app.notes ()', ['table app.notes']],
    ['CREATE UNLOGGED TABLE Notes ()', ['table notes']],
    ['create table "Notes" ()', ['table "Notes"']],
    ['create table "a.b"."c""d" ()', ['table "a.b"."c""d"']],
    ['create table größe ()', ['table größe']],
    ['create table "🦊" ()', ['table 🦊']],
    ['create table part partition of whole for values in (1)', ['table part']],
    ['create table t as select 1 as a', ['table t']],
    ['create table t as execute prepared', ['table t']],
    ['select 1 as a into app.t', ['table app.t']],
    ['with x as (select 1) select * into t from x union select 2', ['table t']],
    ['create unique index concurrently if not exists i on t (lower(a))', ['index i']],
    ['create index on app.t (a, b) include (c)', ['index t_a_b_c_idx']],
    ['create function f(int) returns int language sql as $$ select 1; select 2 $$', ['function f']],
    ['create or replace function app.f() returns int begin atomic select 1; end', ['function app.f']],
    ['create procedure p(a int) language sql as $$$$', ['function p']],
    ["create type mood as enum ('sad')", ['type mood']],
    ['create type app.pair as (a int, b int)', ['type app.pair']],
    ['create type span as range (subtype = int4)', ['type span']],
    ['create type shell', ['type shell']],
    ['create domain app.email as text', ['type app.email']],
    ['create schema app create table t () create index i on t (a)', ['table t', 'index i']],
    ['create table a (); create table b (); create table if not exists a ()', ['table a', 'table b']],
  ])('%s', async (sql, expected) => {
    expect(await shown(sql)).toEqual(expected)
  })

  it.each([
    'create view v as select 1',
    'create materialized view v as select 1',
    'create foreign table t () server s',
    'create schema app',
    'create sequence s',
    'create aggregate a(int) (sfunc = int4pl, stype = int)',
    'create extension citext',
    'create temporary table t ()',
    'create table pg_temp.t ()',
    'select 1 as a into temp t',
    'create temp table t (); create index i on t (a)',
    'set search_path = pg_temp; create table t ()',
    'alter table t add column a int',
    'select 1',
    "do $$ begin create table t (); end $$; comment on table t is 'create table x ()'",
  ])('%s: nothing that is looked for', async sql => {
    expect(await read(sql)).toMatchObject({ objects: [], untold: [] })
  })

  it('has the name that Postgres stores, cut at 63 bytes between characters', async () => {
    expect(await shown(`create table ${'a'.repeat(70)} ()`)).toEqual([`table ${'a'.repeat(63)}`])
    expect(await shown(`create table "${'é'.repeat(40)}" ()`)).toEqual([`table ${'é'.repeat(31)}`])
  })

  it('is looked for in the schema where the migration would create it', async () => {
    const sql = `create table a ();
      set search_path to app, "Other", public;
      create table b ();
      create type public.c as enum ();
      set local search_path = "$user", '';
      create table d ();
      reset search_path;
      create table e ();
      create schema own create table f ();
      create schema authorization joe create table g ();
      create table h ()`
    const { objects } = await read(sql)
    expect(objects.map(object => ('schema' in object ? object.schema : ''))).toEqual([
      'public',
      'app',
      'public',
      '',
      'public',
      'own',
      'joe',
      'public',
    ])
  })

  it('is an index of its table, which is looked for along the search path', async () => {
    const { objects } = await read('create index i on t (a); create index j on app.t (a)')
    expect(objects).toMatchObject([
      { table: { schemas: ['public'], name: 't' } },
      { table: { schemas: ['app'], name: 't' } },
    ])
  })

  it('is a function of the arguments that are passed, in the types that are meant', async () => {
    const sql = `create function f(a int, inout b app.mood[][], out c text, variadic d varchar(3) array default null)
      language sql as ''`
    const { objects } = await read(sql)
    expect(objects[0]).toMatchObject({
      args: [
        { schemas: ['pg_catalog'], name: 'int4', isArray: false },
        { schemas: ['app'], name: 'mood', isArray: true },
        { schemas: ['pg_catalog'], name: 'varchar', isArray: true },
      ],
    })
    const table = await read('create function f(citext) returns table (a int) language sql as $$$$')
    expect(table.objects[0]).toMatchObject({
      args: [{ schemas: ['pg_catalog', 'public'], name: 'citext', isArray: false }],
    })
  })

  it('is created in the first schema of the search path, and its types are looked for in all', async () => {
    const sql = 'create table t (); create function f(citext) returns int return 1'
    const { objects } = await readCreations(parser, sql, ['public', 'extensions'])
    expect(objects).toMatchObject([
      { schema: 'public' },
      { schema: 'public', args: [{ schemas: ['pg_catalog', 'public', 'extensions'] }] },
    ])
  })

  it('keeps overloads apart', async () => {
    const sql = 'create function f(int) returns int return 1; create function f(text) returns int return 1'
    expect(await shown(sql)).toEqual(['function f', 'function f'])
  })
})

describe('what cannot be told is said, with its line', () => {
  it.each([
    ['create index on t (lower(a))', 'an index without a name, for which Postgres chooses one'],
    ['create index on t (a, a)', 'an index without a name, for which Postgres chooses one'],
    [`create index on ${'t'.repeat(60)} (a)`, 'an index without a name, for which Postgres chooses one'],
    ['create function f(t.a%type) returns int return 1', 'f, which has an argument of %TYPE'],
    ['create schema authorization current_user create table t ()', 'what is in a schema without a name'],
    ['\\i other.sql', 'a command of psql'],
    [`create table t (a int default 1${'+1'.repeat(200_000)})`, 'too large to be read'],
    [`create view v as select '${'x'.repeat(1024 * 1024)}'`, 'too large to be read'],
  ])('%#: %s', async (sql, reason) => {
    expect(await read(`-- first line\n\n  ${sql}`)).toMatchObject({
      objects: [],
      untold: [{ line: 3, reason }],
    })
  })

  it('but rows that are too large to be read create nothing', async () => {
    const sql = `insert into t values ${"(1,'abcdefgh'),".repeat(100_000)}(1,'')`
    expect(await read(`create table t ();\n${sql};`)).toMatchObject({ untold: [], others: 1 })
  })
})

describe('the text', () => {
  it.each(['', ' \n', '-- only\n/* comments */', ';;', '\uFEFF', '\uFEFF-- comment'])(
    '%j holds no statement',
    async sql => {
      expect(await read(sql)).toEqual({ objects: [], untold: [], others: 0 })
    },
  )

  it('may have a byte order mark, CRLF, and rows of COPY, which are no SQL', async () => {
    const sql =
      '\uFEFFcreate table a ();\r\ncopy a from stdin;\r\ncreate table x ();\r\n\\.\r\ncreate table b ();\r\n'
    const { objects, untold, others } = await read(sql)
    expect(objects.map(({ label }) => label)).toEqual(['a', 'b'])
    expect({ untold, others }).toEqual({ untold: [], others: 1 })
  })

  it.each<[string, string, string]>([
    [
      'create table a ();\ncreate tabel b ();',
      'syntax error at or near "tabel"',
      'Line 2, column 8. Position 27',
    ],
    [
      "select '🦊';\r\nselect ü from from",
      'syntax error at or near "from"',
      'Line 2, column 15. Position 28',
    ],
    ['\uFEFFcreat table b ()', 'syntax error at or near "creat"', 'Line 1, column 1. Position 1'],
    ['select 1;\nselect (1', 'syntax error at end of input', 'Line 2, column 10. Position 20'],
    ["select 1;\n select 'open", 'unterminated quoted string at or near', 'Line 2, column 9. Position 19'],
  ])('%j is refused with the words of Postgres and the place', async (sql, words, place) => {
    const err = await failure(sql)
    expect(err).toMatchObject({ code: 'invalid_sql' })
    expect(String(err)).toContain(words)
    expect((err as { detail: string }).detail).toContain(`${place}, SQLSTATE 42601`)
  })

  it('may create as many objects as are said, and no more', async () => {
    const tables = (count: number) =>
      Array.from({ length: count }, (_, i) => `create table t${i} ();`).join('\n')
    expect((await read(tables(OBJECTS_MAX))).objects).toHaveLength(OBJECTS_MAX)
    expect(await failure(tables(OBJECTS_MAX + 1))).toMatchObject({ code: 'payload_too_large' })
  })

  it('may hold any number of rows: INSERTs are not read', async () => {
    const { others } = await read('insert into t values (1, 2);\n'.repeat(100_000))
    expect(others).toBe(100_000)
  })

  it('keeps a statement from the parser whose tree would be large, whatever its bytes', async () => {
    const { objects, untold } = await read(`create table t (${'a b,'.repeat(STATEMENT_TOKENS_MAX)}c d)`)
    expect({ objects, untold }).toEqual({
      objects: [],
      untold: [{ line: 1, reason: 'too large to be read' }],
    })
  })

  it('takes no search path that would multiply what is looked for', async () => {
    const path = (count: number) => `set search_path = ${Array.from({ length: count }, (_, i) => `s${i}`)};`
    const args = Array(3_900).fill('a').join()
    const many = `create function f(${args}) returns int return 1;`
    expect((await read(path(16) + many)).objects).toMatchObject([{ schema: 's0', args: { length: 3_900 } }])
    for (const rest of [many, 'create index on t (a);', 'create schema s create index on t (a);'])
      expect(await failure(path(17) + rest)).toMatchObject({ code: 'payload_too_large' })
  })

  const range = (count: number) => Array.from({ length: count }, (_, i) => i)
  const functionOf = (types: string[], i: number) =>
    `create function f${i}(${types.join()}) returns int return 1;\n`
  it.each<[string, () => string]>([
    [
      '9 999 functions of 75 types',
      () =>
        range(9_999)
          .map(i =>
            functionOf(
              range(75).map(n => `t${n}`),
              i,
            ),
          )
          .join(''),
    ],
    ['50 000 statements', () => 'select 1;'.repeat(50_000)],
    [
      'an index on each of 9 000 tables, in 16 schemas',
      () =>
        `set search_path = ${range(16).map(i => 's'.repeat(60) + i)};${range(9_000)
          .map(i => `create index i on t${i} (a);`)
          .join('')}`,
    ],
    [
      '4 000 functions of 60 types of their own',
      () =>
        range(4_000)
          .map(i =>
            functionOf(
              range(60).map(n => `type_${i}_${n}`),
              i,
            ),
          )
          .join(''),
    ],
  ])('is refused before it was too much work: %s', async (_what, sql) => {
    const turns = new Turns()
    await expect(readCreations(parser, sql(), ['public'], turns)).rejects.toMatchObject({
      code: 'payload_too_large',
    })
    expect(turns.all).toBeLessThan(WORK_MAX + 3 * 1024 * 1024)
  })

  it('gives others their turn after a counted amount of work, in a statement and between them', async () => {
    let [sinceTurn, most, turnCount] = [0, 0, 0]
    class Counted extends Turns {
      override spend(work: number) {
        const turn = super.spend(work)
        if (turn !== undefined) turnCount++
        sinceTurn = turn === undefined ? sinceTurn + work : work
        most = Math.max(most, sinceTurn)
        return turn
      }
    }
    const long = `create table long (${'a b,'.repeat(2_000)}c d);`
    const texts = [
      'create table t (id int);\n'.repeat(1_000),
      long.repeat(3),
      ' '.repeat(400_000),
      'x,'.repeat(200_000),
    ]
    const turns = new Counted()
    let rounds = 0
    const timer = setInterval(() => rounds++, 0)
    await readCreations(parser, texts.join(''), ['public'], turns).catch(() => undefined)
    clearInterval(timer)
    expect(turnCount).toBeGreaterThan(turns.all / WORK_PER_TURN / 8)
    expect(most).toBeLessThan(2 * 1024 * 1024)
    expect(rounds).toBeGreaterThan(5)
  })
})
