// What PostgREST says of a text that its grammar does not allow: the words of its parser (Parsec), which clients show
// and suites compare. Pure.

import type { ErrorCode, PostgrestWords } from '../../../errors.ts'
import type { ParseFailure } from './text-cursor.ts'

/** PGRST100 for the failure; `text` is the value of `parameter`, or its name where that could not be read. */
export function parseFailureWords(
  code: ErrorCode,
  parameter: string,
  text: string,
  failure: ParseFailure,
): PostgrestWords {
  // A bound of ours is no grammar of its.
  if (!failure.message.startsWith('expected ')) return { code: 'PGRST100', details: null }
  const last = parameter.slice(parameter.lastIndexOf('.') + 1)
  const isTree = code === 'invalid_filter' && (last === 'and' || last === 'or')
  const at = placeOf(text, failure)
  // Its parser reads the name of a tree, too.
  const column = (isTree ? last.length : 0) + at + 1
  const what = isTree
    ? 'logic tree'
    : code === 'invalid_filter' && text === parameter
      ? 'tree path'
      : NAMES[last]
  return {
    code: 'PGRST100',
    message: `"failed to parse ${what ?? 'filter'} (${text.slice(0, 200)})" (line 1, column ${column})`,
    details: `unexpected ${foundAt(text, at, failure)} expecting ${expectedBy(failure, isTree, text)}`,
    hint: null,
  }
}

const NAMES: Readonly<Record<string, string>> = {
  select: 'select parameter',
  order: 'order',
  columns: 'columns parameter',
  on_conflict: 'on_conflict parameter',
}

const DIRECTIONS = '"asc", "desc", "nullsfirst" or "nullslast"'
const KEY = 'a key of the JSON path'

/** It reads a dot before it looks for a direction, and a dash before the digits of an index. */
function placeOf(text: string, { message, position }: ParseFailure): number {
  const next = text[position]
  const isPassed = message.startsWith(`expected ${DIRECTIONS}`)
    ? next === '.'
    : isOfKey(message) && next === '-'
  return isPassed ? position + 1 : position
}

function isOfKey(message: string): boolean {
  return message.startsWith(`expected ${KEY}`)
}

/** A character that should have been the end stands in single quotes. */
function foundAt(text: string, at: number, { message }: ParseFailure): string {
  const [found] = text.slice(at)
  if (found === undefined) return 'end of input'
  return message.startsWith('expected the end') ? `'${found}'` : `"${found}"`
}

const FIELD_NAME = 'field name (* or [a..z0..9_$])'
const OPERATOR = 'operator (eq, gt, ...)'

function expectedBy({ message, position }: ParseFailure, isTree: boolean, text: string): string {
  const expected = message.replace(/, found (?:the end|"[\s\S]*")$/, '').replace(/^expected /, '')
  if (expected.startsWith('a column name'))
    return isTree ? `${FIELD_NAME}, negation operator (not) or logic operator (and, or)` : FIELD_NAME
  if (expected.startsWith('an operator and'))
    return position === 0 && !isTree ? `"not" or ${OPERATOR}` : OPERATOR
  if (isOfKey(message))
    return text[position] === '-' ? 'digit' : '"-", digit or any non reserved character different from: .,>()'
  return expected.startsWith('the end of') ? '"," or end of input' : expected
}
