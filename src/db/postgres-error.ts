// What Postgres says when a statement fails, as an error of ours. Knows no HTTP and makes no hints:
// the status follows in `http/error-response.ts`, the hints in `error-hints.ts`.

import type { PostgrestWords } from '../errors.ts'
import type { TextPlace } from '../lib/text-place.ts'

/** The fields of a Postgres error report that reach callers or steer us; names as the Neon wire has them. */
export interface PostgresErrorFields {
  message: string
  code: string
  detail?: string | null
  hint?: string | null
  position?: string | null
  schema?: string | null
  table?: string | null
  column?: string | null
  constraint?: string | null
  /** Zero-based index of the statement of the batch that failed; only our own gateway tells. */
  queryIndex?: number | null
}

/** Postgres repeats what a caller sent, megabytes of it, and hints are looked for in its words: longer ones are cut. */
const WORDS_CHARACTERS_MAX = 4_000

/** A failed statement. `code` is the SQLSTATE; `detail` and `hint` are Postgres' own words, cut at 4 000 characters. */
export class PostgresError extends Error {
  readonly code: string
  detail: string | undefined
  hint: string | undefined
  /** True where Postgres gave no hint, and `hint` is our own. */
  isHintOurs = false
  /** Set by whoever knows more about it: for the clients of PostgREST alone. */
  postgrest: PostgrestWords | undefined
  /** Set where a function of the user chose the answer itself, with RAISE SQLSTATE 'PGRST'; names in lower case. */
  answer: { readonly status: number; readonly headers: Record<string, string> } | undefined
  readonly position: number | undefined
  readonly schema: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  readonly constraint: string | undefined
  queryIndex: number | undefined
  /** Set by whoever knows the text that a caller sent: where in it the error is. */
  place: TextPlace | undefined
  /** Set likewise: the index of a caller's statement in a transaction; at COMMIT the number of statements. */
  statementIndex: number | undefined

  constructor(fields: PostgresErrorFields) {
    super(cut(fields.message))
    this.name = 'PostgresError'
    this.code = fields.code
    this.detail = fields.detail ? cut(fields.detail) : undefined
    this.hint = fields.hint ? cut(fields.hint) : undefined
    this.position = fields.position ? Number(fields.position) : undefined
    this.schema = fields.schema ?? undefined
    this.table = fields.table ?? undefined
    this.column = fields.column ?? undefined
    this.constraint = fields.constraint ?? undefined
    this.queryIndex = fields.queryIndex ?? undefined
  }
}

function cut(words: string): string {
  if (words.length <= WORDS_CHARACTERS_MAX) return words
  // The cut may go through a surrogate pair.
  return `${words.slice(0, WORDS_CHARACTERS_MAX).toWellFormed()} ...`
}
