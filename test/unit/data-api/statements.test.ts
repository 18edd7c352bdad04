// The SQL of requests: one statement, values only as parameters, one text per shape.

import fc from 'fast-check'
import { parse } from 'libpg-query'
import { describe, expect, test } from 'vitest'
import { QUOIN_DIALECT } from '../../../src/features/data-api/dialect.ts'
import { negotiateFormat } from '../../../src/features/data-api/grammar/media-type.ts'
import type { Filter } from '../../../src/features/data-api/grammar/query-ast.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'
import { type Payload, parsePayload } from '../../../src/features/data-api/payload/payload.ts'
import { planTable } from '../../../src/features/data-api/plan/plan-root.ts'
import { castSql } from '../../../src/features/data-api/sql/cast-sql.ts'
import { buildRead } from '../../../src/features/data-api/sql/read-statement.ts'
import { guardSql, readGuardFailure } from '../../../src/features/data-api/sql/result-sql.ts'
import {
  buildDelete,
  buildInsert,
  buildUpdate,
  type WriteRequest,
} from '../../../src/features/data-api/sql/write-statement.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'
import { anyCondition, anyText, anyTree } from './query-grammar.ts'

const TABLE = { schema: 'public', name: 'users' }
const JSON_FORMAT = negotiateFormat(null)
const PAGE = { limit: 10, offset: 0 }
const CONTEXT = { catalog: undefined, dialect: QUOIN_DIALECT, role: 'anon' as const }
const NO_CATALOG = { typedColumns: undefined, fillsDefaults: false }

/** The kinds of statement that Postgres' own parser sees in a text. */
async function statementsOf(sql: string): Promise<string[]> {
  const { stmts = [] } = await parse(sql)
  return stmts.map(({ stmt = {} }) => Object.keys(stmt).join())
}

/** Functions that a text calls by their name alone. */
async function bareFunctionsOf(sql: string): Promise<string[]> {
  const found: string[] = []
  JSON.parse(JSON.stringify(await parse(sql)), (key, value) => {
    if (key === 'FuncCall' && value.funcname.length === 1) found.push(value.funcname[0].String.sval)
    return value
  })
  return found
}

function read(search: string, filters?: readonly Filter[]) {
  const parsed = parseQueryString(search)
  const query = filters ? { ...parsed, filters } : parsed
  const level = planTable(CONTEXT, TABLE, query, PAGE)
  return buildRead(TABLE, { level, format: JSON_FORMAT, count: undefined }).main
}

function write(search: string, overrides: Partial<WriteRequest> = {}): WriteRequest {
  const query = parseQueryString(search)
  const level = planTable(CONTEXT, TABLE, query, undefined)
  return { level, format: JSON_FORMAT, returning: 'representation', maxAffected: undefined, ...overrides }
}

const payload = (value: unknown): Payload => parsePayload(encodeUtf8(JSON.stringify(value)), null, undefined)

