// The tree of levels of a request on a table or view, or on the rows of a function. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Reliance } from '../catalog/relationship-facts.ts'
import type { Dialect } from '../dialect.ts'
import type { Page } from '../grammar/page.ts'
import type { DataQuery } from '../grammar/query-ast.ts'
import type { RootLevel } from './level.ts'
import { planLevel } from './plan-level.ts'
import { queryTree } from './query-tree.ts'
import { refuseLargeTree } from './tree-size.ts'

/** Who asks, by which rules, and with which knowledge: none where the query string needs none. */
export interface PlanContext {
  readonly catalog: Catalog | undefined
  readonly dialect: Dialect
  readonly role: DatabaseRole
}

/** True where further relations are read. */
export function embedsRelations({ select }: Pick<DataQuery, 'select'>): boolean {
  return select.some(({ kind }) => kind === 'embed')
}

/** The rows of a table or view that a query string asks for; `page` undefined for all. */
export function planTable(
  context: PlanContext,
  table: QualifiedName,
  query: DataQuery,
  page: Page | undefined,
): RootLevel {
  const { catalog } = context
  const isUnknown = embedsRelations(query) && !catalog?.relation(table.schema, table.name)
  // Postgres says best that there is no such table. Should it have come since, a write keeps its filters.
  const asked = isUnknown ? { ...query, select: [ALL], order: [], embedded: [] } : query
  return planRoot(context, table, table, asked, page)
}

/** The rows that a function returns; `table` is the relation whose rows they are, if they are of any. */
export function planCall(
  context: PlanContext,
  called: QualifiedName,
  table: QualifiedName | undefined,
  query: DataQuery,
  page: Page,
): RootLevel {
  return planRoot(context, called, table, query, page)
}

const ALL = { kind: 'all' } as const

function planRoot(
  { catalog, dialect, role }: PlanContext,
  { schema, name: alias }: QualifiedName,
  table: QualifiedName | undefined,
  query: Omit<DataQuery, 'columns' | 'onConflict'>,
  page: Page | undefined,
): RootLevel {
  const reliesOn: Reliance[] = []
  const place = { alias, table, page, depth: 0, isSpread: false }
  const planning = { catalog, dialect, role, schema, reliesOn, names: new Set([alias]) }
  const level = planLevel(planning, place, queryTree(query))
  refuseLargeTree(level)
  return { ...level, reliesOn: catalog && mergedReliance(catalog, reliesOn) }
}

function mergedReliance(catalog: Catalog, all: readonly Reliance[]): RootLevel['reliesOn'] {
  if (all.length === 0) return undefined
  const tableOids = [...new Set(all.flatMap(each => each.tableOids))]
  return {
    tableOids,
    keysVersion: catalog.relationships?.keysVersion(tableOids) ?? '',
    views: [...new Map(all.flatMap(({ views }) => views).map(view => [view.oid, view])).values()],
    relationshipFunctions: [...new Set(all.flatMap(({ relationshipFunctions }) => relationshipFunctions))],
  }
}
