// Reads CSV (RFC 4180) with a header line into one array of texts for each column, as Postgres reads them: no row and
// no field is built. Pure.

import type { TextBytes } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { COLUMNS_MAX, CSV_FIELDS_MAX, ROWS_MAX } from '../limits.ts'
import { unstorable } from '../storable-text.ts'
import { ArrayWriter, NEEDS_QUOTES } from './array-writer.ts'
import { tooMany, tooManyKeys } from './rows-bounds.ts'

export interface CsvTable {
  readonly columns: readonly CsvColumn[]
  readonly rowCount: number
}

export interface CsvColumn {
  readonly name: string
  /** An array literal with the column's text of each row. */
  readonly values: TextBytes
}

const QUOTE = 0x22
const COMMA = 0x2c
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const END = -1
const NULL = 'NULL'
const CHUNK_BYTES_MAX = 256 * 1024

/**
 * Reads valid UTF-8; an unquoted `NULL` is null. Throws `invalid_body`, and `payload_too_large` for too many rows or
 * fields.
 */
export function readCsv(bytes: Uint8Array): CsvTable {
  if (bytes.includes(0)) throw unstorable('invalid_body', 'The body', 'a NUL character')
  if (bytes.length === 0) throw invalidCsv('The body is empty; CSV begins with a line of column names.')
  const fields = new CsvFields(bytes)
  const names = readHeader(fields)
  const writers = names.map(() => new ArrayWriter(chunkBytesOf(bytes, names.length)))
  let rowCount = 0
  // Editors leave empty lines at the end. Of a single column each is a row with the empty text.
  const isAtEnd = () => fields.isAtEnd || (names.length > 1 && fields.isBlankToEnd)
  for (; !isAtEnd(); rowCount++) {
    if (rowCount === ROWS_MAX) throw tooMany('rows', ROWS_MAX)
    if ((rowCount + 1) * names.length > CSV_FIELDS_MAX) throw tooMany('fields of CSV', CSV_FIELDS_MAX)
    readRow(fields, writers)
  }
  const columns = names.map((name, i) => ({ name, values: (writers[i] as ArrayWriter).end() }))
  return { columns, rowCount }
}

/** About what a column takes, so that little stays empty whether there is one column or a thousand. */
function chunkBytesOf(bytes: Uint8Array, columns: number): number {
  return Math.min(Math.ceil((1.25 * bytes.length) / columns), CHUNK_BYTES_MAX)
}

function readHeader(fields: CsvFields): string[] {
  const names = new Set<string>()
  do {
    fields.next()
    const name = fields.text().trim()
    if (name === '') throw invalidCsv('A column name of the header line is empty.')
    if (names.has(name)) {
      throw invalidCsv(`The header line names the column "${name.slice(0, 100)}" more than once.`)
    }
    if (names.size === COLUMNS_MAX) throw tooManyKeys()
    names.add(name)
  } while (fields.passesComma())
  fields.passLineEnd()
  return [...names]
}

function readRow(fields: CsvFields, writers: readonly ArrayWriter[]): void {
  let count = 0
  do {
    fields.next()
    const writer = writers[count++]
    if (writer !== undefined) fields.writeTo(writer)
  } while (fields.passesComma())
  if (count !== writers.length) {
    throw invalidCsv(
      'All lines must have same number of fields',
      `Line ${fields.line} has ${count}, the header ${writers.length}.`,
    )
  }
  fields.passLineEnd()
}

/** The fields of a text, one at a time and in order. */
class CsvFields {
  readonly #bytes: Uint8Array
  #at = 0
  /** The field that was read last: the bytes of its text, between its quotes where it has any. */
  #start = 0
  #end = 0
  #isQuoted = false
  /** Of a field without quotes: true when it needs none in Postgres' arrays either. */
  #isPlain = false
  /** Of the field; a line break inside quotes begins no line. */
  line = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** True when nothing but empty lines is left. */
  get isBlankToEnd(): boolean {
    let at = this.#at
    for (; at < this.#bytes.length; at++) {
      const isCrLf = this.#bytes[at] === CARRIAGE_RETURN && this.#bytes[at + 1] === LINE_FEED
      if (!isCrLf && this.#bytes[at] !== LINE_FEED) return false
    }
    return true
  }

  next(): void {
    this.#isQuoted = this.#bytes[this.#at] === QUOTE
    if (this.#isQuoted) this.#readQuoted()
    else this.#readBare()
  }

  passesComma(): boolean {
    if (this.#bytes[this.#at] !== COMMA) return false
    this.#at++
    return true
  }

  passLineEnd(): void {
    const next = this.#bytes[this.#at] ?? END
    const isCrLf = next === CARRIAGE_RETURN && this.#bytes[this.#at + 1] === LINE_FEED
    if (next !== LINE_FEED && next !== END && !isCrLf) {
      throw invalidCsv(`Expected a comma or the end of the line behind the last field of line ${this.line}.`)
    }
    this.#at += isCrLf ? 2 : 1
    this.line++
  }

  /** The field as text; for the few of the header. */
  text(): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(this.#start, this.#end))
    return this.#isQuoted ? text.replaceAll('""', '"') : text
  }

  writeTo(writer: ArrayWriter): void {
    if (this.#isQuoted) writer.addQuoted(this.#bytes, this.#start, this.#end, true)
    else if (!this.#isPlain) writer.addQuoted(this.#bytes, this.#start, this.#end, false)
    else if (this.#isNull()) writer.addNull()
    else writer.addPlain(this.#bytes, this.#start, this.#end)
  }

  #isNull(): boolean {
    if (this.#end - this.#start !== NULL.length) return false
    for (let i = 0; i < NULL.length; i++)
      if (this.#bytes[this.#start + i] !== NULL.charCodeAt(i)) return false
    return true
  }

  #readBare(): void {
    const bytes = this.#bytes
    let at = this.#at
    let isPlain = true
    for (; at < bytes.length; at++) {
      if (NEEDS_QUOTES[bytes[at] as number] === 0) continue
      const byte = bytes[at]
      if (byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) break
      isPlain = false
    }
    this.#start = this.#at
    this.#end = at
    this.#isPlain = isPlain
    this.#at = at
  }

  #readQuoted(): void {
    const bytes = this.#bytes
    let at = this.#at + 1
    for (;;) {
      while (at < bytes.length && bytes[at] !== QUOTE) at++
      if (at >= bytes.length) throw invalidCsv('A quoted field is not closed.')
      if (bytes[at + 1] !== QUOTE) break
      at += 2
    }
    this.#start = this.#at + 1
    this.#end = at
    this.#at = at + 1
  }
}

function invalidCsv(message: string, detail?: string): DomainError {
  return new DomainError('invalid_body', message, {
    detail,
    hint: 'Send a header line, then one line per row; put values with commas, quotes or line breaks in double quotes.',
  })
}
