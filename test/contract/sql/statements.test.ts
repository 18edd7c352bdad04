// What /v1/sql runs, what it refuses, and how it says where a mistake is.

import { describe, expect, test } from 'vitest'
import { freshName, makeSqlCaller } from './caller.ts'

const caller = await makeSqlCaller()
const { sql } = caller

describe('the answer', () => {
  test('has rows, rowCount, columns and command as the specification names them', async () => {
    const { status, body } = await sql('select $1::int + 1 as sum, $2 as name', [41, 'x'])
    expect(status).toBe(200)
    expect(body).toEqual({
      rows: [{ sum: 42, name: 'x' }],
      rowCount: 1,
      columns: [
        { name: 'sum', dataTypeID: 23, typeName: 'int4' },
        { name: 'name', dataTypeID: 25, typeName: 'text' },
      ],
      command: 'SELECT',
    })
  })

  test('gives the command tag whole, and counts the rows that a write affected', async () => {
    const table = freshName('tags')
    const steps: [sql: string, command: string, rowCount: number, rows: number][] = [
      [`create table ${table} (id int primary key, v text)`, 'CREATE TABLE', 0, 0],
      [`insert into ${table} select i, 'a' from generate_series(1, 5) i`, 'INSERT', 5, 0],
      [`insert into ${table} values (6, 'b'), (7, 'b') returning id`, 'INSERT', 2, 2],
      [`update ${table} set v = 'c' where id < 4`, 'UPDATE', 3, 0],
      [`with gone as (delete from ${table} where id = 1 returning id) select * from gone`, 'SELECT', 1, 1],
      [
        `merge into ${table} t using (values (2)) s (id) on s.id = t.id when matched then delete`,
        'MERGE',
        1,
        0,
      ],
      [`explain select * from ${table}`, 'EXPLAIN', 1, 1],
      ['show search_path', 'SHOW', 1, 1],
      [`create index on ${table} (v)`, 'CREATE INDEX', 0, 0],
      [`create materialized view ${table}_v as select 1 as a`, 'SELECT', 1, 0],
      [`refresh materialized view ${table}_v`, 'REFRESH MATERIALIZED VIEW', 0, 0],
      [`drop materialized view ${table}_v`, 'DROP MATERIALIZED VIEW', 0, 0],
      [`alter table ${table} add column w int`, 'ALTER TABLE', 0, 0],
      [`truncate ${table}`, 'TRUNCATE TABLE', 0, 0],
      [`notify ${table}, 'x'`, 'NOTIFY', 0, 0],
      ['do $$ begin null; end $$', 'DO', 0, 0],
      [`drop table ${table}`, 'DROP TABLE', 0, 0],
    ]
    for (const [text, command, rowCount, rows] of steps) {
      const { body } = await sql(text)
      expect({
        text,
        command: body.command,
        rowCount: body.rowCount,
        rows: body.rows?.length,
        error: body.error,
      }).toEqual({ text, command, rowCount, rows, error: undefined })
    }
  })

  test('takes any SELECT a cursor reads: comments, semicolons, brackets, WITH, VALUES, TABLE, FOR UPDATE', async () => {
    const texts = [
      '-- first\nselect 1 as a; -- last',
      '/* ü🦊 */ select 1 as a /* open',
      'select 1 as a -- no newline',
      ' ; select 1 as a ;; ',
      '((select 1 as a))',
      'with a as (select 1 as a) select * from a',
      'with recursive r(a) as (select 1 union select a from r) select * from r',
      'select 1 as a union select 1',
      'select 1 as a order by 1 limit 5 offset 0',
    ].map(text => text.replace('/* open', '/* shut */'))
    for (const text of texts)
      expect({ text, rows: (await sql(text)).body.rows }).toEqual({ text, rows: [{ a: 1 }] })
    expect((await sql('values (1, $1), (2, $1)', ['x'])).body.rows).toHaveLength(2)
    expect((await sql('table pg_catalog.pg_database')).status).toBe(200)
    expect((await sql('select id from todos for update')).status).toBe(200)
    expect((await sql('select')).body).toMatchObject({ rows: [{}], rowCount: 1, columns: [] })
  })

  test('keeps both of two columns with one name', async () => {
    const { body } = await sql('select 1, 2, 3 as a, 4 as a')
    expect(body.rows).toEqual([{ '?column?': 1, '?column?_2': 2, a: 3, a_2: 4 }])
  })
})

/** How many locks there are on a table, of whoever. */
async function locksOn(table: string): Promise<number> {
  const { body } = await sql('select count(*)::int as n from pg_locks where relation = $1::regclass', [table])
  return body.rows[0].n
}

