// A connection of the owner, for migrations: node-postgres' Client, or the Neon driver's over a WebSocket. Both take
// the same calls.

import { DomainError } from '../../../errors.ts'

export interface DriverResult {
  /** Of the answer's tag: what Postgres did, as `COMMIT`. */
  readonly command: string
  readonly rows: Record<string, unknown>[]
}

/** What is used of either driver. */
export interface Driver {
  query(statement: unknown, values?: unknown[]): Promise<DriverResult>
}

/** What Postgres says when it refuses a statement, as both drivers throw it. */
export interface Refusal extends Error {
  /** SQLSTATE. */
  readonly code: string
  readonly detail?: string
  readonly hint?: string
  /** Of a character in the statement, from 1, as text. */
  readonly position?: string
}

/** A query object of either driver, which is sent as it is. */
interface DriverQuery {
  requiresPreparation: () => boolean
}
type QueryClass = new (
  config: { text: string; values: readonly unknown[] },
  done: (err: Error | null, result: DriverResult) => void,
) => DriverQuery

/** Runs one statement and answers its rows. Throws as `sendStatement`. */
export async function runStatement<Row>(
  driver: Driver,
  text: string,
  values: readonly (string | null)[] = [],
): Promise<Row[]> {
  const { rows } = await sendStatement(driver, text, values)
  return rows as Row[]
}

/**
 * Runs one statement and answers its result. In the extended protocol Postgres refuses a text with two, so nothing can
 * hide behind a statement that was looked at. Throws `Refusal`; `database_unavailable` when the connection breaks.
 */
export function sendStatement(
  driver: Driver,
  text: string,
  values: readonly unknown[] = [],
): Promise<DriverResult> {
  const { Query } = driver.constructor as unknown as { Query: QueryClass }
  const answer = new Promise<DriverResult>((resolve, reject) => {
    const query = new Query({ text, values }, (err, result) => (err ? reject(err) : resolve(result)))
    // By themselves both drivers speak the simple protocol where there are no values.
    query.requiresPreparation = () => true
    void driver.query(query)
  })
  return passOn(answer)
}

/** The answer of a driver, with a broken connection as the error that it is to callers. */
export async function passOn(answer: Promise<DriverResult>): Promise<DriverResult> {
  try {
    return await answer
  } catch (err) {
    if (isRefusal(err)) throw err
    throw new DomainError('database_unavailable', 'The connection to the database broke.', {
      hint: 'Look at the status of the migrations before trying again.',
      cause: err,
      outcomeUnknown: true,
    })
  }
}

/** Whether Postgres refused a statement. What is fatal ended the session, and may have come behind its COMMIT. */
export function isRefusal(err: unknown): err is Refusal {
  if (!(err instanceof Error && 'severity' in err && 'code' in err)) return false
  return typeof err.code === 'string' && err.severity !== 'FATAL' && err.severity !== 'PANIC'
}
