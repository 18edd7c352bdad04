// Columns of a level that are shown one level up. Pure.

import type { AggregateName } from '../grammar/query-ast.ts'
import { aggregateInSpread, unknownColumns } from './failures.ts'
import type { Item, Level, SpreadColumn } from './level.ts'
import { outputName } from './output-name.ts'

/** With the columns of the relation in the place of `*`. */
export function expandStars(items: readonly Item[], columns: readonly string[] | undefined): Item[] {
  return items.flatMap((item): Item[] => {
    if (item.kind !== 'all') return [item]
    if (columns === undefined) throw unknownColumns()
    return columns.map(name => ({
      kind: 'field',
      field: { name, path: [] },
      alias: undefined,
      cast: undefined,
      aggregate: undefined,
    }))
  })
}

/**
 * What a level's columns are called one level up. Of a level of one row its aggregates go up too: they are over the
 * rows that are alike there. Throws `invalid_select` for aggregates of a level of several.
 */
export function spreadColumns({ items }: Level, isOne: boolean): SpreadColumn[] {
  const columns = items.flatMap(columnsOf)
  if (isOne) return columns
  if (columns.some(({ aggregate }) => aggregate !== undefined)) throw aggregateInSpread()
  return columns.map(({ name }) => ({ name, isJson: true }))
}

function columnsOf(item: Item): readonly SpreadColumn[] {
  switch (item.kind) {
    case 'field':
      return [{ name: outputName(item), aggregate: item.aggregate }]
    case 'count':
      return [{ name: outputName(item), aggregate: { name: COUNT, cast: item.cast } }]
    case 'spread':
      return item.columns
    case 'embed':
      return item.name === undefined ? [] : [{ name: item.name, isJson: true }]
    case 'present':
      return [{ name: item.name }]
    case 'all':
      throw new TypeError('columns are spread by their names')
  }
}

const COUNT: AggregateName = 'count'
