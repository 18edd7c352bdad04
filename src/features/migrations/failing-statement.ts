// From the position in a Postgres error to the statement of a migration that failed. Pure.

import { type MigrationStatement, withoutByteOrderMark } from './statements.ts'

export interface FailingStatement {
  /** Its number among the statements, from 0. */
  index: number
  /** The line that Postgres points at, from 1. */
  line: number
  /** The statement, cut around the place to at most `EXCERPT_CHARACTERS_MAX` UTF-16 units, with an ellipsis. */
  excerpt: string
}

export const EXCERPT_CHARACTERS_MAX = 400

/**
 * The statement at `position`: characters from 1, in the text as it was sent, which is without the byte order mark.
 * A place between two statements is the former's. Undefined without a position or without statements.
 */
export function failingStatement(
  text: string,
  statements: readonly MigrationStatement[],
  position: number | undefined,
): FailingStatement | undefined {
  if (position === undefined || statements.length === 0) return undefined
  const sent = withoutByteOrderMark(text)
  const at = text.length - sent.length + indexOfCharacter(sent, position)
  const index = Math.max(
    0,
    statements.findLastIndex(({ start }) => start <= at),
  )
  const statement = statements[index]
  if (statement === undefined) return undefined
  const place = Math.min(Math.max(at, statement.start), statement.end)
  const breaks = text.slice(statement.start, place).split('\n').length - 1
  return { index, line: statement.line + breaks, excerpt: excerptOf(text, statement, place) }
}

/** A statement's text, cut to what stands around the index `place` of `text`; by default its beginning. */
export function excerptOf(text: string, { start, end }: MigrationStatement, place = start): string {
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

/** Postgres counts characters, JavaScript UTF-16 units. */
function indexOfCharacter(text: string, position: number): number {
  let index = 0
  for (let left = position - 1; left > 0 && index < text.length; left--)
    index += isInsideCharacter(text, index + 1) ? 2 : 1
  return index
}

/** Whether the units before and at `index` are the two halves of one character. */
function isInsideCharacter(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff
}
