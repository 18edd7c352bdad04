// A position in a text and the few moves that every parser of the query grammar needs. Pure.

/** The text is not what the grammar allows; `position` counts characters from 0. Never leaves this feature. */
export class ParseFailure extends Error {
  readonly position: number
  readonly hint: string | undefined

  constructor(message: string, position: number, hint?: string) {
    super(message)
    this.name = 'ParseFailure'
    this.position = position
    this.hint = hint
  }
}

/** Reads a text from left to right. Patterns given to it must be sticky (`y`). */
export class TextCursor {
  readonly text: string
  position = 0

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length
  }

  /** The next character, empty at the end. */
  get next(): string {
    return this.text.charAt(this.position)
  }

  startsWith(literal: string): boolean {
    return this.text.startsWith(literal, this.position)
  }

  /** Steps over `literal` if it comes next. */
  skip(literal: string): boolean {
    if (!this.startsWith(literal)) return false
    this.position += literal.length
    return true
  }

  skipSpaces(): void {
    while (this.next === ' ') this.position += 1
  }

  /** Steps over `literal` and the spaces around it, if it comes next. */
  skipToken(literal: string): boolean {
    const start = this.position
    this.skipSpaces()
    if (this.skip(literal)) {
      this.skipSpaces()
      return true
    }
    this.position = start
    return false
  }

  /** What `pattern` matches here, or undefined without moving. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position
    const match = pattern.exec(this.text)?.[0]
    if (match !== undefined) this.position += match.length
    return match
  }

  takeRest(): string {
    const rest = this.text.slice(this.position)
    this.position = this.text.length
    return rest
  }

  expect(literal: string): void {
    if (!this.skip(literal)) this.fail(`expected "${literal}"`)
  }

  expectEnd(what: string): void {
    if (!this.isAtEnd) this.fail(`expected the end of ${what}`)
  }

  /** Throws `ParseFailure` that says what was found instead. */
  fail(expectation: string, hint?: string): never {
    const found = this.isAtEnd ? 'the end' : `"${this.text.slice(this.position, this.position + 20)}"`
    throw new ParseFailure(`${expectation}, found ${found}`, this.position, hint)
  }
}
