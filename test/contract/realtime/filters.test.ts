// A subscription's filter lets the same rows through as the same filter of /v1/db. The data API and Postgres decide
// what is right; filters are tried on the table itself, as the one statement for sight would.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseFilter } from '../../../src/features/realtime/changes/parse-filter.ts'
import type { SightTable } from '../../../src/features/realtime/sight/sight-contract.ts'
import { concurrently } from '../../../src/lib/concurrently.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { asOwner, type DbCaller, freshPrefix, makeDbCaller } from '../data-api/caller.ts'

const t = freshPrefix()
let service: DbCaller
let owner: TestClient
let table: SightTable
let typed: Parameters<typeof parseFilter>[1]

const COLUMNS: Readonly<Record<string, string>> = {
  id: 'int primary key',
  small: 'smallint',
  big: 'bigint',
  amount: 'numeric(30,10)',
  ratio: 'double precision',
  name: 'text',
  code: 'varchar(10)',
  fixed: 'char(5)',
  one: '"char"',
  ident: 'name',
  flag: 'boolean',
  born: 'date',
  at: 'timestamptz',
  local: 'timestamp',
  clock: 'time',
  span: 'interval',
  uid: 'uuid',
  bytes: 'bytea',
  meta: 'jsonb',
  plain: 'json',
  tags: 'text[]',
  numbers: 'int[]',
  during: 'tstzrange',
  ages: 'int4range',
  many: 'int4multirange',
  words: 'tsvector',
  ip: 'inet',
  net: 'cidr',
  bits: 'bit(4)',
  price: 'money',
  mood: `${t}_mood`,
  level: `${t}_level`,
  pair: `${t}_pair`,
  'odd "name", with = and .': 'text',
  ['__proto__']: 'text',
}

const ROWS = `
  (1, 1, 9007199254740993, 1.5, 0.1, 'red', 'aa', 'ab', 'x', 'one', true, '2026-01-01', '2026-01-01T12:00:00+02',
   '2026-01-01 12:00', '12:00', '1 day', '00000000-0000-0000-0000-000000000001', '\\x0102', '{"a":{"b":"1"},"l":[1,2]}',
   '{"a":1}', '{a,b}', '{1,2}', '[2026-01-01,2026-02-01)', '[1,5)', '{[1,3),[7,9)}', to_tsvector('english', 'fat cats'),
   '10.0.0.1', '10.0.0.0/8', '1010', '12.50', 'happy', 3, '(1,a)', 'x', 'y'),
  (2, -1, -9007199254740993, 123456789012345678.0123456789, 'NaN', 'a,b "c" \\d', 'AA', 'b', 'y', 'two', false,
   '2026-06-01', '2026-01-01T12:00:00Z', '2026-06-01 00:00', '13:30', '24:00:00',
   '00000000-0000-0000-0000-000000000002', '\\xff', '{"a":{"b":"2"},"l":[]}', '[1]', '{}', '{3}', 'empty', '[5,9]',
   '{}', to_tsvector('english', 'thin rats'), '10.0.0.0/8', '192.168.0.0/16', '0001', '0', 'sad', 7, '(2,"b,c")',
   'a,b', '1'),
  (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
   null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
  (4, 0, 0, 0, -0.0, '', 'a%b', 'AB', 'z', 'none', null, '0044-03-15 BC', 'infinity', '-infinity', '00:00', '1 mon',
   'ffffffff-ffff-ffff-ffff-ffffffffffff', '', 'null', 'null', '{NULL,"a b"}', '{NULL}', '(,)', 'empty', '{(,)}', '',
   '::1', '::/0', '1111', '-1', 'Ünsure', 1, '(,)', 'ü', '%')`

