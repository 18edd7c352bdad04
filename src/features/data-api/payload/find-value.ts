// Finds a value among the rows of a body that Postgres has refused, to say where it stands. Pure.

import type { TextBytes } from '../../../db/sql.ts'
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  JSON_DEPTH_MAX,
  JsonScanner,
  OPEN_BRACE,
  OPEN_BRACKET,
} from '../../../lib/json-scan.ts'
import { encodeUtf8 } from '../../../lib/utf8.ts'
import { ArrayWriter } from './array-writer.ts'
import type { Rows } from './payload.ts'

/** The first row, counted from 0, that has `value` under each key; keys that never have it are left out. */
export function findValue(rows: Rows, value: string): Map<string, number> {
  if ('json' in rows) return findInJson(bytesOf(rows.json), value)
  const found = rows.columns.map(({ name, values }) => [name, findInArray(bytesOf(values), value)] as const)
  return new Map(found.filter(([, row]) => row >= 0))
}

function bytesOf(text: string | TextBytes): Uint8Array {
  if (typeof text === 'string') return encodeUtf8(text)
  const [first = new Uint8Array(), ...others] = text.parts
  if (others.length === 0) return first
  const bytes = new Uint8Array(text.parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of text.parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** With more keys that have the value nobody could say which is meant. */
const KEYS_MAX = 100

const BOUNDS = { depthMax: JSON_DEPTH_MAX, valuesMax: Number.POSITIVE_INFINITY }

/** Of JSON that was read as rows before: an object, or an array of objects. */
function findInJson(bytes: Uint8Array, value: string): Map<string, number> {
  /** As they are written; read at the end, since the same few may come a million times. */
  const keys: Uint8Array[] = []
  const firstRows: number[] = []
  const spellings = [encodeUtf8(value), encodeUtf8(JSON.stringify(value))]
  const holds = makeHolds(bytes, spellings)
  const scanner = new JsonScanner(bytes, BOUNDS)
  const isArray = scanner.passes(OPEN_BRACKET)
  if (isArray && scanner.passes(CLOSE_BRACKET)) return new Map()
  for (let row = 0; row === 0 || (isArray && scanner.passes(COMMA)); row++) {
    passEntries(scanner, (keyStart, keyEnd, start, end) => {
      if (keys.length === KEYS_MAX || !holds(start, end)) return
      if (reads(bytes, keyStart - 1, keyEnd + 1, keys)) return
      keys.push(bytes.subarray(keyStart - 1, keyEnd + 1))
      firstRows.push(row)
    })
  }
  return rowsByName(keys, firstRows)
}

function rowsByName(keys: readonly Uint8Array[], firstRows: readonly number[]): Map<string, number> {
  const decoder = new TextDecoder()
  const found = new Map<string, number>()
  keys.forEach((key, index) => {
    const name = JSON.parse(decoder.decode(key)) as string
    if (!found.has(name)) found.set(name, firstRows[index] ?? 0)
  })
  return found
}

type OnEntry = (keyStart: number, keyEnd: number, start: number, end: number) => void

function passEntries(scanner: JsonScanner, onEntry: OnEntry): void {
  scanner.pass(OPEN_BRACE, 'an object')
  if (scanner.passes(CLOSE_BRACE)) return
  do {
    scanner.passKey()
    const { keyStart, keyEnd } = scanner
    scanner.peek()
    const start = scanner.at
    scanner.passValue()
    onEntry(keyStart, keyEnd, start, scanner.at)
  } while (scanner.passes(COMMA))
  scanner.pass(CLOSE_BRACE, 'a comma or }')
}

/**
 * Whether a value reads so, or is an array with an element that does. Lengths are compared first: no text is searched.
 * One place in the bytes serves all arrays, of which there may be a million.
 */
function makeHolds(
  bytes: Uint8Array,
  spellings: readonly Uint8Array[],
): (start: number, end: number) => boolean {
  const elements = new JsonScanner(bytes, BOUNDS)
  return (start, end) => {
    if (bytes[start] !== OPEN_BRACKET) return reads(bytes, start, end, spellings)
    elements.at = start + 1
    if (elements.passes(CLOSE_BRACKET)) return false
    do {
      elements.peek()
      const elementStart = elements.at
      elements.passValue()
      if (reads(bytes, elementStart, elements.at, spellings)) return true
    } while (elements.passes(COMMA))
    return false
  }
}

/** Of a literal that `ArrayWriter` wrote; -1 where no element is the value. */
function findInArray(literal: Uint8Array, value: string): number {
  const spellings = [elementOf(value, false), elementOf(value, true)]
  let at = 1
  for (let row = 0; at < literal.length - 1; row++) {
    const end = endOfElement(literal, at)
    if (reads(literal, at, end, spellings)) return row
    at = end + 1
  }
  return -1
}

function elementOf(value: string, isQuoted: boolean): Uint8Array {
  const bytes = encodeUtf8(value)
  const writer = new ArrayWriter(2 * bytes.length)
  if (isQuoted) writer.addQuoted(bytes, 0, bytes.length, false)
  else writer.addPlain(bytes, 0, bytes.length)
  return bytesOf(writer.end()).slice(1, -1)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The comma or brace behind an element. */
function endOfElement(literal: Uint8Array, start: number): number {
  let isInside = false
  for (let at = start; at < literal.length; at++) {
    const byte = literal[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) isInside = !isInside
    else if (!isInside && (byte === COMMA || byte === CLOSE_BRACE)) return at
  }
  return literal.length
}

function reads(bytes: Uint8Array, start: number, end: number, spellings: readonly Uint8Array[]): boolean {
  return spellings.some(text => {
    if (end - start !== text.length) return false
    for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false
    return true
  })
}
