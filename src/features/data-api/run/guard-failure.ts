// What the failures of our own guards say, of results with more rows or fewer than the request allows.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { readGuardFailure } from '../sql/result-sql.ts'

/** Our own error for a failed guard of the statement `sql`; else undefined. */
export function guardFailure(err: unknown, sql: string): DomainError | undefined {
  const failed = err instanceof PostgresError ? readGuardFailure(err, sql) : undefined
  if (failed === undefined) return undefined
  return failed.guard === 'max_affected' ? maxAffectedExceeded(failed.rowCount) : notSingular(failed.rowCount)
}

function maxAffectedExceeded(rowCount: number): DomainError {
  return new DomainError('max_affected_exceeded', 'Query result exceeds max-affected preference constraint', {
    detail: `The query affects ${rowCount} rows`,
    hint: 'Nothing was changed. Narrow the filter, or raise max-affected.',
  })
}

/** `406` for a single-object answer of a result with none or several rows. */
export function notSingular(rowCount: number): DomainError {
  return new DomainError('not_singular', 'Cannot coerce the result to a single JSON object', {
    detail: `The result contains ${rowCount} rows`,
    hint: 'Filter on a unique column, or accept application/json.',
  })
}
