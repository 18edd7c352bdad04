// Aggregates, which group what is shown beside them. Pure.

import type { Item, Level } from './level.ts'
import { outputName } from './output-name.ts'

/** True where an aggregate is among them: all others are grouped by then. */
export function isGrouped(items: readonly Item[]): boolean {
  return items.some(
    item =>
      item.kind === 'count' ||
      (item.kind === 'field' && item.aggregate !== undefined) ||
      (item.kind === 'spread' && item.columns.some(({ aggregate }) => aggregate !== undefined)),
  )
}

/** The level with the values that its aggregates are over, under the aggregates' names. */
export function withoutAggregates(level: Level): Level {
  const items = level.items.map((item): Item => {
    if (item.kind === 'count') return { kind: 'present', name: outputName(item) }
    if (item.kind === 'field' && item.aggregate !== undefined)
      return { ...item, alias: outputName(item), aggregate: undefined }
    if (item.kind === 'spread')
      return { ...item, columns: item.columns.map(({ name, isJson = false }) => ({ name, isJson })) }
    return item
  })
  return { ...level, items }
}
