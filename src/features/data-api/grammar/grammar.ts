// The parts of PostgREST's grammar that select, filters and order share: names, quoted text, JSON paths, lists of
// names. Pure. Names are checked here for what Postgres could not take, so that every later stage may trust them.

import { DomainError, type ErrorCode } from '../../../errors.ts'
import { COLUMNS_MAX, JSON_PATH_STEPS_MAX, NAME_BYTES_MAX } from '../limits.ts'
import { isNameTooLong } from './names.ts'
import { parseFailureWords } from './parse-failure-words.ts'
import type { Field, JsonStep } from './query-ast.ts'
import { ParseFailure, TextCursor } from './text-cursor.ts'

/** Letters, digits, `_`, `$`, spaces, and dashes inside that do not begin an arrow. */
const BARE_NAME = /[\p{L}\p{N}\p{M}_$ ]+(?:-(?!>)[\p{L}\p{N}\p{M}_$ ]+)*/uy
/** A key of JSON may hold anything but what ends it, and dashes inside that do not begin an arrow. */
const BARE_KEY = /[^(\-:.,>)]+(?:-(?!>)[^(\-:.,>)]+)*/uy
const ARRAY_INDEX = /[+-]?\d{1,9}(?=$|->|::|[.,)])/y

/** Runs `parse` over the whole text; what it cannot read becomes a `DomainError` of `code` that names the place. */
export function parseWhole<T>(
  code: ErrorCode,
  parameter: string,
  text: string,
  parse: (cursor: TextCursor) => T,
): T {
  const cursor = new TextCursor(text)
  try {
    const result = parse(cursor)
    cursor.expectEnd(parameter)
    return result
  } catch (err) {
    if (!(err instanceof ParseFailure)) throw err
    throw new DomainError(
      code,
      `"${parameter}" could not be read at character ${err.position + 1}: ${err.message}.`,
      {
        detail: `${parameter}=${text.slice(0, 200)}`,
        hint: err.hint,
        postgrest: parseFailureWords(code, parameter, text, err),
      },
    )
  }
}

/** A name, bare or in double quotes; a bare one loses the spaces around it. */
export function parseName(cursor: TextCursor, what: string, bare = BARE_NAME): string {
  const start = cursor.position
  const name = cursor.next === '"' ? parseQuoted(cursor) : cursor.take(bare)?.trim()
  if (!name) {
    cursor.position = start
    cursor.fail(
      `expected ${what}`,
      'Put names with other characters than letters, digits, _ and $ in double quotes.',
    )
  }
  if (isNameTooLong(name)) {
    throw new ParseFailure(
      `a name is longer than ${NAME_BYTES_MAX} bytes, which no name in Postgres is`,
      start,
    )
  }
  return name
}

/** Text in double quotes; a backslash takes the next character as it is. */
export function parseQuoted(cursor: TextCursor): string {
  cursor.expect('"')
  const text = cursor.take(/(?:[^"\\]|\\[\s\S])*/y) ?? ''
  if (!cursor.skip('"')) cursor.fail('expected a closing double quote')
  return text.replace(/\\([\s\S])/g, '$1')
}

/** A column with an optional JSON path: `data->a->0->>b`. */
export function parseField(cursor: TextCursor): Field {
  const name = parseName(cursor, 'a column name')
  return { name, path: parseJsonPath(cursor) }
}

export function parseJsonPath(cursor: TextCursor): JsonStep[] {
  const path: JsonStep[] = []
  while (cursor.startsWith('->')) {
    if (path.length === JSON_PATH_STEPS_MAX)
      cursor.fail(`a JSON path takes at most ${JSON_PATH_STEPS_MAX} steps`)
    const arrow = cursor.skip('->>') ? '->>' : '->'
    if (arrow === '->') cursor.expect('->')
    const index = cursor.take(ARRAY_INDEX)
    path.push({
      arrow,
      operand: index === undefined ? parseName(cursor, 'a key of the JSON path', BARE_KEY) : Number(index),
    })
  }
  return path
}

/** `a,"b c",d`: the value of `columns` and `on_conflict`. */
export function parseNames(parameter: string, text: string): string[] {
  return parseWhole('invalid_parameter', parameter, text, cursor => {
    const names: string[] = []
    do {
      if (names.length === COLUMNS_MAX) cursor.fail(`at most ${COLUMNS_MAX} names are taken`)
      names.push(parseName(cursor, 'a column name'))
    } while (cursor.skipToken(','))
    return [...new Set(names)]
  })
}
