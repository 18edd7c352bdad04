// Validation by zod through Hono's validator, with one hook that says every mistake with its place. An empty body never
// reaches Hono's, which would take it for `{}`.

import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { DomainError } from '../errors.ts'
import type { AnyRoute } from './route.ts'
import { messageOf, shownName } from './validation-messages.ts'

/** How many mistakes one answer lists; more would only be noise. */
const PROBLEMS_MAX = 10

/** What reads a route's query and JSON body; undefined where it has no schema. */
export interface Validators {
  query: MiddlewareHandler | undefined
  body: MiddlewareHandler | undefined
}

/**
 * The validators of a route, made once. What they parsed is `c.req.valid('query')` and `c.req.valid('json')`; they
 * throw `validation_failed` naming each field that is wrong and what it must be.
 */
export function validatorsOf({ query, body }: Pick<AnyRoute, 'query' | 'body'>): Validators {
  return {
    query: query && zValidator('query', query, refuseMistakes, { validationFunction: parseQuery }),
    body: body && zValidator('json', body, refuseMistakes, { validationFunction: parse }),
  }
}

/** Throws `validation_failed` unless a body may be left out. */
export function refuseMissingBody(schema: z.ZodType | undefined): void {
  const error = schema && parse(schema, undefined).error
  if (error) throw validationFailed('body', error, 'The route needs a JSON body.')
}

/** The hook of every validator. */
function refuseMistakes(result: { target: string; success: boolean; error?: z.core.$ZodError }): void {
  if (result.error) throw validationFailed(result.target === 'json' ? 'body' : result.target, result.error)
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
