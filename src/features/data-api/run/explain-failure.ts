// Makes the failures of data requests speak: what callers get in place of Postgres' errors.

import { explainPostgresError } from '../../../db/error-hints.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type CatalogDeps, neededCatalog } from '../catalog/needed-catalog.ts'
import type { Filter } from '../grammar/query-ast.ts'
import type { DataContext } from './data-session.ts'
import { unknownColumn, unknownTable } from './postgrest-words.ts'
import { raisedAnswer } from './raised-answer.ts'

/** What each method needs to change rows and to read them back. */
const PRIVILEGES: Readonly<Record<string, string>> = {
  POST: 'INSERT, SELECT',
  PATCH: 'UPDATE, SELECT',
  PUT: 'INSERT, UPDATE, SELECT',
  DELETE: 'DELETE, SELECT',
}

/** What to throw instead of `err`: the same with a hint, or what a function of the user raised. */
export async function explainFailure(
  deps: CatalogDeps,
  context: DataContext,
  err: unknown,
  isCall: boolean,
): Promise<unknown> {
  if (!(err instanceof PostgresError)) return err
  const { call, schema, session } = context
  // Under /api nobody but Quoin chooses an answer.
  if (err.code === 'PGRST' && call.isAnswerFixed !== true) return raisedAnswer(err)
  nameTheTable(err, call.name)
  const catalog = await catalogForHint(deps, context, err.code)
  if (err.code === '42P01' && err.message.includes(`"${schema}.${call.name}"`))
    err.postgrest = unknownTable({ schema, name: call.name }, catalog?.relationNames(schema, call.role) ?? [])
  else if (call.method !== 'GET') err.postgrest = unknownColumn(err, call.name)
  const prefer = call.headers.get('prefer') ?? ''
  // A call is a POST too, but what its function does with which table nobody knows here.
  const privileges = isCall ? undefined : (PRIVILEGES[call.method] ?? 'SELECT')
  return explainPostgresError(err, {
    role: session.role,
    schema,
    table: call.name,
    catalog,
    isUpsert: call.method === 'POST' && !isCall && /\bresolution=/.test(prefer),
    readsBack: !isCall && !/\breturn=(?:minimal|headers-only)\b/.test(prefer),
    isWithoutUser: call.claims === null && session.role === 'anon',
    comparedWithNull: comparedWithNull(context.query?.filters ?? []),
    isCall,
    ...(privileges === undefined ? {} : { privileges }),
  })
}

/** The column of the first `eq.null` and the like: Postgres reads the text "null" as the column's type. */
function comparedWithNull(filters: readonly Filter[]): string | undefined {
  for (const filter of filters) {
    if (filter.kind === 'condition') {
      const { field, test } = filter
      if (test.kind === 'compare' && /^null$/i.test(test.value)) return field.name
      continue
    }
    const inside = comparedWithNull(filter.filters)
    if (inside !== undefined) return inside
  }
  return undefined
}

/** Names that are ours: rows of a write come under aliases, and functions with their schema. */
function nameTheTable(err: PostgresError, table: string): void {
  const unknown = /^column r\.(.+) does not exist$/.exec(err.message)?.[1]
  if (unknown !== undefined) err.message = `column ${unknown} of relation "${table}" does not exist`
  err.hint = err.hint?.replaceAll(/"(?:r|quoin_rows?)\./g, () => `"${table}.`)
  // The caller wrote `sum`, not where it lies.
  if (err.code === '42883') err.message = err.message.replace(/^function pg_catalog\./, 'function ')
}

/** An error is poorer without what only the catalog knows; it matters more than that this cannot be read. */
async function catalogForHint(
  deps: CatalogDeps,
  { session, schema, call }: DataContext,
  code: string,
): Promise<Catalog | undefined> {
  if (code !== '42P01' && code !== '42703') return undefined
  // An unknown table is the common case of the first, and must not read the catalog each time.
  const need = code === '42703' ? 'relation' : 'nothing'
  const question = { named: { schema, name: call.name }, need, embeds: false } as const
  return await neededCatalog(deps, session, question).catch(() => undefined)
}
