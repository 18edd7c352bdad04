// Every type of Postgres makes the way out and back without losing anything, against the real pg_type.

import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { BUILT_IN_TYPES } from '../../../src/features/sql/built-in-types.ts'
import { freshName, makeSqlCaller } from './caller.ts'

const { sql, transaction, post } = await makeSqlCaller()

/** Answers every value in Postgres' own text. */
const owner = new Client({
  connectionString: inject('stack').database_url,
  types: { getTypeParser: () => (text: string) => text },
})
beforeAll(() => owner.connect())
afterAll(() => owner.end())

const readValue = async (expression: string, params: unknown[] = []) => {
  const { status, body } = await sql(`select ${expression} as v`, params)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return { value: body.rows[0].v, column: body.columns[0] }
}

/** What the value must be in JSON; a string stands for itself, so that text types are compared with Postgres' text. */
const TYPED: [expression: string, typeName: string, value: unknown][] = [
  ["'-32768'::int2", 'int2', -32768],
  ["'-2147483648'::int4", 'int4', -2147483648],
  ["'9223372036854775807'::int8", 'int8', '9223372036854775807'],
  ["'4294967295'::oid", 'oid', 4294967295],
  ["'0.1'::float4", 'float4', 0.1],
  ["'1.7976931348623157e308'::float8", 'float8', 1.7976931348623157e308],
  ["'5e-324'::float8", 'float8', 5e-324],
  ["'NaN'::float8", 'float8', 'NaN'],
  ["'-Infinity'::float4", 'float4', '-Infinity'],
  [
    "'12345678901234567890.123456789012345678900'::numeric",
    'numeric',
    '12345678901234567890.123456789012345678900',
  ],
  ["'NaN'::numeric", 'numeric', 'NaN'],
  ["'Infinity'::numeric", 'numeric', 'Infinity'],
  ["'12.34'::money", 'money', '$12.34'],
  ['true', 'bool', true],
  ['false', 'bool', false],
  ["'ü🦊\n\"\\'::text", 'text', 'ü🦊\n"\\'],
  ["''::varchar", 'varchar', ''],
  ["'a'::char(3)", 'bpchar', 'a  '],
  ['\'x\'::"char"', 'char', 'x'],
  ["'n'::name", 'name', 'n'],
  ["'\\x00ff'::bytea", 'bytea', '\\x00ff'],
  ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", 'uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ["'2024-02-29'::date", 'date', '2024-02-29'],
  ["'infinity'::date", 'date', 'infinity'],
  ["'0044-03-15 BC'::date", 'date', '0044-03-15 BC'],
  ["'24:00:00'::time", 'time', '24:00:00'],
  ["'12:00:00.123456+05:30'::timetz", 'timetz', '12:00:00.123456+05:30'],
  ["'2024-01-01 00:00:00.123456'::timestamp", 'timestamp', '2024-01-01T00:00:00.123456'],
  ["'2024-01-01 00:00:00.1+02'::timestamptz", 'timestamptz', '2023-12-31T22:00:00.1+00:00'],
  ["'infinity'::timestamptz", 'timestamptz', 'infinity'],
  ["'-infinity'::timestamp", 'timestamp', '-infinity'],
  ["'0044-03-15 12:00:00 BC'::timestamp", 'timestamp', '0044-03-15 12:00:00 BC'],
  ["'294276-12-31 23:59:59.999999'::timestamp", 'timestamp', '294276-12-31T23:59:59.999999'],
  ["'1 year 2 mons -3 days 04:05:06.789'::interval", 'interval', '1 year 2 mons -3 days +04:05:06.789'],
  ['\'{"a": [1, null], "a": 2}\'::json', 'json', { a: 2 }],
  ['\'{"a": [1, null]}\'::jsonb', 'jsonb', { a: [1, null] }],
  ["'null'::jsonb", 'jsonb', null],
  ['\'"text"\'::jsonb', 'jsonb', 'text'],
  ["'<a>1</a>'::xml", 'xml', '<a>1</a>'],
  ["'$.a[*]'::jsonpath", 'jsonpath', '$."a"[*]'],
  ["'192.168.0.1/24'::inet", 'inet', '192.168.0.1/24'],
  ["'192.168.0.0/24'::cidr", 'cidr', '192.168.0.0/24'],
  ["'08:00:2b:01:02:03'::macaddr", 'macaddr', '08:00:2b:01:02:03'],
  ["'08:00:2b:01:02:03:04:05'::macaddr8", 'macaddr8', '08:00:2b:01:02:03:04:05'],
  ["B'101'::bit(3)", 'bit', '101'],
  ["B'101'::varbit", 'varbit', '101'],
  ["'(1,2)'::point", 'point', '(1,2)'],
  ["'{1,2,3}'::line", 'line', '{1,2,3}'],
  ["'[(1,2),(3,4)]'::lseg", 'lseg', '[(1,2),(3,4)]'],
  ["'(3,4),(1,2)'::box", 'box', '(3,4),(1,2)'],
  ["'[(1,2),(3,4)]'::path", 'path', '[(1,2),(3,4)]'],
  ["'((1,2),(3,4))'::polygon", 'polygon', '((1,2),(3,4))'],
  ["'<(1,2),3>'::circle", 'circle', '<(1,2),3>'],
  ["'a & b'::tsquery", 'tsquery', "'a' & 'b'"],
  ["'a b'::tsvector", 'tsvector', "'a' 'b'"],
  ["'[1,5)'::int4range", 'int4range', '[1,5)'],
  ["'{[1,2),[5,6)}'::int8multirange", 'int8multirange', '{[1,2),[5,6)}'],
  ["'16/B374D848'::pg_lsn", 'pg_lsn', '16/B374D848'],
  ["'10:20:10,14,15'::pg_snapshot", 'pg_snapshot', '10:20:10,14,15'],
  ["'18446744073709551615'::xid8", 'xid8', '18446744073709551615'],
  ["'(0,1)'::tid", 'tid', '(0,1)'],
  ["'1 2 3'::int2vector", 'int2vector', [1, 2, 3]],
  ["'pg_class'::regclass", 'regclass', 'pg_class'],
  ["row(1, 'a b', null)", 'record', '(1,"a b",)'],
  ['null::int4', 'int4', null],
  ['array[1, null, 3]', '_int4', [1, null, 3]],
  ["'{}'::int8[]", '_int8', []],
  ['array[9223372036854775807, null]', '_int8', ['9223372036854775807', null]],
  [
    'array[[1,2],[3,4]]',
    '_int4',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["'[0:2]={1,2,3}'::int4[]", '_int4', [1, 2, 3]],
  [
    "array['NULL', null, '', 'a,b', '{', '\"', '\\', ' ']",
    '_text',
    ['NULL', null, '', 'a,b', '{', '"', '\\', ' '],
  ],
  ['array[true, false]', '_bool', [true, false]],
  ["array['NaN', 1.5]::float8[]", '_float8', ['NaN', 1.5]],
  ['array[1.10]::numeric[]', '_numeric', ['1.10']],
  ["array['\\xff'::bytea]", '_bytea', ['\\xff']],
  [
    "array['2024-01-01 00:00:00.000001+00'::timestamptz]",
    '_timestamptz',
    ['2024-01-01T00:00:00.000001+00:00'],
  ],
  ['array[\'{"a": "b,\\"c"}\', null]::jsonb[]', '_jsonb', [{ a: 'b,"c' }, null]],
  ["array['(1,1),(0,0)', '(2,2),(1,1)']::box[]", '_box', ['(1,1),(0,0)', '(2,2),(1,1)']],
  ["array['[1,3)']::int4range[]", '_int4range', ['[1,3)']],
]

describe('out of Postgres', () => {
  test.each(TYPED)('%s', async (expression, typeName, expected) => {
    const { value, column } = await readValue(expression)
    expect(value).toEqual(expected)
    expect(column.typeName).toBe(typeName)
    const { rows } = await owner.query(`select ${expression} as v, $1::oid::regtype::oid as oid`, [
      column.dataTypeID,
    ])
    expect(
      (await owner.query('select typname from pg_type where oid = $1', [column.dataTypeID])).rows[0].typname,
    ).toBe(typeName)
    const isText = typeof expected === 'string' && !/^(timestamp|json)/.test(typeName)
    if (isText) expect(value).toBe(rows[0].v)
  })

  // They were lost: Postgres puts no quotes around blanks beyond ASCII.
  test('elements of an array keep every character, be it a blank', async () => {
    const { value } = await readValue("array[U&'\\00a0abc', U&'\\3000', U&'\\feffx', U&'\\2028']")
    expect(value).toEqual(['\u00a0abc', '\u3000', '\ufeffx', '\u2028'])
    const units =
      ' \t\n\v\f\r\u0085\u00a0\u1680\u180e\u2003\u200b\u2028\u2029\u202f\u205f\u3000\ufeffa"\\{},;'
    const texts = fc.array(fc.string({ unit: fc.constantFrom(...units), maxLength: 4 }), { minLength: 1 })
    for (const items of fc.sample(texts, 20))
      expect((await readValue('$1::text[]', [items])).value).toEqual(items)
  })

  test('large numbers inside JSON keep every digit', async () => {
    const { text } = await sql(
      `select '{"n": 12345678901234567890.10}'::json as a, '[12345678901234567890]'::jsonb as b`,
    )
    expect(text).toContain('"a":{"n": 12345678901234567890.10}')
    expect(text).toContain('"b":[12345678901234567890]')
  })

  test('timestamps are what to_json prints, in every time zone', async () => {
    for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Africa/Monrovia']) {
      for (const at of ['2024-07-01 12:00:00.123456+00', '1890-01-01 00:00:00+00']) {
        const { body } = await transaction([
          `set local timezone = '${zone}'`,
          `select '${at}'::timestamptz as v, to_json('${at}'::timestamptz) as j`,
        ])
        expect(body.results[1].rows[0].v).toBe(body.results[1].rows[0].j)
      }
    }
  })

  test("users' types have their names, and arrays and domains of them their values", async () => {
    const [mood, positive, positives, pair, span] = ['mood', 'positive', 'positives', 'pair', 'span'].map(
      freshName,
    )
    await transaction([
      `create type ${mood} as enum ('happy', 'not so')`,
      `create domain ${positive} as int check (value > 0)`,
      `create domain ${positives} as ${positive}[]`,
      `create type ${pair} as (a int, b text)`,
      `create type ${span} as range (subtype = float8)`,
    ])
    const { body } =
      await sql(`select 'happy'::${mood} as e, array['not so', null]::${mood}[] as es, 5::${positive} as d,
      array[1,2]::${positive}[] as ds, array[1,2]::${positives} as dd, row(1,'x')::${pair} as c,
      array[row(1,'x y')::${pair}] as cs, '[1,2)'::${span} as r, array['[1,2)']::${span}[] as rs`)
    expect(body.rows).toEqual([
      {
        e: 'happy',
        es: ['not so', null],
        d: 5,
        ds: [1, 2],
        dd: [1, 2],
        c: '(1,x)',
        cs: ['(1,"x y")'],
        r: '[1,2)',
        rs: ['[1,2)'],
      },
    ])
    const names = body.columns.map(({ typeName }: { typeName: string }) => typeName)
    expect(names).toEqual([
      mood,
      `_${mood}`,
      'int4',
      `_${positive}`,
      `_${positive}`,
      pair,
      `_${pair}`,
      span,
      `_${span}`,
    ])
    await transaction([
      `drop type ${mood}`,
      `drop domain ${positives}`,
      `drop domain ${positive}`,
      `drop type ${pair}`,
      `drop type ${span}`,
    ])
  })

  test('a type that is gone with its call is called unknown, and the statement is not reported as failed', async () => {
    const gone = freshName('gone')
    const { status, body } = await transaction([
      `create type ${gone} as (a int)`,
      `select row(1)::${gone} as v`,
      `drop type ${gone}`,
    ])
    expect(status).toBe(200)
    expect(body.results[1].rows).toEqual([{ v: '(1)' }])
    expect(body.results[1].columns[0].typeName).toBe('unknown')
  })
})

