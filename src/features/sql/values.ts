// From Postgres' text of a value to its JSON text, so that nothing is lost: no float ever stands between them. Pure.

import { arrayLiteralToJson } from '../../lib/array-literal.ts'
import type { PgType } from './built-in-types.ts'

/** Turns a value's text into JSON text. */
export type ToJson = (text: string) => string

/** Finds a type by oid; undefined when the database does not know it (any more). */
export type FindType = (oid: number) => PgType | undefined

const quote: ToJson = text => JSON.stringify(text)

/** Postgres' numbers are JSON numbers as they are, but for NaN and the infinities, which JSON has not. */
const numberToJson: ToJson = text => (text.endsWith('N') || text.endsWith('y') ? `"${text}"` : text)

const booleanToJson: ToJson = text => (text === 't' ? 'true' : 'false')

/** Spliced in as it is: parsing and printing it again would round its large numbers. */
const rawJson: ToJson = text => text

/** `2024-01-01 00:00:00.123456+00`, with four digits of the year or more. */
const TIMESTAMP = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d(?::\d\d)?)?$/

/**
 * ISO 8601 as Postgres' to_json prints it. `infinity`, years BC and styles that a caller set by SET stay Postgres'
 * text.
 */
const timestampToJson: ToJson = text => {
  const parts = TIMESTAMP.exec(text)
  if (parts === null) return quote(text)
  const [, date, time, hours, minutes] = parts
  return `"${date}T${time}${hours === undefined ? '' : hours + (minutes ?? ':00')}"`
}

/** `1 2 3`, the old form of arrays in the catalog tables. */
const vectorToJson: ToJson = text => `[${text.split(' ').filter(Boolean).join(',')}]`

const BY_NAME: Record<string, ToJson> = {
  bool: booleanToJson,
  int2: numberToJson,
  int4: numberToJson,
  oid: numberToJson,
  float4: numberToJson,
  float8: numberToJson,
  json: rawJson,
  jsonb: rawJson,
  timestamp: timestampToJson,
  timestamptz: timestampToJson,
  int2vector: vectorToJson,
  oidvector: vectorToJson,
}

/** Built-in types keep their oids below this; a user's type may bear any name, `bool` too. */
const FIRST_USER_OID = 10_000

/** A domain may be over a domain, and so on: this is as far as anyone goes. */
const TYPE_CHAIN_MAX = 32

/**
 * The conversion of a type. Whatever has no JSON form of its own, unknown types among them, becomes a string. `onValue`
 * is told of each value inside an array, and may throw.
 */
export function toJsonOf(oid: number, findType: FindType, onValue: () => void = () => {}, depth = 0): ToJson {
  const type = findType(oid)
  if (type === undefined || depth > TYPE_CHAIN_MAX) return quote
  if (type.of === undefined) return (oid < FIRST_USER_OID ? BY_NAME[type.name] : undefined) ?? quote
  const toJson = toJsonOf(type.of, findType, onValue, depth + 1)
  if (!type.isArray) return toJson
  const reader = { toJson, onValue, delimiter: findType(type.of)?.delimiter ?? ',' }
  return text => arrayLiteralToJson(text, reader)
}
