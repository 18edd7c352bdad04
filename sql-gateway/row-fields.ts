/**
 * Owns reading a RowDescription, and writing its columns and the rows under it as Neon's JSON.
 * Pure: bytes in, text out. Assumes text format, which is all that the gateway asks for.
 */
import { jsonWriterOf, type ValueWriter } from './text-values.ts'

/** The columns of one statement's result. */
export interface RowFields {
  /** The value of `fields` in the answer, written once. */
  readonly json: string
  /** `"name":` of every column. */
  readonly keys: readonly string[]
  /** How each column's text becomes a JSON value when the caller did not ask for raw text. */
  readonly writers: readonly ValueWriter[]
}

/** The fields of a statement that returns no rows. */
export const NO_FIELDS: RowFields = { json: '[]', keys: [], writers: [] }

/** What the caller asked for: Neon's two headers. */
export interface RowFormat {
  readonly isRawText: boolean
  readonly isArrayMode: boolean
}

/** Reads the body of a RowDescription that begins at `start`. */
export function readRowFields(bytes: Buffer, start: number): RowFields {
  const count = bytes.readUInt16BE(start)
  const keys: string[] = []
  const writers: ValueWriter[] = []
  let json = ''
  let offset = start + 2
  for (let i = 0; i < count; i++) {
    const nameEnd = bytes.indexOf(0, offset)
    const name = JSON.stringify(bytes.toString('utf8', offset, nameEnd))
    const dataTypeId = bytes.readUInt32BE(nameEnd + 7)
    json +=
      `${i > 0 ? ',' : ''}{"name":${name},"dataTypeID":${dataTypeId},"tableID":${bytes.readUInt32BE(nameEnd + 1)},` +
      `"columnID":${bytes.readInt16BE(nameEnd + 5)},"dataTypeSize":${bytes.readInt16BE(nameEnd + 11)},` +
      `"dataTypeModifier":${bytes.readInt32BE(nameEnd + 13)},"format":"text"}`
    keys.push(`${name}:`)
    writers.push(jsonWriterOf(dataTypeId))
    offset = nameEnd + 19
  }
  return { json: `[${json}]`, keys, writers }
}

/** The JSON of the DataRow whose body begins at `start`. */
export function rowJson(bytes: Buffer, start: number, fields: RowFields, format: RowFormat): string {
  const count = bytes.readUInt16BE(start)
  const { isArrayMode, isRawText } = format
  let json = isArrayMode ? '[' : '{'
  let offset = start + 2
  for (let i = 0; i < count; i++) {
    const length = bytes.readInt32BE(offset)
    offset += 4
    if (i > 0) json += ','
    if (!isArrayMode) json += fields.keys[i] ?? '"":'
    if (length < 0) {
      json += 'null'
      continue
    }
    const text = bytes.toString('utf8', offset, offset + length)
    json += isRawText ? JSON.stringify(text) : (fields.writers[i] ?? JSON.stringify)(text)
    offset += length
  }
  return json + (isArrayMode ? ']' : '}')
}

/** The first column's bytes as Postgres sent them, and the texts of the others. */
export interface BodyRow {
  readonly body: Buffer | null
  readonly others: readonly (string | null)[]
}

/** Splits a DataRow for `Quoin-Result: body`; `body` is a view into `bytes`, not a copy. */
export function readBodyRow(bytes: Buffer, start: number): BodyRow {
  const count = bytes.readUInt16BE(start)
  const others: (string | null)[] = []
  let body: Buffer | null = null
  let offset = start + 2
  for (let i = 0; i < count; i++) {
    const length = bytes.readInt32BE(offset)
    offset += 4
    const end = offset + Math.max(length, 0)
    if (i === 0) body = length < 0 ? null : bytes.subarray(offset, end)
    else others.push(length < 0 ? null : bytes.toString('utf8', offset, end))
    offset = end
  }
  return { body, others }
}
