// How a failed statement of a migration is shown. Pure.

import type { MigrationStatement } from './split-statements.ts'

export interface FailingStatement {
  /** The statement, cut around the place to at most `EXCERPT_CHARACTERS_MAX` UTF-16 units, with an ellipsis. */
  readonly excerpt: string
  /** The line that Postgres points at, from 1 in the whole text; else the statement's first. */
  readonly line: number
}

export const EXCERPT_CHARACTERS_MAX = 400

/** A statement of `text` that failed at `position`: characters from 1, in the statement as it was sent. */
export function failingStatement(
  text: string,
  statement: MigrationStatement,
  position: number | undefined,
): FailingStatement {
  if (position === undefined) return { excerpt: excerptOf(text, statement), line: statement.line }
  const place = Math.min(statement.start + indexOfCharacter(text, statement.start, position), statement.end)
  const breaks = text.slice(statement.start, place).split('\n').length - 1
  return { excerpt: excerptOf(text, statement, place), line: statement.line + breaks }
}

/** A statement's text, cut to what stands around the index `place` of `text`; by default its beginning. */
export function excerptOf(
  text: string,
  { start, end }: Pick<MigrationStatement, 'start' | 'end'>,
  place = start,
): string {
  if (end - start <= EXCERPT_CHARACTERS_MAX) return text.slice(start, end)
  const room = EXCERPT_CHARACTERS_MAX - 2
  const from = Math.max(start, Math.min(place - Math.floor(room / 2), end - room))
  const to = Math.min(end, from + room)
  const cut = text.slice(
    from + (isInsideCharacter(text, from) ? 1 : 0),
    to - (isInsideCharacter(text, to) ? 1 : 0),
  )
  return `${from > start ? '…' : ''}${cut}${to < end ? '…' : ''}`
}

/** Postgres counts characters, JavaScript UTF-16 units. Answers units behind `start`. */
function indexOfCharacter(text: string, start: number, position: number): number {
  let index = start
  for (let left = position - 1; left > 0 && index < text.length; left--)
    index += isInsideCharacter(text, index + 1) ? 2 : 1
  return index - start
}

/** Whether the units before and at `index` are the two halves of one character. */
function isInsideCharacter(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff
}
