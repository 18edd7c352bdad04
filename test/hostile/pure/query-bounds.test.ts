// Short queries that make Postgres work for minutes, or take a gigabyte, before any bound of ours.

import { expect, it } from 'vitest'
import { QUOIN_DIALECT } from '../../../src/features/data-api/dialect.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'
import { planTable } from '../../../src/features/data-api/plan/plan-root.ts'

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
  const context = { catalog: undefined, dialect: QUOIN_DIALECT, role: 'anon' } as const
  const table = { schema: 'public', name: 't' }
  const plan = (search: string) => planTable(context, table, parseQueryString(search), undefined)
  const select = (count: number, field: string) =>
    `?select=${Array.from({ length: count }, (_, i) => `a${i}:${field}`).join(',')}`
  for (const field of ['tags', 'doc->a', 'doc->>a::text']) {
    expect(plan(select(10, field)).items).toHaveLength(10)
    expect(() => plan(select(11, field))).toThrow(/11 times/)
  }
  expect(() => plan(`?select=${Array(10).fill('*').join(',')},tags`)).toThrow(/11 times/)
})

// Each part looked at the whole rest: 28 KB took 0.6 s.
it('a name goes through ten relations at most', () => {
  expect(() => parseQueryString(`?${'a.'.repeat(14_000)}=eq.1`)).toThrow(/at most 10 deep/)
})
