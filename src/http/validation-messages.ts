// What a mistake in a body or a query is called, where its schema has no words of its own: what the field must be, and how
// to write it. Zod's own sentences are about the schema ("Invalid input: expected boolean, received string").

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

/** How many known fields an answer names beside an unknown one. */
const KNOWN_FIELDS_MAX = 20

/** The error map of `parseInput`; undefined leaves the sentence to zod. */
export function messageOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return mistypedMessage(issue)
    case 'too_small':
      return sizeMessage(issue.origin, 'at least', issue.minimum, issue.inclusive !== false)
    case 'too_big':
      return sizeMessage(issue.origin, 'at most', issue.maximum, issue.inclusive !== false)
    case 'invalid_format': {
      const format = FORMATS[issue.format]
      return format && `must be ${format}`
    }
    case 'invalid_value':
      return `must be ${issue.values.map(value => JSON.stringify(value)).join(' or ')}`
    case 'unrecognized_keys':
      return unknownFieldsMessage(issue)
    default:
      return undefined
  }
}

function mistypedMessage({ expected, input }: { expected: string; input?: unknown }): string | undefined {
  const kind = KINDS[expected]
  if (kind === undefined) return undefined
  return input === undefined ? `is missing; it must be ${kind}` : `must be ${kind}`
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

function unknownFieldsMessage({ keys, inst }: { keys: string[]; inst?: unknown }): string {
  const shape = (inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def?.shape
  const known = Object.keys(shape ?? {})
  const names = keys.map(key => JSON.stringify(key)).join(', ')
  const unknown = `knows no ${names}`
  if (known.length === 0) return unknown
  const shown = known.slice(0, KNOWN_FIELDS_MAX).join(', ')
  return `${unknown}, only ${shown}${known.length > KNOWN_FIELDS_MAX ? ', ...' : ''}`
}
