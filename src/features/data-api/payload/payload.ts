// The rows of a write, from its body: JSON, CSV or a form. Pure.
// JSON goes on to Postgres as it came, so that no number loses digits; it is read here only to know its keys.

import type { TextBytes } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { encodeUtf8 } from '../../../lib/utf8.ts'
import { refuseBadName } from '../grammar/names.ts'
import { decodePairs } from '../grammar/query-string.ts'
import { COLUMNS_MAX, FORM_BYTES_MAX } from '../limits.ts'
import { type CsvColumn, readCsv } from './csv.ts'
import { readJsonRows } from './json-rows.ts'
import { tooManyKeys } from './rows-bounds.ts'

export interface Payload {
  readonly rows: Rows
  /** Keys of the rows, the same in each unless `columns` lifts that. */
  readonly keys: readonly string[]
  readonly rowCount: number
}

/** A JSON array of objects, or the columns of objects whose values are all texts. */
export type Rows = { readonly json: string | TextBytes } | { readonly columns: readonly CsvColumn[] }

/**
 * Reads a body of valid UTF-8 as rows. `columns` selects keys and lifts the rule that all rows have the same. Throws
 * `invalid_body`, and `payload_too_large` for too many rows.
 */
export function parsePayload(
  body: Uint8Array,
  contentType: string | null,
  columns: readonly string[] | undefined,
): Payload {
  const payload = readPayload(body, contentType, columns)
  if (payload.keys.length > COLUMNS_MAX) throw tooManyKeys()
  for (const key of payload.keys) refuseBadName('invalid_body', 'A key of the body', key)
  return payload
}

function readPayload(
  body: Uint8Array,
  contentType: string | null,
  columns: readonly string[] | undefined,
): Payload {
  const type = bodyType(contentType)
  if (type === 'csv') return csvPayload(body, columns)
  if (type === 'form') return formPayload(body, columns)
  return jsonPayload(body, columns)
}

/** The type of a body without its parameters, in lower case; JSON unless said. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** True for JSON, and for types that are written in it. */
export function isJson(type: string): boolean {
  return /^application\/([\w.+-]+\+)?json$/.test(type)
}

/** The form of a body of rows. Throws `unsupported_media_type` for what cannot be read. */
function bodyType(contentType: string | null): 'json' | 'csv' | 'form' {
  const type = mediaType(contentType)
  if (type === 'text/csv') return 'csv'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (isJson(type)) return 'json'
  throw unsupportedType(type, 'application/json, text/csv or application/x-www-form-urlencoded')
}

/** `415` for a body; `readable` lists what can be read instead. */
export function unsupportedType(type: string, readable: string): DomainError {
  return new DomainError('unsupported_media_type', `Content-Type not acceptable: ${type.slice(0, 100)}`, {
    hint: `Send ${readable}.`,
  })
}

const [OPEN, CLOSE, OPEN_OBJECT] = [encodeUtf8('['), encodeUtf8(']'), encodeUtf8('{')]

function jsonPayload(body: Uint8Array, columns: readonly string[] | undefined): Payload {
  const { isArray, keys, rowCount } = readJsonRows(body, columns === undefined)
  const parts = isArray ? [body] : [OPEN, body, CLOSE]
  return { rows: { json: { parts } }, keys: columns ?? keys, rowCount }
}

/** Columns that nobody asked for are not sent: their names need not even be such that Postgres could have. */
function csvPayload(body: Uint8Array, asked: readonly string[] | undefined): Payload {
  const { columns, rowCount } = readCsv(body)
  const keys = new Set(asked ?? columns.map(({ name }) => name))
  const sent = columns.filter(({ name }) => keys.has(name))
  const rows = sent.length > 0 ? { columns: sent } : { json: `[${Array(rowCount).fill('{}').join()}]` }
  return { rows, keys: [...keys], rowCount }
}

function formPayload(body: Uint8Array, columns: readonly string[] | undefined): Payload {
  const fields = [...readForm(body)].map(([name, values]) => [name, values.at(-1)] as const)
  const rows = { json: `[${JSON.stringify(Object.fromEntries(fields))}]` }
  return { rows, keys: [...new Set(columns ?? fields.map(([name]) => name))], rowCount: 1 }
}

/** The values of each field of a form. Throws `payload_too_large`, `invalid_body` for too many fields and for JSON. */
export function readForm(body: Uint8Array): Map<string, string[]> {
  const first = body.find(byte => byte > SPACE)
  if (first === OPEN[0] || first === OPEN_OBJECT[0]) {
    throw new DomainError('invalid_body', 'The body is JSON, and its Content-Type is that of a form.', {
      detail: 'A form writes a bracket as %5B or %7B.',
      hint: 'Send Content-Type: application/json. curl sends that of a form unless -H says otherwise.',
    })
  }
  if (body.length > FORM_BYTES_MAX) {
    throw new DomainError('payload_too_large', `A form takes at most ${FORM_BYTES_MAX} bytes.`, {
      hint: 'Send the row as JSON.',
    })
  }
  const fields = new Map<string, string[]>()
  let count = 0
  for (const [name, value] of decodePairs(formText(body))) {
    if (++count > COLUMNS_MAX) throw tooManyKeys()
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return fields
}

const SPACE = 0x20
const PLUS = 0x2b

/**
 * White space around a form is not of it. Its plus signs become spaces here: in a text of a million each costs much
 * more.
 */
function formText(body: Uint8Array): string {
  const start = body.findIndex(byte => byte > SPACE)
  const end = body.findLastIndex(byte => byte > SPACE)
  return new TextDecoder().decode(body.slice(start, end + 1).map(byte => (byte === PLUS ? SPACE : byte)))
}
