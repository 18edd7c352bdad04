import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { parseColumns } from '../../../src/features/realtime/changes/parse-columns.ts'
import { parseFilter } from '../../../src/features/realtime/changes/parse-filter.ts'
import { splitFilter } from '../../../src/features/realtime/changes/split-filter.ts'
import type { SightTable } from '../../../src/features/realtime/sight/sight-contract.ts'

const TYPES: Record<string, string> = {
  id: 'bigint',
  name: 'text',
  short: 'bpchar',
  mood: 'public.mood',
  details: 'character varying',
  flag: 'boolean',
  meta: 'jsonb',
  plain: 'json',
  tags: 'text[]',
  during: 'tstzrange',
  words: 'tsvector',
  ip: 'inet',
  net: 'cidr',
  'a.b': 'text',
  'say "x"': 'text',
  secret: 'text',
}
const names = Object.keys(TYPES)
const table: SightTable = {
  tableId: 1,
  table_schema: 'public',
  table_name: 'notes',
  fits: true,
  columns: names.map(name => ({ name, type: 'text' })),
  selectable: {
    anon: [...names.filter(name => name !== 'secret'), 'virtual'],
    service_role: names,
    authenticated: [],
  },
  claimsRead: [],
}
const typed = names.map(name => ({ name, type: TYPES[name] ?? '', baseType: TYPES[name] ?? '' }))

const filter = (text: string) => parseFilter(table, typed, 'anon', text)
/** Without the proofs that columns have their types. */
const sqlOf = (text: string) =>
  filter(text)?.sql.replace(/\(true or pg_catalog\.array_eq\([^()]*(?:\([^()]*\)[^()]*)*\)\)(?: and )?/g, '')

function refusal(text: string): string {
  try {
    filter(text)
  } catch (err) {
    if (err instanceof DomainError) return `${err.code}: ${err.message} ${err.hint ?? ''}`
    throw err
  }
  return 'taken'
}

// Filters of Supabase's guide "Postgres Changes" and of the tests of supabase/realtime.
const PUBLIC: readonly [filter: string, sql: string, params: readonly string[]][] = [
  ['id=eq.1', '("notes"."id" = cast(($2)[1] as bigint))', ['1']],
  ['name=neq.2', '("notes"."name" <> cast(($2)[1] as text))', ['2']],
  ['id=lt.100', '("notes"."id" < cast(($2)[1] as bigint))', ['100']],
  ['id=lte.65', '("notes"."id" <= cast(($2)[1] as bigint))', ['65']],
  ['id=gt.10', '("notes"."id" > cast(($2)[1] as bigint))', ['10']],
  ['id=gte.10', '("notes"."id" >= cast(($2)[1] as bigint))', ['10']],
  ['name=in.(red, blue)', '("notes"."name" = any (cast(($2)[1] as text[])))', ['{"red"," blue"}']],
  ["name=in.(O'Brien,Smith)", '("notes"."name" = any (cast(($2)[1] as text[])))', ['{"O\'Brien","Smith"}']],
  ['details=like.hel%', '("notes"."details" like cast(($2)[1] as text))', ['hel%']],
  ['details=not.ilike.HEL%', '(not "notes"."details" ilike cast(($2)[1] as text))', ['HEL%']],
  ['flag=is.true', '("notes"."flag" is true)', []],
  ['flag=not.is.null', '(not "notes"."flag" is null)', []],
  ['details=match.^hel', '("notes"."details" ~ cast(($2)[1] as text))', ['^hel']],
  ['details=imatch.^HEL', '("notes"."details" ~* cast(($2)[1] as text))', ['^HEL']],
  ['mood=isdistinct.sad', '("notes"."mood" is distinct from cast(($2)[1] as public.mood))', ['sad']],
  [
    'id=gt.0,name=not.in.(draft,archived)',
    '("notes"."id" > cast(($2)[1] as bigint)) and (not "notes"."name" = any (cast(($2)[2] as text[])))',
    ['0', '{"draft","archived"}'],
  ],
  ['name=eq."Smith, John"', '("notes"."name" = cast(($2)[1] as text))', ['Smith, John']],
  ['name=eq."she said \\"hi\\""', '("notes"."name" = cast(($2)[1] as text))', ['she said "hi"']],
  ['name=eq.""', '("notes"."name" = cast(($2)[1] as text))', ['']],
  ['name=eq.O\'Brien "x"', '("notes"."name" = cast(($2)[1] as text))', ['O\'Brien "x"']],
  [
    'name=eq.5" tall,id=gt.0',
    '("notes"."name" = cast(($2)[1] as text)) and ("notes"."id" > cast(($2)[2] as bigint))',
    ['5" tall', '0'],
  ],
  ['name=not.neq."a,b"', '(not "notes"."name" <> cast(($2)[1] as text))', ['a,b']],
  ['a.b=eq.1', '("notes"."a.b" = cast(($2)[1] as text))', ['1']],
]

