// Splits the text of a `.sql` migration into its statements. Pure; one pass over the text, linear in its length, since
// Postgres' own parser takes no text as large as a migration may be. Accepts what psql does, as psql does.

import { SqlLexer, type TokenKind } from './sql-lexer.ts'

/** One statement, without its semicolon and without the blanks and comments around it. */
export interface MigrationStatement {
  /** Index of its first UTF-16 unit in the text, and behind its last. */
  start: number
  end: number
  /** Line of its first character, from 1. */
  line: number
  /** What only a client such as psql can do: read rows from the file itself, or run a backslash command. */
  unsupported?: 'copy_from_stdin' | 'psql_command'
}

const BYTE_ORDER_MARK = '\uFEFF'
/** A line of its own that ends the rows after COPY ... FROM STDIN. */
const END_OF_ROWS = /^\\\.\r?$/gm

const RESTRICT = /\\(?:un)?restrict\b/y

/** The text without a byte order mark: the mark is no SQL, and must not be sent. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/**
 * The statements in order. Never throws: what is not closed reaches to the end, and Postgres says what is wrong. Stops
 * behind the first that is more than `statementsMax`: each costs more memory than its text may have.
 */
export function splitStatements(
  text: string,
  statementsMax = Number.POSITIVE_INFINITY,
): MigrationStatement[] {
  const splitter = new Splitter(text)
  while (splitter.statements.length <= statementsMax && splitter.readToken());
  return splitter.statements
}

/** How much is read at once of a text whose statement does not end, and what that is in units of `Turns`. */
export const PIECE_CHARACTERS = 65_536
export const PIECE_WORK = 2 * PIECE_CHARACTERS

/**
 * The statements one by one, each as soon as it was read: whoever stops early spares the rest. Between them, and in
 * long ones, undefined tells that another piece of the text was read.
 */
export function* eachStatement(text: string): Generator<MigrationStatement | undefined, void, undefined> {
  const splitter = new Splitter(text)
  let pieceEnd = PIECE_CHARACTERS
  for (;;) {
    if (splitter.readTo >= pieceEnd) {
      pieceEnd = splitter.readTo + PIECE_CHARACTERS
      yield undefined
    }
    if (splitter.skipBlanks(pieceEnd)) continue
    const isLast = !splitter.readToken()
    const statement = splitter.statements.pop()
    if (statement !== undefined) yield statement
    if (isLast) return
  }
}

class Splitter {
  readonly statements: MigrationStatement[] = []
  readonly #text: string
  readonly #lexer: SqlLexer
  #line = 1
  #lineEnd: number
  /** Of the statement that is being read. */
  #start = -1
  #end = -1
  #firstWord = ''
  #lastWord = ''
  #parentheses = 0
  #bodies = 0
  #readsStdin = false

  constructor(text: string) {
    this.#text = text
    this.#lineEnd = text.indexOf('\n')
    this.#lexer = new SqlLexer(text, text.startsWith(BYTE_ORDER_MARK) ? 1 : 0)
  }

  /** Index behind what was read so far. */
  get readTo(): number {
    return this.#lexer.end
  }

  /** Goes behind blanks and comments up to about `limit`; false where there are none. */
  skipBlanks(limit: number): boolean {
    return this.#lexer.skipTo(limit)
  }

  /** False at the end of the text. */
  readToken(): boolean {
    const kind = this.#lexer.next()
    if (kind === 'end') {
      this.#finish()
      return false
    }
    const symbol = kind === 'symbol' ? this.#text.charAt(this.#lexer.start) : ''
    if (symbol === '\\') this.#finishPsqlCommand()
    else if (symbol === ';' && this.#parentheses === 0 && this.#bodies === 0) this.#finish()
    else this.#add(kind, symbol)
    return true
  }

  #add(kind: TokenKind, symbol: string): void {
    const isFirst = this.#start === -1
    if (isFirst) this.#start = this.#lexer.start
    this.#end = this.#lexer.end
    if (symbol === '(') this.#parentheses++
    else if (symbol === ')') this.#parentheses = Math.max(0, this.#parentheses - 1)
    if (isFirst) this.#firstWord = kind === 'word' ? this.#word() : ''
    // Only these two have parts that decide where they end; no other statement's words are looked at.
    else if (this.#firstWord !== 'CREATE' && this.#firstWord !== 'COPY') return
    if (this.#parentheses > 0) return
    const word = kind === 'word' ? this.#word() : symbol
    if (this.#firstWord === 'CREATE') this.#countBodies(word)
    else if (this.#lastWord === 'FROM' && (word === 'STDIN' || word === 'STDOUT')) this.#readsStdin = true
    this.#lastWord = word
  }

  /** BEGIN ATOMIC ... END of functions, with CASE ... END inside. Behind AS and a dot any word is a name. */
  #countBodies(word: string): void {
    if (this.#lastWord === '.' || this.#lastWord === 'AS') return
    if (word === 'ATOMIC' && this.#lastWord === 'BEGIN') this.#bodies++
    else if (this.#bodies > 0 && word === 'CASE') this.#bodies++
    else if (this.#bodies > 0 && word === 'END') this.#bodies--
  }

  #finishPsqlCommand(): void {
    const isComment = this.#start === -1 && this.#isRestrict()
    if (this.#start === -1) this.#start = this.#lexer.start
    const lineEnd = this.#text.indexOf('\n', this.#lexer.start)
    const end = lineEnd === -1 ? this.#text.length : lineEnd
    this.#end = this.#text.charAt(end - 1) === '\r' ? end - 1 : end
    this.#lexer.moveTo(end)
    if (isComment) this.#start = -1
    this.#finish('psql_command')
  }

  /** By these pg_dump keeps psql from running commands of the dump: they do nothing else. */
  #isRestrict(): boolean {
    RESTRICT.lastIndex = this.#lexer.start
    return RESTRICT.test(this.#text)
  }

  #finish(
    unsupported: MigrationStatement['unsupported'] = this.#readsStdin ? 'copy_from_stdin' : undefined,
  ): void {
    if (this.#start !== -1) {
      const place = { start: this.#start, end: this.#end, line: this.#lineAt(this.#start) }
      this.statements.push(unsupported === undefined ? place : { ...place, unsupported })
    }
    if (unsupported === 'copy_from_stdin') this.#lexer.moveTo(behindRows(this.#text, this.#lexer.end))
    this.#start = -1
    this.#firstWord = ''
    this.#lastWord = ''
    this.#parentheses = 0
    this.#bodies = 0
    this.#readsStdin = false
  }

  /** To be asked in ascending order. The next line's end is kept: each is looked for once. */
  #lineAt(index: number): number {
    while (this.#lineEnd !== -1 && this.#lineEnd < index) {
      this.#line++
      this.#lineEnd = this.#text.indexOf('\n', this.#lineEnd + 1)
    }
    return this.#line
  }

  #word(): string {
    // Longer words are none that is asked for.
    return this.#lexer.end - this.#lexer.start > 8 ? '' : this.#lexer.text().toUpperCase()
  }
}

/** Rows without an end go to the end of the file, as with psql. */
function behindRows(text: string, from: number): number {
  END_OF_ROWS.lastIndex = from
  return END_OF_ROWS.exec(text) ? END_OF_ROWS.lastIndex : text.length
}
