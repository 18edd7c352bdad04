// What somebody saw in the columns that they change. A write asks for it again, so that it takes the place of nothing
// that another person has written meanwhile.

import type { Drafts } from './drafts.ts'
import { parameterOf } from './row-query.ts'
import type { Column, Table } from './table-types.ts'

/** By column, as Postgres printed it. */
export type Seen = ReadonlyMap<string, string | null>

/** Nothing was saved; whoever wrote before is not known. */
export class RowChangedError extends Error {
  override readonly name = 'RowChangedError'

  constructor() {
    super('Nothing was saved: somebody else has changed this row meanwhile, or deleted it.')
  }
}

/** Filters stand in an address, which is no place for more. */
const FILTER_LENGTH_MAX = 500
const FILTERS_LENGTH_MAX = 4_000

/** Whose text Postgres finds equal to the value. Not json, xml and shapes, nor floats, nor types it did not bring. */
const COMPARABLE =
  /^(smallint|integer|bigint|numeric|boolean|text|character|uuid|date|timestamp|time|bytea|jsonb|inet|cidr)(?![\w.])/

function isComparable({ type, enum_values: labels }: Column): boolean {
  return labels !== null || COMPARABLE.test(type)
}

/**
 * The filters that a row passes as long as its changed columns have the values that were seen. `unfiltered`: columns
 * that no filter can be made of; whoever writes must read them.
 */
export function seenFilters(table: Table, drafts: Drafts, seen: Seen) {
  const filters: (readonly [parameter: string, value: string])[] = []
  const unfiltered: string[] = []
  let length = 0
  for (const column of table.columns) {
    const { name } = column
    const value = seen.get(name)
    // The key finds the row in any case.
    if (!drafts.has(name) || value === undefined || table.primary_key.includes(name)) continue
    const size = encodeURIComponent(name + (value ?? '')).length
    const isTooLong = size > FILTER_LENGTH_MAX || length + size > FILTERS_LENGTH_MAX
    if (value === null) filters.push([parameterOf(name), 'is.null'])
    else if (isComparable(column) && !isTooLong) filters.push([parameterOf(name), `eq.${value}`])
    else {
      unfiltered.push(name)
      continue
    }
    length += size
  }
  return { filters, unfiltered }
}
