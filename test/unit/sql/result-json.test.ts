import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BUILT_IN_TYPES } from '../../../src/features/sql/built-in-types.ts'
import { distinctNames, resultTexts } from '../../../src/features/sql/result-json.ts'
import type { ItemResult } from '../../../src/features/sql/statement-plan.ts'

const findType = (oid: number) => BUILT_IN_TYPES.get(oid)
const resultJson = (result: ItemResult) => resultTexts([result], findType)[0] ?? ''
const field = (name: string, dataTypeID: number) => ({ name, dataTypeID })

test('rows, columns, count and command are as the specification names them', () => {
  const result = {
    fields: [field('id', 23), field('name', 25), field('big', 20)],
    rows: [
      ['1', 'a', '9007199254740993'],
      ['2', null, null],
    ],
    rowCount: 2,
    command: 'SELECT',
    isTruncated: false,
  }
  expect(JSON.parse(resultJson(result))).toEqual({
    rows: [
      { id: 1, name: 'a', big: '9007199254740993' },
      { id: 2, name: null, big: null },
    ],
    rowCount: 2,
    columns: [
      { name: 'id', dataTypeID: 23, typeName: 'int4' },
      { name: 'name', dataTypeID: 25, typeName: 'text' },
      { name: 'big', dataTypeID: 20, typeName: 'int8' },
    ],
    command: 'SELECT',
  })
})

test('a million values are answered and one more is not, be they rows or inside arrays', () => {
  const result = { fields: [field('v', 1007)], rowCount: 1, command: 'SELECT', isTruncated: false }
  const array = (length: number) => [`{${Array(length).fill('1').join(',')}}`]
  const nulls = (length: number) => Array<null[]>(length).fill([null])
  // The array itself is a value: as a column's, and by its brace.
  expect(() => resultJson({ ...result, rows: [array(999_998)] })).not.toThrow()
  expect(() => resultJson({ ...result, rows: nulls(1_000_000) })).not.toThrow()
  for (const rows of [[array(999_999)], nulls(1_000_001), [...nulls(1_000), array(999_000)]])
    expect(() => resultJson({ ...result, rows })).toThrow('more than 1000000 values')
})

test('truncated is there only when rows were cut off', () => {
  const empty = { fields: [], rows: [[]], rowCount: 1, command: 'SELECT' }
  expect(JSON.parse(resultJson({ ...empty, isTruncated: true }))).toMatchObject({
    rows: [{}],
    truncated: true,
  })
  expect(JSON.parse(resultJson({ ...empty, isTruncated: false }))).not.toHaveProperty('truncated')
})

test('a repeated column name is numbered, around names that are there already', () => {
  expect(distinctNames(['a', 'a', 'a'])).toEqual(['a', 'a_2', 'a_3'])
  expect(distinctNames(['a', 'a', 'a_2', 'b'])).toEqual(['a', 'a_3', 'a_2', 'b'])
  expect(distinctNames(['?column?', '?column?'])).toEqual(['?column?', '?column?_2'])
  expect(distinctNames(['a_2', 'a', 'a', 'a_2'])).toEqual(['a_2', 'a', 'a_3', 'a_2_2'])
})

test('no two columns ever share a name, and first ones keep theirs', () => {
  const names = fc.array(fc.constantFrom('a', 'a_2', 'a_2_2', 'a_3', 'b', '__proto__', 'toString', ''))
  fc.assert(
    fc.property(names, list => {
      const distinct = distinctNames(list)
      expect(new Set(distinct).size).toBe(list.length)
      for (const [i, name] of list.entries()) if (list.indexOf(name) === i) expect(distinct[i]).toBe(name)
    }),
  )
})

test('whatever the texts and names, the answer is valid JSON that holds every value', () => {
  const text = fc.string({ unit: 'binary' })
  const table = fc
    .array(text, { minLength: 1, maxLength: 5 })
    .chain(names =>
      fc.tuple(
        fc.constant(names),
        fc.array(fc.array(fc.option(text), { minLength: names.length, maxLength: names.length })),
      ),
    )
  fc.assert(
    fc.property(table, ([names, rows]) => {
      const result = {
        fields: names.map(name => field(name, 25)),
        rows,
        rowCount: rows.length,
        command: 'SELECT',
        isTruncated: false,
      }
      const answer = JSON.parse(resultJson(result))
      const columns = answer.columns.map(({ name }: { name: string }) => name)
      expect(
        answer.rows.map((row: Record<string, string>) => columns.map((name: string) => row[name])),
      ).toEqual(rows)
    }),
  )
})
