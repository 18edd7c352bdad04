import { describe, expect, test } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { toParameters } from '../../../src/features/sql/parameters.ts'

test('strings, numbers, booleans and null keep what they say', () => {
  expect(toParameters(['a', '', 1, -0.5, 1e-7, true, false, null])).toEqual([
    'a',
    '',
    '1',
    '-0.5',
    '1e-7',
    'true',
    'false',
    null,
  ])
})

test('arrays become Postgres arrays, with NULL, quotes and nesting', () => {
  expect(toParameters([[1, null, 'a"b', true], [], [[1], [2]]])).toEqual([
    '{"1",NULL,"a\\"b","true"}',
    '{}',
    '{{"1"},{"2"}}',
  ])
})

test('objects become JSON, also inside arrays', () => {
  expect(toParameters([{ a: [1, { b: null }] }, [{ a: 1 }]])).toEqual([
    '{"a":[1,{"b":null}]}',
    '{"{\\"a\\":1}"}',
  ])
})

describe('a number that JSON readers round is refused, with its parameter named', () => {
  test.each([
    ['alone', [1, 2 ** 53], 'params[1]'],
    ['negative', [-(2 ** 53)], 'params[0]'],
    ['in an array', [[1, [2 ** 60]]], 'params[0]'],
    ['just below an exponent', [1e21 - 2 ** 20], 'params[0]'],
    ['inside an object', ['a', 'b', { a: [{ b: 2 ** 60 }] }], 'params[2]'],
  ])('%s', (_, params, where) => {
    try {
      toParameters(params)
      expect.unreachable()
    } catch (err) {
      expect(err).toBeInstanceOf(DomainError)
      expect(err).toMatchObject({ code: 'validation_failed' })
      expect((err as Error).message).toContain(where)
    }
  })
  test('while the largest exact ones pass, and floats that no integer type could hold', () => {
    expect(toParameters([2 ** 53 - 1, -(2 ** 53) + 1, 1e21, -1.5e308])).toEqual([
      '9007199254740991',
      '-9007199254740991',
      '1e+21',
      '-1.5e+308',
    ])
  })
})
