// POST /api/migrations/idempotent/detect-schema: what of a migration is in the database already.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectOwner } from '../../support/postgres.ts'
import { type Answer, call } from '../oauth/caller.ts'

const PATH = '/api/migrations/idempotent/detect-schema'
/** Of everything that this file makes: others' objects are in the same database. */
const tag = `detect_${randomUUID().replaceAll('-', '').slice(0, 12)}`
const app = `${tag}_app`

const detect = (sql: unknown): Promise<Answer> => call('POST', PATH, { sql })

/** `[type, name, exists]` of each finding. */
async function found(sql: string): Promise<unknown[]> {
  const { status, json } = await detect(sql)
  expect({ status, json }).toMatchObject({ status: 200 })
  return (json['findings'] as { type: string; name: string; exists: boolean }[]).map(
    ({ type, name, exists }) => [type, name, exists],
  )
}

async function run(sql: string): Promise<void> {
  await using owner = await connectOwner()
  await owner.query(sql)
}

beforeAll(() =>
  run(`create table ${tag}_notes (id int primary key, author text, body text);
    create index on ${tag}_notes (author);
    create index ${tag}_i on ${tag}_notes (body);
    create view ${tag}_view as select 1 as a;
    create type ${tag}_mood as enum ('sad');
    create domain ${tag}_email as text;
    create function ${tag}_f(a int, b text default '') returns int language sql as 'select 1';
    create function ${tag}_f(a ${tag}_mood[], out b int) language sql as 'select 1';
    create procedure ${tag}_p(a int) language sql as '';
    create schema ${app};
    create table ${app}.${tag}_only_there (id int);
    create table ${app}."Odd ""Name""" (id int);
    create index ${tag}_odd on ${app}."Odd ""Name""" (id);
    create type ${app}.${tag}_mood as enum ('glad');
    create function ${app}.f(a ${app}.${tag}_mood) returns int language sql as 'select 1';
    create table ${tag}_${'é'.repeat(30)} (id int)`),
)
afterAll(() =>
  run(`drop schema ${app} cascade;
    drop table ${tag}_notes, ${tag}_${'é'.repeat(30)};
    drop view ${tag}_view;
    drop function ${tag}_f(int, text), ${tag}_f(${tag}_mood[]);
    drop procedure ${tag}_p;
    drop type ${tag}_mood;
    drop domain ${tag}_email`),
)

describe('existence', () => {
  it('is that of the tables, indexes, functions and types that the text creates, and nothing is run', async () => {
    const sql = `create table ${tag}_notes (id int);
      create table ${tag}_new (id int);
      create index on ${tag}_notes (author);
      create type ${tag}_mood as enum ('sad');
      create function ${tag}_f(int, text) returns int return 1;
      drop table ${tag}_notes`
    for (let times = 0; times < 2; times++) {
      const { status, json } = await detect(sql)
      expect(status).toBe(200)
      expect(json).toEqual({
        findings: [
          { type: 'table', name: `${tag}_notes`, exists: true },
          { type: 'table', name: `${tag}_new`, exists: false },
          { type: 'index', name: `${tag}_notes_author_idx`, exists: true },
          { type: 'type', name: `${tag}_mood`, exists: true },
          { type: 'function', name: `${tag}_f`, exists: true },
        ],
        all_objects_exist: false,
        some_objects_exist: true,
        recommendation:
          `4 of 5 objects exist; missing: table ${tag}_new. Look by hand: a run may fail on what exists, and ` +
          'marking the migration as applied leaves out what is missing. ' +
          '1 other statement was not compared with the database.',
      })
    }
  })

  it('of all and of none is told from that of some', async () => {
    const all = await detect(`create table ${tag}_notes (); create type public.${tag}_mood as enum ()`)
    expect(all.json).toMatchObject({
      all_objects_exist: true,
      some_objects_exist: true,
      recommendation: 'All 2 objects exist: mark the migration as applied.',
    })
    const none = await detect(`create table ${tag}_a (); create table ${tag}_b ()`)
    expect(none.json).toMatchObject({
      all_objects_exist: false,
      some_objects_exist: false,
      recommendation: 'None of the 2 objects exists: run the migration.',
    })
  })

  it('is not claimed for all where something could not be looked for', async () => {
    const { json } = await detect(`create table ${tag}_notes ();\ncreate index on ${tag}_notes (lower(body))`)
    expect(json).toMatchObject({ all_objects_exist: false, some_objects_exist: true })
    expect(json['recommendation']).toContain('Not looked for: line 2 (an index without a name')
  })

  it.each<[string, string, boolean]>([
    ['a table of another schema', `create table ${tag}_only_there ()`, false],
    ['a table of the schema that is said', `create table ${app}.${tag}_only_there ()`, true],
    [
      'a table of the search path that is set',
      `set search_path = ${app}; create table ${tag}_only_there ()`,
      true,
    ],
    ['a schema that is not there', `create table ${tag}_nowhere.${tag}_notes ()`, false],
    ['a quoted name', `create table ${app}."Odd ""Name""" ()`, true],
    ['a name in another case', `create table ${app}."odd ""name""" ()`, false],
    ['a name in capitals without quotes', `CREATE TABLE ${tag.toUpperCase()}_NOTES ()`, true],
    ['a name of more than 63 bytes', `create table ${tag}_${'é'.repeat(30)} (id int)`, true],
    ['a view in place of a table', `create table ${tag}_view ()`, false],
    ['a name that looks like SQL', `create table "' or true; --" ()`, false],
    ['the name of a table of the system', 'create table pg_class ()', false],
    ['a table made of a query', `create table ${tag}_notes as select 1`, true],
    ['an index', `create index ${tag}_i on ${tag}_notes (body)`, true],
    ['an index in the schema of its table', `create index ${tag}_odd on ${app}."Odd ""Name""" (id)`, true],
    [
      'an index of that name on another table',
      `create index ${tag}_i on ${app}.${tag}_only_there (id)`,
      false,
    ],
    ['an index on a table that is not there', `create index ${tag}_i on ${tag}_gone (id)`, false],
    ['a table by the name of an index', `create table ${tag}_i ()`, false],
    ['an enum', `create type ${tag}_mood as enum ()`, true],
    ['a domain', `create domain ${tag}_email as text`, true],
    ['a domain by the name of an enum', `create domain ${tag}_mood as text`, false],
    ['a type by the name of a table', `create type ${tag}_notes as (a int)`, false],
    ['a type by the name of an array', `create type _${tag}_mood (input = a, output = b)`, false],
    ['a function', `create function ${tag}_f(pg_catalog.int4, b text) returns int return 1`, true],
    [
      'a function in other words',
      `create function ${tag}_f(integer, in varchar) returns int return 1`,
      false,
    ],
    ['a function of fewer arguments', `create function ${tag}_f(int) returns int return 1`, false],
    ['a function without arguments', `create function ${tag}_f() returns int return 1`, false],
    ['a function of a type of users', `create function ${tag}_f(${tag}_mood array, out int) return 1`, true],
    ['a function of the element', `create function ${tag}_f(${tag}_mood) returns int return 1`, false],
    [
      'a function of a type that is not there',
      `create function ${tag}_f(${tag}_x) returns int return 1`,
      false,
    ],
    [
      'a function of a type elsewhere',
      `create function ${app}.f(${app}.${tag}_mood) returns int return 1`,
      true,
    ],
    ['a function of a namesake type', `create function ${app}.f(${tag}_mood) returns int return 1`, false],
    [
      'a type by the search path',
      `set search_path = ${app}, public; create function f(${tag}_mood) returns int return 1`,
      true,
    ],
    ['a procedure', `create procedure ${tag}_p(int) language sql as ''`, true],
    ['a function by the name of a procedure', `create function ${tag}_p(int) returns int return 1`, false],
  ])('%s', async (_what, sql, exists) => {
    expect((await found(sql)).map(finding => (finding as unknown[])[2])).toEqual([exists])
  })
})

