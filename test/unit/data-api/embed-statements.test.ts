// The SQL of trees: one statement whatever the names are, every function with its schema, values as parameters alone.

import fc from 'fast-check'
import { parse } from 'libpg-query'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../../../src/features/data-api/catalog/catalog.ts'
import { QUOIN_DIALECT } from '../../../src/features/data-api/dialect.ts'
import { negotiateFormat } from '../../../src/features/data-api/grammar/media-type.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'
import { planTable } from '../../../src/features/data-api/plan/plan-root.ts'
import { buildRead } from '../../../src/features/data-api/sql/read-statement.ts'
import { buildDelete } from '../../../src/features/data-api/sql/write-statement.ts'
import { anyText } from './query-grammar.ts'

const named = (name: string) => ({ schema: 'public', name })

/** Tables `parent` and `child`, with a key from the second to the first and a function between them. */
function catalogOf(
  parent: string,
  child: string,
  column: string,
  { referenced = parent }: { referenced?: string } = {},
): Catalog {
  const tables = [parent, child].map((name, i) => ({ oid: String(i + 1), ...named(name) }))
  const [first, second] = tables
  if (!first || !second) throw new TypeError('two tables')
  const columns = ['id', column].map(name => ({
    name,
    type: 'integer',
    baseType: 'integer',
    defaultSql: undefined,
    usableBy: [],
  }))
  const relations = tables.map(table => ({
    ...named(table.name),
    columns,
    primaryKey: ['id'],
    isView: false,
    changes: [],
    usableBy: [],
  }))
  const referencedTable = referenced === parent ? first : second
  const key = { name: 'k', version: '7 1', table: second, referencedTable, oneToOne: false }
  const relationships = {
    schemas: ['public'],
    foreignKeys: [{ ...key, columns: [column], referencedColumns: ['id'] }],
    views: [],
    relationshipFunctions: [
      { ...named('made'), version: '8 1', argument: named(parent), result: named(child), returnsOne: false },
    ],
  }
  return new Catalog({ version: '1', relations, functions: [], relationships }, 0)
}

function statementOf(catalog: Catalog, table: string, search: string) {
  const context = { catalog, dialect: QUOIN_DIALECT, role: 'anon' as const }
  const level = planTable(context, named(table), parseQueryString(search), { limit: 10, offset: 1 })
  return buildRead(named(table), { level, format: negotiateFormat(null), count: 'exact' }).main
}

async function shapeOf(sql: string): Promise<{ kinds: string[]; bare: string[] }> {
  const parsed = await parse(sql)
  const bare: string[] = []
  JSON.parse(JSON.stringify(parsed), (key, value) => {
    if (key === 'FuncCall' && value.funcname.length === 1) bare.push(value.funcname[0].String.sval)
    return value
  })
  return { kinds: (parsed.stmts ?? []).map(({ stmt = {} }) => Object.keys(stmt).join()), bare }
}

const PLAIN = catalogOf('p', 'c', 'p_id')

describe('a tree is one statement, and its functions carry their schema', () => {
  test.each([
    'select=id,c(id)&c.id=in.(1,2)&c.order=id.desc&c.limit=3',
    'select=id,c!inner(id,p_id(id)),made(*)&c.or=(id.eq.1,id.gt.5)&c=not.is.null',
    'select=...made(id),x:c(count(),id.sum()::text)&order=id',
    'select=c(p_id,...p_id(id.max())),made()&made=is.null',
    'select=*,c(...p_id(*)),id.count()',
  ])('%s', async search => {
    const { sql, params } = statementOf(PLAIN, 'p', `?${search}`)
    expect(await shapeOf(sql)).toEqual({ kinds: ['SelectStmt'], bare: [] })
    const places = new Set(sql.match(/\$\d+/g))
    expect(places.size).toBe(params.length)
  })

  test('any names of tables and columns stay names', async () => {
    const name = anyText.filter(text => text !== '' && new TextEncoder().encode(text).length <= 63)
    await fc.assert(
      fc.asyncProperty(name, name, name, async (parent, child, column) => {
        fc.pre(parent !== child && column !== 'id')
        const quoted = (text: string) => encodeURIComponent(`"${text.replace(/["\\]/g, '\\$&')}"`)
        const tree = `${quoted(child)}!k(id,${quoted(column)},${quoted(parent)}!k(id))`
        const { sql } = statementOf(catalogOf(parent, child, column), parent, `?select=id,${tree}`)
        expect((await shapeOf(sql)).kinds).toEqual(['SelectStmt'])
      }),
      { numRuns: 100 },
    )
  })
})

