// The rows of a write, from its body: JSON, CSV or a form. Pure.
// JSON goes on to Postgres as it came, so that no number loses digits; it is parsed here only to know its keys.

import { DomainError } from '../../errors.ts'
import { parseCsv } from './csv.ts'
import { COLUMNS_MAX } from './limits.ts'
import { refuseBadName } from './names.ts'
import { decodePairs } from './query-string.ts'
import { refuseUnstorableJson } from './storable-text.ts'

export interface Payload {
  /** A JSON array of objects. */
  readonly json: string
  /** Keys of the rows, the same in each unless `columns` lifts that. */
  readonly keys: readonly string[]
  readonly rowCount: number
}

/** Reads a body as rows. `columns` selects keys and lifts the rule that all rows have the same. Throws `invalid_body`. */
export function parsePayload(
  text: string,
  contentType: string | null,
  columns: readonly string[] | undefined,
): Payload {
  const payload = readPayload(text, contentType, columns)
  if (payload.keys.length > COLUMNS_MAX) {
    throw new DomainError('invalid_body', `A row takes at most ${COLUMNS_MAX} keys.`)
  }
  for (const key of payload.keys) refuseBadName('invalid_body', 'A key of the body', key)
  return payload
}

function readPayload(
  text: string,
  contentType: string | null,
  columns: readonly string[] | undefined,
): Payload {
  const type = bodyType(contentType)
  if (type === 'csv') return csvPayload(text, columns)
  if (type === 'form') return formPayload(text, columns)
  return jsonPayload(text, columns)
}

/** The form of a body; JSON unless said. Throws `unsupported_media_type` for what cannot be read. */
export function bodyType(contentType: string | null): 'json' | 'csv' | 'form' {
  const type = (contentType ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/csv') return 'csv'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (/^application\/([\w.+-]+\+)?json$/.test(type)) return 'json'
  throw unsupportedType(type, 'application/json, text/csv or application/x-www-form-urlencoded')
}

/** `415` for a body; `readable` lists what can be read instead. */
export function unsupportedType(type: string, readable: string): DomainError {
  return new DomainError('unsupported_media_type', `Content-Type not acceptable: ${type.slice(0, 100)}`, {
    hint: `Send ${readable}.`,
  })
}

/** Parses JSON strictly. Throws `invalid_body` that says where it broke. */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') {
    throw new DomainError('invalid_body', 'Empty or invalid json', {
      hint: 'Send a JSON object, or an array of objects.',
    })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new DomainError('invalid_body', 'Empty or invalid json', {
      detail: cause instanceof Error ? cause.message : undefined,
      hint: 'Check quotes, commas and brackets near the place named in detail.',
      cause,
    })
  }
  refuseUnstorableJson(text, value)
  return value
}

function jsonPayload(text: string, columns: readonly string[] | undefined): Payload {
  const value = parseJsonBody(text)
  const rows: unknown[] = Array.isArray(value) ? value : [value]
  const keys = columns ?? commonKeys(rows)
  if (columns) rows.forEach(refuseNonObject)
  return { json: Array.isArray(value) ? text : `[${text}]`, keys, rowCount: rows.length }
}

function commonKeys(rows: readonly unknown[]): string[] {
  let first: string[] = []
  rows.forEach((row, index) => {
    refuseNonObject(row, index)
    const keys = Object.keys(row as object)
    if (index === 0) first = keys
    else if (keys.length !== first.length || !first.every(key => Object.hasOwn(row as object, key))) {
      throw new DomainError('invalid_body', 'All object keys must match', {
        detail: `Row ${index} has other keys than row 0.`,
        hint: 'Give every row the same keys, or name the columns: ?columns=a,b (absent ones become null, or their default with Prefer: missing=default).',
      })
    }
  })
  return first
}

function refuseNonObject(row: unknown, index: number): void {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return
  throw new DomainError('invalid_body', 'A row must be a JSON object.', {
    detail: `Row ${index} is ${row === null ? 'null' : Array.isArray(row) ? 'an array' : `a ${typeof row}`}.`,
  })
}

function csvPayload(text: string, columns: readonly string[] | undefined): Payload {
  const csv = parseCsv(text)
  const objects = csv.rows.map(row =>
    Object.fromEntries(row.map((value, i) => [csv.columns[i] ?? '', value])),
  )
  return textPayload(objects, columns ?? csv.columns)
}

function formPayload(text: string, columns: readonly string[] | undefined): Payload {
  const object = Object.fromEntries(decodePairs(text.trim()))
  return textPayload([object], columns ?? Object.keys(object))
}

function textPayload(objects: object[], keys: readonly string[]): Payload {
  const json = JSON.stringify(objects)
  refuseUnstorableJson(json, objects)
  return { json, keys: [...new Set(keys)], rowCount: objects.length }
}
