// Which relationships follow from keys, views and functions, and which of them a request means.

import { describe, expect, test } from 'vitest'
import { Catalog } from '../../../src/features/data-api/catalog/catalog.ts'
import type {
  ForeignKey,
  RelationshipFacts,
  ViewColumns,
} from '../../../src/features/data-api/catalog/relationship-facts.ts'
import { Relationships } from '../../../src/features/data-api/catalog/relationships.ts'
import { takeAlias } from '../../../src/features/data-api/plan/aliases.ts'
import { findRelationship } from '../../../src/features/data-api/plan/find-relationship.ts'

const named = (name: string, schema = 'public') => ({ schema, name })
const OIDS = ['a', 'b', 'c', 'j']
const table = (name: string, schema = 'public') => ({
  oid: String(OIDS.indexOf(name) + 1),
  ...named(name, schema),
})

function key(name: string, from: string, columns: string[], to: string, oneToOne = false): ForeignKey {
  return {
    name,
    version: `${name.length} 1`,
    table: table(from),
    columns,
    referencedTable: table(to),
    referencedColumns: columns.map((_, i) => (i === 0 ? 'id' : `id${i}`)),
    oneToOne,
  }
}

/** A view whose columns are `name` of column `of` in a table. */
function view(name: string, of: string, columns: [name: string, tableColumn: string][]): ViewColumns {
  const tableOid = table(of).oid
  return {
    ...named(name),
    oid: `9${name}`,
    version: '7 1',
    keyColumns: [],
    columns: columns.map(([column, tableColumn]) => ({ name: column, tableOid, tableColumn })),
  }
}

const KEYS: Record<string, string[]> = { j: ['a_id', 'b_id'] }

function relationshipsOf(facts: Partial<RelationshipFacts>): Relationships {
  return new Relationships(
    { schemas: ['public'], foreignKeys: [], views: [], relationshipFunctions: [], ...facts },
    ({ name }) => KEYS[name] ?? [],
  )
}

const shown = (facts: Partial<RelationshipFacts>, origin: string) =>
  relationshipsOf(facts)
    .from(named(origin))
    .map(each => `${each.cardinality} ${each.target.name}`)

describe('relationships', () => {
  test('lead both ways', () => {
    const foreignKeys = [key('k', 'a', ['b_id'], 'b')]
    expect(shown({ foreignKeys }, 'a')).toEqual(['many-to-one b'])
    expect(shown({ foreignKeys }, 'b')).toEqual(['one-to-many a'])
    expect(shown({ foreignKeys: [key('k', 'a', ['b_id'], 'b', true)] }, 'b')).toEqual(['one-to-one a'])
  })

  test('go through a junction whose key has the columns of both', () => {
    const foreignKeys = [
      key('ja', 'j', ['a_id'], 'a'),
      key('jb', 'j', ['b_id'], 'b'),
      key('jc', 'j', ['c_id'], 'c'),
    ]
    expect(shown({ foreignKeys }, 'a')).toEqual(['one-to-many j', 'many-to-many b'])
    expect(shown({ foreignKeys }, 'c')).toEqual(['one-to-many j'])
  })

  test('are those of the tables that a view shows, for each way in which it shows the columns of a key', () => {
    const foreignKeys = [key('k', 'a', ['b_id'], 'b')]
    const views = [
      view('av', 'a', [['other', 'b_id']]),
      view('twice', 'a', [
        ['x', 'b_id'],
        ['y', 'b_id'],
      ]),
      view('partly', 'a', [['id', 'id']]),
      view('bv', 'b', [['key', 'id']]),
    ]
    const facts = { foreignKeys, views }
    expect(shown(facts, 'av')).toEqual(['many-to-one b', 'many-to-one bv'])
    expect(shown(facts, 'twice')).toHaveLength(4)
    expect(shown(facts, 'partly')).toEqual([])
    expect(shown(facts, 'b')).toEqual([
      'one-to-many a',
      'one-to-many av',
      'one-to-many twice',
      'one-to-many twice',
    ])
    const [first] = relationshipsOf(facts).from(named('av'))
    expect(first).toMatchObject({
      pairs: [['other', 'id']],
      reliesOn: { tableOids: ['1', '2'], views: [views[0]] },
    })
  })

  test('stay in the schema, and a function takes the place of what keys say', () => {
    const away = { ...key('k', 'a', ['b_id'], 'b'), referencedTable: table('b', 'other') }
    expect(shown({ foreignKeys: [away] }, 'a')).toEqual([])
    const relationshipFunctions = [
      { ...named('b'), version: '3 1', argument: named('a'), result: named('c'), returnsOne: true },
    ]
    expect(shown({ foreignKeys: [key('k', 'a', ['b_id'], 'b')], relationshipFunctions }, 'a')).toEqual([
      'many-to-one c',
    ])
  })

  test('what is not exposed is neither end nor junction, though a view shows it', () => {
    const inside = (foreignKey: ForeignKey) => ({
      ...foreignKey,
      table: { ...foreignKey.table, schema: 'inside' },
    })
    const foreignKeys = [key('ja', 'j', ['a_id'], 'a'), key('jb', 'j', ['b_id'], 'b')].map(inside)
    expect(shown({ foreignKeys }, 'a')).toEqual([])
    const both = { ...inside(key('k', 'a', ['b_id'], 'b')), referencedTable: table('b', 'inside') }
    expect(relationshipsOf({ foreignKeys: [both] }).from(named('a', 'inside'))).toEqual([])
    const views = [view('av', 'a', [['other', 'b_id']]), view('bv', 'b', [['key', 'id']])]
    expect(shown({ foreignKeys: [both], views }, 'av')).toEqual(['many-to-one bv'])
    const relationshipFunction = { ...named('f'), version: '3 1', argument: named('a'), returnsOne: true }
    expect(
      shown({ relationshipFunctions: [{ ...relationshipFunction, result: named('c', 'inside') }] }, 'a'),
    ).toEqual([])
  })

  test('a view that shows a column a thousand times has twenty ways to show it', () => {
    const columns = Array.from({ length: 1_000 }, (_, i): [string, string] => [`c${i}`, 'b_id'])
    const facts = { foreignKeys: [key('k', 'a', ['b_id'], 'b')], views: [view('wide', 'a', columns)] }
    expect(shown(facts, 'wide')).toHaveLength(20)
  })
})

