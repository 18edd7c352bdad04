// What the failures say that a statement was made for: of a schema that changed, and of results with more rows or
// fewer than the request allows.

import { PostgresError } from '../../../db/postgres-error.ts'
import type { Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { CatalogRefusal } from '../catalog/catalog-refusal.ts'
import { isOutdated } from '../sql/reliance.ts'
import { readGuardFailure } from '../sql/result-sql.ts'

/** Our own error where a statement failed because we made it fail; else undefined. */
export function ownFailure(err: unknown, statement: Statement): DomainError | undefined {
  if (!(err instanceof PostgresError)) return undefined
  if (isOutdated(err, statement)) return schemaChanged()
  const failed = readGuardFailure(err, statement.sql)
  if (failed === undefined) return undefined
  return failed.guard === 'max_affected' ? maxAffectedExceeded(failed.rowCount) : notSingular(failed.rowCount)
}

/** The schema is no more what the statement was made for, which has changed nothing. */
function schemaChanged(): CatalogRefusal {
  return new CatalogRefusal('database_unavailable', 'The schema changes while the request runs.', {
    hint: 'Nothing was changed. Send the request again.',
    postgrest: { code: 'PGRST002', message: 'Could not query the database for the schema cache. Retrying.' },
  })
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
