// Filters from text to AST.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { parseCondition, parseLogicTree } from '../../../src/features/data-api/grammar/filters.ts'
import type { Filter, Test } from '../../../src/features/data-api/grammar/query-ast.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'
import { anyCondition, anyText, anyTree, printBranches, printField, printTest } from './query-grammar.ts'

const ID = { name: 'id', path: [] }
const testOf = (text: string): Test => parseCondition('id', text, ID).test
const compare = (operator: string, value: string) => ({ kind: 'compare', operator, value })

describe('values', () => {
  test.each(['a,b', '"a,b"', '(1,2)', ' x ', '', 'a.b.c', '{1,2}', 'not.eq.1', 'a\\b'])(
    'eq takes %j literally',
    value => expect(testOf(`eq.${value}`)).toEqual(compare('eq', value)),
  )

  test.each([
    ['(1,2,3)', ['1', '2', '3']],
    ['("a,b",c)', ['a,b', 'c']],
    ['("with \\"quote\\"","back\\\\slash")', ['with "quote"', 'back\\slash']],
    ['("a)b")', ['a)b']],
    ['(a"b,"c"d)', ['a"b', '"c"d']],
    ['("open,x)', ['"open', 'x']],
    ['( 1,2 )', ['1', '2 ']],
    ['(a b, c)', ['a b', ' c']],
    ['(,)', ['', '']],
    ['()', []],
    ['("")', ['']],
  ])('in%s', (list, values) => expect(testOf(`in.${list}`)).toEqual({ kind: 'in', values }))

  test('is takes its five words in any case', () => {
    expect(testOf('is.NULL')).toEqual({ kind: 'is', value: 'null' })
    expect(testOf('is.Not_Null')).toEqual({ kind: 'is', value: 'not_null' })
    expect(() => testOf('is.1')).toThrow(DomainError)
  })

  test('text search takes a configuration', () => {
    expect(testOf('wfts(german).Hund -Katze')).toEqual({
      kind: 'text_search',
      operator: 'wfts',
      config: 'german',
      query: 'Hund -Katze',
    })
  })

  test('any and all take an array literal', () => {
    expect(testOf('like(any).{O*,"P,*"}')).toMatchObject({ quantifier: 'any', values: '{O*,"P,*"}' })
    expect(() => testOf('eq(any).1')).toThrow('expected an array in braces')
    expect(() => testOf('neq(any).{1}')).toThrow(DomainError)
  })
})

describe('trees', () => {
  const tree = (text: string) => parseLogicTree('or', text).filters

  test('a value ends at a comma or parenthesis, unless quoted or in braces', () => {
    expect(tree('(a.eq.x y,b.cs.{1,2},c.eq."1,2)",d.eq."q"r)')).toMatchObject([
      { test: compare('eq', 'x y') },
      { test: compare('cs', '{1,2}') },
      { test: compare('eq', '1,2)') },
      { test: compare('eq', '"q"r') },
    ])
  })

  test('negations stand before the operator, and before and/or', () => {
    expect(parseLogicTree('not.or', '(a.not.eq.1,not.and(b.is.null,c.in.(1,2)))')).toMatchObject({
      isNegated: true,
      operator: 'or',
      filters: [
        { isNegated: true },
        {
          operator: 'and',
          isNegated: true,
          filters: [{ test: { kind: 'is' } }, { test: { values: ['1', '2'] } }],
        },
      ],
    })
  })

  test('spaces may stand around commas and parentheses', () => {
    expect(tree('( a.eq.1 , and ( b.eq.2 , c.eq.3 ) )')).toMatchObject([
      {},
      { operator: 'and', filters: [{}, {}] },
    ])
  })

  test.each(['()', '(a.eq.1', '(a.eq.1)x', 'a.eq.1', '(a)', '(a.eq.1,)', '(a.foo.1)', '(and())'])(
    '%s is refused',
    text => expect(() => tree(text)).toThrow(DomainError),
  )
})

describe('round trips', () => {
  test('every condition is read back as it was written', () => {
    fc.assert(
      fc.property(anyCondition, condition => {
        const name = encodeURIComponent(printField(condition.field))
        const value = encodeURIComponent(printTest(condition, false))
        expect(parseQueryString(`?${name}=${value}`).filters).toEqual([condition])
      }),
    )
  })

  test('every tree is read back as it was written', () => {
    fc.assert(
      fc.property(anyTree, tree => {
        const parameter = `${tree.isNegated ? 'not.' : ''}${tree.operator}`
        expect(parseLogicTree(parameter, printBranches(tree))).toEqual(tree)
      }),
    )
  })

  test('any text is either read or refused with a code of ours', () => {
    fc.assert(
      fc.property(anyText, anyText, (name, value) => {
        for (const query of [
          `?${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
          `?or=${encodeURIComponent(value)}`,
        ]) {
          try {
            const filters: readonly Filter[] = parseQueryString(query).filters
            expect(filters.length).toBeLessThanOrEqual(1)
          } catch (err) {
            expect(err).toBeInstanceOf(DomainError)
          }
        }
      }),
    )
  })
})
