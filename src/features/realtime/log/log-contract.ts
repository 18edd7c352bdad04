// What a `RealtimeLog` can be told and asked. Types only, so that features and routes know no Durable Object.

import type { ChunkEvent } from '../../row-changes/ingest/messages.ts'

/** In place of the oid of `realtime.messages`, whose rows come out as broadcasts, whatever oid it has. */
export const MESSAGES_TABLE_ID = 0

/** A change on its way into the log. Rows are JSON texts as Postgres wrote them. */
export interface NewChange {
  /** `<epoch>:<chunk id>.<index>`: a change that comes again is dropped by it. It says nothing about order. */
  readonly event_id: string
  /** The watched table; `MESSAGES_TABLE_ID` for `realtime.messages`. */
  readonly table_id: number
  readonly event: ChunkEvent
  /** ISO 8601, UTC. */
  readonly occurred_at: string
  readonly row: string | null
  readonly old_row: string | null
  /** Why there are no rows although there was one; null: there are. */
  readonly error: string | null
}

/** A change as the log keeps it. */
export interface LoggedChange extends NewChange {
  readonly kind: 'change'
  /** Its place in the log, which is the order of arrival. What resuming clients name. */
  readonly number: number
}

/** Here changes may be missing: whoever goes over it must read its tables again. */
export interface LoggedGap {
  readonly kind: 'gap'
  readonly number: number
  /** The database is another one behind it: its tables may have other oids, and the log has nothing in front of it. */
  readonly isNewLife: boolean
}

export type LogEntry = LoggedChange | LoggedGap

/** What one batch of the consumer brings. */
export interface NewChanges {
  /** The database's life (`quoin.database_epoch`); another one than before makes a gap. */
  readonly epoch: string
  /**
   * How often changes passed the log by (`quoin.realtime_state.gaps`); more than before make a gap. Fewer: the
   * share was given up and comes late, and has a gap behind it.
   */
  readonly gaps: number
  readonly changes: readonly NewChange[]
}

/** Entries of the log for one hub, in order: those of the tables that it follows, and gaps. */
export interface LogPage {
  readonly entries: readonly LogEntry[]
  /** Everything up to here is told: the number of the last entry of the page, or of the log. */
  readonly upTo: number
  /** True: there is more behind it. */
  readonly hasMore: boolean
}

/**
 * Or why there is nothing to read: what came since then is not kept, or the place is of another log, or of another
 * life of the database.
 */
export type LogReading = LogPage | 'too_old' | 'another_life'

/** What the log is about to tell a hub. */
export interface LogPush extends LogPage {
  /** What this hub was told before ends here; null: the log does not know, and the hub reads by itself. */
  readonly after: number | null
}

export interface LogState {
  /** Of the last entry; before the first the place where the log begins. */
  readonly head: number
  /** The oldest number that can be named as `after`. */
  readonly oldestAfter: number
  /** When the oldest kept change was made, ISO 8601; null: none is kept. */
  readonly oldestOccurredAt: string | null
  readonly entries: number
  readonly bytes: number
  /** Projects with sockets that follow a table. */
  readonly hubs: readonly { readonly name: string; readonly tableIds: readonly number[] }[]
  /** Changes that were stored in each of the last 60 seconds, oldest first. */
  readonly changesPerSecond: readonly number[]
}

/** The one log of a deployment, named `all`. */
export interface RealtimeLog {
  /** Keeps the changes for good, once each, and tells the hubs that follow their tables. */
  store(share: NewChanges): Promise<void>
  /** The hub wants these tables from now on, and no others; none: it is told nothing more. Answers the head. */
  follow(hub: string, tableIds: readonly number[]): Promise<number>
  /** Entries behind `after` of these tables, a page of some megabytes at most; an empty one may have more behind it. */
  read(after: number, tableIds: readonly number[]): Promise<LogReading>
  state(): Promise<LogState>
}
