// Parses CSV (RFC 4180) with a header line into rows of named texts. Pure.

import { DomainError } from '../../errors.ts'

/** The header's names and each line's values; an unquoted `NULL` is null. Throws `invalid_body`. */
export function parseCsv(text: string): { columns: string[]; rows: (string | null)[][] } {
  const [header, ...rows] = parseLines(text.replace(/^\uFEFF/, ''))
  if (!header) throw invalidCsv('The body is empty; CSV begins with a line of column names.')
  const columns = header.map(name => (name ?? 'NULL').trim())
  if (columns.some(name => name === '')) throw invalidCsv('A column name of the header line is empty.')
  const wrong = rows.findIndex(row => row.length !== columns.length)
  if (wrong >= 0) {
    throw invalidCsv(
      'All lines must have same number of fields',
      `Line ${wrong + 2} has ${rows[wrong]?.length}, the header ${columns.length}.`,
    )
  }
  return { columns, rows }
}

const FIELD = /"((?:[^"]|"")*)"|([^,"\r\n][^,\r\n]*)?/y

function parseLines(text: string): (string | null)[][] {
  const lines: (string | null)[][] = []
  let position = 0
  while (position < text.length) {
    const line: (string | null)[] = []
    for (;;) {
      const { value, end } = parseFieldAt(text, position)
      line.push(value)
      position = end
      if (text[position] !== ',') break
      position += 1
    }
    lines.push(line)
    const lineEnd = /\r?\n|$/y
    lineEnd.lastIndex = position
    const match = lineEnd.exec(text)
    if (!match) throw invalidCsv(`There is text behind a closing quote in line ${lines.length}.`)
    position += match[0].length
  }
  return lines
}

function parseFieldAt(text: string, position: number): { value: string | null; end: number } {
  FIELD.lastIndex = position
  const match = FIELD.exec(text)
  if (!match || (match[1] === undefined && text[position] === '"'))
    throw invalidCsv('A quoted field is not closed.')
  const value = match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"')
  return { value: match[2] === 'NULL' ? null : value, end: position + match[0].length }
}

function invalidCsv(message: string, detail?: string): DomainError {
  return new DomainError('invalid_body', message, {
    detail,
    hint: 'Send a header line, then one line per row; put values with commas, quotes or line breaks in double quotes.',
  })
}
