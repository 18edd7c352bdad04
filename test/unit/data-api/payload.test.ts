// Bodies of writes: JSON, CSV and forms.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TextBytes } from '../../../src/db/sql.ts'
import { readCsv } from '../../../src/features/data-api/payload/csv.ts'
import { type Payload, parsePayload } from '../../../src/features/data-api/payload/payload.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'
import { readArrayLiteral } from '../../support/array-literal.ts'
import { anyText } from './query-grammar.ts'

const parse = (text: string, type: string, columns?: string[]) =>
  parsePayload(encodeUtf8(text), type, columns)
const json = (text: string, columns?: string[]) => parse(text, 'application/json', columns)
/** The text of a parameter. */
function textOf(param: string | TextBytes): string {
  return typeof param === 'string' ? param : Buffer.concat([...param.parts]).toString('utf8')
}

function jsonOf({ rows }: Payload): string {
  if ('json' in rows) return textOf(rows.json)
  throw new Error('the rows came as columns')
}

/** What Postgres reads of the columns, row by row. */
function parseCsv(text: string) {
  const { columns, rowCount } = readCsv(encodeUtf8(text))
  const values = columns.map(column => readArrayLiteral(textOf(column.values)))
  const rows = Array.from({ length: rowCount }, (_, row) => values.map(list => list[row]))
  return { columns: columns.map(({ name }) => name), rows }
}

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('JSON', () => {
  test('goes on as it came, so that no number loses digits', () => {
    const row = '{"a": 12345678901234567890.0123456789}'
    expect(json(row)).toMatchObject({ keys: ['a'], rowCount: 1 })
    expect(jsonOf(json(row))).toBe(`[${row}]`)
    expect(jsonOf(json(`[${row}]`))).toBe(`[${row}]`)
  })

  test('rows need equal keys, in any order, unless columns are named', () => {
    expect(json('[{"a":1,"b":2},{"b":1,"a":2}]').keys).toEqual(['a', 'b'])
    expect(() => json('[{"a":1},{"b":2}]')).toThrow('All object keys must match')
    expect(() => json('[{"a":1},{"a":1,"b":2}]')).toThrow('All object keys must match')
    expect(json('[{"a":1},{"b":2}]', ['a']).keys).toEqual(['a'])
  })

  test.each(['', ' ', '{', '[1]', '[[]]', 'null', '"x"', '[{},null]', '{"a":1}{', '{"a":NaN}'])(
    '%s is refused',
    text => expect(() => json(text)).toThrow(code('invalid_body')),
  )

  test.each([
    '{"a":"\\u0000"}',
    '{"a":{"b":["\\uD800"]}}',
    '{"\\u0000":1}',
    '{"":1}',
    `{"${'k'.repeat(64)}":1}`,
  ])('%s is refused: Postgres cannot hold it', text => expect(() => json(text)).toThrow(code('invalid_body')))

  test('a name is counted in bytes: 63 are taken, 64 and more are not', () => {
    for (const name of ['k'.repeat(63), '€'.repeat(21), `${'😀'.repeat(15)}abc`])
      expect(json(`{"${name}":1}`).keys).toEqual([name])
    for (const name of ['k'.repeat(64), '€'.repeat(22), 'ü'.repeat(32), '😀'.repeat(16)])
      expect(() => json(`{"${name}":1}`)).toThrow(code('invalid_body'))
  })

  test('an escape that only looks like NUL is fine', () => {
    expect(json('{"a":"\\\\u0000 \\ud83d\\ude00"}').keys).toEqual(['a'])
  })

  test('a key of an object prototype is a key like any other', () => {
    expect(json('{"__proto__":1,"constructor":2}').keys).toEqual(['__proto__', 'constructor'])
    expect(() => json('[{"a":1},{"toString":1}]')).toThrow('All object keys must match')
  })
})