test.each(PUBLIC)('%s of Supabase is taken', (text, sql, params) => {
  expect(sqlOf(text)).toBe(sql)
  expect(filter(text)?.params).toEqual(params)
})

test.each([
  ['short=eq.a', '("notes"."short" = cast(($2)[1] as bpchar))'],
  ['short=like.a*', '("notes"."short" like cast(($2)[1] as text))'],
  ['id=eq(any).{1,2}', '("notes"."id" = any (cast(($2)[1] as bigint[])))'],
  ['name=like(all).{a%,"%b"}', '("notes"."name" like all (cast(($2)[1] as text[])))'],
  [
    'tags=cs.{a,b},id=eq.1',
    '("notes"."tags" @> cast(($2)[1] as text[])) and ("notes"."id" = cast(($2)[2] as bigint))',
  ],
  ['during=ov.[2026-01-01,2026-02-01)', '("notes"."during" && cast(($2)[1] as tstzrange))'],
  [
    'during=sl.(2026-01-01,2026-02-01],id=eq.1',
    '("notes"."during" << cast(($2)[1] as tstzrange)) and ("notes"."id" = cast(($2)[2] as bigint))',
  ],
  ['meta=cs.{"a":[1,"}"]}', '("notes"."meta" @> cast(($2)[1] as jsonb))'],
  ['net=eq.10.0.0.1', '("notes"."net" = cast(($2)[1] as inet))'],
  ['"say \\"x\\""=eq.1', '("notes"."say ""x""" = cast(($2)[1] as text))'],
  [
    'words=fts(english).cat,id=eq.1',
    '(case when  then "notes"."words" end @@ pg_catalog.to_tsquery(($2)[1]::regconfig,($2)[2])) ' +
      'and ("notes"."id" = cast(($2)[3] as bigint))',
  ],
  [
    'name=wfts.cat',
    '(pg_catalog.to_tsvector(case when  then "notes"."name" end) @@ pg_catalog.websearch_to_tsquery(($2)[1]))',
  ],
  [
    'meta->a->>b=eq.1',
    '(case when  then "notes"."meta" end->($2)[1]::text->>($2)[2]::text = cast(($2)[3] as text))',
  ],
  ['meta->0=eq.1', '(case when  then "notes"."meta" end->($2)[1]::int = cast(($2)[2] as jsonb))'],
  [
    'tags->>0=in.(a,b)',
    '(pg_catalog.to_jsonb(case when  then "notes"."tags" end)->>($2)[1]::int = any (cast(($2)[2] as text[])))',
  ],
])('%s of the data API is taken', (text, sql) => {
  expect(sqlOf(text)).toBe(sql)
})

test('a column proves that it still has the type that values are read as', () => {
  expect(filter('id=eq.1')?.sql).toBe(
    '((true or pg_catalog.array_eq(array["notes"."id"],null::bigint[])) and "notes"."id" = cast(($2)[1] as bigint))',
  )
})

test('an empty filter is none', () => {
  expect(filter('')).toBeNull()
  expect(filter('   ')).toBeNull()
})

