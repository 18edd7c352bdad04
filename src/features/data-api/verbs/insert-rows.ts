// POST on a table or view: insert, or upsert.

import { DomainError } from '../../../errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogNeed } from '../catalog/needed-catalog.ts'
import type { Dialect } from '../dialect.ts'
import type { OutputFormat } from '../grammar/media-type.ts'
import { refuseIdleConflict, refuseUnused } from '../grammar/parameter-use.ts'
import { preferenceApplied, WRITE_PREFERENCES } from '../grammar/prefer.ts'
import type { Payload } from '../payload/payload.ts'
import type { DataApiDeps, DataCall } from '../run/data-session.ts'
import type { StatementOutcome } from '../run/run-plan.ts'
import { buildInsert, type ConflictRule } from '../sql/write-statement.ts'
import { answer, type DataAnswer, explained } from './data-answer.ts'
import { queryNeed } from './read-rows.ts'
import { addressOf } from './resource-address.ts'
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
 * Inserts the rows of the body; 201 with them, or 200 when an upsert made no new row. All or nothing.
 * Throws `invalid_body` before the database is asked.
 */
export async function insertRows(deps: DataApiDeps, call: DataCall, dialect: Dialect): Promise<DataAnswer> {
  const write = readWriteCall(deps, call, dialect)
  refuseUnused(write.query, 'insert', dialect)
  refuseIdleConflict(write.query, write.preferences.resolution !== undefined, dialect)
  refuseIdleBound(write, dialect)
  const payload = await readWritePayload(write)
  const outcome = await withRowType(deps, write, insertNeed(write), (catalog, isTyped) =>
    tryInsert(deps, write, payload, catalog, isTyped),
  )
  return answerInsert(deps, write, outcome)
}

interface InsertOutcome {
  statement: StatementOutcome
  conflict: ConflictRule | undefined
  primaryKey: readonly string[]
}

async function tryInsert(
  deps: DataApiDeps,
  write: WriteCall,
  payload: Payload,
  catalog: Catalog | undefined,
  isTyped: boolean,
): Promise<InsertOutcome> {
  const { table } = write
  const relation = catalog?.relation(table.schema, table.name)
  const primaryKey = relation?.primaryKey ?? []
  const conflict = conflictRule(write, primaryKey)
  const wantsLocation = write.returning === 'headers-only' && primaryKey.length > 0
  const request = {
    ...writeRequestOf(write, catalog),
    maxAffected: NO_BOUND,
    ...(wantsLocation ? { returning: primaryKey, format: readableFormat(write.format) } : {}),
  }
  const reliesOnKey = insertNeed(write) === 'key' && relation?.isView !== true ? primaryKey : undefined
  const known = { ...writeCatalogOf(write, catalog, isTyped), reliesOnKey }
  const main = buildInsert(table, payload, conflict, request, known)
  const statement = await runWrite(deps, write, main)
  return { statement, conflict, primaryKey: wantsLocation ? primaryKey : [] }
}

/** The key that a location is made of is read here, whatever the caller accepts. */
function readableFormat(format: OutputFormat): OutputFormat {
  return format.kind === 'object' ? format : { ...format, kind: 'json' }
}

/** max-affected guards changes of existing rows; an insert says itself how many there are. */
const NO_BOUND = undefined

function refuseIdleBound({ preferences }: WriteCall, { refusesUnusedParameters }: Dialect): void {
  if (!refusesUnusedParameters || preferences.handling !== 'strict' || preferences.maxAffected === undefined)
    return
  throw new DomainError('invalid_preference', 'max-affected has no use in an insert.', {
    detail: 'The body says how many rows there are.',
    hint: 'It bounds PATCH and DELETE, and calls of functions that return rows.',
  })
}

/** An upsert without on_conflict means the primary key, a location is made of it, and only the catalog knows it. */
function insertNeed({ query, preferences, returning }: WriteCall): CatalogNeed {
  const needsKey = preferences.resolution !== undefined && query.onConflict === undefined
  if (preferences.missing === 'default') return 'relation_now'
  const isNeeded = needsKey || returning === 'headers-only'
  return isNeeded ? 'key' : queryNeed(query)
}

/** Without a key to conflict on, rows are simply inserted. */
function conflictRule(
  { query, preferences }: WriteCall,
  primaryKey: readonly string[],
): ConflictRule | undefined {
  const target = query.onConflict ?? primaryKey
  const { resolution } = preferences
  return resolution === undefined || target.length === 0 ? undefined : { resolution, target }
}

async function answerInsert(
  deps: DataApiDeps,
  write: WriteCall,
  { statement, conflict, primaryKey }: InsertOutcome,
): Promise<DataAnswer> {
  if (write.format.explain) return explained(deps, write.context, write.format, statement)
  const { rowCount, updatedCount } = statement
  const madeNone = write.preferences.resolution === 'merge-duplicates' && updatedCount >= rowCount
  const total = write.preferences.count === undefined ? '*' : String(rowCount)
  const applied = preferenceApplied(write.preferences, [
    ...(conflict ? (['resolution'] as const) : []),
    'missing',
    ...WRITE_PREFERENCES,
  ])
  const body = write.returning === 'representation' ? statement.body : null
  return answer(
    deps,
    write.context,
    madeNone ? 200 : 201,
    body,
    {
      'content-type': writeContentType(write),
      'content-range': `*/${total}`,
      location: await locationOf(write, primaryKey, statement),
      'preference-applied': applied,
    },
    statement,
  )
}

/** `/v1/db/users?id=eq.1` for a single new row with a primary key. */
async function locationOf(
  { context, dialect }: WriteCall,
  primaryKey: readonly string[],
  { body, rowCount }: StatementOutcome,
): Promise<string | undefined> {
  if (primaryKey.length === 0 || rowCount !== 1) return undefined
  const parsed = (await new Response(body).json()) as unknown
  const row = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, string | null>
  const filters = primaryKey.map(name => {
    const value = row[name] ?? null
    return `${encodeURIComponent(name)}=${value === null ? 'is.null' : `eq.${encodeURIComponent(value)}`}`
  })
  return addressOf(context.call, dialect, filters.join('&'))
}
