// Brings the triggers of a table to what its webhooks want: after each change of quoin.webhooks, and now and then for
// all, because a table may have been changed since (another primary key, a trigger of its own, attached to a partitioned
// table, dropped). What is right already is left alone and takes no lock.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import type { WatchingDeps } from './find-table.ts'

/** Postgres gives up a lock after 200 ms, so that nobody waits behind us for long; in between others get their turn. */
const BUSY_MS_MAX = 10_000
const PAUSE_MS = 150
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

export interface Clock {
  now(): number
  pause(milliseconds: number): Promise<void>
}

const CLOCK: Clock = {
  now: () => Date.now(),
  pause: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
}

/**
 * Installs, changes or removes the triggers of one table, as its rows in quoin.webhooks say, paused ones included. May be
 * repeated; a table that is gone is let go. Throws `table_busy` when the table stays locked for ten seconds.
 */
export async function settleWatch(
  { platform }: WatchingDeps,
  tableId: number,
  clock: Clock = CLOCK,
): Promise<void> {
  const endsAt = clock.now() + BUSY_MS_MAX
  for (;;) {
    try {
      await platform.query('select quoin.settle_watch($1::bigint::oid)', [String(tableId)])
      return
    } catch (err) {
      if (!isBusy(err)) throw err
      if (clock.now() + PAUSE_MS > endsAt) throw tableBusy(err)
      await clock.pause(PAUSE_MS)
    }
  }
}

/** Settles every table that is or was watched, once each; answers those that were busy or failed, with the error. */
export async function settleAllWatches({ platform }: WatchingDeps): Promise<Map<number, unknown>> {
  const failures = new Map<number, unknown>()
  const rows = await platform.query<{ table_id: number }>(
    'select table_id::bigint from quoin.watched_tables() as t (table_id)',
  )
  for (const { table_id } of rows) {
    try {
      await platform.query('select quoin.settle_watch($1::bigint::oid)', [String(table_id)])
    } catch (err) {
      failures.set(table_id, err)
    }
  }
  return failures
}

function isBusy(err: unknown): boolean {
  return err instanceof PostgresError && (err.code === LOCK_NOT_AVAILABLE || err.code === DEADLOCK)
}

function tableBusy(cause: unknown): DomainError {
  return new DomainError(
    'table_busy',
    'The table is locked by somebody else; its triggers were not changed',
    {
      hint: 'Try again when the transaction or migration that holds the lock has ended (see pg_locks).',
      cause,
      retryAfterSeconds: 10,
    },
  )
}
