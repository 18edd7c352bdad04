/**
 * Owns what a batch is once its request was checked: the types between the HTTP side and the Postgres side.
 */
import type { RowFormat } from './row-fields.ts'
import type { Caller } from './shares.ts'

/** One statement; the texts hold no NUL character and no lone surrogate. */
export interface Statement {
  readonly sql: string
  readonly params: readonly (string | null)[]
  readonly format: RowFormat
}

/** A request's statements and how to run them. */
export interface Batch {
  readonly statements: readonly Statement[]
  /** The statement that opens the transaction; undefined for a single query, which runs without one. */
  readonly begin: string | undefined
  /** True when the transaction reads only and its end may be a ROLLBACK: not when its COMMIT could still fail. */
  readonly isRolledBack: boolean
  /** True when the texts are Quoin's own: prepared by name, on connections that no caller's SQL ever reaches. */
  readonly isOwn: boolean
  /** True when no other batch may follow on the connection. */
  readonly closesConnection: boolean
  /** True when the answer is the bytes of the last statement's first column. */
  readonly isBodyWanted: boolean
  /** Undefined: the request named nobody. */
  readonly caller: Caller | undefined
  readonly deadlineMs: number
  /** Most bytes that Postgres may send, where the request wants less than the gateway allows. */
  readonly resultBytesMax: number | undefined
}

/** What a batch that succeeded answers with. */
export type BatchAnswer =
  | { readonly kind: 'json'; readonly parts: readonly Buffer[]; readonly text: string }
  | { readonly kind: 'body'; readonly body: Buffer | null; readonly row: readonly (string | null)[] | null }
