// Writes Postgres' text form of an array of texts (`{a,"b c",NULL}`) as bytes. Pure.
// Source: Postgres manual, section 8.15.6.

import type { TextBytes } from '../../../db/sql.ts'

/** How much of a text is written at once: at most twice as many bytes must be free for it. */
const PIECE_BYTES_MAX = 4 * 1024
/** Room for a separator and what is short. */
const SHORT_BYTES_MAX = 8

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const NULL = [0x4e, 0x55, 0x4c, 0x4c]

/** 1 for each byte that an element without quotes may not hold. */
export const NEEDS_QUOTES = new Uint8Array(256)
for (const character of ' \t\n\v\f\r{},"\\') NEEDS_QUOTES[character.charCodeAt(0)] = 1

/** Grows by chunks of one size, which are never copied. */
export class ArrayWriter {
  readonly #parts: Uint8Array[] = []
  readonly #chunkBytes: number
  #chunk: Uint8Array
  /** Place in the chunk. */
  #at = 0
  #separator = OPEN_BRACE

  constructor(chunkBytes: number) {
    this.#chunkBytes = Math.max(chunkBytes, 4 * SHORT_BYTES_MAX)
    this.#chunk = new Uint8Array(this.#chunkBytes)
  }

  addNull(): void {
    this.#begin()
    for (const byte of NULL) this.#chunk[this.#at++] = byte
  }

  /** A text none of whose bytes needs quotes. */
  addPlain(bytes: Uint8Array, start: number, end: number): void {
    if (start === end || (end - start === NULL.length && readsNull(bytes, start))) {
      this.addQuoted(bytes, start, end, false)
      return
    }
    this.#begin()
    for (let from = start; from < end; from += PIECE_BYTES_MAX) {
      const to = Math.min(from + PIECE_BYTES_MAX, end)
      this.#ensure(to - from)
      const chunk = this.#chunk
      let at = this.#at
      for (let i = from; i < to; i++) chunk[at++] = bytes[i] as number
      this.#at = at
    }
  }

  /** Any text; `isDoubled`: as it stands between the quotes of CSV, which doubles those inside. */
  addQuoted(bytes: Uint8Array, start: number, end: number, isDoubled: boolean): void {
    this.#begin()
    this.#chunk[this.#at++] = QUOTE
    let i = start
    while (i < end) {
      const to = Math.min(i + PIECE_BYTES_MAX, end)
      this.#ensure(2 * (to - i))
      const chunk = this.#chunk
      let at = this.#at
      while (i < to) {
        const byte = bytes[i++] as number
        if (byte === QUOTE || byte === BACKSLASH) chunk[at++] = BACKSLASH
        if (byte === QUOTE && isDoubled) i++
        chunk[at++] = byte
      }
      this.#at = at
    }
    this.#ensure(1)
    this.#chunk[this.#at++] = QUOTE
  }

  /** The whole literal; nothing can be added afterwards. */
  end(): TextBytes {
    if (this.#separator === OPEN_BRACE) this.#begin()
    this.#ensure(1)
    this.#chunk[this.#at++] = CLOSE_BRACE
    this.#parts.push(this.#chunk.subarray(0, this.#at))
    return { parts: this.#parts }
  }

  #begin(): void {
    this.#ensure(SHORT_BYTES_MAX)
    this.#chunk[this.#at++] = this.#separator
    this.#separator = COMMA
  }

  #ensure(bytes: number): void {
    if (this.#at + bytes <= this.#chunk.length) return
    if (this.#at > 0) this.#parts.push(this.#chunk.subarray(0, this.#at))
    this.#chunk = new Uint8Array(Math.max(this.#chunkBytes, bytes))
    this.#at = 0
  }
}

/** Whether four bytes read NULL, in letters of any case: that is one only between quotes. */
function readsNull(bytes: Uint8Array, start: number): boolean {
  return NULL.every((byte, i) => ((bytes[start + i] as number) & 0xdf) === byte)
}
