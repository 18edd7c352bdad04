// SQL that held the Worker for seconds, or made it fail, by its text or by what it answers. Each is refused with words
// that say what to do, and the Worker answers the next request.

import { afterEach, expect, test } from 'vitest'
import { freshName, makeSqlCaller } from '../contract/sql/caller.ts'

const { sql, transaction, post } = await makeSqlCaller()

const filled = (core: string, bytes: number) => core.repeat(Math.floor(bytes / Buffer.byteLength(core)))
const listOf = (count: number, item: string) => Array.from({ length: count }, () => item).join(',')

afterEach(async () => {
  expect((await sql('select 1 as one')).body.rows).toEqual([{ one: 1 }])
})

// The attack: the lexer reads a run of operator characters to its end from each place in it, 12 s for 160 KB.
test.each([
  ['comments side by side', filled('/**/', 160_000)],
  ['comments that open and never close', filled('/*', 160_000)],
  ['comments behind an operator', `select 1 ${filled('+/**/', 160_000)}1`],
  ['plus and minus in turns', `select 1 ${filled('+-', 80_000)}1`],
  ['plus signs alone', `select ${filled('+', 80_000)}1`],
  ['plus signs behind letters of several bytes', `select 'äöü' ${filled('+', 80_000)}1`],
])('refuses %s', async (_, text) => {
  const { status, body } = await sql(text)
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: 'sql_syntax',
    detail: expect.stringMatching(/^Line 1, column \d+\.$/),
    hint: expect.stringContaining('parameter'),
  })
})

// The attack: a warning about each GLOBAL, whose place the parser counts from the start of the text.
test('refuses GLOBAL TEMPORARY again and again, in statements and within one', async () => {
  for (const text of [
    filled('create global temp table a();', 80_000),
    `create schema s ${filled('create global/**/temporary table a() ', 80_000)}`,
    `select ${filled('(select 1 into global temp a),', 80_000)}1`,
  ]) {
    const { status, body } = await sql(text)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'sql_syntax', hint: expect.stringContaining('GLOBAL') })
  }
})

test('refuses text over 256 KiB, counted in bytes and over all statements of a transaction', async () => {
  const text = (bytes: number) => `select length('x${'ü'.repeat((bytes - 20) / 2)}') n`
  const fits = await sql(text(262_144))
  expect(fits.body.rows).toEqual([{ n: 131_063 }])
  const refused = { code: 'payload_too_large', hint: expect.stringContaining('parameters') }
  const tooLarge = await sql(text(262_146))
  expect(tooLarge.status).toBe(413)
  expect(tooLarge.body).toMatchObject(refused)
  expect((await transaction([text(131_072), text(131_072)])).status).toBe(200)
  expect((await transaction([text(131_072), text(131_074)])).body).toMatchObject(refused)
})

test('takes a million bytes of parameters beside a short text', async () => {
  const { body } = await sql('select length($1) as n', ['x'.repeat(1_000_000)])
  expect(body.rows).toEqual([{ n: 1_000_000 }])
})

// The attack: the parser's memory ended while it copied its answer, which was then read at address 0: 500.
test('refuses lists that the memory of the parser cannot hold', async () => {
  for (const text of [`select ${listOf(93_564, '1')}`, `drop role ${listOf(107_598, 'a')}`]) {
    const { status, body } = await sql(text)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'sql_syntax', hint: expect.stringContaining('ANY($1)') })
  }
})

test('refuses a hundred thousand parameters and an IN list of 150 000 members as too large', async () => {
  for (const [text, params] of [
    [`select ${listOf(100_000, '$1')}`, [1]],
    [`select 1 where 1 in (${listOf(150_000, '1')})`, []],
  ] as const) {
    const { status, body } = await sql(text, [...params])
    expect(status).toBe(413)
    expect(body.code).toBe('payload_too_large')
  }
})