describe('bad and large input', () => {
  it('without a statement finds nothing, and says so', async () => {
    for (const sql of ['', '-- a comment', '\uFEFF/* */;', '\r\n']) {
      expect(await detect(sql)).toMatchObject({
        status: 200,
        json: {
          findings: [],
          all_objects_exist: false,
          some_objects_exist: false,
          recommendation: 'Nothing was found: the text holds no statement.',
        },
      })
    }
  })

  it('that is no SQL is 422 with the words of Postgres and the place', async () => {
    const { status, json } = await detect(`create table a ();\r\n\r\ncreate table b (id int,, c int)`)
    expect({ status, json }).toMatchObject({
      status: 422,
      json: {
        error: 'syntax error at or near ","',
        code: 'invalid_sql',
        detail: 'Line 3, column 24. Position 46, SQLSTATE 42601.',
        line: 3,
        column: 24,
      },
    })
  })

  it('that is no text, or no JSON of the shape, is 400', async () => {
    expect(await detect('create table "a\0b" ()')).toMatchObject({
      status: 400,
      json: { code: 'validation_failed' },
    })
    expect(await detect(7)).toMatchObject({ status: 400, json: { code: 'validation_failed' } })
    expect(await call('POST', PATH, {})).toMatchObject({ status: 400 })
    expect(await call('POST', PATH, { sql: '', run: true })).toMatchObject({ status: 400 })
  })

  it('of 10 000 statements is looked for as a whole', async () => {
    const statements = Array.from({ length: 2_500 }, (_, i) => [
      `create table ${tag}_t${i} (id int, owner text)`,
      `create index on ${tag}_t${i} (owner)`,
      `create function ${tag}_f(${tag}_t${i}, int, ${app}.${tag}_mood[]) returns int return 1`,
      `create type ${tag}_e${i} as enum ('a')`,
    ])
    statements[1_000]?.splice(0, 1, `create table ${tag}_notes ()`)
    const { status, json } = await detect(statements.flat().join(';\n'))
    expect(status).toBe(200)
    const findings = json['findings'] as { name: string; exists: boolean }[]
    expect(findings).toHaveLength(10_000)
    expect(findings.filter(({ exists }) => exists)).toEqual([
      { type: 'table', name: `${tag}_notes`, exists: true },
    ])
  })

  it('of almost 8 MiB is read, of more refused', async () => {
    const rows = `insert into ${tag}_notes values ${"(1, 'abcdefgh'),".repeat(100)}(2, '');\n`
    const sql = `${rows.repeat(4_500)}create table ${tag}_notes ();`
    expect(await found(sql)).toEqual([['table', `${tag}_notes`, true]])
    expect(await detect('x'.repeat(8 * 1024 * 1024))).toMatchObject({
      status: 413,
      json: { code: 'payload_too_large' },
    })
  })

  it('that creates more than 10 000 objects is 413, and says how to go on', async () => {
    const sql = Array.from({ length: 10_001 }, (_, i) => `create table t${i} ();`).join('')
    expect(await detect(sql)).toMatchObject({
      status: 413,
      json: {
        error: 'The SQL holds statements that create more than 10000 objects.',
        hint: 'Send it in several parts.',
      },
    })
  })
})

it('takes a session and nothing else', async () => {
  expect(await call('POST', PATH, { sql: '' }, {})).toMatchObject({
    status: 401,
    json: { code: 'session_required' },
  })
})
