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
    // Blank to array types alone: `{}` would be an object where the parameter is JSON.
    '{\f}',
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
    ['written with an exponent', [1e21], 'params[0]'],
    ['of many digits', [JSON.parse('123456789012345678901234567890')], 'params[0]'],
    ['too large for a double', [1, JSON.parse('1e999')], 'params[1]'],
    ['too large and negative, in an array', [[[JSON.parse('-1e999')]]], 'params[0]'],
    ['too large, inside an object in an array', [[{ a: [JSON.parse('1e999')] }]], 'params[0]'],
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
  test('with what to do instead', () => {
    for (const value of [2 ** 60, 1e21, Number.POSITIVE_INFINITY]) {
      expect(() => toParameters([value])).toThrow(
        expect.objectContaining({ hint: expect.stringContaining('Send it as a string') }),
      )
    }
  })
  test('while the largest exact ones pass, and fractions, and 0 without its sign', () => {
    expect(toParameters([2 ** 53 - 1, -(2 ** 53) + 1, 4503599627370495.5, 1e-300, -0])).toEqual([
      '9007199254740991',
      '-9007199254740991',
      '4503599627370495.5',
      '1e-300',
      '0',
    ])
  })
})
