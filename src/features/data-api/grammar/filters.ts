// Parses filters: `column=op.value`, `column=not.op.value`, and the trees `or=(a.eq.1,not.and(b.gt.2,c.is.null))`.
// Pure. Values stay text; they become parameters later and are never looked into here.

import { CONTAINED_ELEMENTS_MAX, LIST_VALUES_MAX, TREE_DEPTH_MAX } from '../limits.ts'
import { parseField, parseQuoted, parseWhole } from './grammar.ts'
import { isCompareOperator, isQuantifiable, isTextSearchOperator, operatorHint } from './operators.ts'
import type { Condition, Field, Filter, IsValue, LogicTree, Test } from './query-ast.ts'
import type { TextCursor } from './text-cursor.ts'

const IS_VALUES: ReadonlySet<string> = new Set<IsValue>(['null', 'not_null', 'true', 'false', 'unknown'])

/** How the value after `operator.` is read: to the end of a parameter, or to the next comma of a tree. */
type ReadValue = (cursor: TextCursor) => string

/**
 * One parameter that is no reserved name: `parameter` is its decoded name, `text` its value. Throws `invalid_filter`.
 */
export function parseCondition(parameter: string, text: string, field: Field): Condition {
  return parseWhole('invalid_filter', parameter, text, cursor => {
    const isNegated = cursor.skip('not.')
    return { kind: 'condition', field, isNegated, test: parseTest(cursor, readToEnd, parameter) }
  })
}

/** The value of `and`, `or`, `not.and` or `not.or`. Throws `invalid_filter`. */
export function parseLogicTree(parameter: string, text: string): LogicTree {
  return parseWhole('invalid_filter', parameter, text, cursor => {
    const isNegated = parameter.startsWith('not.')
    const operator = parameter.endsWith('and') ? 'and' : 'or'
    cursor.skipSpaces()
    const filters = parseBranches(cursor, 1)
    cursor.skipSpaces()
    return { kind: 'tree', operator, isNegated, filters }
  })
}

function parseBranches(cursor: TextCursor, depth: number): Filter[] {
  if (depth > TREE_DEPTH_MAX) cursor.fail(`and() and or() nest at most ${TREE_DEPTH_MAX} deep`)
  if (!cursor.skip('(')) cursor.fail('expected "("', 'A tree looks like or=(age.lt.18,age.gt.65).')
  cursor.skipSpaces()
  const filters: Filter[] = []
  do filters.push(parseBranch(cursor, depth))
  while (cursor.skipToken(','))
  cursor.skipSpaces()
  if (!cursor.skip(')')) cursor.fail('expected "," or ")"', 'Put values that hold , or ) in double quotes.')
  return filters
}

