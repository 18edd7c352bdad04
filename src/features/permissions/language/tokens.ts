// The words and signs of a permission file, one at a time. Source: Keto v26.2.0, schema/lexer.go.

const KEYWORDS: ReadonlySet<string> = new Set(['class', 'implements', 'this', 'ctx'])
const SPACES = /[\t\n\v\f\r ]*/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const SIGN = /=>|\|\||&&|[:.()[\]{}<>=,;|!]/y

export interface Token {
  /** A keyword and a sign are their own kind. */
  readonly kind: string
  readonly value: string
  /** In bytes of UTF-8. */
  readonly start: number
  readonly end: number
}

/** What follows the end, and what cannot be read. */
const NOTHING_LEFT: Token = { kind: 'error', value: 'nothing is left to read', start: 0, end: 0 }

export class Tokens {
  readonly #text: string
  #at = 0
  /** How many bytes of UTF-8 there are before `#at`. */
  #byte = 0
  #isOver = false
  #ahead: Token | undefined

  constructor(text: string) {
    this.#text = text
  }

  next(): Token {
    const token = this.peek()
    this.#ahead = undefined
    return token
  }

  peek(): Token {
    this.#ahead ??= this.#read()
    return this.#ahead
  }

  /** Kinds: identifier, string, end, error, each keyword and each sign. Behind an end or error come only errors. */
  #read(): Token {
    if (this.#isOver) return NOTHING_LEFT
    for (;;) {
      this.#skip(matched(SPACES, this.#text, this.#at).length)
      if (this.#text.startsWith('//', this.#at)) this.#skipTo(this.#find('\n', this.#at))
      else if (this.#text.startsWith('/*', this.#at)) {
        const close = this.#text.indexOf('*/', this.#at + 2)
        if (close < 0) return this.#unclosed('comment')
        this.#skipTo(close + 2)
      } else break
    }
    if (this.#at === this.#text.length) return this.#over('end', '')
    const first = this.#text.charAt(this.#at)
    if (first === '"' || first === "'") return this.#string(first)
    const word = matched(WORD, this.#text, this.#at)
    if (word !== '') return this.#token(KEYWORDS.has(word) ? word : 'identifier', word)
    const sign = matched(SIGN, this.#text, this.#at)
    if (sign !== '') return this.#token(sign, sign)
    return this.#over(
      'error',
      `unexpected character ${String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)}`,
    )
  }

  /** Up to the same quotation mark, wherever that is: nothing escapes it. */
  #string(quote: string): Token {
    this.#skip(1)
    const close = this.#text.indexOf(quote, this.#at)
    if (close < 0) return this.#unclosed('string')
    const start = this.#byte
    const value = this.#text.slice(this.#at, close)
    this.#skipTo(close)
    const end = this.#byte
    this.#skip(1)
    return { kind: 'string', value, start, end }
  }

  /** A token of ASCII. */
  #token(kind: string, value: string): Token {
    const start = this.#byte
    this.#skip(value.length)
    return { kind, value, start, end: this.#byte }
  }

  #unclosed(what: string): Token {
    const start = this.#byte
    this.#skipTo(this.#text.length)
    return { ...this.#over('error', `the ${what} is not closed`), start }
  }

  #over(kind: string, value: string): Token {
    this.#isOver = true
    return { kind, value, start: this.#byte, end: this.#byte }
  }

  #find(what: string, from: number): number {
    const found = this.#text.indexOf(what, from)
    return found < 0 ? this.#text.length : found
  }

  /** Over so many characters of ASCII. */
  #skip(length: number): void {
    this.#at += length
    this.#byte += length
  }

  #skipTo(index: number): void {
    this.#byte += new TextEncoder().encode(this.#text.slice(this.#at, index)).length
    this.#at = index
  }
}

/** What a sticky expression finds at an index, else nothing. */
function matched(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at
  return expression.exec(text)?.[0] ?? ''
}