test('views that show keys in many ways do not multiply without end', () => {
  const ways = (name: string, of: string, column: string) =>
    view(
      name,
      of,
      Array.from({ length: 20 }, (_, i): [string, string] => [`c${i}`, column]),
    )
  const columns = Array.from({ length: 20 }, (_, i): [string, string][] => [
    [`a${i}`, 'a_id'],
    [`b${i}`, 'b_id'],
  ])
  const junction = { ...view('jv', 'j', columns.flat()), keyColumns: columns.flat().map(([name]) => name) }
  const foreignKeys = [key('ja', 'j', ['a_id'], 'a'), key('jb', 'j', ['b_id'], 'b')]
  const views = [ways('av', 'a', 'id'), ways('bv', 'b', 'id'), junction]
  expect(relationshipsOf({ foreignKeys, views }).from(named('av')).length).toBeLessThan(6_000)
})

describe('the relationship that is meant', () => {
  const column = (name: string) => {
    const types = { type: 'int', baseType: 'int', defaultSql: undefined }
    return { name, ...types, usableBy: ['anon' as const] }
  }
  const usable = ['a', 'b', 'j'].map(name => ({
    ...named(name),
    columns: ['id', 'x', 'y'].map(column),
    primaryKey: KEYS[name] ?? [],
    isView: false,
    changes: [],
    usableBy: ['anon' as const],
  }))
  const meant = (foreignKeys: ForeignKey[], target: string, hint?: string, relations = usable) => {
    const relationships = { schemas: ['public'], foreignKeys, views: [], relationshipFunctions: [] }
    const catalog = new Catalog({ version: '1', relations, functions: [], relationships }, 0)
    const found = findRelationship(catalog, named('a'), { target, hint }, 'anon')
    return found.kind === 'key' ? found.constraint : found.kind
  }
  const two = [key('one', 'a', ['x'], 'b'), key('second', 'a', ['y'], 'b')]

  test.each([
    ['one', undefined],
    ['x', undefined],
    ['b', 'one'],
    ['b', 'x'],
  ])('%s!%s', (target, hint) => expect(meant(two, target, hint)).toBe('one'))

  test('is told by a junction', () => {
    const junction = [
      key('ja', 'j', ['a_id'], 'a'),
      key('jb', 'j', ['b_id'], 'b'),
      key('direct', 'a', ['x'], 'b'),
    ]
    expect(meant(junction, 'b', 'j')).toBe('junction')
    expect(meant(junction, 'b', 'direct')).toBe('direct')
    expect(() => meant(junction, 'b')).toThrow(expect.objectContaining({ code: 'ambiguous_relationship' }))
  })

  test('of a table with itself is those who refer by its name, the one referred to by its column', () => {
    const self = [key('parent', 'a', ['up'], 'a')]
    expect(meant(self, 'a')).toBe('parent')
    expect(meant(self, 'up')).toBe('parent')
    expect(() => meant(self, 'a', 'parent')).toThrow(
      expect.objectContaining({ code: 'relationship_not_found' }),
    )
  })

  test('names of relations and columns that the role may not use are not told', () => {
    const hidden = usable.map(each => ({ ...each, usableBy: [] }))
    const hints = (relations: typeof usable) => {
      try {
        return meant(two, 'b', undefined, relations)
      } catch (err) {
        return JSON.stringify(err)
      }
    }
    expect(hints(usable)).toContain('second')
    expect(hints(hidden)).not.toContain('second')
    const narrow = usable.map(each => ({
      ...each,
      columns: each.columns.filter(({ name }) => name !== 'y'),
    }))
    expect(hints(narrow)).toContain('one using')
    expect(hints(narrow)).not.toContain('second')
    expect(() => meant(two, 'bb')).toThrow(
      expect.objectContaining({ hint: "Perhaps you meant 'b' instead of 'bb'." }),
    )
    expect(() => meant(two, 'bb', undefined, hidden)).toThrow(expect.objectContaining({ hint: undefined }))
  })
})

test('an alias is no longer than a name may be, and none that was taken', () => {
  const long = 'é'.repeat(40)
  expect(new TextEncoder().encode(takeAlias(long, 1, new Set())).length).toBeLessThanOrEqual(63)
  expect(takeAlias(long, 1, new Set())).toMatch(/é_1$/)
  const names = new Set(['films_1'])
  expect([takeAlias('films', 1, names), takeAlias('films', 1, names)]).toEqual(['films__1', 'films___1'])
})
