// The query of a table's rows: what of an address is a filter.

import { expect, it } from 'vitest'
import { filtersOf } from '../../../dashboard/src/views/database/tables/row-query.ts'

it('takes texts of an address as filters, and nothing else', () => {
  const search = {
    limit: 5,
    tab: 'rows',
    a: 'eq.1',
    b: ['gt.1', 'lt.9', 7, { c: 1 }],
    nosuch: { a: 1 },
    flag: true,
  }
  expect(filtersOf(search)).toEqual([
    { parameter: 'a', value: 'eq.1' },
    { parameter: 'b', value: 'gt.1' },
    { parameter: 'b', value: 'lt.9' },
  ])
})
