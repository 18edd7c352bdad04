// What POST, PATCH and DELETE of a table have in common: reading the request, running the statement, answering.

import { PostgresError } from '../../../db/postgres-error.ts'
import type { QualifiedName, Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogNeed } from '../catalog/needed-catalog.ts'
import type { Dialect } from '../dialect.ts'
import { negotiateFormat, type OutputFormat } from '../grammar/media-type.ts'
import { type Preferences, parsePrefer } from '../grammar/prefer.ts'
import type { DataQuery } from '../grammar/query-ast.ts'
import { parseQueryString } from '../grammar/query-string.ts'
import { type Payload, parsePayload } from '../payload/payload.ts'
import { planTable } from '../plan/plan-root.ts'
import { type DataApiDeps, type DataCall, type DataContext, openCall } from '../run/data-session.ts'
import { runPlan, type StatementOutcome } from '../run/run-plan.ts'
import { withCatalog } from '../run/with-catalog.ts'
import type { WriteCatalog } from '../sql/row-source-sql.ts'
import type { WriteRequest } from '../sql/write-statement.ts'

/** A write, read from its request; nothing has touched the database yet. */
export interface WriteCall {
  readonly context: DataContext
  readonly table: QualifiedName
  readonly query: DataQuery
  readonly preferences: Preferences
  readonly format: OutputFormat
  readonly returning: 'representation' | 'minimal' | 'headers-only'
  readonly dialect: Dialect
}

/** Reads everything but the body. Throws `invalid_*`, `not_acceptable` and `schema_not_exposed`. */
export function readWriteCall(deps: DataApiDeps, call: DataCall, dialect: Dialect): WriteCall {
  const opened = openCall(deps, call, 'table')
  const preferences = parsePrefer(call.headers.get('prefer'), dialect)
  const query = parseQueryString(call.search)
  return {
    context: { ...opened, query },
    table: { schema: opened.schema, name: call.name },
    query,
    preferences,
    format: negotiateFormat(call.headers.get('accept'), deps.config.dbPlanEnabled),
    returning: preferences.return ?? dialect.defaultReturn,
    dialect,
  }
}

/** The rows of the write's body. Throws what `parsePayload` does. */
export async function readWritePayload({ context, query }: WriteCall): Promise<Payload> {
  const { readBodyBytes, headers } = context.call
  return parsePayload(await readBodyBytes(), headers.get('content-type'), query.columns)
}

/** PATCH and DELETE change only what a filter names. Throws `filter_required`. */
export function refuseUnboundedWrite({ query, context }: WriteCall): void {
  const { method } = context.call
  if (query.filters.length === 0) {
    throw new DomainError('filter_required', `${method} needs at least one filter.`, {
      detail: 'Without one every row of the table would be changed; select, order and limit are no filters.',
      hint: 'Add a filter such as ?id=eq.1; to mean every row write one that holds for all, such as ?id=not.is.null.',
      postgrest: {
        code: '21000',
        message: `${method === 'PATCH' ? 'UPDATE' : 'DELETE'} requires a WHERE clause`,
        details: null,
      },
    })
  }
}

/** The part of a write's statement that comes from its request. */
export function writeRequestOf(
  { context, table, query, format, returning, preferences, dialect }: WriteCall,
  catalog: Catalog | undefined,
): WriteRequest {
  return {
    level: planTable({ catalog, dialect, role: context.call.role }, table, query, undefined),
    format,
    returning: returning === 'headers-only' ? 'minimal' : returning,
    maxAffected: preferences.maxAffected,
  }
}

/** How the rows of a write are read: by the table's row type, or column by column with what the catalog knows. */
export function writeCatalogOf(
  { table, preferences }: WriteCall,
  catalog: Catalog | undefined,
  isTyped = false,
): WriteCatalog {
  const fillsDefaults = preferences.missing === 'default'
  const relation = catalog?.relation(table.schema, table.name)
  return {
    typedColumns: isTyped || fillsDefaults ? relation?.columns : undefined,
    fillsDefaults,
  }
}

/** Runs the statement of a write in one trip; under tx=rollback everything is undone at its end. */
export function runWrite(
  deps: DataApiDeps,
  { context, preferences, format }: WriteCall,
  main: Statement,
): Promise<StatementOutcome> {
  return runPlan(deps, context, {
    main,
    explain: format.explain,
    readOnly: false,
    prepared: true,
    isDryRun: preferences.tx === 'rollback',
    timezone: preferences.timezone,
  })
}

/** Runs `attempt` with the table's row type, and once more column by column when that cannot read the rows. */
export async function withRowType<T>(
  deps: DataApiDeps,
  { context }: WriteCall,
  need: CatalogNeed,
  attempt: (catalog: Catalog | undefined, isTyped: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await withCatalog(deps, context, need, catalog => attempt(catalog, false))
  } catch (err) {
    if (!isDomainFailure(err)) throw err
    return withCatalog(deps, context, need === 'nothing' ? 'relation' : need, catalog =>
      attempt(catalog, true),
    )
  }
}

/** True when a domain refused the null of a column that was not sent: the table's row type cannot read such rows. */
function isDomainFailure(err: unknown): boolean {
  return (
    err instanceof PostgresError &&
    (err.code === '23502' || err.code === '23514') &&
    !err.table &&
    !err.column
  )
}

/** `Content-Type` of a write's answer, none when it has no body. */
export function writeContentType({ returning, format }: WriteCall): string | undefined {
  return returning === 'representation' ? format.contentType : undefined
}
