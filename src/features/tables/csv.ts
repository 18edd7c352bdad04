// Parses CSV (RFC 4180) with a header line into rows of named texts. Pure.

import { DomainError } from '../../errors.ts'

/** The header's names and each line's values; an unquoted `NULL` is null. Throws `invalid_body`. */
export function parseCsv(text: string): { columns: string[]; rows: (string | null)[][] } {
  const [header, ...rows] = parseLines(text.replace(/^\uFEFF/, ''))
  if (!header) throw invalidCsv('The body is empty; CSV begins with a line of column names.')
  const columns = header.map(name => (name ?? 'NULL').trim())
  if (columns.some(name => name === '')) throw invalidCsv('A column name of the header line is empty.')
  const seen = new Set<string>()
  const repeated = columns.find(name => seen.size === seen.add(name).size)
  if (repeated !== undefined) {
    throw invalidCsv(`The header line names the column "${repeated.slice(0, 100)}" more than once.`)
  }
  const wrong = rows.findIndex(row => row.length !== columns.length)
  if (wrong >= 0) {
    throw invalidCsv(
      'All lines must have same number of fields',
      `Line ${wrong + 2} has ${rows[wrong]?.length}, the header ${columns.length}.`,
    )
  }
  return { columns, rows }
}

/** Where an unquoted field ends. Sought, never matched over: a pattern that repeats over megabytes has no stack for it. */
const BARE_FIELD_END = /[,\r\n]/g
const LINE_END = /\r?\n|$/y

function parseLines(text: string): (string | null)[][] {
  const lines: (string | null)[][] = []
  let position = 0
  while (position < text.length) {
    const line: (string | null)[] = []
    for (;;) {
      const { value, end } =
        text[position] === '"' ? quotedFieldAt(text, position) : bareFieldAt(text, position)
      line.push(value)
      position = end
      if (text[position] !== ',') break
      position += 1
    }
    lines.push(line)
    LINE_END.lastIndex = position
    const lineEnd = LINE_END.exec(text)
    if (!lineEnd) {
      throw invalidCsv(
        `Expected a comma or the end of the line behind the last field of line ${lines.length}.`,
      )
    }
    position += lineEnd[0].length
  }
  return lines
}

interface CsvField {
  value: string | null
  end: number
}

/** Each search begins where the last one ended, so that the whole text is read once. */
function quotedFieldAt(text: string, start: number): CsvField {
  let quote = text.indexOf('"', start + 1)
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  if (quote < 0) throw invalidCsv('A quoted field is not closed.')
  return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 }
}

function bareFieldAt(text: string, start: number): CsvField {
  BARE_FIELD_END.lastIndex = start
  const end = BARE_FIELD_END.exec(text)?.index ?? text.length
  const value = text.slice(start, end)
  return { value: value === 'NULL' ? null : value, end }
}

function invalidCsv(message: string, detail?: string): DomainError {
  return new DomainError('invalid_body', message, {
    detail,
    hint: 'Send a header line, then one line per row; put values with commas, quotes or line breaks in double quotes.',
  })
}
