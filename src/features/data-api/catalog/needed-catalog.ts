// The catalog as a request needs it: from memory where that may be older than the database, else read anew.

import type { DataSession } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import type { Catalog, CatalogCache } from './catalog.ts'

/**
 * What a request must know before its SQL can be made: nothing, the table it names (`relation_now`: not from memory;
 * `key`: also its primary key), or the functions of its name.
 */
export type CatalogNeed = 'nothing' | 'relation' | 'key' | 'relation_now' | 'functions'

export interface CatalogDeps {
  readonly data: Parameters<CatalogCache['read']>[0]
  readonly catalog: CatalogCache
}

/** What a request names, what it must know of that, and whether it reads further relations. */
export interface CatalogQuestion {
  readonly named: QualifiedName
  readonly need: CatalogNeed
  readonly embeds: boolean
}

/** The remembered catalog; its relation is read anew where it is not there, or must not come from memory. */
export async function neededCatalog(
  { data, catalog }: CatalogDeps,
  session: DataSession,
  { named, need, embeds }: CatalogQuestion,
): Promise<Catalog> {
  if (need === 'relation_now' && !embeds) return catalog.readRelation(data, session, named)
  const known = await catalog.read(data, session, embeds)
  if (need === 'relation_now') return catalog.readRelation(data, session, named)
  if (need === 'functions' || need === 'nothing') return known
  const relation = known.relation(named.schema, named.name)
  // No text can say that it relies on the key of a view: Postgres does not know it.
  const isKnown = relation !== undefined && !(need === 'key' && relation.isView)
  return isKnown ? known : catalog.readRelation(data, session, named)
}

/** After a failure: what may have changed since `known` was read, or `known` itself where nothing has. */
export function freshCatalog(
  { data, catalog }: CatalogDeps,
  session: DataSession,
  { named, need, embeds }: CatalogQuestion,
  known: Catalog,
): Promise<Catalog> {
  if (embeds) return catalog.refresh(data, session, known)
  if (need !== 'functions') return catalog.readRelation(data, session, named)
  return catalog.refreshFunctions(data, session, named, known)
}
