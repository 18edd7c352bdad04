import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ArrayItem, arrayLiteralToJson, writeArrayLiteral } from '../../../src/lib/array-literal.ts'
import { arrayOut, readArrayLiteral } from '../../support/array-literal.ts'

test('reads elements, NULL, quotes, escapes and nesting', () => {
  expect(readArrayLiteral('{}')).toEqual([])
  expect(readArrayLiteral('{1,2,NULL}')).toEqual(['1', '2', null])
  expect(readArrayLiteral('{"NULL","a b","","say \\"hi\\"","back\\\\slash","{}",","}')).toEqual([
    'NULL',
    'a b',
    '',
    'say "hi"',
    'back\\slash',
    '{}',
    ',',
  ])
  expect(readArrayLiteral('{{1,2},{3,NULL}}')).toEqual([
    ['1', '2'],
    ['3', null],
  ])
})

test('reads over lower bounds that are not 1', () => {
  expect(readArrayLiteral('[0:2]={1,2,3}')).toEqual(['1', '2', '3'])
  expect(readArrayLiteral('[-1:0][5:5]={{a},{b}}')).toEqual([['a'], ['b']])
})

test('splits boxes at semicolons, because commas are inside them', () => {
  expect(readArrayLiteral('{(1,1),(0,0);(2,2),(1,1)}', ';')).toEqual(['(1,1),(0,0)', '(2,2),(1,1)'])
})

test('refuses what Postgres never writes instead of guessing', () => {
  for (const text of [
    '',
    '1',
    '{1',
    '{"a',
    '}',
    '{1}}',
    '{1}x',
    'a,b',
    '{"a\\',
    '{,}',
    '{1,}',
    '{{1}2}',
    '{"a"b}',
  ])
    expect(() => readArrayLiteral(text)).toThrow()
})

/** Characters that some reader takes for a blank or a delimiter, or that mean something in an array. */
const telling = fc.constantFrom(
  ...'{},;"\\ \t\n\v\f\r\0=[]Nxé😀\u0085\u00a0\u1680\u180e\u2000\u200b\u2028\u2029\u202f\u205f\u3000\ufeff',
)
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: telling, maxLength: 4 }))
const items: fc.Arbitrary<ArrayItem[]> = fc.letrec<{ array: ArrayItem[]; item: ArrayItem }>(tie => ({
  item: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.constant(null),
    fc.constantFrom('NULL', '{', '}', '"', '\\', ',', ' '),
    tie('array'),
  ),
  array: fc.array(tie('item'), { maxLength: 6 }),
})).array

test('whatever is written is read back as it was', () => {
  fc.assert(
    fc.property(items, value => {
      expect(readArrayLiteral(writeArrayLiteral(value))).toEqual(value)
    }),
  )
})

// Data were lost so: blanks beyond ASCII, which Postgres does not quote, were skipped as if between elements.
test('whatever Postgres writes is read as it was, and NULL in other letters is a text', () => {
  const inOne: ArrayItem[] = ['\u00a0abc', '\u3000', '\ufeffx', '\u2028', 'x\u00a0', 'null', 'NULL', null]
  expect(readArrayLiteral(arrayOut(inOne))).toEqual(inOne)
  fc.assert(
    fc.property(items, value => {
      expect(readArrayLiteral(arrayOut(value))).toEqual(value)
    }),
  )
})

test('tells of each element and each array', () => {
  let count = 0
  const reader = { toJson: (json: string) => json, onValue: () => void count++, delimiter: ',' }
  expect(arrayLiteralToJson('{{1,2},{3,NULL}}', reader)).toBe('[[1,2],[3,null]]')
  expect(count).toBe(7)
})

// The attack: an element that ends its array, to put other elements or another array in its place.
test('no text can end its element', () => {
  fc.assert(
    fc.property(fc.array(text), texts => {
      expect(readArrayLiteral(writeArrayLiteral(texts))).toHaveLength(texts.length)
    }),
  )
})
