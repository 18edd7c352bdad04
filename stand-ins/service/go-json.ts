// Request bodies as Go's encoding/json takes them. The first value counts and what follows is not looked at. Names of
// fields are matched whatever their case. Null leaves a field as it is, unknown fields are ignored, wrong types are an
// error. Pure. The sentences of errors are Go's in substance, not to the letter.

/** Go's own limit. */
const NESTING_MAX = 10_000

/** A body that cannot be decoded; the message says what Go would say. */
export class DecodeError extends Error {}

/** Decodes one field; throws a `DecodeError`. `at` names the field in messages. */
export type FieldDecoder = (value: unknown, at: string) => unknown

/** The first JSON value of a text. */
export function firstValue(text: string): unknown {
  const start = text.search(/[^ \t\r\n]/)
  if (start < 0) throw new DecodeError('EOF')
  const end = endOfValue(text, start)
  if (end === undefined) throw new DecodeError('unexpected EOF')
  try {
    return JSON.parse(text.slice(start, end))
  } catch {
    throw new DecodeError('invalid character looking for beginning of value')
  }
}

/**
 * Where the value that begins at `start` ends; undefined when the text ends first. Does not check what is inside. One
 * pass without recursion and without a regular expression over strings: bodies have megabytes.
 */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      const quote = closingQuote(text, at)
      if (quote === undefined) return undefined
      at = quote
    } else if (character === '[' || character === '{') {
      depth += 1
      if (depth > NESTING_MAX) throw new DecodeError(`invalid character '${character}' exceeded max depth`)
    } else if (character === ']' || character === '}') {
      depth -= 1
    } else if (depth === 0) {
      return endOfWord(text, at)
    }
    if (depth <= 0) return at + 1
  }
  return undefined
}

function closingQuote(text: string, opening: number): number | undefined {
  for (let quote = text.indexOf('"', opening + 1); quote > 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote
  }
  return undefined
}

function endOfWord(text: string, start: number): number {
  const end = text.slice(start).search(/["[\]{},:\s]/)
  return end < 0 ? text.length : start + end
}

/**
 * The fields of `decoders` that `value` has, decoded; null and what is not there are left out. `type` names the Go type
 * in messages.
 */
export function decodeObject(
  value: unknown,
  type: string,
  decoders: Readonly<Record<string, FieldDecoder>>,
): Record<string, unknown> {
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(value, `Go value of type ${type}`)
  const names = new Map(Object.keys(decoders).map(name => [name.toLowerCase(), name]))
  const decoded: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const name = names.get(key.toLowerCase())
    const decode = name === undefined ? undefined : decoders[name]
    if (name === undefined || decode === undefined) continue
    const field = decode(member, `${type.replace(/^.*\./, '')}.${name}`)
    if (field !== undefined) decoded[name] = field
  }
  return decoded
}

export const text: FieldDecoder = (value, at) => {
  if (value === null) return undefined
  if (typeof value !== 'string') throw wrongField(value, at, 'string')
  return value.toWellFormed()
}

export const flag: FieldDecoder = (value, at) => {
  if (value === null) return undefined
  if (typeof value !== 'boolean') throw wrongField(value, at, 'bool')
  return value
}

export const integer: FieldDecoder = (value, at) => {
  if (value === null) return undefined
  if (!Number.isSafeInteger(value)) throw wrongField(value, at, 'int')
  return value
}

/** A list of texts; null within it is an empty text, null instead of it no list. */
export const texts: FieldDecoder = (value, at) => {
  if (value === null) return null
  if (!Array.isArray(value)) throw wrongField(value, at, '[]string')
  return value.map(item => text(item, at) ?? '')
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

export const time: FieldDecoder = (value, at) => {
  const given = text(value, at)
  if (given === undefined) return undefined
  if (!RFC3339.test(String(given)) || Number.isNaN(Date.parse(String(given))))
    throw new DecodeError(`parsing time "${given}" as "2006-01-02T15:04:05Z07:00"`)
  return given
}

/** Any JSON, null too. */
export const anything: FieldDecoder = value => value

function wrongField(value: unknown, at: string, type: string): DecodeError {
  return wrongType(value, `Go struct field ${at} of type ${type}`)
}

function wrongType(value: unknown, target: string): DecodeError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return new DecodeError(`json: cannot unmarshal ${kind === 'boolean' ? 'bool' : kind} into ${target}`)
}
