// Access in words, and what the diagram of a schema draws.

import { expect, it } from 'vitest'
import {
  type Access,
  commandsWords,
  type Policy,
  policySentence,
  reasonWords,
  rowsWords,
  type Structure,
} from '../../../dashboard/src/parts/database/access-words.ts'
import { diagramOf, idOf } from '../../../dashboard/src/views/database/schema/model.ts'

const access = (more: Partial<Access>): Access => ({
  rows: 'some',
  because: 'policies',
  policies: ['own', 'shared'],
  columns: null,
  ...more,
})

it.each<[Partial<Access>, string]>([
  [{}, 'Some rows: own, shared decide'],
  [{ policies: ['own'] }, 'Some rows: own decides'],
  [{ rows: 'all', policies: ['open'] }, 'All rows: open lets every row pass'],
  [{ rows: 'none' }, 'None: the policies let no row pass'],
  [{ columns: ['id', 'name'] }, 'Some rows, id, name: own, shared decide'],
  [{ rows: 'none', because: 'no_policy' }, 'None: row-level security is on, and no policy allows it'],
  [{ rows: 'all', because: 'no_row_level_security' }, 'All rows: row-level security is off'],
])('says %o', (more, words) => {
  expect(`${rowsWords(access(more))}: ${reasonWords(access(more))}`).toBe(words)
})

it('says all commands in short', () => {
  const [none, some, all] = [access({ rows: 'none' }), access({}), access({ rows: 'all' })]
  expect(commandsWords({ select: all, insert: some, update: some, delete: none })).toEqual([
    'All rows: read',
    'Some rows: insert, change',
  ])
  expect(commandsWords({ select: none, insert: none, update: none, delete: none })).toEqual(['Nothing'])
})

it('says what a policy does, and to whom', () => {
  const policy: Policy = {
    name: 'p',
    command: 'select',
    roles: ['public'],
    permissive: true,
    using: 'true',
    check: null,
  }
  expect(policySentence(policy)).toBe('Allows reading to everybody')
  expect(policySentence({ ...policy, command: 'all', roles: ['anon', 'staff'], permissive: false })).toBe(
    'Restricts everything of anon, staff, whatever others allow',
  )
})

function table(name: string, keys: { columns: string[]; to: string }[] = [], more: Partial<Structure> = {}) {
  const columns = Array.from({ length: 12 }, (_, i) => ({ name: `c${i}`, type: 'text' }))
  const foreign_keys = keys.map(({ columns: of, to }, i) => ({
    name: `key_${i}`,
    columns: of,
    references: { schema: 'public', table: to, columns: ['c0'] },
    one_to_one: false,
  }))
  return {
    schema: 'public',
    name,
    columns,
    primary_key: ['c0'],
    foreign_keys,
    partition_of: null,
    ...more,
  } as unknown as Structure
}

const TABLES = [
  table('people'),
  table('orders', [{ columns: ['c11'], to: 'people' }]),
  table('lines', [
    { columns: ['c1'], to: 'orders' },
    { columns: ['c2'], to: 'elsewhere' },
  ]),
  table('orders_1', [{ columns: ['c11'], to: 'people' }], {
    partition_of: { schema: 'public', table: 'orders' },
  }),
  table('alone'),
]

it('draws tables with their keys; what is not there and partitions are left out', () => {
  const { nodes, edges } = diagramOf(TABLES, '')
  expect(nodes.map(({ name }) => name)).toEqual(['people', 'orders', 'lines', 'alone'])
  expect(edges.map(({ source, target }) => [source, target])).toEqual([
    [idOf('public', 'orders'), idOf('public', 'people')],
    [idOf('public', 'lines'), idOf('public', 'orders')],
  ])
  const orders = nodes[1]
  expect(orders?.columns.slice(0, 2)).toEqual([
    { name: 'c0', type: 'text', key: 'primary' },
    { name: 'c11', type: 'text', key: 'foreign' },
  ])
  expect([orders?.columns.length, orders?.more]).toEqual([10, 2])
})

it('draws what is searched with its neighbours', () => {
  const { nodes, edges } = diagramOf(TABLES, 'People')
  expect(nodes.map(({ name }) => name)).toEqual(['people', 'orders'])
  expect(edges).toHaveLength(1)
})
