// Where in the text an error is. The API says it as `Line 2, column 5.`, in characters from 1.

import { ApiError } from '../../../api/errors.ts'
import type { TextRange } from '../../../parts/code-mirror.tsx'

/** The word at the error's place, as offsets into `text`; `linesBefore` stood in what was sent before it. */
export function placeOfError(error: Error, text: string, linesBefore: number): TextRange | undefined {
  const detail = error instanceof ApiError ? (error.detail ?? '') : ''
  const [, line, column] = /^Line (\d+), column (\d+)\.$/.exec(detail) ?? []
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
