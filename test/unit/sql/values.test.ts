import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BUILT_IN_TYPES, type PgType } from '../../../src/features/sql/built-in-types.ts'
import { toJsonOf } from '../../../src/features/sql/values.ts'
import { writeArrayLiteral } from '../../../src/lib/array-literal.ts'
import { arrayOut } from '../../support/array-literal.ts'

const USER_TYPES: Record<number, PgType> = {
  20001: { name: 'mood', of: undefined, isArray: false, delimiter: ',' },
  20002: { name: '_mood', of: 20_001, isArray: true, delimiter: ',' },
  20003: { name: 'positive', of: 23, isArray: false, delimiter: ',' },
  20004: { name: '_positive', of: 20_003, isArray: true, delimiter: ',' },
  20005: { name: 'ints', of: 1007, isArray: false, delimiter: ',' },
  20006: { name: 'loop', of: 20_006, isArray: false, delimiter: ',' },
  20007: { name: 'bool', of: undefined, isArray: false, delimiter: ',' },
}
const findType = (oid: number) => BUILT_IN_TYPES.get(oid) ?? USER_TYPES[oid]
const oidOf = (name: string) => [...BUILT_IN_TYPES].find(([, type]) => type.name === name)?.[0] ?? 0
const json = (name: string, text: string) => toJsonOf(oidOf(name), findType)(text)

describe('each type has the JSON that loses nothing', () => {
  test.each([
    ['int2', '-32768', '-32768'],
    ['int4', '2147483647', '2147483647'],
    ['oid', '4294967295', '4294967295'],
    ['int8', '9223372036854775807', '"9223372036854775807"'],
    ['numeric', '1.10', '"1.10"'],
    ['numeric', 'NaN', '"NaN"'],
    ['money', '$1.00', '"$1.00"'],
    ['float8', '0.1', '0.1'],
    ['float8', '1e+308', '1e+308'],
    ['float8', '5e-324', '5e-324'],
    ['float8', '-0', '-0'],
    ['float8', 'NaN', '"NaN"'],
    ['float8', 'Infinity', '"Infinity"'],
    ['float4', '-Infinity', '"-Infinity"'],
    ['bool', 't', 'true'],
    ['bool', 'f', 'false'],
    ['text', 'a"b\\c\n\u2028', '"a\\"b\\\\c\\n\u2028"'],
    ['json', '{"a": 12345678901234567890.10, "a": 1}', '{"a": 12345678901234567890.10, "a": 1}'],
    ['jsonb', 'null', 'null'],
    ['bytea', '\\xdead', '"\\\\xdead"'],
    ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"'],
    ['date', '2024-02-29', '"2024-02-29"'],
    ['time', '24:00:00', '"24:00:00"'],
    ['timestamp', '2024-01-01 00:00:00', '"2024-01-01T00:00:00"'],
    ['timestamp', '2024-01-01 00:00:00.000001', '"2024-01-01T00:00:00.000001"'],
    ['timestamp', '12024-01-01 00:00:00', '"12024-01-01T00:00:00"'],
    ['timestamptz', '2024-01-01 00:00:00.123456+00', '"2024-01-01T00:00:00.123456+00:00"'],
    ['timestamptz', '2024-01-01 05:30:00+05:30', '"2024-01-01T05:30:00+05:30"'],
    ['timestamptz', '1800-01-01 00:00:00-00:01:15', '"1800-01-01T00:00:00-00:01:15"'],
    ['timestamptz', 'infinity', '"infinity"'],
    ['timestamp', '0044-03-15 12:00:00 BC', '"0044-03-15 12:00:00 BC"'],
    ['timestamptz', '01.01.2024 00:00:00 UTC', '"01.01.2024 00:00:00 UTC"'],
    ['int2vector', '1 2 3', '[1,2,3]'],
    ['int2vector', '', '[]'],
    ['_int4', '{1,NULL,{2}}', '[1,null,[2]]'],
    ['_int8', '{9223372036854775807}', '["9223372036854775807"]'],
    ['_int4', '[2:3]={1,-2}', '[1,-2]'],
    ['_bool', '{t,f}', '[true,false]'],
    [
      '_text',
      '{\u00a0abc,\u3000,\ufeffx,\u2028,x\u00a0}',
      '["\u00a0abc","\u3000","\ufeffx","\u2028","x\u00a0"]',
    ],
    ['_text', '{NULL,"NULL","a,b"}', '[null,"NULL","a,b"]'],
    ['_jsonb', '{"{\\"a\\": 12345678901234567890}",NULL}', '[{"a": 12345678901234567890},null]'],
    ['_timestamptz', '{"2024-01-01 00:00:00+00"}', '["2024-01-01T00:00:00+00:00"]'],
    ['_float8', '{NaN,1.5}', '["NaN",1.5]'],
    ['_box', '{(1,1),(0,0);(2,2),(1,1)}', '["(1,1),(0,0)","(2,2),(1,1)"]'],
  ])('%s %s', (type, text, expected) => expect(json(type, text)).toBe(expected))
})

test("users' types: enums as text, arrays of them as arrays, domains as what they are over", () => {
  expect(toJsonOf(20_002, findType)('{happy,NULL}')).toBe('["happy",null]')
  expect(toJsonOf(20_004, findType)('{1,2}')).toBe('[1,2]')
  expect(toJsonOf(20_005, findType)('{1,2}')).toBe('[1,2]')
})

test("a user's type is not taken for a built-in one of the same name", () => {
  expect(toJsonOf(20_007, findType)('t')).toBe('"t"')
})

test('types that lead nowhere, or to themselves, are text', () => {
  expect(toJsonOf(99_999, findType)('{1}')).toBe('"{1}"')
  expect(toJsonOf(20_006, findType)('x')).toBe('"x"')
})

const anyText = fc.string({ unit: 'binary' })

test('any text of a text-like type, and any array of it, is valid JSON with the same value', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.option(anyText)), (text, items) => {
      for (const type of ['text', 'timestamptz', 'bytea', 'numeric', 'xml'])
        if (!/^\d{4,}-/.test(text)) expect(JSON.parse(json(type, text))).toBe(text)
      expect(JSON.parse(json('_text', writeArrayLiteral(items)))).toEqual(items)
      expect(JSON.parse(json('_text', arrayOut(items)))).toEqual(items)
    }),
  )
})

test('any JSON passes through byte for byte', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      expect(json('json', text)).toBe(text)
    }),
  )
})

test('any finite float is the number that it was', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), number => {
      expect(JSON.parse(json('float8', String(number)))).toBe(Number(String(number)))
    }),
  )
})
