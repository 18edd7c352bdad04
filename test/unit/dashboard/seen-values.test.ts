// A row is changed only while it has the values that somebody saw.

import { expect, it } from 'vitest'
import { seenFilters } from '../../../dashboard/src/views/database/tables/seen-values.ts'
import type { Table } from '../../../dashboard/src/views/database/tables/table-types.ts'

function filtersFor(values: Record<string, [type: string, value: string | null]>) {
  const columns = Object.entries(values).map(([name, [type]]) => ({ name, type, enum_values: null }))
  const table = { columns, primary_key: ['id'] } as unknown as Table
  const drafts = new Map(columns.map(({ name }) => [name, { kind: 'null' } as const]))
  const seen = new Map(Object.entries(values).map(([name, [, value]]) => [name, value]))
  return seenFilters(table, drafts, seen)
}

it('asks for the old value of each changed column', () => {
  const values: Parameters<typeof filtersFor>[0] = {
    id: ['bigint', '1'],
    note: ['text', ''],
    order: ['numeric(10,2)', '1.50'],
    tags: ['character varying(9)[]', '{a,"b,c"}'],
    gone: ['json', null],
  }
  expect(filtersFor(values)).toEqual({
    filters: [
      ['note', 'eq.'],
      ['"order"', 'eq.1.50'],
      ['tags', 'eq.{a,"b,c"}'],
      ['gone', 'is.null'],
    ],
    unfiltered: [],
  })
})

it('leaves to reading what no filter can compare, or an address cannot hold', () => {
  const long = 'x'.repeat(501)
  const values: Parameters<typeof filtersFor>[0] = {
    data: ['json', '{}'],
    ratio: ['double precision', '0.1'],
    spot: ['point', '(1,2)'],
    mine: ['text.mine', 'a'],
    long: ['text', long],
    b: ['jsonb', '{}'],
  }
  expect(filtersFor(values)).toEqual({
    filters: [['b', 'eq.{}']],
    unfiltered: ['data', 'ratio', 'spot', 'mine', 'long'],
  })
})
