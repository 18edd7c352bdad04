// Short queries that make Postgres work for minutes, or take a gigabyte, before any bound of ours.

import { expect, it } from 'vitest'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'

const list = (count: number) => `{${Array.from({ length: count }, (_, i) => i).join(',')}}`

// Each element is compared with each of the row's, in one go that hears no cancel: one request took a processor for a
// minute.
it.each(['cs', 'cd', 'ov', 'not.ov'])('a value of %s has at most 1 000 elements', operator => {
  expect(parseQueryString(`?tags=${operator}.${list(1_000)}`).filters).toHaveLength(1)
  expect(() => parseQueryString(`?tags=${operator}.${list(1_001)}`)).toThrow(/at most 1000 elements/)
  expect(() => parseQueryString(`?or=(tags.${operator}.${list(1_001)},id.eq.1)`)).toThrow(
    /at most 1000 elements/,
  )
})

// Postgres makes a value for each: one row of a megabyte took it 1.1 GB.
it('select takes the same field at most ten times, under whatever names', () => {
  const select = (count: number, field: string) =>
    `?select=${Array.from({ length: count }, (_, i) => `a${i}:${field}`).join(',')}`
  for (const field of ['tags', 'doc->a', 'doc->>a::text']) {
    expect(parseQueryString(select(10, field)).select).toHaveLength(10)
    expect(() => parseQueryString(select(11, field))).toThrow(/same field at most 10 times/)
  }
  expect(() => parseQueryString(`?select=${Array(11).fill('*').join(',')}`)).toThrow(/same field/)
})
