// Runs a data request with the catalog that it needs, and once more where that was older than the database.

import { PostgresError } from '../../../db/postgres-error.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { CatalogRefusal } from '../catalog/catalog-refusal.ts'
import { type CatalogNeed, freshCatalog, neededCatalog } from '../catalog/needed-catalog.ts'
import { embedsRelations } from '../plan/plan-root.ts'
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
  try {
    return await attempt(known)
  } catch (err) {
    if (known === undefined || !mayBeStale(err)) throw await explainFailure(deps, context, err, isCall)
    const fresh = await freshCatalog(deps, session, question, known)
    if (fresh === known) throw await explainFailure(deps, context, err, isCall)
    try {
      return await attempt(fresh.justRead())
    } catch (again) {
      throw await explainFailure(deps, context, again, isCall)
    }
  }
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

function mayBeStale(err: unknown): boolean {
  return err instanceof PostgresError ? STALE_CODES.has(err.code) : err instanceof CatalogRefusal
}
