// What a local server is told by its environment: each of its settings is a variable, `databaseUrl` being
// `<PREFIX>DATABASE_URL`. Tests hand over an object instead.

import * as z from 'zod'

export const Port = z.coerce.number().int().min(0).max(65_535)
/** Texts with commas between them. */
export const List = z.preprocess(
  value => (typeof value === 'string' ? value.split(',').flatMap(text => text.trim() || []) : value),
  z.array(z.string()),
)
/** Seals or signs: what it sealed is lost when it changes. */
export const Secret = z.string().min(16)

/** The settings of the environment; an empty variable is none. Throws with the names of those that are wrong. */
export function readSettings<S extends z.ZodObject>(
  schema: S,
  prefix: string,
  env: NodeJS.ProcessEnv,
): z.output<S> {
  const variableOf = (name: string) => prefix + name.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
  const given = Object.keys(schema.shape).map(name => [name, env[variableOf(name)]?.trim() || undefined])
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${variableOf(path.join('.'))}: ${message}`)
  throw new Error(`the server cannot start: ${problems.join('; ')}`)
}
