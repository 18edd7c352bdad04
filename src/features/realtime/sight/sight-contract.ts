// The one question that decides what anybody sees: which of these rows the policies let these callers see. Types only;
// `ask-sight.ts` asks it of Postgres, in one trip.

import type { DatabaseRole } from '../../../db/database.ts'

/** A row as it was recorded: the JSON text that Postgres wrote. */
type Image = string

/** Whose sight is asked about. */
export interface SightCaller {
  readonly role: DatabaseRole
  /** Of the person's token; empty: there is no person. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Whose connections to the database it takes, as `key/client`. */
  readonly share: string
}

export interface SightQuestion {
  readonly tables: readonly SightTableAsked[]
  readonly asked: readonly SightAsked[]
}

export interface SightTableAsked {
  readonly tableId: number
  /** New and old rows alike; answers name them by their index. */
  readonly images: readonly Image[]
}

/** Callers that see the same, and what of it is asked about; filter null: all. */
export interface SightAsked {
  readonly tableId: number
  readonly role: DatabaseRole
  /** JSON text for `request.jwt.claims`; always has `role`. */
  readonly claims: string
  readonly filter: SightFilter | null
}

/**
 * A condition on columns of the table, which goes by its own name in it (`"notes"."room" = ($2)[1]::int4`). It looks at
 * rows alone that policies show to its callers: else it would tell of hidden ones, by failing or by taking long.
 */
export interface SightFilter {
  readonly sql: string
  /** What `($2)[n]` is, as texts. */
  readonly params: readonly string[]
}

/** Indexes of the table's images, in order; `all` of them; or why that could not be said. */
export type Seen = readonly number[] | 'all' | SightError

/** The database's own error, of what was asked alone. */
export interface SightError {
  readonly code: string
  readonly message: string
}

export interface SightAnswer {
  /** As asked; null: there is no such table any more. */
  readonly tables: readonly (SightTable | null)[]
  readonly seen: readonly Seen[]
}

/** A table as it is in the moment of the question. */
export interface SightTable {
  readonly tableId: number
  readonly table_schema: string
  readonly table_name: string
  /** False: an image has other columns than the table has now, so that nobody can say who may see it. */
  readonly fits: boolean
  /** In the table's order; `type` as pg_type calls it (`int4`, `_text`). Virtual generated columns are left out. */
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Columns that the role may SELECT; none without USAGE on the schema. */
  readonly selectable: Readonly<Record<DatabaseRole, readonly string[]>>
  /**
   * Of the claims that change with each token (`exp`, `iat`, `nbf`, `jti`, `auth_time`) those that policies of the
   * table may read: callers who differ in the others see the same.
   */
  readonly claimsRead: readonly string[]
}
