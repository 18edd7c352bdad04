// How much work it is to read a statement, told from its text. Postgres' parser answers the tree of a whole statement
// at once: some fifty bytes a token, and nobody else gets the isolate meanwhile. So tokens are counted before. Pure.

import { SqlLexer } from './statements/sql-lexer.ts'

/** Of a statement in UTF-16 units, and in tokens: its tree has up to a megabyte, which takes twenty milliseconds. */
export const STATEMENT_CHARACTERS_MAX = 262_144
export const STATEMENT_TOKENS_MAX = 8_000

/** What a statement by itself, and each of its tokens, costs beside its characters. */
const STATEMENT_WORK = 500
const TOKEN_WORK = 200

/** The work of reading a statement, in units of `Turns`; undefined for one that is too large to be read at once. */
export function statementWork(text: string): number | undefined {
  if (text.length > STATEMENT_CHARACTERS_MAX) return undefined
  const lexer = new SqlLexer(text)
  let tokens = 0
  while (lexer.next() !== 'end') if (++tokens > STATEMENT_TOKENS_MAX) return undefined
  return STATEMENT_WORK + text.length + TOKEN_WORK * tokens
}
