// What of its rows a write has to return, so that a level can be shown of them. Pure.

import { isGrouped } from './grouping.ts'
import type { Embed, Item, Level } from './level.ts'

/** True where the rows can be shown as they are returned: nothing is sorted, joined or grouped. */
export function isPlain({ items, order }: Level): boolean {
  const isOwn = ({ kind }: Item) => kind === 'all' || kind === 'field'
  return order.length === 0 && items.every(isOwn) && !isGrouped(items)
}

/** The columns that the level is made of; undefined for all of them. */
export function neededColumns({ items, order }: Level): string[] | undefined {
  const embeds = items.flatMap(item => (item.kind === 'embed' || item.kind === 'spread' ? [item.embed] : []))
  const needsAll = items.some(({ kind }) => kind === 'all') || embeds.some(needsRow)
  if (needsAll) return undefined
  const shown = items.flatMap(item => (item.kind === 'field' ? [item.field.name] : []))
  const sorted = order.flatMap(({ field, below }) => (below === undefined ? [field.name] : []))
  return [...new Set([...shown, ...sorted, ...embeds.flatMap(linkColumns)])]
}

/** A function takes the whole row. */
function needsRow({ link }: Embed): boolean {
  return link.kind === 'function'
}

function linkColumns({ link }: Embed): string[] {
  if (link.kind === 'function') return []
  const pairs = link.kind === 'key' ? link.pairs : link.originPairs
  return pairs.map(([here]) => here)
}
