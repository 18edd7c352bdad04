// Validation by zod, which says every mistake with its place: of a query through Hono's validator, of a JSON body here,
// since Hono's would read it itself and take an empty one for `{}`.

import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { DomainError } from '../errors.ts'
import { messageOf, shownName } from './validation-messages.ts'

/** How many mistakes one answer lists; more would only be noise. */
const PROBLEMS_MAX = 10

/**
 * What reads a query by its schema, made once a route; undefined without one. What it parsed is
 * `c.req.valid('query')`; it throws `validation_failed` naming each parameter that is wrong and what it must be.
 */
export function queryValidator(schema: z.ZodObject | undefined): MiddlewareHandler | undefined {
  return schema && zValidator('query', schema, refuseMistakes, { validationFunction: parseQuery })
}

function refuseMistakes({ error }: { success: boolean; error?: z.core.$ZodError }): void {
  if (error) throw validationFailed('query', error)
}

/**
 * The value of a body's JSON text as its schema gives it; undefined text is a body that was left out. Throws
 * `validation_failed` naming each field that is wrong and what it must be.
 */
export function parseBody(schema: z.ZodType, text: string | undefined): unknown {
  const { error, data } = parse(schema, text === undefined ? undefined : JSON.parse(text))
  if (error === undefined) return data
  throw text === undefined
    ? validationFailed('body', error, 'The route needs a JSON body.')
    : validationFailed('body', error)
}

/** The error that names each field that is wrong, of one field the first mistake. */
export function validationFailed(
  where: string,
  { issues }: z.core.$ZodError,
  hint = 'The endpoint and its fields are described at /docs.',
): DomainError {
  // Of one field the first: a text that should be a list need not hear how many items it may have.
  const byField = new Map<string, string>()
  for (const { path, message } of issues) {
    const field = [where, ...path.map(shownName)].join('.')
    if (!byField.has(field)) byField.set(field, `${field}: ${message}`)
  }
  const problems = [...byField.values()].slice(0, PROBLEMS_MAX)
  const [first = `${where}: not valid`] = problems
  const detail = problems.length > 1 ? problems.join('; ') : undefined
  return new DomainError('validation_failed', first, { detail, hint })
}

function parse(schema: z.ZodType, value: unknown) {
  return schema.safeParse(value, { error: messageOf })
}

/** Throws `validation_failed` for a parameter that is given twice: which one counts? */
function parseQuery(schema: z.ZodType, query: Record<string, string | string[]>) {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
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
  }
  return parse(schema, query)
}
