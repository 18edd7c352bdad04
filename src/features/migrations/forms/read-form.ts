// Which lines of a .sql file are applied and which take it back, whichever tool it was written for. Pure.
//
// Tools read lines. A mark in a string or a body is one to none of them that the file could run with, so it is passed
// over here. What is left out becomes blank lines: places in the text stay those of the file.

import { splitStatements, withoutByteOrderMark } from '../statements/split-statements.ts'
import { SqlLexer } from '../statements/sql-lexer.ts'
import { LOOSE_TOOL, MARK_ROWS, type MarkRow, WITH_REPEATED_PARTS, WITHOUT_UP_MARK } from './marks.ts'

type Direction = 'up' | 'down'

/** Lines from 1, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

export interface SqlPart {
  /** As many lines as the file; those that are not of the part are blank. */
  readonly text: string
  readonly lines: readonly LineRange[]
  readonly usesTransaction: boolean
}

export interface SqlForm {
  /** Whose marks divide the file; null where none do. */
  readonly tool: string | null
  readonly up: SqlPart
  /** Null where nothing in the file takes it back. */
  readonly down: SqlPart | null
  /** Why nobody can be sure what is to run, with the line. */
  readonly uncertain?: { readonly line: number; readonly reason: string }
}

/** A comment that goes on in the next line. */
const WORDS_BEFORE = /(?:^|\n)[ \t]*--.*[\w,]\s*$/

interface Mark extends MarkRow {
  /** Of the line's beginning, and behind its last character. */
  readonly start: number
  readonly end: number
}

interface Section {
  readonly direction: Direction
  readonly start: number
  readonly end: number
  readonly isAlone: boolean
}

