// Which part of a query string each embedded relation has: its names are those in `select`. Pure.

import type { DataQuery, EmbeddedQuery, RowsQuery, SelectedEmbed, SelectItem } from '../grammar/query-ast.ts'
import { notEmbedded } from './failures.ts'

/** What is asked of the rows of one relation, and of those below it. */
export interface QueryNode extends RowsQuery {
  readonly items: readonly (Exclude<SelectItem, SelectedEmbed> | EmbedNode)[]
}

/** The same of an embedded relation; `name` is what filters and orders call it. */
export interface EmbedNode extends Omit<SelectedEmbed, 'items'>, QueryNode {
  readonly name: string
}

/** Throws `invalid_filter` for a relation that `select` does not have. */
export function queryTree({
  select,
  embedded,
  ...rows
}: Omit<DataQuery, 'columns' | 'onConflict'>): QueryNode {
  return nodeOf(select, rows, embedded)
}

function nodeOf(
  select: readonly SelectItem[],
  { filters, order, limit, offset }: RowsQuery,
  below: readonly EmbeddedQuery[],
): QueryNode {
  const embeds = select.filter(item => item.kind === 'embed')
  const parts = Map.groupBy(below, ({ path: [name = ''] }) => meantBy(name, embeds) ?? notEmbedded(name))
  const items = select.map(item => (item.kind === 'embed' ? embedNode(item, parts.get(item) ?? []) : item))
  return { items, filters, order, limit, offset }
}

/** An alias is the name; the target's own is what older clients of PostgREST send beside one. */
function meantBy(name: string, embeds: readonly SelectedEmbed[]): SelectedEmbed | undefined {
  return embeds.find(each => nameOf(each) === name) ?? embeds.find(({ target }) => target === name)
}

function nameOf({ alias, target }: SelectedEmbed): string {
  return alias ?? target
}

function embedNode(select: SelectedEmbed, parts: readonly EmbeddedQuery[]): EmbedNode {
  const inside = parts.map(({ path, ...rows }) => ({ ...rows, path: path.slice(1) }))
  const own = inside.filter(({ path }) => path.length === 0)
  const rows = {
    filters: own.flatMap(({ filters }) => filters),
    order: own.flatMap(({ order }) => order),
    limit: own.find(({ limit }) => limit !== undefined)?.limit,
    offset: own.find(({ offset }) => offset !== undefined)?.offset,
  }
  const below = inside.filter(({ path }) => path.length > 0)
  return { ...select, ...nodeOf(select.items, rows, below), name: nameOf(select) }
}
