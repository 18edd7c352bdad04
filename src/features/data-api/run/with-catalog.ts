// Runs a data request with the catalog that it needs, and once more where that was older than the database.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type CatalogNeed, freshCatalog, neededCatalog } from '../catalog/needed-catalog.ts'
import { embedsRelations } from '../plan/plan-root.ts'
import { isOutdated } from '../sql/reliance.ts'
import type { DataApiDeps, DataContext } from './data-session.ts'
import { explainFailure } from './explain-failure.ts'

/**
 * Runs `attempt` with the catalog, when it needs one. Runs it once more with a fresh catalog when Postgres says that a
 * name of the remembered one is wrong. Every failure that leaves here is explained.
 */
export async function withCatalog<T>(
  deps: DataApiDeps,
  context: DataContext,
  need: CatalogNeed,
  attempt: (catalog: Catalog | undefined) => Promise<T>,
): Promise<T> {
  const { session, schema, call, query } = context
  const embeds = query !== undefined && embedsRelations(query)
  const question = { named: { schema, name: call.name }, need, embeds }
  const known = need === 'nothing' ? undefined : await neededCatalog(deps, session, question)
  const isCall = need === 'functions'
  const explained = (err: unknown) =>
    err instanceof PostgresError && isOutdated(err)
      ? schemaChanges()
      : explainFailure(deps, context, err, isCall)
  try {
    return await attempt(known)
  } catch (err) {
    if (known === undefined || !mayBeStale(err)) throw await explained(err)
    const fresh = await freshCatalog(deps, session, question, known)
    if (fresh === known) throw await explained(err)
    try {
      return await attempt(fresh.justRead())
    } catch (again) {
      throw await explained(again)
    }
  }
}

/** For a schema that changed between its reading and the statement, which has changed nothing. */
function schemaChanges(): DomainError {
  return new DomainError('database_unavailable', 'The schema changes while the request runs.', {
    hint: 'Nothing was changed. Send the request again.',
    postgrest: { code: 'PGRST002', message: 'Could not query the database for the schema cache. Retrying.' },
  })
}

/** Codes that may mean that the remembered catalog is older than the database. */
const STALE_CODES: ReadonlySet<string> = new Set([
  '25006',
  '42P01',
  '42703',
  '42704',
  '42883',
  '42P10',
  '42725',
  '42804',
])

/** Ours that say that a function, a relationship, or a column with the name of a function is not in the catalog. */
const STALE_DOMAIN_CODES: ReadonlySet<string> = new Set([
  'ambiguous_relationship',
  'function_not_found',
  'invalid_filter',
  'invalid_order',
  'invalid_select',
  'relationship_not_found',
])

function mayBeStale(err: unknown): boolean {
  if (err instanceof PostgresError) return STALE_CODES.has(err.code) || isOutdated(err)
  return err instanceof DomainError && STALE_DOMAIN_CODES.has(err.code)
}
