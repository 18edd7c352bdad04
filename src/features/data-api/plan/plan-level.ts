// Makes the tree of levels that a request reads: finds the relationships, gives every level its part of the query
// string, and a name for SQL. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { leadsToOne, type Relationship } from '../catalog/relationship.ts'
import type { Reliance } from '../catalog/relationship-facts.ts'
import type { Dialect } from '../dialect.ts'
import { type Page, parsePage } from '../grammar/page.ts'
import type {
  EmbeddedQuery,
  Filter,
  OrderTerm,
  RowsQuery,
  SelectedEmbed,
  SelectItem,
} from '../grammar/query-ast.ts'
import { countedRows, refuseRowFunctions } from '../grammar/row-functions.ts'
import { aliasOf } from './aliases.ts'
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
import { expandStars, spreadColumns } from './spread.ts'

/** What the whole tree has in common; `reliesOn` grows while it is made. */
export interface Planning {
  /** Undefined for a query string that needs none. */
  readonly catalog: Catalog | undefined
  readonly dialect: Dialect
  readonly role: DatabaseRole
  /** That of the request: names of rows that are of no table are looked up in it. */
  readonly schema: string
  readonly reliesOn: Reliance[]
}

/** What a query string says of a level and of those below it. */
export interface LevelQuery extends RowsQuery {
  readonly select: readonly SelectItem[]
  readonly embedded: readonly EmbeddedQuery[]
}

/** Where a level stands in the tree. */
export interface Place {
  readonly alias: string
  /** The relation whose keys and columns are looked up; undefined for rows that are of no table. */
  readonly table: QualifiedName | undefined
  readonly page: Page | undefined
  /** How many levels are above. */
  readonly depth: number
  /** Names that SQL has above, the level's own among them. */
  readonly taken: readonly string[]
  /** True where its columns are shown one level up, by their names. */
  readonly isSpread: boolean
}

/** An embedded relation with the names that filters and orders know it by. */
interface Named {
  readonly select: SelectedEmbed
  readonly item: EmbedItem | SpreadItem
}

/** The level at a place. Throws what `findRelationship` does, `invalid_filter`, `invalid_order`, `invalid_select`. */
export function planLevel(planning: Planning, place: Place, query: LevelQuery): Level {
  const { table, alias, page } = place
  const relation = table && planning.catalog?.relation(table.schema, table.name)
  const columns = relation?.columns.map(({ name }) => name)
  const select = countedRows(query.select, columns)
  const selected = select.filter(item => item.kind === 'embed')
  if (table && columns)
    refuseRowFunctions({ ...query, select }, table.name, [...columns, ...selected.map(nameOf)])
  const parts = partsOf(query.embedded, selected)
  const named = selected.map((item, i) => planEmbed(planning, place, item, i, parts.get(item) ?? NOTHING))
  const items = select.map(item => (item.kind === 'embed' ? itemOf(item, named) : item))
  return {
    alias,
    table,
    typeOf: (table && planning.catalog?.typesOf(table.schema, table.name)) ?? UNKNOWN_TYPES,
    items: isGrouped(items) || place.isSpread ? expandStars(items, columns) : items,
    filters: withoutRepeated(query.filters.map(filter => planFilter(filter, named, columns))),
    order: query.order.map(term => planOrder(term, named, alias)),
    page,
  }
}

function itemOf(item: SelectedEmbed, named: readonly Named[]): Item {
  const found = named.find(({ select }) => select === item)
  if (!found) throw new TypeError('every embed is planned')
  return found.item
}

const NOTHING: Omit<LevelQuery, 'select'> = {
  filters: [],
  order: [],
  limit: undefined,
  offset: undefined,
  embedded: [],
}

/** What the query string says of each embedded relation. Throws for a name that none has. */
function partsOf(
  embedded: readonly EmbeddedQuery[],
  selected: readonly SelectedEmbed[],
): Map<SelectedEmbed, Omit<LevelQuery, 'select'>> {
  const parts = Map.groupBy(embedded, ({ path: [name = ''] }) => {
    // An alias is the name; the target's own is what older clients of PostgREST send beside one.
    const meant =
      selected.find(each => nameOf(each) === name) ?? selected.find(({ target }) => target === name)
    return meant ?? notEmbedded(name)
  })
  return new Map(Array.from(parts, ([item, each]) => [item, merged(each)]))
}

