// Errors on their way out of a Durable Object, which would lose their class and most of their fields.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError, type ErrorCode, type ErrorFacts } from '../../../errors.ts'

/** An error as plain data. */
export type ErrorRecord =
  | { kind: 'domain'; code: ErrorCode; message: string; facts: ErrorFacts }
  | { kind: 'postgres'; fields: PostgresFields }

interface PostgresFields {
  readonly message: string
  readonly code: string
  readonly detail: string | null
  readonly hint: string | null
  readonly schema: string | null
  readonly table: string | null
  readonly column: string | null
  readonly constraint: string | null
}

/** Undefined for what is no error of ours or of Postgres. */
export function toErrorRecord(err: unknown): ErrorRecord | undefined {
  if (err instanceof PostgresError) {
    const { message, code, detail = null, hint = null } = err
    const { schema = null, table = null, column = null, constraint = null } = err
    return { kind: 'postgres', fields: { message, code, detail, hint, schema, table, column, constraint } }
  }
  if (!(err instanceof DomainError)) return undefined
  const { code, message, detail, hint, retryAfterSeconds, outcomeUnknown } = err
  return { kind: 'domain', code, message, facts: { detail, hint, retryAfterSeconds, outcomeUnknown } }
}

/** The error again. */
export function fromErrorRecord(record: ErrorRecord): DomainError | PostgresError {
  return record.kind === 'postgres'
    ? new PostgresError(record.fields)
    : new DomainError(record.code, record.message, record.facts)
}