test('the table of built-in types is that of the database', async () => {
  const { rows } = await owner.query(
    "select oid::int, typname, typelem::int, typcategory from pg_type where oid < 10000 and typtype in ('b', 'r', 'm')",
  )
  for (const { oid, typname, typelem } of rows) {
    const known = BUILT_IN_TYPES.get(Number(oid))
    // Types of catalog rows and of the index machinery are rare enough to be looked up.
    if (known === undefined) expect(typname).toMatch(/^_?pg_/)
    else
      expect({ oid, name: known.name, of: known.of ?? 0 }).toEqual({
        oid,
        name: typname,
        of: known.isArray ? Number(typelem) : 0,
      })
  }
})

/** Names that mean another type in SQL than in pg_type. */
const castOf = (typeName: string) => ({ char: '"char"', bit: 'bit(3)' })[typeName] ?? typeName

describe('into Postgres', () => {
  test.each([
    ['text', 'ü🦊 "\\ \n', 'ü🦊 "\\ \n'],
    ['text', '', ''],
    ['int4', 42, 42],
    ['int8', '9007199254740993', '9007199254740993'],
    ['int8', 9007199254740991, '9007199254740991'],
    ['float8', 0.1, 0.1],
    ['float8', 1e-7, 1e-7],
    ['numeric', '1.10', '1.10'],
    ['bool', true, true],
    ['bool', 'no', false],
    ['text', null, null],
    ['int4[]', [1, null, 3], [1, null, 3]],
    ['int4[]', [], []],
    [
      'int4[]',
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['text[]', ['NULL', null, '', 'a,b', '{"x"}', '\\', ' '], ['NULL', null, '', 'a,b', '{"x"}', '\\', ' ']],
    ['bool[]', [true, false], [true, false]],
    ['jsonb', { a: [1, { b: null }], 'ü"': '\\' }, { a: [1, { b: null }], 'ü"': '\\' }],
    ['jsonb', '[1, 2]', [1, 2]],
    ['jsonb[]', [{ a: '"' }, null], [{ a: '"' }, null]],
    ['bytea', '\\x00ff', '\\x00ff'],
    ['timestamptz', '2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.123456+00:00'],
    ['uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ])('%s from %j', async (type, param, expected) => {
    expect((await readValue(`$1::${type}`, [param])).value).toEqual(expected)
  })

  test('what came out goes in again and is the same', async () => {
    for (const [expression, typeName, value] of TYPED) {
      if (
        value === null ||
        ['record', 'json', 'int2vector', '_box'].includes(typeName) ||
        /^_?(time|date|jsonb)/.test(typeName)
      )
        continue
      if (typeof value === 'object' && !Array.isArray(value)) continue
      // Of a float this large nobody can tell whether it was written as an integer: it goes in as a string.
      const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value)
      const { body } = await sql(`select ($1::${castOf(typeName)})::text = (${expression})::text as same`, [
        isLarge ? String(value) : value,
      ])
      expect({ expression, same: body.rows?.[0]?.same, error: body.error }).toMatchObject({
        expression,
        // A lower bound is no part of a JSON array.
        same: !expression.includes('[0:2]'),
      })
    }
  })

  test('a number that JSON readers round is refused, never stored rounded', async () => {
    const long = ['9007199254740993', '1234567890123456789012345', '1e999', '-1e999']
    for (const text of long.flatMap(number => [number, `[${number}]`, `{"a":[${number}]}`])) {
      const { status, body } = await post('/v1/sql', `{"sql":"select $1::text","params":[${text}]}`)
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
      expect(body.error).toContain('params[0]')
    }
  })

  // An empty array as `{}` would be stored as an object, without a word.
  test.each([[[]], [[1, 2]], [[[]]], [[{}]], [[{ a: 1 }]], [[null]]])(
    'an array sent for a json parameter is refused with the way out: %j',
    async value => {
      for (const type of ['json', 'jsonb']) {
        const { status, body } = await sql(`select $1::${type}`, [value])
        expect([status, body.code, body.hint]).toEqual([400, '22P02', expect.stringContaining('JSON text')])
        const whole = await transaction([{ sql: `select $1::${type}`, params: [value] }])
        expect([whole.status, whole.body.code]).toEqual([400, '22P02'])
      }
    },
  )

  test.each([
    ['int[]', [], []],
    ['text[]', [], []],
    ['json[]', [], []],
    ['jsonb[]', [{}], [{}]],
    ['json[]', [{}, { a: [] }, null], [{}, { a: [] }, null]],
    ['date[]', [], []],
    ['box[]', [], []],
    ['json', {}, {}],
    ['jsonb', { a: [], b: {} }, { a: [], b: {} }],
  ])('empty arrays and objects arrive as they are in %s: %j', async (type, value, expected) => {
    expect((await sql(`select $1::${type} as v`, [value])).body.rows).toEqual([{ v: expected }])
  })

  // The attack: SQL in a value.
  test('no value is ever SQL', async () => {
    for (const text of ["'; drop table todos; --", '$1', "\\'; select 1", '"}', '{"', "E'\\''"]) {
      expect((await readValue('$1', [text])).value).toBe(text)
      expect((await readValue('$1::text[]', [[text, text]])).value).toEqual([text, text])
    }
  })
})
