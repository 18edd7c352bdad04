// Where in the text an error is. The API says it as `Line 2, column 5.`, in characters from 1.

import { ApiError } from '../../../api/errors.ts'
import type { TextRange } from '../../../parts/code-mirror.tsx'

const PLACE = /^Line (\d+), column (\d+)\.$/
const STATEMENT = /^statements\[(\d+)\](?:: )?/

/**
 * Of a script's error, the index of the statement that failed, and the error as it is of that statement alone. Index
 * and error as they came where it is not told which one it was.
 */
export function failedStatement(error: Error): { index: number | undefined; error: Error } {
  if (!(error instanceof ApiError)) return { index: undefined, error }
  const [start, index] = STATEMENT.exec(error.detail ?? '') ?? []
  if (start === undefined) return { index: undefined, error }
  return { index: Number(index), error: withDetail(error, (error.detail ?? '').slice(start.length) || null) }
}

/** Postgres has refused the script as a whole, at its end: what was to be checked then is not so. */
export function failedAtCommit(error: Error): boolean {
  return error instanceof ApiError && /^at COMMIT\b/.test(error.detail ?? '')
}

/**
 * The error with its place in the whole `text` of the editor, where what was sent begins at `from`; `linesBefore`
 * stood in what was sent before it. A place in those is none of the text's, and is left out.
 */
export function placedInText(error: Error, text: string, from: number, linesBefore: number): Error {
  if (!(error instanceof ApiError)) return error
  const [, line, column] = PLACE.exec(error.detail ?? '') ?? []
  if (line === undefined || column === undefined) return error
  const above = text.slice(0, from).split('\n')
  const own = Number(line) - linesBefore
  // Only the first line of what was sent begins in the middle of one.
  const wholeColumn = Number(column) + (own === 1 ? [...(above.at(-1) ?? '')].length : 0)
  const place = own < 1 ? null : `Line ${own + above.length - 1}, column ${wholeColumn}.`
  return withDetail(error, place)
}

function withDetail({ status, message, code, hint, requestId }: ApiError, detail: string | null): ApiError {
  return new ApiError(status, { error: message, code, detail, hint, request_id: requestId })
}

/** The word at the error's place, as offsets into `text`; `linesBefore` stood in what was sent before it. */
export function placeOfError(error: Error, text: string, linesBefore: number): TextRange | undefined {
  const detail = error instanceof ApiError ? (error.detail ?? '') : ''
  const [, line, column] = PLACE.exec(detail) ?? []
  if (line === undefined || column === undefined) return undefined
  const lines = text.split('\n')
  const index = Number(line) - 1 - linesBefore
  const own = lines[index]
  if (own === undefined) return undefined
  const above = lines.slice(0, index).reduce((sum, each) => sum + each.length + 1, 0)
  // Characters, not the units of JavaScript.
  const before = [...own].slice(0, Number(column) - 1).join('').length
  const word = /^(?:[\w$]+|"[^"]*"|'[^']*'|\S)/.exec(own.slice(before))?.[0] ?? ''
  const from = above + before
  // At the end of the text there is no word: the last character has the mark.
  return word === '' ? { from: Math.max(0, from - 1), to: from } : { from, to: from + word.length }
}
