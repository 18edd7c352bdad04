// The tokens of SQL text as far as splitting needs them: where strings, names and comments end. Pure. Follows scan.l of
// Postgres 16 to 18 with `standard_conforming_strings` on. What is not closed reaches to the end of the text.
//
// Each character is looked at a bounded number of times, whatever the text is made of.

/** Blanks and comments are no tokens. A symbol is one character; an operator of two is two symbols. */
export type TokenKind = 'word' | 'quoted_name' | 'string' | 'symbol' | 'end'

const QUOTE = 0x27
const DOUBLE_QUOTE = 0x22
const DOLLAR = 0x24
const MINUS = 0x2d
const SLASH = 0x2f
const STAR = 0x2a
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** What a character may begin or go on with. All above ASCII are letters to Postgres. */
const BLANK = 1
const WORD_START = 2
const WORD_PART = 4
const CLASS = new Uint8Array(128)
for (const blank of ' \t\n\r\f\v') CLASS[blank.charCodeAt(0)] = BLANK
for (const start of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_')
  CLASS[start.charCodeAt(0)] = WORD_START | WORD_PART
for (const part of '0123456789$') CLASS[part.charCodeAt(0)] = WORD_PART

const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][0-9A-Za-z_\u0080-\uffff]*)?\$/y

/** Reads token by token; `start` and `end` are the place of the token read last, in UTF-16 units. */
export class SqlLexer {
  start: number
  end: number
  readonly #text: string

  constructor(text: string, at = 0) {
    this.#text = text
    this.start = at
    this.end = at
  }

  next(): TokenKind {
    this.start = this.#behindBlanks(this.end)
    const code = this.#text.charCodeAt(this.start)
    if (Number.isNaN(code)) return this.#take('end', this.start)
    if ((classOf(code) & WORD_START) !== 0) return this.#word()
    if (code === QUOTE) return this.#take('string', this.#behindQuote(this.start + 1, "'"))
    if (code === DOUBLE_QUOTE) return this.#take('quoted_name', this.#behindQuote(this.start + 1, '"'))
    if (code === DOLLAR) return this.#dollar()
    return this.#take('symbol', this.start + 1)
  }

  /** Goes on behind blanks and comments, as far as the first that ends behind `limit`; false where there are none. */
  skipTo(limit: number): boolean {
    const from = this.end
    this.end = this.#behindBlanks(from, limit)
    return this.end > from
  }

  /** The token read last. */
  text(): string {
    return this.#text.slice(this.start, this.end)
  }

  /** Goes on reading at `at`. */
  moveTo(at: number): void {
    this.end = at
  }

  #take(kind: TokenKind, end: number): TokenKind {
    this.end = end
    return kind
  }

  #word(): TokenKind {
    let at = this.start + 1
    while (at < this.#text.length && (classOf(this.#text.charCodeAt(at)) & WORD_PART) !== 0) at++
    const isPrefix = at === this.start + 1 && this.#text.charCodeAt(at) === QUOTE
    if (isPrefix && isLetter(this.#text, this.start, 'E'))
      return this.#take('string', this.#behindEscapes(at + 1))
    // Strings and names after other prefixes (N, B, X, U&) end as plain ones do, and are read as the next token.
    return this.#take('word', at)
  }

  /** Behind the quote that closes; two in a row are one inside, which are read as two strings beside each other. */
  #behindQuote(from: number, quote: string): number {
    const at = this.#text.indexOf(quote, from)
    return at === -1 ? this.#text.length : at + 1
  }

  /** E'' strings: a backslash takes the next character with it, and they go on behind a line's end. */
  #behindEscapes(from: number): number {
    let at = from
    while (at < this.#text.length) {
      const code = this.#text.charCodeAt(at++)
      if (code === BACKSLASH) at++
      else if (code === QUOTE) {
        const continued = this.#text.charCodeAt(at) === QUOTE ? at : this.#continuation(at)
        if (continued === undefined) return at
        at = continued + 1
      }
    }
    return this.#text.length
  }

  /** Index of a quote with a line's end, and otherwise blanks and line comments alone, between `from` and itself. */
  #continuation(from: number): number | undefined {
    let at = from
    let isBehindLine = false
    for (;;) {
      const code = this.#text.charCodeAt(at)
      if (code === QUOTE) return isBehindLine ? at : undefined
      if (code === MINUS && this.#text.charCodeAt(at + 1) === MINUS) at = this.#lineEnd(at)
      else if (code < 128 && CLASS[code] === BLANK) {
        isBehindLine ||= isLineEnd(code)
        at++
      } else return undefined
    }
  }

  #dollar(): TokenKind {
    DOLLAR_TAG.lastIndex = this.start
    const tag = DOLLAR_TAG.exec(this.#text)?.[0]
    if (tag === undefined) return this.#take('symbol', this.start + 1)
    const close = this.#text.indexOf(tag, this.start + tag.length)
    return this.#take('string', close === -1 ? this.#text.length : close + tag.length)
  }

  #behindBlanks(from: number, limit = Number.POSITIVE_INFINITY): number {
    let at = from
    while (at < limit) {
      const code = this.#text.charCodeAt(at)
      if (code < 128 && CLASS[code] === BLANK) at++
      else if (code === MINUS && this.#text.charCodeAt(at + 1) === MINUS) at = this.#lineEnd(at)
      else if (code === SLASH && this.#text.charCodeAt(at + 1) === STAR) at = this.#behindComment(at)
      else return at
    }
    return at
  }

  // By characters: a match of a pattern costs fifty times as much, and a text may have millions.

  #lineEnd(from: number): number {
    let at = from
    while (at < this.#text.length && !isLineEnd(this.#text.charCodeAt(at))) at++
    return at
  }

  #behindComment(from: number): number {
    const text = this.#text
    let depth = 0
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === SLASH && text.charCodeAt(at + 1) === STAR) depth++
      else if (code === STAR && text.charCodeAt(at + 1) === SLASH) depth--
      else continue
      at++
      if (depth === 0) return at + 1
    }
    return text.length
  }
}

function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN
}

function classOf(code: number): number {
  return code < 128 ? (CLASS[code] ?? 0) : WORD_START | WORD_PART
}

function isLetter(text: string, at: number, upperCase: string): boolean {
  return text.charAt(at).toUpperCase() === upperCase
}