beforeAll(async () => {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `"${name.replaceAll('"', '""')}" ${type}`)
  await asOwner(`
    create type ${t}_mood as enum ('sad', 'happy', 'Ünsure');
    create domain ${t}_level as int check (value between 1 and 9);
    create type ${t}_pair as (n int, word text);
    create table ${t} (${columns.join(', ')});
    insert into ${t} values ${ROWS};
  `)
  service = await makeDbCaller()
  owner = await connectOwner()
  const { rows } = await owner.query(
    `select a.attname as name, format_type(a.atttypid, -1) as type,
        format_type(case when y.typtype = 'd' then y.typbasetype else y.oid end, -1) as "baseType"
      from pg_attribute a join pg_type y on y.oid = a.atttypid
      where a.attrelid = $1::regclass and a.attnum > 0 order by a.attnum`,
    [t],
  )
  typed = rows
  const names = rows.map(({ name }) => name)
  table = {
    tableId: 1,
    table_schema: 'public',
    table_name: t,
    fits: true,
    columns: rows,
    selectable: { anon: names, service_role: names, authenticated: names },
    claimsRead: [],
  }
})

afterAll(async () => {
  await owner.end()
  await asOwner(`drop table ${t}; drop type ${t}_pair, ${t}_mood; drop domain ${t}_level`)
})

/** Ids that pass, or the code of what failed. */
async function passing(column: string, test: string): Promise<unknown> {
  try {
    const filter = parseFilter(table, typed, 'service_role', `${column}=${test}`)
    const sql = `select id from ${t} where $1::int is null and $2::text[] is not null and ${filter?.sql} order by id`
    const { rows } = await owner.query(sql, [null, filter?.params])
    return rows.map(({ id }) => id)
  } catch (err) {
    return { failed: (err as { code?: string }).code }
  }
}

async function answered(column: string, test: string): Promise<unknown> {
  const path = `${t}?select=id&order=id&${encodeURIComponent(column)}=${encodeURIComponent(test)}`
  const { status, body } = await service(path)
  return status === 200 ? body.map(({ id }: { id: number }) => id) : { failed: body.code ?? body.error?.code }
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  id: ['1', ' 2 ', '+3', '1.0', 'x', '', 'null', '99999999999'],
  small: ['0', '-1', '32767', '32768'],
  big: ['9007199254740993', '9007199254740992', '-9007199254740993', '0'],
  amount: ['1.5', '1.50', '123456789012345678.0123456789', 'NaN', '1e1'],
  ratio: ['0.1', '0', '-0', 'NaN', 'Infinity'],
  name: ['red', 'RED', 'r%', 'r*', '', 'a,b "c" \\d', '%,%', '^r', '[', 'null'],
  code: ['aa', 'AA', 'a%', 'a\\%b', 'aa                '],
  fixed: ['ab', 'ab   ', 'a%', 'ab%', 'abcdefg', '^ab'],
  one: ['x', 'xyz', ''],
  ident: ['one', 'o%', `${'x'.repeat(70)}`],
  flag: ['true', 't', 'f', 'yes', '1', 'maybe'],
  born: ['2026-01-01', '2026-01-01T23:00', '44-03-15 BC', 'today', 'x'],
  at: ['2026-01-01T10:00:00Z', '2026-01-01T12:00:00', '2026-01-01 12:00:00+00', 'infinity', 'now'],
  local: ['2026-01-01T12:00:00Z', '2026-01-01 12:00:00', '-infinity'],
  clock: ['12:00', '12:00:00+05', '1:30 PM'],
  span: ['24:00:00', '1 day', 'P1M', '30 days'],
  uid: ['00000000-0000-0000-0000-000000000001', '00000000000000000000000000000002', 'x'],
  bytes: ['\\x0102', '\\xFF', '', 'x'],
  meta: ['{"a":{"b":"1"}}', 'null', '[]', '{"l":[1]}', '"a"', 'x'],
  plain: ['{"a":1}', 'null'],
  tags: ['{a,b}', '{b,a}', '{}', '{a}', '{"a b"}', '{NULL}', 'a'],
  numbers: ['{1,2}', '{1}', '{}', '{2,3}', '{x}'],
  during: ['[2026-01-15,2026-01-20)', '(2026-01-01,)', 'empty', '2026-01-01', '(,2026-01-01]'],
  ages: ['[1,5)', '[5,5]', '(9,20)', 'empty', '[1,4]', '3'],
  many: ['{[1,3)}', '{}', '{[1,3),[7,9)}', '[1,2)'],
  words: ['cat', 'fat & cat', 'rats', "'fat':1 'cat':2", 'a b', ''],
  ip: ['10.0.0.1', '10.0.0.0/8', '::1', '10/8'],
  net: ['10.0.0.0/8', '10.0.0.1', '10.0.0.1/8', '::/0'],
  bits: ['1010', '101', '10101', 'B0001'],
  price: ['12.50', '$12.50', '0'],
  mood: ['happy', 'Ünsure', 'HAPPY', ''],
  level: ['3', '7', '12', 'x'],
  // The data API cannot compare composites.
  pair: [],
  'odd "name", with = and .': ['x', 'a,b', 'ü'],
  ['__proto__']: ['y', '1', '%'],
  'meta->a->>b': ['1', '2', '1%', ''],
  'meta->l->0': ['1', '{}', '[1]', 'null'],
  'meta->l': ['[1,2]', '[]', '[1]'],
  'plain->>a': ['1', 'x'],
  'tags->>0': ['a', ''],
  'pair->>word': ['a', 'b,c'],
  'during->>a': ['1'],
}
const COMPARISONS = 'eq neq lt lte gt gte like ilike match imatch isdistinct cs cd ov not.eq not.ilike'.split(
  ' ',
)
const OF_RANGES = 'sl sr nxr nxl adj'.split(' ')
const OF_WORDS = 'fts plfts phfts wfts fts(english)'.split(' ')

