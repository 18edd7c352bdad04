// PATCH and DELETE on a table or view: both change the rows that the filters name, and only those.

import { DomainError } from '../../../errors.ts'
import type { Dialect } from '../dialect.ts'
import { contentRange } from '../grammar/page.ts'
import { refuseUnused } from '../grammar/parameter-use.ts'
import { type Preferences, preferenceApplied, WRITE_PREFERENCES } from '../grammar/prefer.ts'
import type { Payload } from '../payload/payload.ts'
import type { DataApiDeps, DataCall } from '../run/data-session.ts'
import type { StatementOutcome } from '../run/run-plan.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { buildDelete, buildUpdate } from '../sql/write-statement.ts'
import { answer, type DataAnswer, explained } from './data-answer.ts'
import { queryNeed } from './read-rows.ts'
import {
  readWriteCall,
  readWritePayload,
  refuseUnboundedWrite,
  runWrite,
  type WriteCall,
  withRowType,
  writeCatalogOf,
  writeContentType,
  writeRequestOf,
} from './write-call.ts'

/** Sets the columns of the body in every row that matches; 200 with the rows. Throws `filter_required`. */
export async function updateRows(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const write = readWriteCall(deps, call, dialect)
  refuseUnboundedWrite(write)
  refuseUnused(write.query, 'update', dialect)
  const payload = await readWritePayload(write)
  refuseSeveralRows(payload)
  const need = write.preferences.missing === 'default' ? 'relation_now' : queryNeed(write.query)
  const outcome = await withRowType(deps, write, need, (catalog, isTyped) => {
    const known = writeCatalogOf(write, catalog, isTyped)
    const request = writeRequestOf(write, catalog)
    return runWrite(deps, write, buildUpdate(write.table, payload, request, known))
  })
  const total = write.preferences.count === undefined ? null : outcome.rowCount
  return answerChange(deps, write, outcome, contentRange(0, outcome.rowCount, total), ['missing'])
}

/** Deletes every row that matches; 200 with the rows as they were. Throws `filter_required`. */
export async function deleteRows(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const write = readWriteCall(deps, call, dialect)
  refuseUnboundedWrite(write)
  refuseUnused(write.query, 'delete', dialect)
  const outcome = await withCatalog(deps, write.context, queryNeed(write.query), catalog => {
    return runWrite(deps, write, buildDelete(write.table, writeRequestOf(write, catalog)))
  })
  const total = write.preferences.count === undefined ? '*' : String(outcome.rowCount)
  return answerChange(deps, write, outcome, `*/${total}`, [])
}

function answerChange(
  deps: DataApiDeps,
  write: WriteCall,
  outcome: StatementOutcome,
  range: string,
  honoured: readonly (keyof Preferences)[],
): DataAnswer {
  if (write.format.explain) return explained(deps, write.context, write.format, outcome)
  const hasBody = write.returning === 'representation'
  const fields = {
    'content-type': writeContentType(write),
    'content-range': range,
    'preference-applied': preferenceApplied(write.preferences, [
      ...honoured,
      ...WRITE_PREFERENCES,
      'maxAffected',
    ]),
  }
  return answer(deps, write.context, hasBody ? 200 : 204, hasBody ? outcome.body : null, fields, outcome)
}

function refuseSeveralRows({ rowCount }: Payload): void {
  if (rowCount <= 1) return
  throw new DomainError('invalid_body', `PATCH takes one JSON object, not ${rowCount}.`, {
    hint: 'To change several rows each in its own way, upsert: POST with Prefer: resolution=merge-duplicates.',
  })
}
