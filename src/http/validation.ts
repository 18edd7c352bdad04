// Runs a route's schema over what was sent, and says every mistake with its place.

import type * as z from 'zod'
import { DomainError } from '../errors.ts'
import { messageOf, shownName } from './validation-messages.ts'

/** How many mistakes one answer lists; more would only be noise. */
const PROBLEMS_MAX = 10

/** The parsed value. Throws `validation_failed` naming each field that is wrong and what it must be. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: 'body' | 'query',
): z.output<Schema> {
  refuseUnstorableText(value, where)
  const parsed = schema.safeParse(value, { error: messageOf })
  if (parsed.success) return parsed.data
  // Of one field the first: a text that should be a list need not hear how many items it may have.
  const byField = new Map<string, string>()
  for (const { path, message } of parsed.error.issues) {
    const field = [where, ...path.map(shownName)].join('.')
    if (!byField.has(field)) byField.set(field, `${field}: ${message}`)
  }
  const problems = [...byField.values()].slice(0, PROBLEMS_MAX)
  const [first = `${where}: not valid`] = problems
  throw new DomainError('validation_failed', first, {
    detail: problems.length > 1 ? problems.join('; ') : undefined,
    hint:
      value === undefined
        ? 'The route needs a JSON body.'
        : 'The endpoint and its fields are described at /docs.',
  })
}

/** The query string as an object. Throws `validation_failed` for a parameter that is given twice: which one counts? */
export function readQuery(search: string): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(query, name)) {
      throw new DomainError('validation_failed', `query.${name}: given more than once.`, {
        hint: 'Give it once.',
      })
    }
    query[name] = value
  }
  return query
}

/**
 * Postgres text cannot hold NUL, and a lone surrogate is no character: the first would fail deep inside, the second
 * would be stored as something else than what was sent.
 */
function refuseUnstorableText(value: unknown, path: string, depth = 0): void {
  if (typeof value === 'string') {
    const problem = value.includes('\u0000')
      ? 'a NUL character'
      : value.isWellFormed()
        ? undefined
        : 'half of a surrogate pair'
    if (problem) {
      throw new DomainError('validation_failed', `${path}: holds ${problem}, which Postgres cannot store.`, {
        hint: 'Remove it, or send binary data as base64 or hex text.',
      })
    }
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > DEPTH_MAX)
    throw new DomainError('validation_failed', `${path}: nested deeper than ${DEPTH_MAX} levels.`)
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorableText(key, path, depth + 1)
    refuseUnstorableText(item, `${path}.${key}`, depth + 1)
  }
}

/** Deeper JSON than this is an attack on the stack, not data. */
const DEPTH_MAX = 200
