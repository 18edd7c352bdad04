// The rows of a JSON body, read where they stand: nothing is built for a row, so that ten million of them cost no more
// than their bytes. Pure.

import { DomainError } from '../../../errors.ts'
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  JSON_DEPTH_MAX,
  JsonProblem,
  JsonScanner,
  OPEN_BRACE,
  OPEN_BRACKET,
  placeOf,
  QUOTE,
} from '../../../lib/json-scan.ts'
import { COLUMNS_MAX, ROWS_MAX } from '../limits.ts'
import { unstorable } from '../storable-text.ts'
import { RowKeys } from './row-keys.ts'
import { tooMany } from './rows-bounds.ts'

/** Values may be as many as fit into the body: they are only passed over. */
const BOUNDS = { depthMax: JSON_DEPTH_MAX, valuesMax: Number.POSITIVE_INFINITY }

export interface JsonRows {
  /** False: the body is one row, without brackets. */
  readonly isArray: boolean
  /** Keys of the rows; empty when they were not read. */
  readonly keys: readonly string[]
  readonly rowCount: number
}

/**
 * The rows of a body; `readsKeys` reads their keys, which must be the same in each. Throws `invalid_body`,
 * `payload_too_large`.
 */
export function readJsonRows(bytes: Uint8Array, readsKeys: boolean): JsonRows {
  return explained(bytes, () => {
    const scanner = begin(bytes)
    const keys = new RowKeys(bytes)
    let rowCount = 0
    const passRow = () => {
      if (rowCount === ROWS_MAX) throw tooMany('rows', ROWS_MAX)
      refuseNonObject(scanner, rowCount)
      if (readsKeys) {
        passObject(scanner, (start, end) => keys.see(start, end, rowCount))
        keys.endRow(rowCount)
      } else scanner.passValue()
      rowCount++
    }
    const isArray = scanner.passes(OPEN_BRACKET)
    if (!isArray) passRow()
    else if (!scanner.passes(CLOSE_BRACKET)) {
      do passRow()
      while (scanner.passes(COMMA))
      scanner.pass(CLOSE_BRACKET, 'a comma or ]')
    }
    scanner.passEnd()
    return { isArray, keys: keys.names, rowCount }
  })
}

/** The object with a call's arguments, and where it stands in the body. */
export interface CallArguments {
  /** No more than a row's keys, which are more than any function takes; undefined where there is no object. */
  readonly names: readonly string[] | undefined
  readonly start: number
  readonly end: number
}

/** The object that the body is, or the first of its array; an empty array names nothing. Throws `invalid_body`. */
export function readCallArguments(bytes: Uint8Array): CallArguments {
  return explained(bytes, () => {
    const scanner = begin(bytes)
    const keys = new RowKeys(bytes)
    const isArray = scanner.passes(OPEN_BRACKET)
    const isEmpty = isArray && scanner.passes(CLOSE_BRACKET)
    const isObject = !isEmpty && scanner.peek() === OPEN_BRACE
    const start = scanner.at
    if (isObject) {
      passObject(scanner, (keyStart, keyEnd) => {
        if (keys.names.length < COLUMNS_MAX) keys.see(keyStart, keyEnd, 0)
      })
    } else if (!isEmpty) scanner.passValue()
    const end = scanner.at
    if (isArray && !isEmpty) {
      while (scanner.passes(COMMA)) scanner.passValue()
      scanner.pass(CLOSE_BRACKET, 'a comma or ]')
    }
    scanner.passEnd()
    return { names: isObject || isEmpty ? keys.names : undefined, start, end }
  })
}

function begin(bytes: Uint8Array): JsonScanner {
  const scanner = new JsonScanner(bytes, BOUNDS)
  if (!Number.isNaN(scanner.peek())) return scanner
  throw new DomainError('invalid_body', 'Empty or invalid json', {
    hint: 'Send a JSON object, or an array of objects.',
  })
}

function passObject(scanner: JsonScanner, onKey: (start: number, end: number) => void): void {
  scanner.pass(OPEN_BRACE, 'an object')
  if (scanner.passes(CLOSE_BRACE)) return
  do {
    scanner.passKey()
    onKey(scanner.keyStart, scanner.keyEnd)
    scanner.passValue()
  } while (scanner.passes(COMMA))
  scanner.pass(CLOSE_BRACE, 'a comma or }')
}

function refuseNonObject(scanner: JsonScanner, row: number): void {
  const first = scanner.peek()
  if (first === OPEN_BRACE) return
  // What is no JSON at all is said to be that.
  scanner.passValue()
  throw new DomainError('invalid_body', 'A row must be a JSON object.', {
    detail: `Row ${row} is ${kindOf(first)}.`,
    postgrest: { code: 'PGRST102', message: 'All object keys must match', details: null },
  })
}

function kindOf(first: number): string {
  if (first === OPEN_BRACKET) return 'an array'
  if (first === QUOTE) return 'a string'
  const letter = String.fromCharCode(first)
  if (letter === 'n') return 'null'
  return letter === 't' || letter === 'f' ? 'a boolean' : 'a number'
}

function explained<T>(bytes: Uint8Array, read: () => T): T {
  try {
    return read()
  } catch (err) {
    if (!(err instanceof JsonProblem)) throw err
    const place = placeOf(bytes, err.at)
    if (err.kind === 'unstorable') throw unstorable('invalid_body', 'The body', `${err.message} (${place})`)
    if (err.kind === 'depth') throw new DomainError('invalid_body', `The body is ${err.message}.`)
    throw new DomainError('invalid_body', 'Empty or invalid json', {
      detail: `${err.message}: ${place}.`,
      hint: 'Check quotes, commas and brackets near the place named in detail.',
    })
  }
}
