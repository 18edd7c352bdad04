import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ArrayItem, readArrayLiteral, writeArrayLiteral } from '../../../src/lib/array-literal.ts'

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
  for (const text of ['', '1', '{1', '{"a', '}', '{1}}x'.slice(0, 0), 'a,b', '{"a\\'])
    expect(() => readArrayLiteral(text)).toThrow()
})

const text = fc.string({ unit: 'binary' })
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

// The attack: an element that ends its array, to put other elements or another array in its place.
test('no text can end its element', () => {
  fc.assert(
    fc.property(fc.array(text), texts => {
      expect(readArrayLiteral(writeArrayLiteral(texts))).toHaveLength(texts.length)
    }),
  )
})