/** Tools take all blanks of Unicode from a line's beginning. */
const COMMENT_LINE = /^[^\S\n\r\u2028\u2029]*(?:--|#|\/\/).*$/gm

/** Reads the marks of a file. Throws nothing: what is not certain is told. */
export function readForm(fileText: string): SqlForm {
  const text = withoutByteOrderMark(fileText)
  const marks = marksOf(text)
  const dividing = dividingMarks(marks)
  const sections = sectionsOf(text, dividing)
  const isAlone = marks.some(({ means }) => means === 'no_transaction')
  const down = dividing.some(({ means }) => means === 'down') ? partOf(text, sections, 'down', isAlone) : null
  const form = { tool: dividing[0]?.tool ?? null, up: partOf(text, sections, 'up', isAlone), down }
  const uncertain = uncertainty(text, marks, dividing)
  return uncertain === undefined
    ? form
    : { ...form, uncertain: { line: lineCounter(text)(uncertain.start), reason: uncertain.reason } }
}

function marksOf(text: string): Mark[] {
  const lexer = new SqlLexer(text)
  const found: Mark[] = []
  let isBehindStatement = true
  for (const match of text.matchAll(COMMENT_LINE)) {
    const line = match[0].trim()
    const end = match.index + match[0].length
    const start = end - match[0].trimStart().length
    while (lexer.end < start) {
      if (lexer.skipTo(start)) continue
      isBehindStatement = lexer.next() === 'symbol' && lexer.text() === ';'
    }
    // Within a string, a name or a comment.
    if (lexer.end > start) continue
    const row = MARK_ROWS.find(it => it.line.test(line) && (!it.isFirstLine || match.index === 0))
    if (!line.startsWith('--')) {
      // Lines of # and // are no SQL, and may hold quotes; within a statement they are operators.
      if (!isBehindStatement && (row === undefined || row.means === 'heading')) continue
      lexer.moveTo(end)
      isBehindStatement = true
    }
    if (row) found.push({ ...row, start: match.index, end })
  }
  return found
}

/** node-pg-migrate takes any comment that begins so: beside the marks of another tool such lines are comments. */
function dividingMarks(marks: readonly Mark[]): Mark[] {
  const dividing = marks.filter(({ means }) => means === 'up' || means === 'down')
  const strict = dividing.filter(({ tool }) => tool !== LOOSE_TOOL)
  if (strict.length > 0) return strict
  // It takes the first of each, and what is behind the one that takes back belongs to that.
  const [first] = dividing
  const back = dividing.find(({ means }) => means === 'down')
  return first?.means === 'up' && back ? [first, back] : dividing
}

/** Before the first mark stands what is applied, where it does not begin with a mark. */
function sectionsOf(text: string, dividing: readonly Mark[]): Section[] {
  const sections = dividing.map((mark, i) => ({
    direction: mark.means as Direction,
    start: mark.end,
    end: dividing[i + 1]?.start ?? text.length,
    isAlone: mark.isAlone ?? false,
  }))
  const first = dividing[0]
  if (first?.means === 'up') return sections
  return [{ direction: 'up', start: 0, end: first?.start ?? text.length, isAlone: false }, ...sections]
}

function partOf(
  text: string,
  sections: readonly Section[],
  direction: Direction,
  isFileAlone: boolean,
): SqlPart {
  const own = sections.filter(section => section.direction === direction)
  const lineOf = lineCounter(text)
  let part = ''
  let at = 0
  for (const { start, end } of own) {
    // A statement that lacks its semicolon ends with its part.
    part += `${blank(text.slice(at, start))}${at === 0 ? '' : ';'}${text.slice(start, end)}`
    at = end
  }
  return {
    text: part + blank(text.slice(at)),
    lines: own
      .map(({ start, end }) => linesOf(text, start, end, lineOf))
      .filter(({ first, last }) => first <= last),
    usesTransaction: !isFileAlone && !own.some(({ isAlone }) => isAlone),
  }
}

const blank = (text: string) => text.replace(/[^\n]+/g, '')

interface Uncertainty {
  readonly start: number
  readonly reason: string
}

/** The first reason why what is applied is not certain. */
function uncertainty(
  text: string,
  marks: readonly Mark[],
  dividing: readonly Mark[],
): Uncertainty | undefined {
  const at = (mark: Mark, reason: string) => ({ start: mark.start, reason })
  const shown = (mark: Mark) => `"${text.slice(mark.start, mark.end).trim()}"`
  const holds = (from: number, to: number) => hasStatement(text.slice(from, to))

  const refused = marks.find(({ means }) => means === 'refused')
  if (refused)
    return at(refused, `Quoin cannot do what ${shown(refused)} asks for, as a line of ${refused.tool}`)

  const [first] = dividing
  if (first === undefined) {
    const heading = marks.find(({ means }) => means === 'heading')
    // Statements behind a later one stand behind the first too.
    if (heading === undefined || !holds(heading.end, text.length)) return undefined
    return at(heading, `${shown(heading)} looks like the beginning of a part that takes back`)
  }
  const other = dividing.find(({ tool }) => tool !== first.tool)
  if (other) return at(other, `${shown(other)} is of ${other.tool}, and ${shown(first)} of ${first.tool}`)
  const opens = holds(0, first.start)
  if (first.means === 'up' && opens) return at(first, `statements stand before ${shown(first)}`)
  if (first.means === 'down') {
    if (!opens) return at(first, `the part that takes back comes first, with ${shown(first)}`)
    if (!WITHOUT_UP_MARK.includes(first.tool))
      return at(first, `no line of ${first.tool} says where the part begins that is applied`)
    if (first.tool === LOOSE_TOOL && WORDS_BEFORE.test(text.slice(0, first.start)))
      return at(first, `${shown(first)} may be a part of the sentence that begins in the comment before it`)
  }
  const again = dividing.find(({ means }, i) => means === 'up' && dividing[i - 1]?.means === 'down')
  if (again && !WITH_REPEATED_PARTS.includes(first.tool))
    return at(again, `${shown(again)} comes behind the part that takes back`)
  // A loose mark in a part that is applied, with statements behind it there.
  const contradicting = marks.find(mark => {
    if (mark.tool === first.tool || mark.means !== 'down') return false
    const last = dividing.findLast(({ start }) => start < mark.start)
    const next = dividing.find(({ start }) => start > mark.start)
    return last?.means !== 'down' && holds(mark.end, next?.start ?? text.length)
  })
  return contradicting && at(contradicting, `${shown(contradicting)} contradicts ${shown(first)}`)
}

/** Whether there is anything to run. Lines of `#` are no SQL, and stand at the head of files of Play. */
export function hasStatement(text: string): boolean {
  return splitStatements(text.replace(/^[ \t]*(?:#|\/\/).*$/gm, ''), 0).length > 0
}

/** Lines from 1, by index: counted once, since each part asks for its own. */
function lineCounter(text: string): (index: number) => number {
  const breaks: number[] = []
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks.push(at)
  return index => {
    let [low, high] = [0, breaks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((breaks[middle] ?? index) < index) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

/** Without the rest of the line of the mark, and without the line of the next. */
function linesOf(text: string, start: number, end: number, lineOf: (index: number) => number): LineRange {
  const first = start === 0 ? 1 : lineOf(start) + 1
  const isCut = end < text.length || text.endsWith('\n')
  return { first, last: lineOf(end) - (isCut ? 1 : 0) }
}
