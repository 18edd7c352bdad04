// What a mistake in a body or a query is called, where its schema has no words of its own: what the field must be,
// and how to write it. Zod's own sentences are about the schema ("Invalid input: expected boolean, received string").

import type * as z from 'zod'

type Issue = z.core.$ZodRawIssue

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const FORMATS: Record<string, string> = {
  datetime: 'a time with its zone, as 2030-01-31T12:00:00Z',
  uuid: 'a UUID',
  url: 'a URL',
  email: 'an email address',
}

/** How many known fields an answer names beside unknown ones, and how many of those. */
const KNOWN_FIELDS_MAX = 20
const UNKNOWN_FIELDS_MAX = 5
const SHOWN_NAME_LENGTH_MAX = 60

/** A name that a caller chose, at a length that can be shown. */
export function shownName(name: PropertyKey): string {
  const text = String(name)
  return text.length <= SHOWN_NAME_LENGTH_MAX
    ? text
    : `${text.slice(0, SHOWN_NAME_LENGTH_MAX).toWellFormed()}...`
}

/** The error map of `parseInput`; undefined leaves the sentence to zod. */
export function messageOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return mistypedMessage(issue)
    case 'too_small':
      return sizeMessage(issue.origin, 'at least', issue.minimum, issue.inclusive !== false)
    case 'too_big':
      return sizeMessage(issue.origin, 'at most', issue.maximum, issue.inclusive !== false)
    case 'invalid_format':
      return misformattedMessage(issue.format, issue.input)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_value':
      return missingOr(issue.input, issue.values.map(value => JSON.stringify(value)).join(' or '))
    case 'invalid_key':
      return `cannot be a key here: it ${issue.issues[0]?.message ?? 'is not valid'}`
    case 'invalid_union':
      return kindMessage(issue)
    case 'unrecognized_keys':
      return unknownFieldsMessage(issue)
    default:
      return undefined
  }
}

function mistypedMessage({ expected, input, inst }: Issue & { expected: string }): string | undefined {
  const { format } = (inst?._zod.def ?? {}) as { format?: string }
  const kind = FORMATS[format ?? ''] ?? KINDS[expected]
  return kind && missingOr(input, kind)
}

interface UnionIssue {
  input?: unknown
  discriminator?: unknown
  options?: unknown
}

/** Of a union whose members are told apart by a field, which the issue's path names; others are left to zod. */
function kindMessage({ input, discriminator, options }: UnionIssue): string | undefined {
  if (typeof discriminator !== 'string' || !Array.isArray(options)) return undefined
  const kind = (input as Record<string, unknown> | undefined)?.[discriminator]
  return missingOr(kind, options.map(option => JSON.stringify(option)).join(' or '))
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** What a query string makes of an offset whose `+` was not encoded. */
const SPACE_FOR_PLUS = /T[\d:.]+ \d\d:?\d\d$/

function misformattedMessage(name: string, input: unknown): string | undefined {
  const format = FORMATS[name]
  const must = format && `must be ${format}`
  if (name !== 'datetime' || typeof input !== 'string') return must
  if (INSTANT.test(input)) return 'is a time that no calendar or clock has'
  return SPACE_FOR_PLUS.test(input) ? `${must}; in an address + is written %2B` : must
}

function missingOr(input: unknown, kind: string): string {
  return input === undefined ? `is missing, and must be ${kind}` : `must be ${kind}`
}

function sizeMessage(
  origin: string,
  bound: 'at least' | 'at most',
  limit: number | bigint,
  isInclusive: boolean,
): string | undefined {
  if (!isInclusive) return undefined
  if (origin === 'number' || origin === 'int') return `must be ${bound} ${limit}`
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined
  if (unit === undefined) return undefined
  return bound === 'at least' && Number(limit) === 1
    ? 'must not be empty'
    : `must have ${bound} ${limit} ${unit}s`
}

function unknownFieldsMessage({ keys, inst }: Issue & { keys: string[] }): string {
  const { shape = {} } = (inst?._zod.def ?? {}) as { shape?: object }
  const unknown = keys.map(key => JSON.stringify(shownName(key)))
  const message = `knows no ${listed(unknown, UNKNOWN_FIELDS_MAX)}`
  const known = Object.keys(shape)
  return known.length === 0 ? message : `${message}, only ${listed(known, KNOWN_FIELDS_MAX)}`
}

function listed(names: readonly string[], max: number): string {
  return names.slice(0, max).join(', ') + (names.length > max ? ', ...' : '')
}
