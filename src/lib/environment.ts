// How a program reads its variables out of its environment: a zod object of them, parsed once. Is given the variables
// and never reads them itself. No error repeats a value: some are secrets.

import * as z from 'zod'

/** A variable is missing or wrong. The message names it and says what it must be, never its value. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * The variables of an environment, which may hold other things too. An empty one is not set: `NAME=` in an env file is
 * how people switch one off. Throws one `ConfigError` that names all that are wrong: whoever sets up a program learns
 * at its first start everything that it lacks.
 */
export function readVariables<Variables extends z.ZodObject>(
  variables: Variables,
  env: object,
): z.output<Variables> {
  const given = new Map(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = variables.safeParse(Object.fromEntries(given), {
    error: ({ input }) => (input === undefined ? 'must have a value' : undefined),
  })
  if (parsed.success) return parsed.data
  // What zod says by itself names types, lengths and forms, never the input.
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0])
    return given.has(name) ? `${name} ${message}` : `${name} is not set, and ${message}`
  })
  throw new ConfigError(problems.join('; '))
}

/**
 * Digits alone, with blanks around them or none. A number is taken too: that is what wrangler makes of one without
 * quotes under `[vars]`.
 */
export function wholeNumber(min: number, max: number) {
  const isWithin = (text: string) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max
  return z.coerce
    .string()
    .trim()
    .refine(isWithin, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
}

/** `true` or `false` and nothing else; false unless set. */
export const Flag = z
  .stringbool({
    truthy: ['true'],
    falsy: ['false'],
    case: 'sensitive',
    error: 'must be the text "true" or "false"',
  })
  .default(false)

/** The form of a connection string, as errors show it. */
export const POSTGRES_URL_FORM = 'postgresql://user:password@host:port/database'

export const PostgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: `must be of the form ${POSTGRES_URL_FORM}`,
})

/** Whether a host (IPv6 without brackets) is this machine by its form alone: what goes there crosses no network. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|::1|localhost)$/.test(host)
}
