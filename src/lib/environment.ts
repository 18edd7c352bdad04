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
  const parsed = variables.safeParse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
    { error: ({ input }) => (input === undefined ? 'must be set' : undefined) },
  )
  if (parsed.success) return parsed.data
  // What zod says by itself names types, lengths and forms, never the input.
  throw new ConfigError(
    parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`).join('; '),
  )
}

/** Digits alone. A number is taken too: that is what wrangler makes of one without quotes under `[vars]`. */
export function wholeNumber(min: number, max: number) {
  const isWithin = (text: string) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max
  return z.coerce.string().refine(isWithin, `must be a whole number from ${min} to ${max}`).transform(Number)
}

/** `true` or `false` and nothing else; false unless set. */
export const Flag = z
  .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive', error: 'must be true or false' })
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
