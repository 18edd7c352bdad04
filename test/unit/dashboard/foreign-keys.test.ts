// Where the foreign keys of a row lead, and what refers to it.

import { expect, it } from 'vitest'
import {
  countingOf,
  keyText,
  referredHref,
  referringFilters,
} from '../../../dashboard/src/views/database/tables/facts-of-tables.ts'
import type { Table } from '../../../dashboard/src/views/database/tables/table-types.ts'

function table(name: string, primaryKey: string[], more: Partial<Table> = {}): Table {
  return { schema: 'public', name, kind: 'table', primary_key: primaryKey, ...more } as Table
}

function keyTo(references: string[], columns: string[], to = 'people') {
  return {
    ...{ name: 'k', columns, one_to_one: false, on_delete: 'no action', on_update: 'no action' },
    references: { schema: 'public', table: to, columns: references },
  } as Table['foreign_keys'][number]
}

const search = (href: string | undefined) => Object.fromEntries(new URL(`http://x${href}`).searchParams)

it('opens the row where the key is the primary key, whatever the order of its columns', () => {
  const tables = [table('people', ['tenant', 'id,x'])]
  const row = { person: '7', tenant: '1', other: null }
  const key = keyTo(['id,x', 'tenant'], ['person', 'tenant'])
  expect(search(referredHref(key, row, tables))).toEqual({
    tenant: 'eq.1',
    '"id,x"': 'eq.7',
    row: '["1","7"]',
  })
  expect(keyText(key, row)).toBe('person 7, tenant 1')
  // Part of the key, and a key of another name, only filter.
  expect(search(referredHref(keyTo(['tenant'], ['tenant']), row, tables))).toEqual({ tenant: 'eq.1' })
})

it('leads nowhere from NULL, and to no table that is not served', () => {
  const tables = [table('people', ['id'])]
  expect(referredHref(keyTo(['id'], ['other']), { other: null }, tables)).toBeUndefined()
  expect(referredHref(keyTo(['id'], ['person'], 'secret'), { person: '7' }, tables)).toBeUndefined()
})

it('filters those that refer to a row by all columns of their key', () => {
  const key = { name: 'k', schema: 'public', table: 'orders', columns: ['a', 'order'], one_to_one: false }
  const incoming = { ...key, references: ['x', 'y'] }
  expect(referringFilters(incoming, { x: '1', y: '' })).toEqual([
    { parameter: 'a', value: 'eq.1' },
    { parameter: '"order"', value: 'eq.' },
  ])
  expect(referringFilters(incoming, { x: '1', y: null })).toBeUndefined()
})

it('reads no large table through to count', () => {
  expect(countingOf(table('t', [], { rows_estimated: 100 }))).toBe('estimated')
  expect(countingOf(table('t', [], { rows_estimated: 100_001 }))).toBe('planned')
  expect(countingOf(table('t', [], { rows_estimated: null }))).toBe('estimated')
  expect(countingOf(table('t', [], { rows_estimated: null, kind: 'partitioned_table' }))).toBe('planned')
})