// The attack: a tree that leans to the left is read by recursion, which ended the stack: 500.
test('refuses five thousand UNIONs', async () => {
  const { status, body } = await sql(`select 1${' union select 1'.repeat(5_000)}`)
  expect(status).toBe(400)
  expect(body.code).toBe('sql_syntax')
})

// The attack: the validator made an issue of each item, and failed on their number: 500.
test('refuses 200 000 items in place of statements', async () => {
  for (const item of ['{}', '0', 'null']) {
    const { status, body } = await post('/v1/sql/transaction', `{"statements":[${listOf(200_000, item)}]}`)
    expect(status).toBe(400)
    expect(body.code).toBe('too_many_statements')
  }
})

// The attack: 6 MB of NULLs from the database became 1.4 GB of JSON, by names that are repeated in each row.
test('refuses an answer that repeats long names too often', async () => {
  for (const name of ['a'.repeat(58), '\u0001'.repeat(58)]) {
    const columns = listOf(1_600, `null as "${name}"`)
    const { status, body } = await sql(`select ${columns} from generate_series(1, 600)`, [], {
      row_limit: 10_000,
    })
    expect(status).toBe(400)
    expect(body.code).toBe('response_too_large')
  }
})

// The attack: 16 MB of small values from the database kept the Worker for seconds, and took 760 MB of it.
test.each([
  ['elements', 'select array_fill(1, array[7500000])'],
  ['NULLs in an array', 'select array_fill(null::text, array[3000000])'],
  ['arrays in arrays', 'select array_fill(1, array[1390000, 1, 1, 1, 1, 1])'],
  ['empty texts', `select ${listOf(390, "''")} from generate_series(1, 10000)`],
  ['small arrays', `select ${listOf(90, "'{1,1}'::int[]")} from generate_series(1, 10000)`],
])('refuses an answer of millions of values: %s', async (_, text) => {
  const { status, body } = await sql(text, [], { row_limit: 10_000 })
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'response_too_large', hint: expect.stringContaining('row_limit') })
})

test('counts the values of all results of a transaction together', async () => {
  const statement = 'select array_fill(1, array[300000])'
  expect((await transaction(Array(3).fill(statement))).status).toBe(200)
  expect((await transaction(Array(4).fill(statement))).body.code).toBe('response_too_large')
})

test('says that a change stays whose answer holds too many values', async () => {
  const table = freshName('many_values')
  await sql(`create table ${table} (v int[])`)
  const { body } = await sql(`insert into ${table} select array_fill(1, array[1100000]) returning v`)
  expect(body).toMatchObject({ code: 'response_too_large', error: expect.stringContaining('was committed') })
  expect((await sql(`select count(*)::int as n from ${table}`)).body.rows).toEqual([{ n: 1 }])
})

test('answers twenty results of 1 600 columns of one name, each numbered', async () => {
  const statement = `select ${listOf(1_600, '1 as a')}`
  const { body } = await transaction(Array.from({ length: 20 }, () => statement))
  expect(Object.keys(body.results[19].rows[0]).at(-1)).toBe('a_1600')
})

test('a bound of Postgres comes with what to do', async () => {
  for (const [text, expectedStatus, code, hint] of [
    [`select ${listOf(1_665, '1')}`, 400, '54011', 'fewer columns'],
    [`select concat(${listOf(101, '1')})`, 400, '54023', 'one array'],
    [`select '${'['.repeat(100_000)}'::json`, 500, '54001', 'nested too deeply'],
  ] as const) {
    const { status, body } = await sql(text)
    expect(status).toBe(expectedStatus)
    expect(body).toMatchObject({ code, hint: expect.stringContaining(hint) })
  }
})

// The attack: the number at the end of a message was looked for from each digit of it, for minutes.
test('reads an error that says a megabyte of digits', async () => {
  const raise = "raise exception using errcode = '08P01', message = repeat('1', 1000000) || ' a 1'"
  const { status, body } = await sql(`do $$ begin ${raise}; end $$`)
  expect(status).toBe(400)
  expect(body.code).toBe('validation_failed')
})
