// How a program reads its settings out of its environment: whole numbers, yes or no, and what makes them wrong. Is
// given the variables and never reads them itself. No error repeats a value: some are secrets.

/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A variable is missing or wrong. The message names it and says what it must be, never its value. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** The variable of a whole number, what it is unless set, and the least and the most that it may be. */
export type Bounds = readonly [name: string, byDefault: number, min: number, max: number]

/** Digits alone; a variable that is empty is not set. Throws `ConfigError`. */
export function readInteger(env: Environment, ...[name, byDefault, min, max]: Bounds): number {
  const text = env[name]
  if (text === undefined || text === '') return byDefault
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`)
}

/**
 * What each of `readers` reads, under its key. Throws one `ConfigError` with the messages of all that are wrong:
 * whoever sets up a process learns at its first start everything that it lacks.
 */
export function readAll<Values extends object>(
  readers: {
    readonly [Key in keyof Values]: () => Values[Key]
  },
): Values {
  const problems: string[] = []
  const values: Partial<Values> = {}
  for (const key of Object.keys(readers) as (keyof Values)[]) {
    try {
      values[key] = readers[key]()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('; '))
  return values as Values
}

/** Each of `bounds` as `readInteger` reads it, under the same key; all that are wrong in one `ConfigError`. */
export function readIntegers<Key extends string>(
  env: Environment,
  bounds: Readonly<Record<Key, Bounds>>,
): Record<Key, number> {
  const readers = Object.entries<Bounds>(bounds).map(([key, bound]) => [
    key,
    () => readInteger(env, ...bound),
  ])
  return readAll(Object.fromEntries(readers) as Record<Key, () => number>)
}

/** `true` or `false` and nothing else; false unless set. Throws `ConfigError`. */
export function readBoolean(env: Environment, name: string): boolean {
  const text = env[name] || 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  throw new ConfigError(`${name} must be true or false`)
}

/** Whether a host (IPv6 without brackets) is this machine by its form alone: what goes there crosses no network. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|::1|localhost)$/.test(host)
}
