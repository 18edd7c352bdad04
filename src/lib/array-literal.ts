// Postgres' text form of arrays (`{1,"a b",NULL,{...}}`), read and written. Pure. Source: Postgres manual, section
// 8.15.6.

import { TextBuilder } from './text-builder.ts'

/** An element's text, null for NULL, or a nested array. */
export type ArrayItem = string | null | ArrayItem[]

/** How elements become JSON. */
export interface ElementReader {
  /** From an element's text to its JSON text. */
  toJson: (text: string) => string
  /** Told of each element and each array, so that whoever counts them can throw. */
  onValue: () => void
  /** What stands between elements: a comma, but for `box`. */
  delimiter: string
}

/**
 * The JSON text of what Postgres' array_out wrote; lower bounds (`[0:1]={...}`) are read over. Throws on anything else.
 * No blank is skipped: array_out puts none between elements, and quotes only those that hold a blank of ASCII.
 */
export function arrayLiteralToJson(literal: string, { toJson, onValue, delimiter }: ElementReader): string {
  const json = new TextBuilder()
  let depth = 0
  let at = literal.startsWith('[') ? literal.indexOf('={') + 1 : 0
  for (;;) {
    onValue()
    if (literal[at] === '{') {
      json.add('[')
      depth++
      at++
      if (literal[at] !== '}') continue
    } else {
      if (depth === 0) throw new Error('the array literal does not start with a brace')
      const isQuoted = literal[at] === '"'
      const end = isQuoted ? endOfQuoted(literal, at) : endOfPlain(literal, at, delimiter)
      const text = isQuoted ? unquoted(literal, at, end) : literal.slice(at, end)
      json.add(!isQuoted && text === 'NULL' ? 'null' : toJson(text))
      at = end
    }
    while (depth > 0 && literal[at] === '}') {
      json.add(']')
      depth--
      at++
    }
    if (depth === 0) break
    if (literal[at] !== delimiter) throw new Error('the array literal ends too early')
    json.add(',')
    at++
  }
  if (at < literal.length) throw new Error('the array literal goes on behind its end')
  return json.toString()
}

/** The place behind the closing quote. */
function endOfQuoted(literal: string, start: number): number {
  for (let at = start + 1; at < literal.length; at++) {
    if (literal[at] === '"') return at + 1
    // The character after a backslash stands for itself, be it a quote or another backslash.
    if (literal[at] === '\\') at++
  }
  throw new Error('the array literal ends inside quotes')
}

function unquoted(literal: string, start: number, end: number): string {
  const text = literal.slice(start + 1, end - 1)
  return text.includes('\\') ? text.replace(/\\(.)/gs, '$1') : text
}

/** Postgres quotes every element that is empty, reads NULL, or holds a brace, quote, backslash, delimiter or blank. */
function endOfPlain(literal: string, start: number, delimiter: string): number {
  let end = start
  while (end < literal.length && literal[end] !== delimiter && literal[end] !== '}') end++
  if (end === start) throw new Error('the array literal lacks an element')
  return end
}

/** Writes an array literal; every text is quoted, so that none can end its element. */
export function writeArrayLiteral(items: readonly ArrayItem[]): string {
  const parts = items.map(item => {
    if (item === null) return 'NULL'
    return typeof item === 'string' ? quoteItem(item) : writeArrayLiteral(item)
  })
  return `{${parts.join(',')}}`
}

function quoteItem(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
