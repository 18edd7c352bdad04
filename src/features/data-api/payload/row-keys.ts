// The keys of a body's first row, and whether each other row has the same. Nearly all rows spell them as the row before
// did, and in its order: then bytes are compared, and nothing is built. Pure.

import { DomainError } from '../../../errors.ts'
import { COLUMNS_MAX } from '../limits.ts'
import { tooManyKeys } from './rows-bounds.ts'

/** Where a key stands in the body, and which of the names it is. */
interface Spelling {
  readonly start: number
  readonly end: number
  readonly index: number
}

export class RowKeys {
  /** Of the first row, in its order; a repeated key once. */
  readonly names: string[] = []
  readonly #bytes: Uint8Array
  readonly #indexes = new Map<string, number>()
  /** The last key at each place of a row. */
  readonly #before: Spelling[] = []
  /** For each name the last row that had it. */
  readonly #lastRows: number[] = []
  /** Of the row that is being read: how many keys it had so far, and how many different ones. */
  #place = 0
  #distinct = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Takes the next key of `row`. Throws `invalid_body` for one that the first row lacks. */
  see(start: number, end: number, row: number): void {
    const place = this.#place++
    const before = this.#before[place]
    const isAsBefore = before !== undefined && this.#isSpelt(before, start, end)
    const index = isAsBefore ? before.index : this.#indexOf(start, end, row)
    if (!isAsBefore && place < COLUMNS_MAX) this.#before[place] = { start, end, index }
    if (this.#lastRows[index] === row) return
    this.#lastRows[index] = row
    this.#distinct++
  }

  /** Throws `invalid_body` when `row` lacks a key of the first one. */
  endRow(row: number): void {
    if (this.#distinct !== this.names.length) throw mismatch(row)
    this.#place = 0
    this.#distinct = 0
  }

  #indexOf(start: number, end: number, row: number): number {
    const name = keyText(this.#bytes, start, end)
    const known = this.#indexes.get(name)
    if (known !== undefined) return known
    if (row > 0) throw mismatch(row)
    if (this.names.length === COLUMNS_MAX) throw tooManyKeys()
    const index = this.names.push(name) - 1
    this.#indexes.set(name, index)
    return index
  }

  #isSpelt(spelling: Spelling, start: number, end: number): boolean {
    const bytes = this.#bytes
    if (spelling.end - spelling.start !== end - start) return false
    for (let i = spelling.start, j = start; j < end; i++, j++) if (bytes[i] !== bytes[j]) return false
    return true
  }
}

const decoder = new TextDecoder()

/** The text of a JSON string whose bytes between its quotes are these. */
function keyText(bytes: Uint8Array, start: number, end: number): string {
  return JSON.parse(decoder.decode(bytes.subarray(start - 1, end + 1))) as string
}

function mismatch(row: number): DomainError {
  return new DomainError('invalid_body', 'All object keys must match', {
    detail: `Row ${row} has other keys than row 0.`,
    hint:
      'Give every row the same keys, or name the columns: ?columns=a,b (absent ones become null, or their default ' +
      'with Prefer: missing=default).',
  })
}