describe('row_limit', () => {
  test('bounds the work of a SELECT and not only the answer', async () => {
    // All of it would take minutes, and so end as 504.
    const { body } = await sql('select generate_series(1,1000000000) as i', [], { row_limit: 10 })
    expect(body).toMatchObject({ rowCount: 10, truncated: true, command: 'SELECT' })
    expect(body.rows.map(({ i }: { i: number }) => i)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('says truncated only when there was more', async () => {
    expect((await sql('select generate_series(1,10)', [], { row_limit: 10 })).body).not.toHaveProperty(
      'truncated',
    )
    expect((await sql('select generate_series(1,11)', [], { row_limit: 10 })).body.truncated).toBe(true)
    expect((await sql('select generate_series(1,1001)')).body).toMatchObject({
      rowCount: 1000,
      truncated: true,
    })
    expect((await sql('select generate_series(1,10000)', [], { row_limit: 10_000 })).body.rows).toHaveLength(
      10_000,
    )
  })

  test('cuts only the answer of a write, which runs to its end', async () => {
    const table = freshName('cut')
    await sql(`create table ${table} (i int)`)
    const { body } = await sql(`insert into ${table} select generate_series(1,100) returning i`, [], {
      row_limit: 5,
    })
    expect(body).toMatchObject({ rowCount: 100, truncated: true })
    expect(body.rows).toHaveLength(5)
    expect((await sql(`select count(*)::int as n from ${table}`)).body.rows).toEqual([{ n: 100 }])
    await sql(`drop table ${table}`)
  })
})

describe('bounds', () => {
  test.each([
    ['row_limit', 0, '1'],
    ['row_limit', 10_001, '10000'],
    ['row_limit', -1, '1'],
    ['row_limit', 1.5, 'whole number'],
    ['row_limit', '10', 'number'],
    ['timeout', 0, '1'],
    ['timeout', 30_001, '30000'],
  ])('%s %s is refused, and the bound is named', async (field, value, named) => {
    const { status, body } = await sql('select 1', [], { [field]: value })
    expect(status).toBe(400)
    expect(body.code).toBe('validation_failed')
    expect(body.error).toContain(field)
    expect(body.error).toContain(named)
  })

  test('a statement over its time is 504, and nothing of it stays', async () => {
    const table = freshName('late')
    await sql(`create table ${table} (i int)`)
    // Below the time that a call has by itself: what is passed over would be 200.
    for (const text of ['select pg_sleep(2)', `insert into ${table} select 1 from pg_sleep(2)`]) {
      const { status, body } = await sql(text, [], { timeout: 100 })
      expect({ status, code: body.code }).toEqual({ status: 504, code: '57014' })
    }
    expect((await sql(`select * from ${table}`)).body.rowCount).toBe(0)
    await sql(`drop table ${table}`)
  })

  // The attack: enough of these would use up the connections of the database for good.
  test('a statement that swallows every cancel may have been done, and neither it nor its locks stay', async () => {
    const table = freshName('swallow')
    await sql(`create table ${table} (i int)`)
    const text = `do $$ begin
      lock table ${table};
      loop begin perform pg_sleep(5); exception when query_canceled then null; end; end loop;
    end $$`
    const { status, body } = await sql(text, [], { timeout: 50 })
    // It may come to its end before its backend does, so nobody says that it was cancelled.
    expect({ status, body }).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
    expect(body.detail).toContain('may have been done')
    await expect.poll(() => locksOn(table), { timeout: 20_000 }).toBe(0)
    await sql(`drop table ${table}`)
  })

  // The attack: a caller who switches the timeout off to hold a connection for good.
  test('a deadline holds although the statement switches its timeout off', async () => {
    const table = freshName('endless')
    await sql(`create table ${table} (i int)`)
    const text = `do $$ begin
      lock table ${table};
      perform set_config('statement_timeout', '0', true);
      perform pg_sleep(600);
    end $$`
    expect((await sql(text, [], { timeout: 200 })).status).toBe(504)
    await expect.poll(() => locksOn(table), { timeout: 20_000 }).toBe(0)
    await sql(`drop table ${table}`)
  })

  test('unknown fields and wrong shapes are refused, naming the field', async () => {
    for (const [more, named] of [
      [{ query: 'select 1' }, 'query'],
      [{ params: 'x' }, 'params'],
      [{ params: { a: 1 } }, 'params'],
      [{ sql: 1 }, 'sql'],
    ] as const) {
      const { status, body } = await sql('select 1', undefined, more)
      expect({ status, code: body.code, error: body.error }).toEqual({
        status: 400,
        code: 'validation_failed',
        error: expect.stringContaining(named),
      })
    }
    expect((await caller.post('/v1/sql', '{"sql":')).body.code).toBe('invalid_body')
    expect((await caller.post('/v1/sql', '')).status).toBe(400)
  })

  test('NUL and halves of surrogate pairs are refused, in the SQL and in parameters', async () => {
    const bodies = [
      '{"sql":"select 1 \\u0000"}',
      '{"sql":"select \'\\ud800\'"}',
      '{"sql":"select $1","params":["a\\u0000"]}',
      '{"sql":"select $1","params":["\\udc00"]}',
      '{"sql":"select $1","params":[["\\ud800"]]}',
      '{"sql":"select $1","params":[{"a\\u0000":1}]}',
    ]
    for (const text of bodies) {
      const { status, body } = await caller.post('/v1/sql', text)
      expect({ text, status, code: body.code }).toEqual({ text, status: 400, code: 'validation_failed' })
    }
  })

  test('a parameter too many, one too few, and one of no known type are the mistake of the caller', async () => {
    expect(await sql('select $1::int, $2::int', [1])).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', error: 'params: 1 given, but the statement takes 2.' },
    })
    expect((await sql('select 1', [1])).body.code).toBe('validation_failed')
    expect((await sql('insert into todos (title) values ($1)', [])).body.code).toBe('validation_failed')
    expect((await sql('select $2::int', [1, 2])).status).toBe(400)
  })

  test('a chain too long for the parser is refused, and the next call works', async () => {
    const { status, body } = await sql(`select 1${'+1'.repeat(100_000)}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'sql_syntax' })
    expect((await sql('select 1')).status).toBe(200)
  })
})

describe('statements that are not allowed', () => {
  test.each([
    'begin',
    'commit',
    'rollback',
    'savepoint a',
    "prepare transaction 'a'",
    'prepare a as select 1',
    'execute a',
    'deallocate all',
    'discard all',
    'listen a',
    'unlisten *',
    "load 'x'",
    'copy todos to stdout',
    'copy todos from stdin',
    'set session authorization anon',
    "alter role authenticator password 'x'",
    'alter role current_user set search_path = evil',
    'select 1; select 2',
    'select 1; commit',
    '',
    '-- nothing',
  ])('%s', async text => {
    const { status, body } = await sql(text)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'statement_not_allowed' })
    expect(body.error).not.toBe('')
  })

  test.each([
    'vacuum',
    'create database d',
    'alter system set work_mem = 1',
    'create index concurrently on todos (id)',
  ])('what cannot run in a transaction says so: %s', async text => {
    const { status, body } = await sql(text)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    if (body.code === '25001') expect(body.hint).toContain('direct connection')
  })
})

describe('mistakes are placed in the text of the caller', () => {
  test.each([
    ['select nope', '42703', 'Line 1, column 8.'],
    ['select 1,\n  2,\n  nope', '42703', 'Line 3, column 3.'],
    ["select '🦊ü', nope", '42703', 'Line 1, column 14.'],
    ['  ;  -- comment 🦊\n select nope;', '42703', 'Line 2, column 9.'],
    ['select * from nope_table', '42P01', 'Line 1, column 15.'],
    ['insert into nope_table values (1)', '42P01', 'Line 1, column 13.'],
    ['selec 1', '42601', 'Line 1, column 1.'],
    ["select 'a\nb' from\n where", '42601', 'Line 3, column 2.'],
    ['select (1', '42601', 'Line 1, column 10.'],
  ])('%j', async (text, code, detail) => {
    const { body } = await sql(text)
    expect({ code: body.code, detail: body.detail }).toEqual({ code, detail })
    expect(`Line ${body.line}, column ${body.column}.`).toBe(detail)
    expect(body).not.toHaveProperty('statement_index')
  })

  test.each(['select 1/0', 'select 1; select 2'])('%s has no place', async text => {
    const { body } = await sql(text)
    expect(Object.keys(body)).toEqual(['error', 'code', 'detail', 'hint', 'request_id'])
  })

  // The attack: a function raises a sentence of ours, and an editor marks what is right.
  test('a sentence of SQL itself is no place', async () => {
    const { body } = await sql("do $$ begin raise 'no' using detail = 'Line 7, column 7.'; end $$")
    expect(body.detail).toBe('Line 7, column 7.')
    expect(body).not.toHaveProperty('line')
  })

  test("Postgres' own detail is kept where it has one", async () => {
    const table = freshName('own')
    await sql(`create table ${table} (id int primary key)`)
    const { status, body } = await sql(`insert into ${table} values (1), (1)`)
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 409,
      code: '23505',
      detail: 'Key (id)=(1) already exists.',
    })
    await sql(`drop table ${table}`)
  })

  test('no error names a cursor of ours or a statement that the caller did not write', async () => {
    for (const text of [
      'select 1/0',
      'select * from nope',
      "select 'x'::int",
      'select pg_sleep(9)',
      'select nope()',
    ]) {
      const { text: answer } = await sql(text, [], { timeout: 100 })
      expect(answer).not.toMatch(/cursor|declare|fetch/i)
    }
  })
})

test('an anon key may not', async () => {
  const anon = await makeSqlCaller('anon')
  for (const { status, body } of [await anon.sql('select 1'), await anon.transaction(['select 1'])])
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_role' })
})
