// Where the value stands that Postgres could not read: its message has the value and the type, not the place.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import type { ColumnTypes } from '../../../src/features/data-api/catalog/catalog-types.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'
import { findValue } from '../../../src/features/data-api/payload/find-value.ts'
import { parsePayload } from '../../../src/features/data-api/payload/payload.ts'
import { choosePlace, placesOf, wrongValueOf } from '../../../src/features/data-api/verbs/wrong-value.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'

const TYPES: Record<string, string> = {
  id: 'integer',
  qty: 'integer',
  name: 'text',
  price: 'numeric(6,2)',
  mood: 'public.mood',
  nums: 'integer[]',
  data: 'jsonb',
}
const known: ColumnTypes = name => TYPES[name]
const unknown: ColumnTypes = () => undefined
const notAnInteger = (value: string) => `invalid input syntax for type integer: "${value}"`

interface Sent {
  query?: string
  body?: string
  type?: string
}

function placeOf(
  message: string,
  { query = '', body, type = 'application/json' }: Sent,
  typeOf = known,
  detail = '',
) {
  const wrong = wrongValueOf(new PostgresError({ code: '22P02', message, detail }))
  if (wrong === undefined) return undefined
  const rows = body === undefined ? undefined : parsePayload(encodeUtf8(body), type, undefined).rows
  const { filters } = parseQueryString(query)
  return choosePlace(placesOf(wrong, { filters, rows }), wrong, typeOf)?.words
}

describe('in a filter', () => {
  test.each([
    ['?id=eq.abc', 'the filter on "id"'],
    ['?name=eq.abc&qty=in.(1,abc)', 'the filter on "qty"'],
    ['?or=(id.eq.1,and(qty.gt.abc,name.eq.x))', 'the filter on "qty"'],
    ['?nums=cs.{1,abc}', 'the filter on "nums"'],
    ['?id=eq(any).{1,abc}', 'the filter on "id"'],
    ['?id=eq.abcd', undefined],
  ])('%s: %s', (query, words) => expect(placeOf(notAnInteger('abc'), { query })).toBe(words))

  test('of JSON by the piece that Postgres names', () => {
    const [message, detail] = ['invalid input syntax for type json', 'Token "x" is invalid.']
    expect(placeOf(message, { query: '?name=eq.x1&data->a=eq.x1' }, known, detail)).toBe(
      'the filter on "data"',
    )
  })

  test('of an enum, whose name comes without its schema', () => {
    const message = 'invalid input value for enum mood: "abc"'
    expect(placeOf(message, { query: '?name=eq.abc&mood=eq.abc' })).toBe('the filter on "mood"')
  })
})

describe('in a body', () => {
  const rows = JSON.stringify([
    { id: 1, name: 'x', qty: 2 },
    { id: 2, name: 'x', qty: 3 },
    { id: 3, name: 'y', qty: 'x' },
  ])

  test.each([
    [rows, 'application/json', 'column "qty" of row 3'],
    ['{"qty":"x"}', 'application/json', 'column "qty" of row 1'],
    ['{"id":1,"nums":[1, "x"]}', 'application/json', 'column "nums" of row 1'],
    ['id,name,qty\n1,x,1\n2,"x\ny",\n3,x,"x"\n', 'text/csv', 'column "qty" of row 3, the header not counted'],
    ['name=x&qty=x', 'application/x-www-form-urlencoded', 'column "qty" of row 1'],
  ])('%s (%s): %s', (body, type, words) => expect(placeOf(notAnInteger('x'), { body, type })).toBe(words))

  test('of a number out of range', () => {
    const message = 'value "99999999999" is out of range for type integer'
    expect(placeOf(message, { body: '[{"qty":1},{"qty":99999999999}]' })).toContain('"qty" of row 2')
  })

  test('is said without types only where it is the one place', () => {
    expect(placeOf(notAnInteger('x'), { body: '{"qty":"x","id":1}' }, unknown)).toContain('"qty"')
    expect(placeOf(notAnInteger('x'), { body: '{"qty":"x","name":"x"}' }, unknown)).toBeUndefined()
  })
})

test('errors that name no value have no place', () => {
  for (const message of ['numeric field overflow', notAnInteger('x'.repeat(5_000))])
    expect(placeOf(message, { query: '?id=eq.x' })).toBeUndefined()
})

test('any value is found in the first of its rows, in JSON and in CSV', () => {
  const anyText = fc.string({ unit: 'grapheme' }).filter(text => text !== 'NULL' && !text.includes('\u0000'))
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1 }), fc.nat(), (texts, pick) => {
      const value = texts[pick % texts.length] as string
      const json = JSON.stringify(texts.map(a => ({ b: 1, a })))
      const csv = `b,a\n${texts.map(a => `1,"${a.replaceAll('"', '""')}"`).join('\n')}`
      for (const [body, type] of [
        [json, 'application/json'],
        [csv, 'text/csv'],
      ] as const) {
        const { rows } = parsePayload(encodeUtf8(body), type, undefined)
        expect(findValue(rows, value).get('a')).toBe(texts.indexOf(value))
      }
    }),
  )
})

// The attack: every key of a body has the value, and each of a million is a place to be named and sorted.
test('of more keys than anybody could tell apart, some are named', () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `"k${index}":"x"`)
  const { rows } = parsePayload(encodeUtf8(`{${keys},"id":"x"}`), 'application/json', ['id'])
  expect(findValue(rows, 'x').size).toBe(100)
})

// The attack: a value that is nearly everywhere in an array, to be compared at each of its bytes.
test('a value that nearly repeats in an array of a megabyte is looked for in one pass', () => {
  const array = JSON.stringify([`${'a'.repeat(1_000_000)}`, 'x'])
  const { rows } = parsePayload(encodeUtf8(`{"nums":${array}}`), 'application/json', undefined)
  expect(findValue(rows, `${'a'.repeat(3_900)}b`)).toEqual(new Map())
})
