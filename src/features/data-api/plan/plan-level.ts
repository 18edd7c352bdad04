// Makes the tree of levels that a request reads: finds the relationships, and a name for SQL for every level. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { leadsToOne, type Relationship } from '../catalog/relationship.ts'
import type { Reliance } from '../catalog/relationship-facts.ts'
import type { Dialect } from '../dialect.ts'
import { type Page, parsePage } from '../grammar/page.ts'
import type { Filter, OrderTerm, RowsQuery } from '../grammar/query-ast.ts'
import { countedRows, refuseRowFunctions } from '../grammar/row-functions.ts'
import { takeAlias } from './aliases.ts'
import { badEmbedFilter, notEmbedded, relatedOrderToMany } from './failures.ts'
import { findRelationship } from './find-relationship.ts'
import { isGrouped, withoutAggregates } from './grouping.ts'
import {
  type EmbedItem,
  type Item,
  type Level,
  type LevelFilter,
  type LevelOrder,
  type Link,
  type SpreadItem,
  UNKNOWN_TYPES,
} from './level.ts'
import type { EmbedNode, QueryNode } from './query-tree.ts'
import { expandStars, spreadColumns } from './spread.ts'

/** What the whole tree has in common; `reliesOn` and `names` grow while it is made. */
export interface Planning {
  /** Undefined for a query string that needs none. */
  readonly catalog: Catalog | undefined
  readonly dialect: Dialect
  readonly role: DatabaseRole
  /** That of the request: names of rows that are of no table are looked up in it. */
  readonly schema: string
  readonly reliesOn: Reliance[]
  /** Names that relations have in the text. */
  readonly names: Set<string>
}

/** Where a level stands in the tree. */
export interface Place {
  readonly alias: string
  /** The relation whose keys and columns are looked up; undefined for rows that are of no table. */
  readonly table: QualifiedName | undefined
  readonly page: Page | undefined
  /** How many levels are above. */
  readonly depth: number
  /** True where its columns are shown one level up, by their names. */
  readonly isSpread: boolean
}

/** Embedded relations by the names that filters and orders know them by. */
type Embedded = ReadonlyMap<string, EmbedItem | SpreadItem>

/** The level at a place. Throws what `findRelationship` does, `invalid_filter`, `invalid_order`, `invalid_select`. */
export function planLevel(planning: Planning, place: Place, node: QueryNode): Level {
  const { table, alias, page } = place
  const relation = table && planning.catalog?.relation(table.schema, table.name)
  const columns = relation?.columns.map(({ name }) => name)
  const asked = countedRows(node.items, columns)
  const names = asked.flatMap(item => (item.kind === 'embed' ? [item.name] : []))
  if (table && columns) refuseRowFunctions({ ...node, select: asked }, table.name, [...columns, ...names])
  const embedded = new Map<string, EmbedItem | SpreadItem>()
  const items = asked.map((item): Item => {
    if (item.kind !== 'embed') return item
    const planned = planEmbed(planning, place, item)
    if (!embedded.has(item.name)) embedded.set(item.name, planned)
    return planned
  })
  return {
    alias,
    table,
    typeOf: (table && planning.catalog?.typesOf(table.schema, table.name)) ?? UNKNOWN_TYPES,
    items: isGrouped(items) || place.isSpread ? expandStars(items, columns) : items,
    filters: withoutRepeated(node.filters.map(filter => planFilter(filter, embedded, columns))),
    order: node.order.map(term => planOrder(term, embedded, alias)),
    page,
  }
}

function planEmbed(planning: Planning, above: Place, node: EmbedNode): EmbedItem | SpreadItem {
  const { catalog, role, dialect, schema, reliesOn, names } = planning
  if (!catalog) throw new TypeError('embedding needs the catalog')
  const origin = above.table ?? { schema, name: above.alias }
  const relationship = findRelationship(catalog, origin, node, role)
  reliesOn.push(relationship.reliesOn)
  const { target } = relationship
  const isOne = leadsToOne(relationship)
  const depth = above.depth + 1
  const alias = takeAlias(target.name, depth, names)
  const link = linkOf(relationship, depth, names)
  const place: Place = {
    alias,
    table: target,
    page: isOne ? pageOfOne(relationship, node, dialect) : parsePage(node, null, dialect),
    depth,
    isSpread: node.isSpread,
  }
  const planned = planLevel(planning, place, node)
  const level = node.isSpread && isOne ? withoutAggregates(planned) : planned
  const embed = { link, level, isOne, isInner: node.isInner }
  if (!node.isSpread) return { kind: 'embed', name: isEmpty(node) ? undefined : node.name, embed }
  const spreadAlias = takeAlias(`${target.name}_spread`, depth, names)
  return { kind: 'spread', alias: spreadAlias, columns: spreadColumns(planned, isOne), embed }
}

/** Views may have several rows where a key promises one, and so may functions: the first is shown. */
function pageOfOne(relationship: Relationship, rows: RowsQuery, dialect: Dialect): Page | undefined {
  if (rows.limit !== undefined || rows.offset !== undefined) return parsePage(rows, null, dialect)
  const isSure = relationship.kind === 'key' && !relationship.targetIsView
  return isSure ? undefined : { limit: 1, offset: 0 }
}

/** True where nothing is shown: the relation is joined, for what it leaves out. */
function isEmpty({ items }: QueryNode): boolean {
  return items.every(item => item.kind === 'embed' && isEmpty(item))
}

function linkOf(relationship: Relationship, depth: number, names: Set<string>): Link {
  const { kind, target: table, origin } = relationship
  if (kind === 'computed') return { kind: 'function', function: relationship.function, argument: origin }
  if (kind === 'key') return { kind, table, pairs: relationship.pairs }
  const { junction, originPairs, targetPairs } = relationship
  const junctionAlias = takeAlias(junction.name, depth, names)
  return { kind, table, junction, junctionAlias, originPairs, targetPairs }
}

function planFilter(filter: Filter, embedded: Embedded, columns: readonly string[] | undefined): LevelFilter {
  if (filter.kind === 'tree') {
    return { ...filter, filters: filter.filters.map(each => planFilter(each, embedded, columns)) }
  }
  const { field, test, isNegated } = filter
  const meant = field.path.length > 0 ? undefined : embedded.get(field.name)
  if (meant === undefined) return filter
  const isNull = test.kind === 'is' && test.value === 'null'
  const isNotNull = test.kind === 'is' && test.value === 'not_null'
  if (isNull || isNotNull) return { kind: 'related', isNegated: isNull !== isNegated, embed: meant.embed }
  return columns?.includes(field.name) ? filter : badEmbedFilter(field.name)
}

/** The same condition on a relation once: each is the whole of what lies below in the text. */
function withoutRepeated(filters: readonly LevelFilter[]): LevelFilter[] {
  return filters.filter((filter, i) => {
    if (filter.kind !== 'related') return true
    const { embed, isNegated } = filter
    const isSame = (other: LevelFilter) =>
      other.kind === 'related' && other.embed === embed && other.isNegated === isNegated
    return filters.findIndex(isSame) === i
  })
}

function planOrder(
  { relation, field, direction, nulls }: OrderTerm,
  embedded: Embedded,
  alias: string,
): LevelOrder {
  if (relation === undefined) return { field, direction, nulls, below: undefined }
  const meant = embedded.get(relation) ?? notEmbedded(relation)
  if (!meant.embed.isOne) throw relatedOrderToMany(alias, relation)
  return { field, direction, nulls, below: meant }
}
