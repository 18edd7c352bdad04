// JSON bodies by their schemas. As the real servers' Go has it: null and what is absent are the empty value, unknown
// members are ignored, a wrong type is a refusal. In what words is ours.

import * as z from 'zod'

export const Text = z
  .string()
  .nullish()
  .transform(value => value ?? '')
export const Flag = z
  .boolean()
  .nullish()
  .transform(value => value ?? false)
export const Integer = z
  .int()
  .nullish()
  .transform(value => value ?? 0)
export const Texts = z
  .array(z.string())
  .nullish()
  .transform(value => value ?? [])

/** The value of a JSON text as `schema` has it; throws what `refuse` makes of the reason. `null` stands for `empty`. */
export function readJson<S extends z.ZodType>(
  text: string,
  schema: S,
  refuse: (reason: string) => Error,
  empty: unknown = {},
): z.output<S> {
  const parsed = schema.safeParse(parseJson(text, refuse) ?? empty)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refuse(`${issue?.path.join('.')}: ${issue?.message}`)
}

/** Any value of a JSON text; throws what `refuse` makes of the reason. */
export function parseJson(text: string, refuse: (reason: string) => Error): z.core.util.JSONType {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('The body is no JSON.')
  }
}
