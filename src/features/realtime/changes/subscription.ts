// What a channel asked to hear of tables, once its join has been read. Types only.

import type { DatabaseRole } from '../../../db/database.ts'
import type { RowEvent } from '../../row-changes/ingest/messages.ts'

/** One table of one entry of a join's `postgres_changes`. */
export interface Subscription {
  /**
   * The entry's place in the join, from 1: clients take 0 for no id. Where the entry names all tables of a schema, each
   * has a subscription of the same id.
   */
  readonly id: number
  readonly event: '*' | RowEvent
  readonly tableId: number
  readonly filter: SubscriptionFilter | null
  /** Names of columns; null: all that the role may select when the row changes. */
  readonly columns: readonly string[] | null
}

/** A filter as SQL, as `SightFilter` says. */
export interface SubscriptionFilter {
  /** Equal for filters that are equal in SQL and values. */
  readonly key: string
  readonly sql: string
  readonly params: readonly string[]
  /** The columns that it reads: who may not select one any more must not learn of it by the filter. */
  readonly columns: readonly string[]
}

/** Channels of callers that see the same, with the same subscriptions: they get the same events. */
export interface Group {
  /** `groupKey` of it. */
  readonly key: string
  readonly role: DatabaseRole
  /** Of one of its callers, without `role`; empty where there is no user. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly subscriptions: readonly Subscription[]
}