test.each([
  ['undefined', 'could not be read'],
  ['id=gt.100,,name=eq.open', 'could not be read'],
  ['id=gt.0,', 'could not be read'],
  ['name=eq.Hello, world', 'in double quotes'],
  ['id=foo.100', 'expected an operator'],
  ['id=eq', 'a value after eq'],
  ['notacolumn=eq.123', 'has no column "notacolumn"'],
  ['nmae=eq.123', 'Perhaps you meant "name"'],
  ['secrte=eq.123', 'has no column "secrte". \n'],
  ['secret=eq.1', 'permission denied for column "secret"'],
  ['id=eq.1,secret=is.null', 'permission denied for column "secret"'],
  ['virtual=eq.1', 'computed when read'],
  ['id=like.1%', 'like compares texts; "id" is of type bigint'],
  ['tags=in.(a)', 'holds arrays'],
  ['name=eq.a\u0000', 'NUL'],
  ['flag=is.maybe', 'expected null, not_null'],
  ['"id=eq.1', 'could not be read'],
  [Array(300).fill('id=eq.1').join(','), 'at most 200 conditions'],
])('%s is refused by name', (text, reason) => {
  expect(`${refusal(text)}\n`).toContain(reason)
  expect(refusal(text)).toMatch(/^invalid_filter: /)
})

test('no value gets into the SQL, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), value => {
      fc.pre(!value.includes('\0') && value.isWellFormed())
      const quoted = `"${value.replace(/["\\]/g, '\\$&')}"`
      expect(filter(`name=eq.${quoted},id=eq.1`)).toMatchObject({ params: [value, '1'] })
      expect(sqlOf(`name=eq.${quoted},id=eq.1`)).toBe(
        '("notes"."name" = cast(($2)[1] as text)) and ("notes"."id" = cast(($2)[2] as bigint))',
      )
      expect(filter(`name=in.(${quoted})`)?.params).toEqual([`{${quoted}}`])
    }),
  )
})

test('a filter of any text is taken or refused, and none hangs', () => {
  const pieces = fc.constantFrom(
    ...names,
    ...'=.,(){}[]"\\ ',
    'eq',
    'in',
    'not.',
    'is',
    'cs',
    '->',
    '->>',
    '1',
    'null',
    'ü',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), parts => void refusal(parts.join(''))),
    { numRuns: 2000 },
  )
})

test('filters are equal where their SQL and their values are', () => {
  expect(filter('id=eq.1')?.key).toBe(filter(' id=eq.1 ')?.key)
  expect(filter('id=eq.1')?.key).not.toBe(filter('id=eq.2')?.key)
  expect(filter('id=eq.1')?.key).not.toBe(filter('id=gt.1')?.key)
  expect(filter('id=eq.1,name=eq.2,id=gt.0')?.columns).toEqual(['id', 'name'])
})

test('commas inside quotes, lists and arrays divide nothing', () => {
  expect(splitFilter('a=eq."x,y",b=in.(1,"2,)",3),c=cs.{1,2},d=ov.[1,2),e=eq.a[b,f=eq.1')).toEqual([
    'a=eq."x,y"',
    'b=in.(1,"2,)",3)',
    'c=cs.{1,2}',
    'd=ov.[1,2)',
    'e=eq.a[b',
    'f=eq.1',
  ])
  expect(splitFilter('a=eq.x),b=eq.y),c=eq.z')).toEqual(['a=eq.x)', 'b=eq.y)', 'c=eq.z'])
  expect(splitFilter('a=in.(x],[y,{),b=eq.1')).toEqual(['a=in.(x],[y,{)', 'b=eq.1'])
  expect(splitFilter('a=in.((x],y),z),b=eq.1')).toEqual(['a=in.((x],y),z)', 'b=eq.1'])
  expect(splitFilter('a=eq."x\\",y",b=cs.{x),y}')).toEqual(['a=eq."x\\",y"', 'b=cs.{x),y}'])
})

test('columns come as a list or joined by commas, and only those that the role may select', () => {
  expect(parseColumns(table, 'anon', 'id, name')).toEqual(['id', 'name'])
  expect(parseColumns(table, 'anon', ['id', 'a.b', 'id'])).toEqual(['id', 'a.b'])
  for (const all of ['', '*', [], ['*']]) expect(parseColumns(table, 'anon', all)).toBeNull()
  expect(parseColumns(table, 'service_role', ['secret'])).toEqual(['secret'])
  expect(() => parseColumns(table, 'anon', ['id', 'secret'])).toThrow('permission denied for column "secret"')
  expect(() => parseColumns(table, 'anon', 'idd')).toThrow('has no column "idd"')
  expect(() => parseColumns(table, 'anon', 'id,')).toThrow('expected a column name')
})