function operatorsFor(column: string): string[] {
  if (['during', 'ages', 'many', 'ip', 'net', 'id'].includes(column)) return [...COMPARISONS, ...OF_RANGES]
  if (['name', 'words', 'meta', 'code', 'meta->a->>b'].includes(column)) return [...COMPARISONS, ...OF_WORDS]
  return COMPARISONS
}

/** The same test in a filter, quoted and, where it may be, bare, and in a URL, where nothing divides values. */
function writings(operator: string, value: string): [here: string, there: string][] {
  const there = `${operator}.${value}`
  const here = `${operator}."${value.replace(/["\\]/g, '\\$&')}"`
  const isBare = value === value.trim() && (/^[^",]*$/.test(value) || /^[{[(]/.test(value))
  return isBare
    ? [
        [here, there],
        [there, there],
      ]
    : [[here, there]]
}

/** Of tests of one column, those that are answered otherwise than by the data API. */
async function differing(column: string): Promise<unknown[]> {
  const values = VALUES[column] ?? []
  const quoted = values.map(value => `"${value.replace(/["\\]/g, '\\$&')}"`)
  const lists = [
    ...quoted.flatMap(value => [
      `in.(${value})`,
      `eq(any).{${value}}`,
      `gt(all).{${value}}`,
      `like(any).{${value}}`,
    ]),
    `in.(${quoted.join(',')})`,
    'in.()',
    ...['null', 'not_null', 'true', 'false', 'unknown'].flatMap(value => [`is.${value}`, `not.is.${value}`]),
  ]
  const tests = [
    ...operatorsFor(column).flatMap(operator => values.flatMap(value => writings(operator, value))),
    ...lists.map((list): [string, string] => [list, list]),
  ]
  const answers = new Map<string, Promise<unknown>>()
  const found: unknown[] = []
  await concurrently(tests, 6, async ([filter, parameter]) => {
    const answer = answers.get(parameter) ?? answered(column, parameter)
    answers.set(parameter, answer)
    const [here, there] = await Promise.all([passing(column, filter), answer])
    const bothFail = !Array.isArray(here) && !Array.isArray(there)
    if (!bothFail && JSON.stringify(here) !== JSON.stringify(there)) found.push({ filter, here, there })
  })
  return found
}

test.each(Object.keys(VALUES))('filters on %s are answered as by the data API', async name => {
  const isPlain = /^\w+(?:->.*)?$/.test(name)
  expect(await differing(isPlain ? name : `"${name.replaceAll('"', '\\"')}"`)).toEqual([])
})

test('a value that is none of the type fails by itself, and so does a column of another type than before', async () => {
  expect(await passing('id', 'eq.x')).toEqual({ failed: '22P02' })
  typed = typed.map(column => ({ ...column, type: 'text', baseType: 'text' }))
  expect(await passing('at', 'eq.x')).toEqual({ failed: '42883' })
})
