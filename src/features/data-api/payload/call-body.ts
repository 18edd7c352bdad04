// The body of a call, as far as it can be read before it is known which overload is meant. Pure.
// A JSON object or a form holds arguments by name. Text, XML and bytes are the one argument of a function whose
// argument has no name; so is JSON, where no overload takes its names.

import type { TextBytes } from '../../../db/sql.ts'
import { DomainError, type ErrorCode } from '../../../errors.ts'
import { encodeUtf8, isBlank } from '../../../lib/utf8.ts'
import { refuseBadName } from '../grammar/names.ts'
import { decodePairs, isCallArgument } from '../grammar/query-string.ts'
import { COLUMNS_MAX } from '../limits.ts'
import { unstorable } from '../storable-text.ts'
import { readCallArguments } from './json-rows.ts'
import { isJson, mediaType, readForm, unsupportedType } from './payload.ts'

export interface CallBody {
  /** Names of the arguments; undefined for a body that has none. */
  readonly names: readonly string[] | undefined
  /** The arguments as a JSON object; a `variadic` one as the array of all its values. */
  readonly byName: (variadic: string | undefined) => string | TextBytes
  /** True for values that are texts, each in the form that Postgres reads its type in. */
  readonly areTexts: boolean
  /** The body as one value in Postgres' text form. */
  readonly whole: string | TextBytes
  /** Types of the argument without a name that takes it. */
  readonly wholeTypes: readonly string[]
}

const JSON_TYPES = ['json', 'jsonb']
const NO_ARGUMENTS: CallBody = {
  names: [],
  byName: () => '{}',
  areTexts: false,
  whole: '{}',
  wholeTypes: JSON_TYPES,
}

/** Types whose bodies go whole into one argument, and its type. */
const WHOLE_TYPES: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'text'],
  ['text/xml', 'xml'],
  ['application/xml', 'xml'],
])
const BYTES_TYPE = 'application/octet-stream'

/** True for a body that need not be text. */
export function isBinary(contentType: string | null): boolean {
  return mediaType(contentType) === BYTES_TYPE
}

/** Reads a body, of valid UTF-8 unless `isBinary`. Throws `invalid_body`, `unsupported_media_type`. */
export function readCallBody(bytes: Uint8Array, contentType: string | null): CallBody {
  const type = mediaType(contentType)
  if (type === BYTES_TYPE) return wholeBody({ parts: [hexOf(bytes)] }, 'bytea')
  const argumentType = WHOLE_TYPES.get(type)
  if (argumentType !== undefined) {
    if (bytes.includes(0)) throw unstorable('invalid_body', 'The body', 'a NUL character')
    return wholeBody({ parts: [bytes] }, argumentType)
  }
  if (isBlank(bytes)) return NO_ARGUMENTS
  if (type === 'application/x-www-form-urlencoded') return formBody(bytes)
  if (isJson(type)) return jsonBody(bytes)
  throw unsupportedType(
    type,
    'the arguments as a JSON object or a form, or one of them as text, XML or bytes',
  )
}

function wholeBody(whole: TextBytes, type: string): CallBody {
  return { names: undefined, byName: () => '{}', areTexts: false, whole, wholeTypes: [type] }
}

function jsonBody(bytes: Uint8Array): CallBody {
  const { names, start, end } = readCallArguments(bytes)
  // An empty array has no first object: it is a call without arguments.
  const named = start === end ? '{}' : { parts: [bytes.subarray(start, end)] }
  return { names, byName: () => named, areTexts: false, whole: { parts: [bytes] }, wholeTypes: JSON_TYPES }
}

function formBody(bytes: Uint8Array): CallBody {
  return { ...textArguments(readForm(bytes), 'invalid_body', 'A key of the body'), wholeTypes: JSON_TYPES }
}

/** The arguments of a call by GET: what of the query string is none of the rows'. Throws `invalid_parameter`. */
export function readQueryArguments(search: string): CallBody {
  const fields = new Map<string, string[]>()
  let count = 0
  for (const [name, value] of decodePairs(search)) {
    if (!isCallArgument(name, value)) continue
    if (++count > COLUMNS_MAX) {
      throw new DomainError('invalid_parameter', `A call takes at most ${COLUMNS_MAX} arguments.`, {
        hint: 'Send them as the body of a POST.',
      })
    }
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return textArguments(fields, 'invalid_parameter', 'The name of a parameter')
}

/** Of a name that comes several times the last value counts, unless the argument takes them all. */
function textArguments(fields: ReadonlyMap<string, string[]>, code: ErrorCode, what: string): CallBody {
  for (const name of fields.keys()) refuseBadName(code, what, name)
  const byName = (variadic: string | undefined) =>
    JSON.stringify(
      Object.fromEntries(
        [...fields].map(([name, values]) => [name, name === variadic ? values : values.at(-1)]),
      ),
    )
  return { names: [...fields.keys()], byName, areTexts: true, whole: byName(undefined), wholeTypes: [] }
}

const HEX_DIGITS = encodeUtf8('0123456789abcdef')

/** `\x00ff`: Postgres' text form of bytes. */
function hexOf(bytes: Uint8Array): Uint8Array {
  const hex = new Uint8Array(2 + 2 * bytes.length)
  hex.set(encodeUtf8('\\x'))
  let at = 2
  for (const byte of bytes) {
    hex[at++] = HEX_DIGITS[byte >> 4] as number
    hex[at++] = HEX_DIGITS[byte & 15] as number
  }
  return hex
}