test('a text depends on the shape of a request, not on its values', () => {
  const text = (value: string) => statementOf(PLAIN, 'p', `?select=c(id)&c.id=eq.${value}&c.limit=${value}`)
  expect(text('1').sql).toBe(text('2').sql)
  expect(text('1').params).toContain('1')
})

test('one field of a relation is shown ten times at most, in whatever places of the tree', () => {
  const places = (count: number, field: string) =>
    `?select=${Array.from({ length: count }, (_, i) => `a${i}:p_id(${field})`).join(',')}`
  expect(() => statementOf(PLAIN, 'c', places(10, '*'))).not.toThrow()
  for (const field of ['p_id', '*']) {
    expect(() => statementOf(PLAIN, 'c', places(11, field))).toThrow('"p" 11 times')
  }
  expect(() => statementOf(PLAIN, 'c', places(11, 'count()'))).not.toThrow()
})

test('a request that would write the same relations without end is refused, in no time', () => {
  const nested = (depth: number): string => (depth === 0 ? 'id' : `p_id(${nested(depth - 1)})`)
  const asked = (depth: number, each: number) => {
    const filters = Array.from({ length: depth }, (_, i) => {
      const path = Array(i).fill('p_id.').join('')
      return `${path}or=(${Array(each).fill('p_id.is.null').join()})`
    })
    return `?select=${nested(depth)}&${filters.join('&')}`
  }
  const loop = catalogOf('p', 'c', 'p_id', { referenced: 'c' })
  expect(statementOf(loop, 'c', asked(2, 2)).sql.length).toBeLessThan(10_000)
  expect(() => statementOf(loop, 'c', asked(9, 20))).toThrow('in too many places')
  const once = statementOf(loop, 'c', '?select=p_id()&p_id=not.is.null').sql
  expect(statementOf(loop, 'c', '?select=p_id()&p_id=not.is.null&p_id=not.is.null').sql).toBe(once)
  const inner = nested(10).replaceAll('p_id(', 'p_id!inner(')
  expect(statementOf(loop, 'c', `?select=${inner}`).sql.length).toBeLessThan(20_000)
})

test('a delete of a table that nobody knows keeps its filters', () => {
  const context = { catalog: PLAIN, dialect: QUOIN_DIALECT, role: 'anon' as const }
  const level = planTable(
    context,
    named('new'),
    parseQueryString('?id=eq.1&select=id,p(id)&p=is.null'),
    undefined,
  )
  const request = { level, format: negotiateFormat(null), maxAffected: undefined }
  expect(buildDelete(named('new'), { ...request, returning: 'minimal' }).sql).toContain(
    'where "new"."id" = $1',
  )
})

test('a write returns the columns that its tree needs, and no other', () => {
  const context = { catalog: PLAIN, dialect: QUOIN_DIALECT, role: 'anon' as const }
  const returned = (search: string) => {
    const level = planTable(context, named('c'), parseQueryString(search), undefined)
    const request = { level, format: negotiateFormat(null), maxAffected: undefined }
    const { sql } = buildDelete(named('c'), { ...request, returning: 'representation' })
    return /returning (.*?)\) select/.exec(sql)?.[1]
  }
  expect(returned('?id=eq.1&select=id')).toBe('"c"."id" as "id"')
  expect(returned('?id=eq.1&select=id,p(id)')).toBe('"c"."id","c"."p_id"')
  expect(returned('?id=eq.1&select=count()')).toBe('1')
  expect(returned('?id=eq.1&select=*,p(id)')).toBe('"c".*')
})