describe('CSV', () => {
  test('every table is read back as it was written', () => {
    const cell = fc.oneof(fc.constant(null), anyText)
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain(width =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
      )
    const write = (value: string | null) => (value === null ? 'NULL' : `"${value.replaceAll('"', '""')}"`)
    fc.assert(
      fc.property(table, rows => {
        const header = (rows[0] ?? []).map((_, i) => `c${i}`)
        const text = [header.join(','), ...rows.map(row => row.map(write).join(','))].join('\r\n')
        expect(parseCsv(text)).toEqual({ columns: header, rows })
      }),
    )
  })

  test('unquoted values are taken as they are, a last line break makes no row', () => {
    expect(parseCsv('a,b\n1, x y \n,"NULL"\n').rows).toEqual([
      ['1', ' x y '],
      ['', 'NULL'],
    ])
  })

  test.each([
    ['without quotes in it', 'x'.repeat(9 * 1024 * 1024)],
    ['of quotes alone', '"'.repeat(4.5 * 1024 * 1024)],
    ['of quotes, commas and line breaks', `${'x'.repeat(1_000_000)}"a",\r\n`.repeat(9)],
  ])('one field may be as large as a body: %s', (_, value) => {
    expect(parseCsv(`a,b\n1,"${value.replaceAll('"', '""')}"\n`).rows[0]?.[1] === value).toBe(true)
  })

  // Work that grew with the square would not come to an end within the test's time.
  test('many small fields, quoted or not, are read', () => {
    for (const line of ['1,x\n', '"1","x"\r\n', ',\n']) {
      const text = `a,b\n${line.repeat(300_000)}`
      expect(parseCsv(text).rows).toHaveLength(300_000)
    }
  })

  test.each(['', 'a,b\n1', 'a,b\n1,2,3', 'a\n"x', 'a\n"x"y', 'a,\n1,2'])('%j is refused', text =>
    expect(() => parseCsv(text)).toThrow(code('invalid_body')),
  )

  test('a column comes once: of two values for one column one would be lost', () => {
    for (const text of ['a,a\n1,2', 'a,b, a \n1,2,3', '"a",a']) {
      expect(() => parseCsv(text)).toThrow(
        expect.objectContaining({ code: 'invalid_body', message: expect.stringContaining('"a"') }),
      )
    }
    expect(parseCsv('a,A\n1,2').columns).toEqual(['a', 'A'])
  })

  test('becomes rows of texts', () => {
    const { rows, keys, rowCount } = parse('a,b\n1,NULL', 'text/csv; charset=utf-8')
    expect({ keys, rowCount }).toEqual({ keys: ['a', 'b'], rowCount: 1 })
    const columns = 'columns' in rows ? rows.columns : []
    expect(columns.map(({ name, values }) => [name, textOf(values)])).toEqual([
      ['a', '{1}'],
      ['b', '{NULL}'],
    ])
  })
})

test('CSV may end with empty lines, and a single column has a row of each', () => {
  expect(parseCsv('a,b\n1,2\n\n').rows).toEqual([['1', '2']])
  expect(parseCsv('a,b\r\n1,2\r\n\r\n\n').rows).toEqual([['1', '2']])
  expect(parseCsv('a\n1\n\n').rows).toEqual([['1'], ['']])
  expect(() => parseCsv('a,b\n\n1,2\n')).toThrow(code('invalid_body'))
})

test.each(['{"a":1}', ' [{"a":1}]'])('JSON that is sent as a form says so: %s', body => {
  const hint = expect.stringContaining('Content-Type: application/json')
  expect(() => parse(body, 'application/x-www-form-urlencoded')).toThrow(
    expect.objectContaining({ code: 'invalid_body', hint }),
  )
})

test('forms become one row', () => {
  expect(jsonOf(parse('a=1+2&b=%26', 'application/x-www-form-urlencoded'))).toBe('[{"a":"1 2","b":"&"}]')
})

test('other types are refused', () => {
  expect(() => parse('x', 'text/plain')).toThrow(code('unsupported_media_type'))
  expect(() => parse('x', 'application/jsonx')).toThrow(code('unsupported_media_type'))
})
