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
    // Of a body the look over its JSON says so.
    if (value.includes('\u0000')) {
      throw new DomainError(
        'validation_failed',
        `query.${name}: holds a NUL character, which Postgres cannot store.`,
      )
    }
    query[name] = value
  }
  return query
}
