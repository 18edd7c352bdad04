// Refuses SQL that would keep a parser busy for seconds, before any parser gets it: texts that are too large, and the
// two things that Postgres' own parser takes quadratic time for. Pure; one pass over the text.
//
// 1. A run of operator characters. The lexer (scan.l) reads a run to its end. It gives back all but `/*` where a
//    comment starts, and all but `+` of `+-+-+-`. It reads the rest again from each of these places, to the end of the
// run.
// 2. GLOBAL TEMPORARY. The grammar (gram.y) warns of each, with a position that it counts from the start of the text.
//
// Nothing here asks what is a string or a comment, so that nothing can hide in one. Ordinary strings and comments pass:
// rulers and banners are long runs with few places to start from.

import { DomainError } from '../../errors.ts'
import { placeAt, placeWords, positionAt, type TextPlace } from '../../lib/text-place.ts'

/** Most characters of a run times places to start from: 256 `+`, or a ruler of 1 000 characters and 60 columns. */
const RUN_COST_MAX = 65_536
/** One statement has one use for it. */
const GLOBAL_TEMPORARY_MAX = 32

const VALUES_HINT =
  'Send values as parameters ($1, $2, ...), many rows as arrays: INSERT ... SELECT * FROM unnest($1::int[]).'

/** Throws `payload_too_large` for texts that have together more than `bytesMax` bytes of UTF-8. */
export function refuseTextBytes(texts: readonly string[], bytesMax: number): void {
  const encoder = new TextEncoder()
  const bytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
  if (bytes <= bytesMax) return
  throw new DomainError('payload_too_large', `The SQL text is larger than ${bytesMax} bytes.`, {
    detail: `${bytes} bytes were sent, parameters not counted.`,
    hint: VALUES_HINT,
  })
}

/** Throws `sql_syntax` with the place of what Postgres' parser would take quadratic time for. */
export function refuseCostlyText(sql: string): void {
  const run = costlyRunAt(sql)
  if (run !== undefined) {
    throw costly(
      'A run of operator characters is too long to be read.',
      placeAt(sql, positionAt(sql, run)),
      'Put spaces between operators and between comments. Send such text as a parameter ($1).',
    )
  }
  const word = globalTemporaryAt(sql)
  if (word !== undefined) {
    throw costly(
      `GLOBAL TEMPORARY is in the SQL more than ${GLOBAL_TEMPORARY_MAX} times.`,
      placeAt(sql, positionAt(sql, word)),
      'Leave GLOBAL out: Postgres ignores it. Send text that holds these words as a parameter ($1).',
    )
  }
}

function costly(message: string, place: TextPlace, hint: string): DomainError {
  return new DomainError('sql_syntax', message, { detail: placeWords(place), hint, place })
}

/** Index of the first run that would cost too much. */
function costlyRunAt(sql: string): number | undefined {
  let runStart = 0
  let starts = 0
  for (let i = 0; i < sql.length; i++) {
    if (IS_OPERATOR[sql.charCodeAt(i)] !== 1) {
      runStart = i + 1
      starts = 0
      continue
    }
    if (isStart(sql, i)) starts++
    if (starts * (i + 1 - runStart) > RUN_COST_MAX) return runStart
  }
  return undefined
}

/** `op_chars` of scan.l, by character code. */
const IS_OPERATOR = new Uint8Array(128)
for (const character of '~!@#^&|`?+-*/%<>=') IS_OPERATOR[character.charCodeAt(0)] = 1

const PLUS = 0x2b
const MINUS = 0x2d
const SLASH = 0x2f
const STAR = 0x2a

/** Whether the lexer may begin a token here that is not the first of its run. `--` begins none: it is a comment. */
function isStart(sql: string, i: number): boolean {
  const code = sql.charCodeAt(i)
  if (code === PLUS) return true
  if (code === SLASH) return sql.charCodeAt(i + 1) === STAR
  return code === MINUS && sql.charCodeAt(i - 1) !== MINUS && sql.charCodeAt(i + 1) !== MINUS
}

/** Index of the first GLOBAL TEMPORARY that is one too many; a comment may stand between the words. */
function globalTemporaryAt(sql: string): number | undefined {
  let count = 0
  for (const { index } of sql.matchAll(/\bglobal(?:\s+temp(?:orary)?\b|\s*(?:\/\*|--))/gi))
    if (++count > GLOBAL_TEMPORARY_MAX) return index
  return undefined
}
