// POST on a function: arguments by name from a JSON object, the result as the function shapes it.

import { DomainError } from '../../../errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type ResolvedCall, resolveFunction } from '../catalog/function-resolution.ts'
import type { Dialect } from '../dialect.ts'
import { negotiateFormat } from '../grammar/media-type.ts'
import { refuseBadName } from '../grammar/names.ts'
import { contentRange, parsePage } from '../grammar/page.ts'
import { refuseUnused } from '../grammar/parameter-use.ts'
import { type Preferences, parsePrefer, preferenceApplied } from '../grammar/prefer.ts'
import { parseQueryString } from '../grammar/query-string.ts'
import { refuseRowFunctions } from '../grammar/row-functions.ts'
import { isBinary, readCallBody } from '../payload/call-body.ts'
import { planCall } from '../plan/plan-root.ts'
import { chooseSchema, type DataApiDeps, type DataCall, dataSession } from '../run/data-session.ts'
import { runPlan, type StatementOutcome } from '../run/run-plan.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { buildCall } from '../sql/call-statement.ts'
import { answer, type DataAnswer, rowsStatus } from './data-answer.ts'

interface CallOutcome {
  resolved: ResolvedCall
  statement: StatementOutcome
}

/**
 * Calls the function once. Scalars answer as bare JSON, sets as arrays, rows as objects, void as 204.
 * Throws `function_not_found` and `ambiguous_function`.
 */
export async function callFunction(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  refuseBadName('invalid_parameter', 'The name of the function', call.name)
  const schema = chooseSchema(call, deps.config.dbSchemas)
  const query = parseQueryString(call.search)
  refuseUnused(query, 'call', dialect)
  const page = parsePage(query, null, dialect)
  const preferences = parsePrefer(call.headers.get('prefer'), dialect)
  const format = negotiateFormat(call.headers.get('accept'))
  const contentType = call.headers.get('content-type')
  const readBody = isBinary(contentType) ? call.readRawBytes : call.readBodyBytes
  const body = readCallBody(await readBody(), contentType)
  const context = { call, schema, session: dataSession(call, schema, deps.config.dbExtraSearchPath), query }
  const { count, maxAffected } = preferences

  const run = async (catalog: Catalog | undefined): Promise<CallOutcome> => {
    if (catalog === undefined) throw new TypeError('a call needs the catalog')
    const names = body.names && query.columns ? query.columns : body.names
    const passed = { names, wholeTypes: body.wholeTypes }
    const resolved = resolveFunction(catalog, { schema, name: call.name }, passed, context.session.role)
    refuseBoundWithoutSet(resolved, preferences)
    const { returns, returnsSet, arguments: parameters } = resolved.target
    if (returns !== 'row') refuseUnused(query, returnsSet ? 'values' : 'value', dialect)
    refuseRowFunctions(query, call.name, resolved.target.resultColumns)
    const request = {
      level: planCall({ catalog, dialect, role: call.role }, resolved.target, undefined, query, page),
      format,
      count,
      maxAffected,
    }
    const variadic = parameters.find(({ isVariadic }) => isVariadic)?.name
    const value = resolved.passing === 'wholeBody' ? body.whole : body.byName(variadic)
    const statement = await runPlan(deps, context, {
      main: buildCall(resolved, names ?? [], value, request),
      readOnly: !resolved.target.isVolatile,
      // A function may change its session, so that the connection is not one for prepared statements.
      prepared: false,
      isDryRun: preferences.tx === 'rollback',
      timezone: preferences.timezone,
    })
    return { resolved, statement }
  }
  const { resolved, statement } = await withCatalog(deps, context, 'functions', run)
  const applied = preferenceApplied(preferences, ['count', 'tx', 'handling', 'timezone', 'maxAffected'])
  const { target } = resolved
  if (target.returns === 'void') {
    return answer(deps, context, 204, null, { 'preference-applied': applied }, statement)
  }
  const total = count === undefined ? null : (statement.totalCount ?? statement.rowCount)
  const fields = {
    'content-type': format.contentType,
    'content-range': contentRange(target.returnsSet ? page.offset : 0, statement.rowCount, total),
    'preference-applied': applied,
  }
  const status = target.returnsSet ? rowsStatus(statement, page, total) : 200
  return answer(deps, context, status, statement.body, fields, statement)
}

function refuseBoundWithoutSet({ target }: ResolvedCall, { maxAffected }: Preferences): void {
  if (maxAffected === undefined || target.returnsSet) return
  throw new DomainError('invalid_preference', 'max-affected needs a function that returns SETOF or TABLE.', {
    detail: `${target.schema}.${target.name} returns one value, so the rows that it changes cannot be counted.`,
  })
}
