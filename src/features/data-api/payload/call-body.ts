// The body of a call, as far as it can be read before it is known which overload is meant. Pure.
// A JSON object or a form holds arguments by name. Text, XML and bytes are the one argument of a function whose
// argument has no name; so is JSON, where no overload takes its names.

import type { TextBytes } from '../../../db/sql.ts'
import { encodeUtf8, isBlank } from '../../../lib/utf8.ts'
import { refuseBadName } from '../grammar/names.ts'
import { unstorable } from '../storable-text.ts'
import { readCallArguments } from './json-rows.ts'
import { isJson, mediaType, readForm, unsupportedType } from './payload.ts'

export interface CallBody {
  /** Names of the arguments; undefined for a body that has none. */
  readonly names: readonly string[] | undefined
  /** The arguments as a JSON object; a `variadic` one as the array of all its values. */
  readonly byName: (variadic: string | undefined) => string | TextBytes
  /** The body as one value in Postgres' text form. */
  readonly whole: string | TextBytes
  /** Types of the argument without a name that takes it. */
  readonly wholeTypes: readonly string[]
}

const JSON_TYPES = ['json', 'jsonb']
const NO_ARGUMENTS: CallBody = { names: [], byName: () => '{}', whole: '{}', wholeTypes: JSON_TYPES }

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
  return { names: undefined, byName: () => '{}', whole, wholeTypes: [type] }
}

function jsonBody(bytes: Uint8Array): CallBody {
  const { names, start, end } = readCallArguments(bytes)
  // An empty array has no first object: it is a call without arguments.
  const named = start === end ? '{}' : { parts: [bytes.subarray(start, end)] }
  return { names, byName: () => named, whole: { parts: [bytes] }, wholeTypes: JSON_TYPES }
}

function formBody(bytes: Uint8Array): CallBody {
  const fields = readForm(bytes)
  for (const name of fields.keys()) refuseBadName('invalid_body', 'A key of the body', name)
  const byName = (variadic: string | undefined) =>
    JSON.stringify(
      Object.fromEntries(
        [...fields].map(([name, values]) => [name, name === variadic ? values : values.at(-1)]),
      ),
    )
  return { names: [...fields.keys()], byName, whole: byName(undefined), wholeTypes: JSON_TYPES }
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
