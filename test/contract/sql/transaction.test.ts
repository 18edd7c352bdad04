// /v1/sql/transaction: all or nothing, in order, at most twenty.

import { describe, expect, test } from 'vitest'
import { freshName, makeSqlCaller } from './caller.ts'

const { sql, transaction, post } = await makeSqlCaller()

async function withTable(run: (table: string) => Promise<void>): Promise<void> {
  const table = freshName('tx')
  await sql(`create table ${table} (id int primary key, v text)`)
  await run(table)
  await sql(`drop table ${table}`)
}

const countOf = async (table: string) => (await sql(`select count(*)::int as n from ${table}`)).body.rows[0].n

test('answers one SQL response per statement, in order', () =>
  withTable(async table => {
    const { status, body } = await transaction([
      { sql: `insert into ${table} values ($1, $2), ($3, $4)`, params: [1, 'a', 2, null] },
      `select * from ${table} order by id`,
      { sql: `update ${table} set v = $1 where id = 2 returning *`, params: ['b'] },
      `select count(*) from ${table}`,
    ])
    expect(status).toBe(200)
    expect(body).toEqual({
      results: [
        { rows: [], rowCount: 2, columns: [], command: 'INSERT' },
        expect.objectContaining({
          rows: [
            { id: 1, v: 'a' },
            { id: 2, v: null },
          ],
          rowCount: 2,
          command: 'SELECT',
        }),
        expect.objectContaining({ rows: [{ id: 2, v: 'b' }], rowCount: 1, command: 'UPDATE' }),
        expect.objectContaining({ rows: [{ count: '2' }], rowCount: 1, command: 'SELECT' }),
      ],
    })
  }))

test('takes 20 statements, refuses 21 and none, and runs nothing of what it refuses', () =>
  withTable(async table => {
    const insert = (count: number) =>
      Array.from({ length: count }, (_, i) => `insert into ${table} values (${i})`)
    expect(await transaction(insert(21))).toMatchObject({
      status: 400,
      body: { code: 'too_many_statements' },
    })
    expect(await transaction([])).toMatchObject({ status: 400, body: { code: 'empty_transaction' } })
    expect(await countOf(table)).toBe(0)
    expect((await transaction(insert(20))).body.results).toHaveLength(20)
    expect(await countOf(table)).toBe(20)
  }))

describe('a failure', () => {
  test('rolls everything back and names the index of the statement', () =>
    withTable(async table => {
      const { status, body } = await transaction([
        `insert into ${table} values (1)`,
        `select * from ${table}`,
        `select * from ${table}`,
        `insert into ${table} values (1)`,
        'select 1',
      ])
      expect({ status, code: body.code }).toEqual({ status: 409, code: '23505' })
      expect(body.detail).toBe('statements[3]: Key (id)=(1) already exists.')
      expect(body.statement_index).toBe(3)
      expect(await countOf(table)).toBe(0)
    }))

  test('inside a read is placed in the text of the caller', async () => {
    const { body } = await transaction(['select 1', 'select 2', 'select\n  nope'])
    expect(body).toMatchObject({ code: '42703', detail: 'statements[2]: Line 2, column 3.' })
    expect(body).toMatchObject({ line: 2, column: 3, statement_index: 2 })
    expect((await transaction(['select 1', 'select 1/0', 'select 1'])).body.detail).toBe('statements[1]')
  })

  test('of syntax or of a statement that is not allowed names the index, and nothing has run', () =>
    withTable(async table => {
      const insert = `insert into ${table} values (1)`
      const refused = await transaction([insert, 'commit', 'select 1'])
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'statement_not_allowed', detail: 'statements[1]', statement_index: 1 },
      })
      expect((await transaction([insert, 'selec 1'])).body).toMatchObject({
        code: '42601',
        detail: 'statements[1]: Line 1, column 1.',
        line: 1,
        column: 1,
        statement_index: 1,
      })
      expect((await transaction([insert, 'select 1; select 2'])).body.detail).toMatch(
        /^statements\[1\]: .*2 statements/,
      )
      expect((await transaction([insert, { sql: 'select $1', params: [2 ** 60] }])).body).toMatchObject({
        code: 'validation_failed',
        detail: 'statements[1]',
      })
      expect(await countOf(table)).toBe(0)
    }))

  test('at COMMIT says so', async () => {
    const table = freshName('deferred')
    await sql(`create table ${table} (id int unique deferrable initially deferred)`)
    const { status, body } = await transaction([
      `insert into ${table} values (1)`,
      `insert into ${table} values (1)`,
    ])
    expect({ status, code: body.code }).toEqual({ status: 409, code: '23505' })
    expect(body.detail).toMatch(/^at COMMIT: /)
    expect(body.statement_index).toBe(2)
    expect(await countOf(table)).toBe(0)
    await sql(`drop table ${table}`)
  })

  test('of time is 504 for the whole transaction, and everything is rolled back', () =>
    withTable(async table => {
      const statements = [
        `insert into ${table} values (1)`,
        ...Array.from({ length: 19 }, () => 'select pg_sleep(0.4)'),
      ]
      // Each of them has time enough for itself.
      const { status, body } = await transaction(statements, { timeout: 500 })
      expect({ status, code: body.code }).toEqual({ status: 504, code: '57014' })
      expect(await countOf(table)).toBe(0)
    }))
})