describe('reads', () => {
  test('a row by primary key is as short as it can be', () => {
    expect(read('?id=eq.7')).toEqual({
      sql:
        `select coalesce(pg_catalog.json_agg("t".*),'[]'),pg_catalog.count(*),null ` +
        'from (select "users".* from "public"."users" where "users"."id" = $1 ' +
        'and (true or pg_catalog.array_eq(array["users"."id"],$2)) limit $3) "t"',
      params: ['7', null, '10'],
    })
  })

  test('any filter is one SELECT to Postgres, and its values are parameters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyCondition, anyTree), async filter => {
        const { sql } = read('', [filter])
        expect(await statementsOf(sql)).toEqual(['SelectStmt'])
      }),
      { numRuns: 200 },
    )
  })

  test('any text as a value is a parameter unchanged, and the SQL does not depend on it', () => {
    const { sql } = read('?name=eq.x')
    fc.assert(
      fc.property(anyText, value => {
        expect(read(`?name=eq.${encodeURIComponent(value)}`)).toEqual({ sql, params: [value, null, '10'] })
      }),
    )
  })

  test('lists of any length share one text', () => {
    expect(read('?id=in.(1,2,3)').sql).toBe(read('?id=in.(4)').sql)
    expect(read('?id=in.(1,"a\\"b")').params[0]).toBe('{"1","a\\"b"}')
    expect(read('?id=in.("\\\\","{,}","")').params[0]).toBe('{"\\\\","{,}",""}')
  })

  test('any text as a name stays one name', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText.filter(name => name !== '' && new TextEncoder().encode(name).length <= 63),
        async name => {
          const quoted = encodeURIComponent(`"${name.replace(/["\\]/g, '\\$&')}"`)
          const { sql } = read(`?select=${quoted}&order=${quoted}.desc&${quoted}=is.null`)
          expect(await statementsOf(sql)).toEqual(['SelectStmt'])
          expect(sql).toContain(`"users"."${name.replaceAll('"', '""')}" is null`)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('* is the wildcard of like and ilike alone', () => {
    expect(read('?a=like.*x*').params[0]).toBe('%x%')
    expect(read('?a=ilike(any).{x*}').params[0]).toBe('{x%}')
    expect(read('?a=match.x*').params[0]).toBe('x*')
  })

  test('a count looks at the whole result only when the page is full', () => {
    const query = parseQueryString('?a=eq.1')
    const level = planTable(CONTEXT, TABLE, query, { limit: 10, offset: 5 })
    const { main } = buildRead(TABLE, { level, format: JSON_FORMAT, count: 'exact' })
    expect(main.sql).toContain(
      'case when pg_catalog.count(*)<$3::bigint and (pg_catalog.count(*)>0 or $4::bigint=0) ' +
        'then pg_catalog.count(*)+$4::bigint else (select pg_catalog.count(*)',
    )
    expect(main.params).toEqual(['1', null, '10', '5'])
  })

  test('arrays and composites are read by path through to_jsonb, json and jsonb as they are', () => {
    const typeOf = (column: string) => ({ tags: 'text[]', data: 'jsonb' })[column]
    const query = parseQueryString('?select=tags->0,data->>k')
    const level = { ...planTable(CONTEXT, TABLE, query, PAGE), typeOf }
    const { sql } = buildRead(TABLE, { level, format: JSON_FORMAT, count: undefined }).main
    expect(sql).toContain(
      'pg_catalog.to_jsonb(case when (true or pg_catalog.array_eq("users"."tags",null::text[])) ' +
        'then "users"."tags" end)->$1::int as "tags",' +
        'case when (true or pg_catalog.array_eq(array["users"."data"],null::jsonb[])) ' +
        'then "users"."data" end->>$2::text as "k"',
    )
  })
})

describe('writes', () => {
  test.each([
    ['insert', buildInsert(TABLE, payload({ a: 1, 'b"c': 2 }), undefined, write(''), NO_CATALOG)],
    ['insert of defaults', buildInsert(TABLE, payload({}), undefined, write(''), NO_CATALOG)],
    [
      'upsert',
      buildInsert(
        TABLE,
        payload([{ a: 1, b: 2 }]),
        { resolution: 'merge-duplicates', target: ['a'] },
        write('?order=a'),
        NO_CATALOG,
      ),
    ],
    ['update', buildUpdate(TABLE, payload({ a: 1 }), write('?id=eq.1', { maxAffected: 1 }), NO_CATALOG)],
    ['update of nothing', buildUpdate(TABLE, payload({}), write('?id=eq.1'), NO_CATALOG)],
    ['delete', buildDelete(TABLE, write('?id=eq.1', { returning: 'minimal' }))],
    ['csv', buildDelete(TABLE, write('?id=eq.1', { format: negotiateFormat('text/csv') }))],
  ])('%s is one statement', async (_, { sql }) => {
    expect(await statementsOf(sql)).toEqual(['SelectStmt'])
  })

  test('rows are one parameter, as they came', () => {
    const { sql, params } = buildInsert(
      TABLE,
      payload({ a: "'; drop table x" }),
      undefined,
      write(''),
      NO_CATALOG,
    )
    const [rows] = params
    const parts = typeof rows === 'object' && rows !== null ? rows.parts : []
    expect(params).toHaveLength(1)
    expect(Buffer.concat([...parts]).toString()).toBe(`[{"a":"'; drop table x"}]`)
    expect(sql).toContain(
      'insert into "public"."users"("a") select "r"."a" ' +
        'from pg_catalog.json_populate_recordset(null::"public"."users",$1) "r"',
    )
  })

  test('an upsert leaves its key alone, unless there is nothing else', () => {
    const upsert = (row: object) =>
      buildInsert(
        TABLE,
        payload(row),
        { resolution: 'merge-duplicates', target: ['id'] },
        write(''),
        NO_CATALOG,
      ).sql
    expect(upsert({ id: 1, a: 2 })).toContain('do update set "a"=excluded."a" where')
    expect(upsert({ id: 1 })).toContain('do update set "id"=excluded."id" where')
  })

  test('return=minimal reads no column back, so that no right to read is needed', () => {
    const { sql } = buildDelete(TABLE, write('?id=eq.1', { returning: 'minimal' }))
    expect(sql).toContain('returning 1')
    expect(sql).not.toContain('"users".*')
  })
})