function parseBranch(cursor: TextCursor, depth: number): Filter {
  const keyword = cursor.take(/(?:not\.)?(?:and|or)(?= *\()/y)
  if (keyword !== undefined) {
    cursor.skipSpaces()
    const operator = keyword.endsWith('and') ? 'and' : 'or'
    return {
      kind: 'tree',
      operator,
      isNegated: keyword.startsWith('not.'),
      filters: parseBranches(cursor, depth + 1),
    }
  }
  const field = parseField(cursor)
  if (!cursor.skip('.')) cursor.fail('expected "." and an operator', 'A condition looks like age.gte.18.')
  const isNegated = cursor.skip('not.')
  return { kind: 'condition', field, isNegated, test: parseTest(cursor, readBranchValue) }
}

/** `parameter`: whose whole value the test is; none inside a tree. */
function parseTest(cursor: TextCursor, readValue: ReadValue, parameter?: string): Test {
  const start = cursor.position
  const name = cursor.take(/[^.(,)]*/y) ?? ''
  if (isCompareOperator(name)) {
    const quantifier = isQuantifiable(name) ? cursor.take(/\((?:any|all)\)(?=\.)/y) : undefined
    expectDot(cursor, name)
    const value = readValue(cursor)
    if (CONTAINMENT.has(name)) refuseManyElements(cursor, name, value)
    if (quantifier === undefined || !isQuantifiable(name)) return { kind: 'compare', operator: name, value }
    if (!/^\{[\s\S]*\}$/.test(value)) {
      cursor.fail(
        `expected an array in braces after ${name}${quantifier}`,
        `Write ${name}${quantifier}.{1,2}.`,
      )
    }
    return {
      kind: 'quantified',
      operator: name,
      quantifier: quantifier === '(any)' ? 'any' : 'all',
      values: value,
    }
  }
  if (isTextSearchOperator(name)) {
    const config = cursor.skip('(') ? parseConfig(cursor) : undefined
    expectDot(cursor, name)
    return { kind: 'text_search', operator: name, config, query: readValue(cursor) }
  }
  if (name === 'in') {
    expectDot(cursor, name)
    return { kind: 'in', values: parseList(cursor) }
  }
  if (name === 'is') {
    expectDot(cursor, name)
    return { kind: 'is', value: parseIsValue(cursor, readValue) }
  }
  cursor.position = start
  return cursor.fail('expected an operator and "."', operatorHint(name, withOperator(cursor, parameter)))
}

/** What was probably meant by a value alone: `id=eq.1` for `id=1`, `id=is.null` for `id=null`. */
function withOperator({ text, position }: TextCursor, parameter: string | undefined): string | undefined {
  if (parameter === undefined || position === text.length) return undefined
  const value = text.slice(position, position + 100)
  return `${parameter}=${text.slice(0, position)}${/^null$/i.test(value) ? 'is' : 'eq'}.${value}`
}

const CONTAINMENT: ReadonlySet<string> = new Set(['cs', 'cd', 'ov'])

function refuseManyElements(cursor: TextCursor, operator: string, value: string): void {
  let commas = 0
  for (let at = value.indexOf(','); at >= 0; at = value.indexOf(',', at + 1)) commas++
  if (commas < CONTAINED_ELEMENTS_MAX) return
  cursor.fail(
    `a value of ${operator} has at most ${CONTAINED_ELEMENTS_MAX} elements`,
    'Ask in several requests.',
  )
}

function expectDot(cursor: TextCursor, operator: string): void {
  if (!cursor.skip('.')) cursor.fail(`expected "." and a value after ${operator}`, `Write ${operator}.value.`)
}

function parseConfig(cursor: TextCursor): string {
  const config = cursor.take(/[^()]+/y)
  if (config === undefined)
    cursor.fail('expected the name of a text search configuration', 'Write fts(english).word.')
  cursor.expect(')')
  return config
}

function parseIsValue(cursor: TextCursor, readValue: ReadValue): IsValue {
  const start = cursor.position
  const value = readValue(cursor).toLowerCase()
  if (isIsValue(value)) return value
  cursor.position = start
  return cursor.fail(
    'expected null, not_null, true, false or unknown after "is."',
    'To compare with a value use eq.',
  )
}

function isIsValue(value: string): value is IsValue {
  return IS_VALUES.has(value)
}

/** `(v1,"v,2",v3)`; `()` is the empty list, `("")` holds the empty text. */
function parseList(cursor: TextCursor): string[] {
  if (!cursor.skipToken('(')) cursor.fail('expected "(" after "in."', 'A list looks like in.(1,2,3).')
  if (cursor.skipToken(')')) return []
  const values: string[] = []
  do {
    if (values.length === LIST_VALUES_MAX) cursor.fail(`a list takes at most ${LIST_VALUES_MAX} values`)
    values.push(readQuotedOr(cursor, /[^,)]*/y))
  } while (cursor.skip(','))
  if (!cursor.skip(')')) cursor.fail('expected "," or ")"', 'Put values that hold , or ) in double quotes.')
  cursor.take(/ *(?=$|[,)])/y)
  return values
}

const readToEnd: ReadValue = cursor => cursor.takeRest()

/** In a tree a value ends at the next comma or parenthesis, unless it is quoted or an array literal. */
const readBranchValue: ReadValue = cursor =>
  cursor.take(/\{[^{}]*\}(?=[,)])/y) ?? readQuotedOr(cursor, /[^,)]*/y)

/** Quoted text when the quotes enclose the whole value; else a quote is a character like any other. */
function readQuotedOr(cursor: TextCursor, bare: RegExp): string {
  const isQuoted = cursor.take(/(?="(?:[^"\\]|\\[\s\S])*"[,)])/y) !== undefined
  return isQuoted ? parseQuoted(cursor) : (cursor.take(bare) ?? '')
}