test('row_limit holds for each statement', async () => {
  const { body } = await transaction(
    ['select generate_series(1,1000000000)', 'select 1', 'values (1), (2), (3)'],
    {
      row_limit: 2,
    },
  )
  expect(
    body.results.map(({ rowCount, truncated }: { rowCount: number; truncated?: true }) => [
      rowCount,
      truncated,
    ]),
  ).toEqual([
    [2, true],
    [1, undefined],
    [2, true],
  ])
})

test('a table that was read may be altered and dropped in the same transaction', async () => {
  const table = freshName('altered')
  const { status, body } = await transaction(
    [
      `create table ${table} as select generate_series(1, 10) as i`,
      `select * from ${table}`,
      `alter table ${table} add column j int default 5`,
      `select * from ${table}`,
      `drop table ${table}`,
    ],
    { row_limit: 1 },
  )
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  expect(body.results[3].rows).toEqual([{ i: 1, j: 5 }])
})

test('a cursor of the caller lives through the transaction', async () => {
  const { body } = await transaction([
    'declare c cursor for select generate_series(1, 5) as i',
    'fetch 2 from c',
    'close c',
  ])
  expect(body.results.map(({ command }: { command: string }) => command)).toEqual([
    'DECLARE CURSOR',
    'FETCH',
    'CLOSE CURSOR',
  ])
  expect(body.results[1].rows).toEqual([{ i: 1 }, { i: 2 }])
})

test('settings made by SET LOCAL hold for the statements that follow', async () => {
  const { body } = await transaction([
    "set local timezone = 'Asia/Kolkata'",
    "select '2024-01-01 00:00:00+00'::timestamptz as t",
  ])
  expect(body.results[1].rows).toEqual([{ t: '2024-01-01T05:30:00+05:30' }])
})

test('a type made in the transaction has its name in the answer', async () => {
  const type = freshName('mood')
  const { body } = await transaction([
    `create type ${type} as enum ('happy')`,
    `select 'happy'::${type} as m, array['happy']::${type}[] as ms`,
  ])
  expect(body.results[1].rows).toEqual([{ m: 'happy', ms: ['happy'] }])
  expect(body.results[1].columns.map(({ typeName }: { typeName: string }) => typeName)).toEqual([
    type,
    `_${type}`,
  ])
  await sql(`drop type ${type}`)
})

test('unknown fields are refused, also inside a statement', async () => {
  for (const text of [
    '{"statements":[{"sql":"select 1","row_limit":1}]}',
    '{"statements":["select 1"]}',
    '{}',
    '{"statements":[],"x":1}',
  ])
    expect(await post('/v1/sql/transaction', text)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
})
