// CSV against a reader that is simple and slow: a field that the two read in another way is a value stored wrong.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readCsv } from '../../../src/features/data-api/payload/csv.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'
import { readArrayLiteral } from '../../support/array-literal.ts'

type Field = string | null

/** The lines of a text, character by character; undefined for what is no CSV. */
function linesOf(text: string): Field[][] | undefined {
  const lines: Field[][] = []
  let rest = text
  while (rest !== '') {
    const line: Field[] = []
    for (;;) {
      const quoted = /^"((?:[^"]|"")*)"/.exec(rest)
      if (rest.startsWith('"') && !quoted) return undefined
      const raw = quoted?.[0] ?? /^[^,\r\n]*/.exec(rest)?.[0] ?? ''
      line.push(quoted ? (quoted[1] ?? '').replaceAll('""', '"') : raw === 'NULL' ? null : raw)
      rest = rest.slice(raw.length)
      if (!rest.startsWith(',')) break
      rest = rest.slice(1)
    }
    lines.push(line)
    const end = /^(?:\r?\n|$)/.exec(rest)
    if (!end) return undefined
    rest = rest.slice(end[0].length)
  }
  return lines
}

/** What Postgres reads of the columns, as rows. */
function rowsOf(text: string): Field[][] | undefined {
  try {
    const { columns, rowCount } = readCsv(encodeUtf8(text))
    const values = columns.map(column => readArrayLiteral(Buffer.concat([...column.values.parts]).toString()))
    return Array.from({ length: rowCount }, (_, row) => values.map(list => list[row] as Field))
  } catch {
    return undefined
  }
}

const anyPiece = fc.constantFrom(
  'a',
  'é',
  ',',
  ',',
  '"',
  '""',
  '\n',
  '\n',
  '\r\n',
  '\r',
  ' ',
  'NULL',
  'null',
  '{',
  '}',
  '\\',
  '\t',
  '\u0001',
  'x'.repeat(5_000),
)

it('every text is read as the simple reader reads it, or refused by both', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(anyPiece, { maxLength: 30 }), (width, pieces) => {
      const header = ['c', 'd', 'e'].slice(0, width).join()
      const text = `${header}\n${pieces.join('')}`
      // Of several columns, empty lines at the end are no rows.
      const lines = linesOf(width > 1 ? text.replace(/\n(?:\r?\n)+$/, '\n') : text)
      const isTable = lines?.every(line => line.length === width) ?? false
      expect(rowsOf(text)).toEqual(isTable ? lines?.slice(1) : undefined)
    }),
    { numRuns: 5_000 },
  )
})

it('a value of any length comes back, quoted or not, with whatever Postgres would take for its own', () => {
  for (const unit of ['"', '\\', '{', ',', 'a', 'é', ' ', '"\\']) {
    for (const times of [1, 2, 3, 4_095, 4_096, 4_097, 300_000]) {
      const value = unit.repeat(times)
      const rows = rowsOf(`c,d\n"${value.replaceAll('"', '""')}",1\n2,NULL\n`)
      expect(rows?.[0]?.[0] === value && rows[1]?.[1] === null).toBe(true)
    }
  }
})

it('a body without rows, and one with a thousand columns, are tables too', () => {
  const header = Array.from({ length: 1_000 }, (_, i) => `c${i}`).join()
  expect(rowsOf(header)).toEqual([])
  expect(rowsOf(`${header}\n${','.repeat(999)}\n`)).toEqual([Array(1_000).fill('')])
  expect(rowsOf(`${header},more\n`)).toBeUndefined()
})
