import { expect, test } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { DomainError } from '../../../src/errors.ts'
import { boundedWasm, instances, loadNodeParser } from './node-parser.ts'

const parser = await loadNodeParser()

async function slices(sql: string): Promise<string[]> {
  return (await parser.parse(sql)).map(({ start, end }) => sql.slice(start, end))
}

test('finds each statement of a text, without the semicolons', async () => {
  expect(await slices('select 1; select 2 ;')).toEqual(['select 1', 'select 2 '])
})

test('finds places in characters where the text holds letters of several bytes and emoji', async () => {
  expect(await slices("/* äöü 🦊 */ select 'ü'; select '🦊' ; -- ende")).toEqual([
    "select 'ü'",
    "select '🦊' ",
  ])
})

test('finds the places of many statements, each behind letters of several bytes', async () => {
  const texts = Array.from({ length: 500 }, (_, i) => `select 'ü🦊${i}é'`)
  expect(await slices(texts.join('; '))).toEqual(texts)
})

test('finds no statement in blanks, comments and lone semicolons', async () => {
  for (const sql of ['', '   \n', '-- nothing', '/* nothing */', ';', ' ; ; '])
    expect(await slices(sql)).toEqual([])
})

test('a syntax error is 42601 with the position in characters, counted from 1', async () => {
  const err = await parser.parse("select 'ü🦊' fromm t where").catch(e => e)
  expect(err).toBeInstanceOf(PostgresError)
  expect(err).toMatchObject({ code: '42601', message: 'syntax error at or near "t"', position: 19 })
})

test('a text that is cut off is a syntax error at its end', async () => {
  for (const sql of ["select 'open", 'select "open', 'select $$open', '/* open', 'select (1'])
    await expect(parser.parse(sql)).rejects.toMatchObject({ code: '42601' })
})

// The attack: a chain so long that walking its tree ends the stack, which would leave the parser unusable for
// everybody.
test('a chain too long for the stack is refused, and the next text is parsed by a fresh instance', async () => {
  const before = instances.count
  const err = await parser.parse(`select 1${'+1'.repeat(200_000)}`).catch(e => e)
  expect(err).toBeInstanceOf(DomainError)
  expect(err).toMatchObject({ code: 'sql_syntax' })
  expect(await slices('select 1')).toEqual(['select 1'])
  expect(instances.count).toBe(before + 1)
})

// The attack: a tree that fills the memory, so that its text could not be copied and was read at address 0.
test('a tree too large for the memory is refused at whatever step the memory ends', async () => {
  const bounded = await loadNodeParser(boundedWasm)
  for (let items = 80_000; items <= 110_000; items += 2_000) {
    const statements = await bounded.parse(`select ${'1,'.repeat(items)}1`).catch(e => e)
    if (!Array.isArray(statements)) expect(statements).toMatchObject({ code: 'sql_syntax' })
  }
  expect(await bounded.parse('select 1')).toHaveLength(1)
})

test('a tree that leans too far to the left to be read is refused', async () => {
  const err = await parser.parse(`select 1${' union select 1'.repeat(30_000)}`).catch(e => e)
  expect(err).toMatchObject({ code: 'sql_syntax' })
})

test('a text that would take quadratic time is refused before it is parsed', async () => {
  const err = await parser.parse(`select 1 ${'+-'.repeat(1_000)}1`).catch(e => e)
  expect(err).toMatchObject({ code: 'sql_syntax', place: { line: 1, column: 10 } })
})

test('deep brackets are refused by the grammar, and the instance stays', async () => {
  // Where the test before has ended the instance, there is a new one by now.
  await parser.parse('select 1')
  const before = instances.count
  for (const open of ['(', 'array[', 'not ', 'case when ', '(select * from ', 'exists (select '])
    await expect(parser.parse(`select ${open.repeat(30_000)}`)).rejects.toMatchObject({ code: '42601' })
  expect(instances.count).toBe(before)
})

test('a text of a megabyte is parsed, and its tree is not held as objects', async () => {
  const sql = `insert into t values (0)${',(1)'.repeat(250_000)}`
  const [statement] = await parser.parse(sql)
  expect(JSON.stringify(statement?.node).length).toBeLessThan(100)
})

test('two calls at once each get their own answer', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `select ${'x'.repeat(i)}1`)
  const answers = await Promise.all(texts.map(slices))
  expect(answers.flat()).toEqual(texts)
})

test('role names with quotes, backslashes and escapes arrive as they are', async () => {
  const name = 'a"b\\c\té🦊'
  const [statement] = await parser.parse(`alter role "${name.replaceAll('"', '""')}" login`)
  expect(statement?.node).toMatchObject({ AlterRoleStmt: { role: { rolename: name } } })
})
