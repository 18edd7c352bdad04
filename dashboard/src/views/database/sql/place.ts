// Where in the text of the editor an error is. The API counts in what was sent: lines, and characters, from 1.

import { ApiError } from '../../../api/errors.ts'
import type { TextRange } from '../../../parts/code-mirror.tsx'

/**
 * The error with its place in the whole `text` of the editor, where what was sent begins at `from`; `linesBefore`
 * stood in what was sent before it. A place in those is none of the text's, and is left out. So is what the title of a
 * script's error says: which statement it was.
 */
export function placedInText(error: Error, text: string, from: number, linesBefore: number): Error {
  if (!(error instanceof ApiError)) return error
  const { place } = error
  const detail = detailInStatement(error)
  if (place === undefined || detail !== placeWords(place)) return withDetail(error, detail)
  const above = text.slice(0, from).split('\n')
  const line = place.line - linesBefore
  if (line < 1) return withDetail(error, null)
  // Only the first line of what was sent begins in the middle of one.
  const column = place.column + (line === 1 ? [...(above.at(-1) ?? '')].length : 0)
  return withDetail(error, placeWords({ line: line + above.length - 1, column }))
}

function detailInStatement({ detail, statementIndex }: ApiError): string | null {
  const start = `statements[${statementIndex}]`
  if (statementIndex === undefined || !detail?.startsWith(start)) return detail
  return detail.slice(start.length + ': '.length) || null
}

/** As the API's own `detail` has it, where there is nothing else to say. */
function placeWords({ line, column }: { line: number; column: number }): string {
  return `Line ${line}, column ${column}.`
}

function withDetail({ status, message, code, hint, requestId }: ApiError, detail: string | null): ApiError {
  return new ApiError(status, { error: message, code, detail, hint, request_id: requestId })
}

/** The word at the error's place, as offsets into `text`; `linesBefore` stood in what was sent before it. */
export function placeOfError(error: Error, text: string, linesBefore: number): TextRange | undefined {
  const place = error instanceof ApiError ? error.place : undefined
  if (place === undefined) return undefined
  const lines = text.split('\n')
  const index = place.line - 1 - linesBefore
  const own = lines[index]
  if (own === undefined) return undefined
  const above = lines.slice(0, index).reduce((sum, each) => sum + each.length + 1, 0)
  // Characters, not the units of JavaScript.
  const before = [...own].slice(0, place.column - 1).join('').length
  const word = /^(?:[\w$]+|"[^"]*"|'[^']*'|\S)/.exec(own.slice(before))?.[0] ?? ''
  const from = above + before
  // At the end of the text there is no word: the last character has the mark.
  return word === '' ? { from: Math.max(0, from - 1), to: from } : { from, to: from + word.length }
}