function merged(queries: readonly EmbeddedQuery[]): Omit<LevelQuery, 'select'> {
  const below = queries.map(({ path, ...query }) => ({ ...query, path: path.slice(1) }))
  const here = below.filter(({ path }) => path.length === 0)
  return {
    filters: here.flatMap(({ filters }) => filters),
    order: here.flatMap(({ order }) => order),
    limit: here.find(({ limit }) => limit !== undefined)?.limit,
    offset: here.find(({ offset }) => offset !== undefined)?.offset,
    embedded: below.filter(({ path }) => path.length > 0),
  }
}

function nameOf({ alias, target }: SelectedEmbed): string {
  return alias ?? target
}

function planEmbed(
  planning: Planning,
  above: Place,
  select: SelectedEmbed,
  index: number,
  rows: Omit<LevelQuery, 'select'>,
): Named {
  const { catalog, role, dialect, schema, reliesOn } = planning
  if (!catalog) throw new TypeError('embedding needs the catalog')
  const origin = above.table ?? { schema, name: above.alias }
  const relationship = findRelationship(catalog, origin, select, role)
  reliesOn.push(relationship.reliesOn)
  const isOne = leadsToOne(relationship)
  const depth = above.depth + 1
  const alias = aliasOf(relationship.target.name, depth, above.taken)
  const link = linkOf(relationship, depth, [...above.taken, alias])
  const junction = link.kind === 'junction' ? [link.junctionAlias] : []
  const place: Place = {
    alias,
    table: relationship.target,
    page: isOne ? pageOfOne(relationship, rows, dialect) : parsePage(rows, null, dialect),
    depth,
    taken: [...above.taken, alias, ...junction],
    isSpread: select.isSpread,
  }
  const planned = planLevel(planning, place, { ...rows, select: select.items })
  const level = select.isSpread && isOne ? withoutAggregates(planned) : planned
  const embed = { link, level, isOne, isInner: select.isInner }
  if (!select.isSpread) {
    const name = isEmpty(select) ? undefined : nameOf(select)
    return { select, item: { kind: 'embed', name, embed } }
  }
  const spreadAlias = aliasOf(`${relationship.target.name}_spread_${index}`, depth, place.taken)
  const columns = spreadColumns(planned, isOne)
  return { select, item: { kind: 'spread', alias: spreadAlias, columns, embed } }
}

/** Views may have several rows where a key promises one, and so may functions: the first is shown. */
function pageOfOne(
  relationship: Relationship,
  rows: Omit<LevelQuery, 'select'>,
  dialect: Dialect,
): Page | undefined {
  if (rows.limit !== undefined || rows.offset !== undefined) return parsePage(rows, null, dialect)
  const isSure = relationship.kind === 'key' && !relationship.targetIsView
  return isSure ? undefined : { limit: 1, offset: 0 }
}

/** True where nothing is shown: the relation is joined, for what it leaves out. */
function isEmpty({ items }: SelectedEmbed): boolean {
  return items.every(item => item.kind === 'embed' && isEmpty(item))
}

function linkOf(relationship: Relationship, depth: number, taken: readonly string[]): Link {
  const { kind, target: table, origin } = relationship
  if (kind === 'computed') return { kind: 'function', function: relationship.function, argument: origin }
  if (kind === 'key') return { kind, table, pairs: relationship.pairs }
  const { junction, originPairs, targetPairs } = relationship
  const junctionAlias = aliasOf(junction.name, depth, taken)
  return { kind, table, junction, junctionAlias, originPairs, targetPairs }
}

function planFilter(
  filter: Filter,
  named: readonly Named[],
  columns: readonly string[] | undefined,
): LevelFilter {
  if (filter.kind === 'tree') {
    return { ...filter, filters: filter.filters.map(each => planFilter(each, named, columns)) }
  }
  const { field, test, isNegated } = filter
  const meant = field.path.length > 0 ? undefined : named.find(({ select }) => nameOf(select) === field.name)
  if (meant === undefined) return filter
  const isNull = test.kind === 'is' && test.value === 'null'
  const isNotNull = test.kind === 'is' && test.value === 'not_null'
  if (isNull || isNotNull)
    return { kind: 'related', isNegated: isNull !== isNegated, embed: meant.item.embed }
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
  named: readonly Named[],
  alias: string,
): LevelOrder {
  if (relation === undefined) return { field, direction, nulls, below: undefined }
  const meant = named.find(({ select }) => nameOf(select) === relation) ?? notEmbedded(relation)
  if (!meant.item.embed.isOne) throw relatedOrderToMany(alias, relation)
  return { field, direction, nulls, below: meant.item }
}
