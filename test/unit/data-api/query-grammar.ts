// Random filters, and their text in the query grammar: what the parser must read back unchanged.

import fc from 'fast-check'
import { COMPARE_SQL, TEXT_SEARCH_SQL } from '../../../src/features/data-api/grammar/operators.ts'
import type {
  CompareOperator,
  Condition,
  Field,
  Filter,
  IsValue,
  LogicTree,
  Test,
  TextSearchOperator,
} from '../../../src/features/data-api/grammar/query-ast.ts'

/** Any text that Postgres can hold. */
export const anyText = fc.string({ unit: 'grapheme', maxLength: 30 }).filter(text => !text.includes('\u0000'))

const anyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter(name => !name.includes('\u0000') && new TextEncoder().encode(name).length <= 63)

const anyField: fc.Arbitrary<Field> = fc.record({
  name: anyName,
  path: fc.array(
    fc.record({
      arrow: fc.constantFrom('->' as const, '->>' as const),
      operand: fc.oneof(anyName, fc.integer({ min: -999, max: 999 })),
    }),
    { maxLength: 3 },
  ),
})

const anyTest: fc.Arbitrary<Test> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    operator: fc.constantFrom(...(Object.keys(COMPARE_SQL) as CompareOperator[])),
    value: anyText,
  }),
  fc.record({
    kind: fc.constant('quantified' as const),
    operator: fc.constantFrom('eq' as const, 'like' as const, 'imatch' as const),
    quantifier: fc.constantFrom('any' as const, 'all' as const),
    values: fc.constantFrom('{}', '{1,2}', '{"a b",c}'),
  }),
  fc.record({ kind: fc.constant('in' as const), values: fc.array(anyText, { maxLength: 5 }) }),
  fc.record({
    kind: fc.constant('is' as const),
    value: fc.constantFrom<IsValue>('null', 'not_null', 'true', 'false', 'unknown'),
  }),
  fc.record({
    kind: fc.constant('text_search' as const),
    operator: fc.constantFrom(...(Object.keys(TEXT_SEARCH_SQL) as TextSearchOperator[])),
    config: fc.constantFrom(undefined, 'english', "o'clock"),
    query: anyText,
  }),
)

export const anyCondition: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant('condition' as const),
  field: anyField,
  isNegated: fc.boolean(),
  test: anyTest,
})

export const anyTree: fc.Arbitrary<LogicTree> = fc.letrec<{ tree: LogicTree; filter: Filter }>(tie => ({
  filter: fc.oneof({ maxDepth: 4 }, anyCondition, tie('tree')),
  tree: fc.record({
    kind: fc.constant('tree' as const),
    operator: fc.constantFrom('and' as const, 'or' as const),
    isNegated: fc.boolean(),
    filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
  }),
})).tree

/** `"a b"->>"c"`, every name in quotes. */
export function printField({ name, path }: Field): string {
  const steps = path.map(
    ({ arrow, operand }) => arrow + (typeof operand === 'number' ? operand : quote(operand)),
  )
  return quote(name) + steps.join('')
}

/** `not.in.("a","b")`; inside a tree values are quoted. */
export function printTest({ isNegated, test }: Condition, isInTree: boolean): string {
  const value = (text: string) => (isInTree ? quote(text) : text)
  return (isNegated ? 'not.' : '') + printBareTest(test, value)
}

function printBareTest(test: Test, value: (text: string) => string): string {
  switch (test.kind) {
    case 'compare':
      return `${test.operator}.${value(test.value)}`
    case 'quantified':
      return `${test.operator}(${test.quantifier}).${value(test.values)}`
    case 'in':
      return `in.(${test.values.map(quote).join(',')})`
    case 'is':
      return `is.${test.value}`
    case 'text_search':
      return `${test.operator}${test.config === undefined ? '' : `(${test.config})`}.${value(test.query)}`
  }
}

/** `(a.eq.1,not.and(b.gt.2,c.is.null))`: the value of `or=`. */
export function printBranches({ filters }: LogicTree): string {
  return `(${filters.map(printFilter).join(',')})`
}

function printFilter(filter: Filter): string {
  if (filter.kind === 'condition') return `${printField(filter.field)}.${printTest(filter, true)}`
  return `${filter.isNegated ? 'not.' : ''}${filter.operator}${printBranches(filter)}`
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
