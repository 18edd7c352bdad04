// From a caller's text to the one statement in it. Keeps the decisions per text, because callers repeat themselves.

import { DomainError } from '../../errors.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { ParsedStatement, SqlParser } from './parser.ts'
import { type StatementKind, statementKind } from './statement-kind.ts'
import type { KeptFields } from './syntax-tree.ts'

/** The one statement of a text. */
export interface SingleStatement extends StatementKind {
  /** The caller's text as it was sent. */
  text: string
  /** Where the statement starts and ends in it, in UTF-16 units. */
  start: number
  end: number
}

/** Longer texts are parsed each time: a few of them would fill the isolate's memory. */
const KEPT_TEXT_CHARACTERS_MAX = 8_192
const KEPT_STATEMENTS_MAX = 500

/** Reads texts with one parser, made at the first call and kept, and remembers what they were. */
export class StatementReader {
  readonly #known = new BoundedMap<string, SingleStatement>(KEPT_STATEMENTS_MAX)
  readonly #loadParser: () => Promise<SqlParser>
  #parser: Promise<SqlParser> | undefined

  constructor(loadParser: () => Promise<SqlParser>) {
    this.#loadParser = loadParser
  }

  /**
   * Throws `statement_not_allowed` for none or several statements or a refused kind, `PostgresError` 42601 for bad
   * syntax.
   */
  async read(text: string): Promise<SingleStatement> {
    const known = this.#known.get(text)
    if (known) return known
    const statement = await this.#parse(text)
    if (text.length <= KEPT_TEXT_CHARACTERS_MAX) this.#known.set(text, statement)
    return statement
  }

  /** The trees of a text with the fields that are asked for, as `SqlParser.parse`; nothing of it is remembered. */
  async trees(text: string, kept: KeptFields): Promise<ParsedStatement[]> {
    const parser = await this.#loadedParser()
    return parser.parse(text, kept)
  }

  async #parse(text: string): Promise<SingleStatement> {
    const parser = await this.#loadedParser()
    const statements = await parser.parse(text)
    const [only] = statements
    if (only === undefined) {
      throw new DomainError('statement_not_allowed', 'The SQL holds no statement.', {
        detail: 'It is empty, or blanks and comments alone.',
      })
    }
    if (statements.length > 1) {
      throw new DomainError('statement_not_allowed', 'Only one statement is allowed here.', {
        detail: `The SQL holds ${statements.length} statements.`,
        hint:
          'Run one at a time, or send all as {"statements": [{"sql": "..."}, ...]} to POST /v1/sql/transaction, ' +
          'with a session /api/sql/transaction.',
      })
    }
    return { text, start: only.start, end: only.end, ...statementKind(only.node) }
  }

  #loadedParser(): Promise<SqlParser> {
    this.#parser ??= this.#loadParser().catch(err => {
      // A failed start must not be remembered for the life of the isolate.
      this.#parser = undefined
      throw err
    })
    return this.#parser
  }
}