describe('casts', () => {
  test.each([
    ['int', 'cast(x as int)'],
    ['TEXT', 'cast(x as "text")'],
    ['double  precision', 'cast(x as double precision)'],
    ['timestamp with time zone', 'cast(x as timestamp with time zone)'],
    ['my type', 'cast(x as "my type")'],
    ['text[]', 'cast(x as "text"[])'],
    ['null', 'cast(x as "null")'],
  ])('%s', (type, sql) => expect(castSql('x', type)).toBe(sql))

  // What a number is called in the catalog is not for callers of an anon key.
  test.each(['regclass', 'RegRole[]', '_regproc', 'unknown'])('%s is refused', type =>
    expect(() => castSql('x', type)).toThrow(expect.objectContaining({ code: 'invalid_select' })),
  )
})

test("only our own guards are read as guards, not a caller's text", () => {
  const message = (text: string) => ({
    code: '22P02',
    message: `invalid input syntax for type integer: "${text}"`,
  })
  const sql = guardSql('max_affected', 'true')
  const failed = message('quoin:max_affected:3')
  expect(readGuardFailure(failed, sql)).toEqual({ guard: 'max_affected', rowCount: 3 })
  expect(readGuardFailure(failed, guardSql('not_singular', 'true'))).toBeUndefined()
  expect(readGuardFailure(message('quoin:max_affected:x'), sql)).toBeUndefined()
  expect(readGuardFailure({ ...failed, code: '22003' }, sql)).toBeUndefined()
})

// An overload in the schema of a call that fits better than pg_catalog's would change what everybody reads and writes.
describe('every function that Quoin calls carries its schema', () => {
  const accepts = ['*/*', 'text/csv', 'application/vnd.pgrst.object+json;nulls=stripped']
  const typeOf = () => 'integer[]'
  const columns = [{ name: 'a', type: 'integer', baseType: 'integer', defaultSql: '1', usableBy: [] }]
  const conflict = { resolution: 'merge-duplicates' as const, target: ['id'] }

  test.each(accepts)('%s', async accept => {
    const format = negotiateFormat(accept)
    const query = parseQueryString('?select=id,list->0&words=fts(english).a&a=in.(1,2)')
    const request = { ...write('?id=eq.1', { format, maxAffected: 1 }) }
    const filled = { typedColumns: columns, fillsDefaults: true }
    const level = { ...planTable(CONTEXT, TABLE, query, { limit: 1, offset: 1 }), typeOf }
    const statements = [
      buildRead(TABLE, { level, format, count: 'exact' }).main,
      buildRead(TABLE, { level, format, count: 'estimated' }).main,
      buildInsert(TABLE, payload({ a: 1 }), conflict, request, NO_CATALOG),
      buildInsert(TABLE, payload({ a: 1 }), undefined, request, filled),
      buildUpdate(TABLE, payload({ a: 1 }), request, NO_CATALOG),
      buildDelete(TABLE, request),
    ]
    for (const { sql } of statements) {
      expect(sql).toContain('pg_catalog.')
      expect(await bareFunctionsOf(sql)).toEqual([])
    }
  })
})
