// Reads JSON as bytes, strictly and once, and builds nothing: whether it is JSON, where its values end, how many there
// are. Source: RFC 8259. What each value means is for the caller to say.

/** What was wrong, and with which byte. */
export class JsonProblem extends Error {
  /** `syntax`: no JSON; `unstorable`: text that Postgres cannot hold; the others: beyond the bound of that name. */
  readonly kind: 'syntax' | 'unstorable' | 'depth' | 'values'
  /** Counted from 0. */
  readonly at: number

  constructor(kind: JsonProblem['kind'], message: string, at: number) {
    super(message)
    this.kind = kind
    this.at = at
  }
}

export interface JsonBounds {
  /** Containers in each other. */
  readonly depthMax: number
  readonly valuesMax: number
}

/** Deeper JSON than this is an attack on the stack, not data. */
export const JSON_DEPTH_MAX = 200

export const COMMA = 0x2c
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const QUOTE = 0x22
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c

/** What may stand behind a backslash, `u` aside. */
const ESCAPED = new Uint8Array(256)
for (const letter of '"\\/bfnrt') ESCAPED[letter.charCodeAt(0)] = 1
const WORDS: Readonly<Record<number, string>> = { 102: 'false', 110: 'null', 116: 'true' }

/** A place in JSON of valid UTF-8 that moves on by values. Everything throws `JsonProblem`. */
export class JsonScanner {
  readonly #bytes: Uint8Array
  readonly #bounds: JsonBounds
  /** For each container around the place, whether it is an object. */
  readonly #isObject: Uint8Array
  #valueCount = 0
  at = 0
  /** What stands between the quotes of the key passed last. */
  keyStart = 0
  keyEnd = 0

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes
    this.#bounds = bounds
    this.#isObject = new Uint8Array(bounds.depthMax)
  }

  /** The next byte that is no white space; NaN at the end. */
  peek(): number {
    const bytes = this.#bytes
    let at = this.at
    let byte = bytes[at]
    while (byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB)
      byte = bytes[++at]
    this.at = at
    return byte ?? Number.NaN
  }

  /** Passes `byte` when it comes next. */
  passes(byte: number): boolean {
    if (this.peek() !== byte) return false
    this.at++
    return true
  }

  /** Passes `byte`, which must come next. */
  pass(byte: number, expected: string): void {
    if (!this.passes(byte)) throw this.#unexpected(expected)
  }

  /** Passes white space to the end of the text, where nothing else may stand. */
  passEnd(): void {
    if (!Number.isNaN(this.peek())) throw this.#unexpected('the end')
  }

  /** Passes a key and its colon. */
  passKey(): void {
    if (this.peek() !== QUOTE) throw this.#unexpected('a key in double quotes')
    this.keyStart = this.at + 1
    this.#passString()
    this.keyEnd = this.at - 1
    this.pass(COLON, 'a colon')
  }

  /** Passes one whole value. Its containers are held in an array, so that no depth costs stack. */
  passValue(): void {
    let depth = 0
    for (;;) {
      if (++this.#valueCount > this.#bounds.valuesMax) throw this.#tooMany()
      const first = this.peek()
      if (first === OPEN_BRACE || first === OPEN_BRACKET) {
        const isObject = first === OPEN_BRACE
        this.at++
        if (!this.passes(isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          if (depth === this.#bounds.depthMax) throw this.#tooDeep()
          this.#isObject[depth++] = isObject ? 1 : 0
          if (isObject) this.passKey()
          continue
        }
      } else if (first === QUOTE) this.#passString()
      else this.#passScalar(first)
      depth = this.#passEnds(depth)
      if (depth === 0) return
    }
  }

  /** Passes the ends of containers behind a value up to where the next one begins; answers how many are still open. */
  #passEnds(open: number): number {
    let depth = open
    while (depth > 0) {
      const isObject = this.#isObject[depth - 1] === 1
      const next = this.peek()
      this.at++
      if (next === COMMA) {
        if (isObject) this.passKey()
        return depth
      }
      if (next !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
        this.at--
        throw this.#unexpected(`a comma or ${isObject ? '}' : ']'}`)
      }
      depth--
    }
    return 0
  }

  #passString(): void {
    const bytes = this.#bytes
    let at = this.at + 1
    for (;;) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) break
      if (byte === BACKSLASH) at = this.#endOfEscape(at)
      else if (byte >= SPACE) at++
      else {
        this.at = at
        throw this.#unexpected(
          at < bytes.length ? 'no control character in a string' : 'the end of the string',
        )
      }
    }
    this.at = at + 1
  }

  #endOfEscape(start: number): number {
    const letter = this.#bytes[start + 1] ?? 0
    if (ESCAPED[letter] === 1) return start + 2
    const unit = this.#unitAt(start)
    if (unit === 0) throw new JsonProblem('unstorable', 'a NUL character', start)
    if (unit < 0xd800 || unit > 0xdfff) return start + 6
    const low = unit < 0xdc00 && this.#bytes[start + 6] === BACKSLASH ? this.#unitAt(start + 6) : 0
    if (low < 0xdc00 || low > 0xdfff) throw new JsonProblem('unstorable', 'half of a surrogate pair', start)
    return start + 12
  }

  /** The number that `\uXXXX` names; 0xFFFF for another escape, so that a half before one is a half. */
  #unitAt(start: number): number {
    const bytes = this.#bytes
    if (bytes[start + 1] !== 0x75) {
      if (ESCAPED[bytes[start + 1] ?? 0] === 1) return 0xffff
      this.at = start
      throw this.#unexpected('an escape that JSON has')
    }
    let unit = 0
    for (let at = start + 2; at < start + 6; at++) {
      const digit = hexDigit(bytes[at] ?? 0)
      if (digit < 0) {
        this.at = at
        throw this.#unexpected('four hexadecimal digits')
      }
      unit = unit * 16 + digit
    }
    return unit
  }

  #passScalar(first: number): void {
    const word = WORDS[first]
    if (word === undefined) {
      this.#passNumber()
      return
    }
    for (let i = 0; i < word.length; i++) {
      if (this.#bytes[this.at + i] !== word.charCodeAt(i)) throw this.#unexpected('a value')
    }
    this.at += word.length
  }

  #passNumber(): void {
    const bytes = this.#bytes
    if (bytes[this.at] === MINUS) this.at++
    if (bytes[this.at] === ZERO) this.at++
    else this.#passDigits('a value')
    if (bytes[this.at] === DOT) {
      this.at++
      this.#passDigits('a digit')
    }
    // E or e.
    if (((bytes[this.at] ?? 0) | 0x20) !== 0x65) return
    this.at++
    if (bytes[this.at] === PLUS || bytes[this.at] === MINUS) this.at++
    this.#passDigits('a digit')
  }

  #passDigits(expected: string): void {
    const bytes = this.#bytes
    const start = this.at
    let at = start
    while (isDigit(bytes[at] ?? 0)) at++
    this.at = at
    if (at === start) throw this.#unexpected(expected)
  }

  #unexpected(expected: string): JsonProblem {
    const found = this.at < this.#bytes.length ? '' : ', found the end'
    return new JsonProblem('syntax', `Expected ${expected}${found}`, this.at)
  }

  #tooMany(): JsonProblem {
    return new JsonProblem('values', `more than ${this.#bounds.valuesMax} values`, this.at)
  }

  #tooDeep(): JsonProblem {
    return new JsonProblem('depth', `nested deeper than ${this.#bounds.depthMax} levels`, this.at)
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39
}

/** The value of a hexadecimal digit; -1 for anything else. */
function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - ZERO
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Where a byte stands, for people: `line 1, column 13`, both counted from 1 and in bytes. */
export function placeOf(bytes: Uint8Array, at: number): string {
  let line = 1
  let lineStart = 0
  for (let i = 0; i < at; i++) {
    if (bytes[i] !== LINE_FEED) continue
    line++
    lineStart = i + 1
  }
  return `line ${line}, column ${at - lineStart + 1}`
}
