// PUT on a table or view: the one row that the filters name by its key is made, or set to what the body holds.

import { DomainError } from '../../../errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Dialect } from '../dialect.ts'
import { refuseUnused } from '../grammar/parameter-use.ts'
import { preferenceApplied, WRITE_PREFERENCES } from '../grammar/prefer.ts'
import type { DataQuery } from '../grammar/query-ast.ts'
import type { Payload } from '../payload/payload.ts'
import type { DataApiDeps, DataCall } from '../run/data-session.ts'
import type { StatementOutcome } from '../run/run-plan.ts'
import { buildInsert, type ConflictRule } from '../sql/write-statement.ts'
import { answer, type DataAnswer, explained } from './data-answer.ts'
import {
  readWriteCall,
  readWritePayload,
  runWrite,
  type WriteCall,
  withRowType,
  writeCatalogOf,
  writeContentType,
  writeRequestOf,
} from './write-call.ts'

/**
 * Makes or sets the row; 204, with `return=representation` 201 or 200 with it. Throws `invalid_filter` unless the
 * filters are the whole primary key with `eq`, and `invalid_body` where the body is of another row.
 */
export async function putRow(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const write = readWriteCall(deps, call, dialect)
  refusePage(write.query)
  refuseUnused(write.query, 'put', dialect)
  const payload = await readWritePayload(write)
  const outcome = await withRowType(deps, write, 'key', (catalog, isTyped) =>
    tryPut(deps, write, payload, catalog, isTyped),
  )
  if (write.format.explain) return explained(deps, write.context, write.format, outcome)
  // A row of another key was not taken, so nothing was written.
  if (outcome.rowCount !== 1) throw otherRow()
  const hasBody = write.returning === 'representation'
  const status = hasBody ? (outcome.updatedCount > 0 ? 200 : 201) : 204
  const fields = {
    'content-type': writeContentType(write),
    'preference-applied': preferenceApplied(write.preferences, WRITE_PREFERENCES),
  }
  return answer(deps, write.context, status, hasBody ? outcome.body : null, fields, outcome)
}

async function tryPut(
  deps: DataApiDeps,
  write: WriteCall,
  payload: Payload,
  catalog: Catalog | undefined,
  isTyped: boolean,
): Promise<StatementOutcome> {
  const { table, query } = write
  const relation = catalog?.relation(table.schema, table.name)
  const target = relation?.primaryKey ?? []
  // Of a table that is not there Postgres says so.
  if (relation) refuseOtherFilters(query, target)
  if (target.some(name => !payload.keys.includes(name))) throw otherRow()
  const conflict: ConflictRule | undefined = relation && {
    resolution: 'merge-duplicates',
    target,
    takesMatching: true,
  }
  const known = {
    ...writeCatalogOf(write, catalog, isTyped),
    reliesOnKey: relation?.isView === false ? target : undefined,
  }
  // There is one row at most.
  const request = { ...writeRequestOf(write, catalog), maxAffected: undefined }
  return runWrite(deps, write, buildInsert(table, payload, conflict, request, known))
}

function refusePage({ limit, offset }: DataQuery): void {
  if (limit === undefined && Number(offset ?? 0) === 0) return
  const message = 'limit/offset querystring parameters are not allowed for PUT'
  throw new DomainError('invalid_parameter', message, {
    hint: 'PUT is about one row: leave them out.',
    postgrest: { code: 'PGRST114' },
  })
}

/** The filters must be the key and nothing else. */
function refuseOtherFilters({ filters }: DataQuery, primaryKey: readonly string[]): void {
  const names = filters.map(filter =>
    filter.kind === 'condition' &&
    !filter.isNegated &&
    filter.field.path.length === 0 &&
    filter.test.kind === 'compare' &&
    filter.test.operator === 'eq'
      ? filter.field.name
      : undefined,
  )
  const isKey = primaryKey.length > 0 && primaryKey.every(name => names.includes(name))
  if (isKey && names.every(name => name !== undefined && primaryKey.includes(name))) return
  const message = "Filters must include all and only primary key columns with 'eq' operators"
  throw new DomainError('invalid_filter', message, {
    detail:
      primaryKey.length > 0 ? `The primary key is ${primaryKey.join(', ')}.` : 'There is no primary key.',
    hint: 'Name the row by its key, such as ?id=eq.1, or change rows with PATCH.',
    postgrest: { code: 'PGRST105', details: null },
  })
}

function otherRow(): DomainError {
  return new DomainError('invalid_body', 'Payload values do not match URL in primary key column(s)', {
    hint: 'Send the whole row, with the key that the filters name.',
    postgrest: { code: 'PGRST115' },
  })
}
