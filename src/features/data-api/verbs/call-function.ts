// A call of a function: arguments by name from a JSON object or the query string, the result as the function shapes it.

import { DomainError } from '../../../errors.ts'
import { decodeBase64Stream } from '../../../lib/base64-stream.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { DatabaseFunction } from '../catalog/catalog-types.ts'
import { type ResolvedCall, resolveFunction } from '../catalog/function-resolution.ts'
import type { Dialect } from '../dialect.ts'
import { negotiateFormat, type OutputFormat } from '../grammar/media-type.ts'
import { contentRange, type Page, parsePage } from '../grammar/page.ts'
import { refuseUnused } from '../grammar/parameter-use.ts'
import { type Preferences, parsePrefer, preferenceApplied } from '../grammar/prefer.ts'
import { isCallArgument, parseQueryString } from '../grammar/query-string.ts'
import { refuseRowFunctions } from '../grammar/row-functions.ts'
import { type CallBody, isBinary, readCallBody, readQueryArguments } from '../payload/call-body.ts'
import { planCall } from '../plan/plan-root.ts'
import { type DataApiDeps, type DataCall, type DataContext, openCall } from '../run/data-session.ts'
import { runPlan, type StatementOutcome } from '../run/run-plan.ts'
import { withCatalog } from '../run/with-catalog.ts'
import { buildCall } from '../sql/call-statement.ts'
import { answer, type DataAnswer, explained, rowsStatus } from './data-answer.ts'

interface CallOutcome {
  readonly target: DatabaseFunction
  readonly format: OutputFormat
  readonly statement: StatementOutcome
}

/**
 * Calls the function once: read-only by GET and HEAD, whose query string has the arguments. Scalars answer as bare
 * JSON, sets as arrays, rows as objects, void as 204, a domain called as a media type as that. Throws
 * `function_not_found` and `ambiguous_function`.
 */
export async function callFunction(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const opened = openCall(deps, call, 'function')
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  const query = parseQueryString(call.search, isRead ? isCallArgument : undefined)
  refuseUnused(query, isRead ? 'read' : 'call', dialect)
  const page = parsePage(query, call.method === 'GET' ? call.headers.get('range') : null, dialect)
  const preferences = parsePrefer(call.headers.get('prefer'), dialect)
  const body = isRead ? readQueryArguments(call.search) : await readBody(call)
  const context = { ...opened, query }
  const { schema } = opened
  const columns = isRead ? undefined : query.columns
  const names = body.names && columns ? columns : body.names

  const run = async (catalog: Catalog | undefined): Promise<CallOutcome> => {
    if (catalog === undefined) throw new TypeError('a call needs the catalog')
    const passed = { names, wholeTypes: body.wholeTypes }
    const resolved = resolveFunction(catalog, { schema, name: call.name }, passed, call.role)
    const { target } = resolved
    refuseBoundWithoutSet(resolved, preferences)
    refuseRowFunctions(query, call.name, target.resultColumns)
    const asked = negotiateFormat(call.headers.get('accept'), deps.config.dbPlanEnabled, target.media)
    const format = call.method === 'HEAD' ? { ...asked, kind: 'none' as const } : asked
    const planning = { catalog, dialect, role: call.role }
    const request = {
      level: planCall(planning, target, target.resultTable, query, page),
      format,
      count: preferences.count,
      maxAffected: preferences.maxAffected,
    }
    const variadic = target.arguments.find(({ isVariadic }) => isVariadic)?.name
    const value = resolved.passing === 'wholeBody' ? body.whole : body.byName(variadic)
    const statement = await runPlan(deps, context, {
      main: buildCall(resolved, { names: names ?? [], body: value, areTexts: body.areTexts }, request),
      explain: format.explain,
      readOnly: isRead || !target.isVolatile,
      // A function may change its session, so that the connection is not one for prepared statements.
      prepared: false,
      isDryRun: preferences.tx === 'rollback',
      timezone: preferences.timezone,
    })
    return { target, format, statement }
  }
  return answerCall(deps, context, page, preferences, await withCatalog(deps, context, 'functions', run))
}

const APPLIED = ['count', 'tx', 'handling', 'timezone', 'maxAffected'] as const

const ONE = { rowCount: 1, totalCount: 1 }

function readBody(call: DataCall): Promise<CallBody> {
  const contentType = call.headers.get('content-type')
  const read = isBinary(contentType) ? call.readRawBytes : call.readBodyBytes
  return read().then(bytes => readCallBody(bytes, contentType))
}

function answerCall(
  deps: DataApiDeps,
  context: DataContext,
  page: Page,
  preferences: Preferences,
  { target, format, statement }: CallOutcome,
): DataAnswer {
  if (format.explain) return explained(deps, context, format, statement)
  // One value is one, a null too where a filter let nothing through (PostgREST).
  const { rowCount, totalCount } = target.returnsSet ? statement : ONE
  const total = preferences.count === undefined ? null : (totalCount ?? rowCount)
  const fields = {
    'content-range': contentRange(page.offset, rowCount, total),
    'preference-applied': preferenceApplied(preferences, APPLIED),
  }
  if (target.returns === 'void' && !target.returnsSet)
    return answer(deps, context, 204, null, fields, statement)
  const status = target.returnsSet ? rowsStatus(statement, page, total) : 200
  const sent = format.kind === 'bytes' ? withBytes(statement) : statement
  return answer(deps, context, status, sent.body, { 'content-type': format.contentType, ...fields }, sent)
}

/** The bytes that came in base64, since every body from the database is text. */
function withBytes(statement: StatementOutcome): StatementOutcome {
  const stream = new Response(statement.body).body
  return { ...statement, body: stream?.pipeThrough(decodeBase64Stream()) ?? '' }
}

function refuseBoundWithoutSet({ target }: ResolvedCall, { maxAffected }: Preferences): void {
  if (maxAffected === undefined || target.returnsSet) return
  throw new DomainError('invalid_preference', 'max-affected needs a function that returns SETOF or TABLE.', {
    detail: `${target.schema}.${target.name} returns one value, so the rows that it changes cannot be counted.`,
    postgrest: {
      code: 'PGRST128',
      message:
        'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
      details: null,
      hint: null,
    },
  })
}
