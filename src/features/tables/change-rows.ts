// PATCH and DELETE on a table or view: both change the rows that the filters name, and only those.

import type { Statement } from '../../db/sql.ts'
import { DomainError } from '../../errors.ts'
import type { Catalog } from './catalog.ts'
import { answer, type DataAnswer } from './data-answer.ts'
import type { DataCall } from './data-session.ts'
import type { Dialect } from './dialect.ts'
import { contentRange } from './page.ts'
import { refuseUnused } from './parameter-use.ts'
import { type Payload, parsePayload } from './payload.ts'
import { type Preferences, preferenceApplied } from './prefer.ts'
import { queryNeed } from './read-rows.ts'
import {
  type CatalogNeed,
  runPlan,
  type StatementOutcome,
  type TablesDeps,
  withCatalog,
} from './run-statement.ts'
import {
  isDomainFailure,
  readWriteCall,
  refuseUnboundedWrite,
  type WriteCall,
  writeCatalogOf,
  writeContentType,
  writeRequestOf,
} from './write-call.ts'
import { buildDelete, buildUpdate } from './write-statement.ts'

/** Sets the columns of the body in every row that matches; 200 with the rows. Throws `filter_required`. */
export async function updateRows(deps: TablesDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const write = readWriteCall(deps, call, dialect)
  refuseUnboundedWrite(write)
  refuseUnused(write.query, 'update', dialect)
  const payload = parsePayload(
    await call.readBodyText(),
    call.headers.get('content-type'),
    write.query.columns,
  )
  refuseSeveralRows(payload)
  const build = (isTyped: boolean) => (catalog: Catalog | undefined) =>
    buildUpdate(write.table, payload, writeRequestOf(write), writeCatalogOf(write, catalog, isTyped))
  const need = write.preferences.missing === 'default' ? 'relation' : queryNeed(write.query)
  let outcome: StatementOutcome
  try {
    outcome = await run(deps, write, need, build(false))
  } catch (err) {
    if (!isDomainFailure(err)) throw err
    outcome = await run(deps, write, 'relation', build(true))
  }
  const total = write.preferences.count === undefined ? null : outcome.rowCount
  return answerChange(deps, write, outcome, contentRange(0, outcome.rowCount, total), ['missing'])
}

/** Deletes every row that matches; 200 with the rows as they were. Throws `filter_required`. */
export async function deleteRows(deps: TablesDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const write = readWriteCall(deps, call, dialect)
  refuseUnboundedWrite(write)
  refuseUnused(write.query, 'delete', dialect)
  const outcome = await run(deps, write, queryNeed(write.query), catalog =>
    buildDelete(write.table, writeRequestOf(write), writeCatalogOf(write, catalog).typeOf),
  )
  const total = write.preferences.count === undefined ? '*' : String(outcome.rowCount)
  return answerChange(deps, write, outcome, `*/${total}`, [])
}

function run(
  deps: TablesDeps,
  { context, preferences }: WriteCall,
  need: CatalogNeed,
  build: (catalog: Catalog | undefined) => Statement,
): Promise<StatementOutcome> {
  return withCatalog(deps, context, need, catalog =>
    runPlan(deps, context, {
      main: build(catalog),
      readOnly: false,
      prepared: true,
      isDryRun: preferences.tx === 'rollback',
      timezone: preferences.timezone,
    }),
  )
}

function answerChange(
  deps: TablesDeps,
  write: WriteCall,
  outcome: StatementOutcome,
  range: string,
  honoured: readonly (keyof Preferences)[],
): DataAnswer {
  const hasBody = write.returning === 'representation'
  const fields = {
    'content-type': writeContentType(write),
    'content-range': range,
    'preference-applied': preferenceApplied(write.preferences, [
      ...honoured,
      'return',
      'count',
      'tx',
      'handling',
      'timezone',
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
