// Brings the triggers of a table to what subscribers want: after each change of who wants what, and now and then for
// all. For a table may have been changed since (another primary key, a trigger of its own, attached to a partitioned
// table, dropped). What is right already is left alone and takes no lock.

import type { PlatformDatabase } from '../../../db/database.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import type { Statement } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import type { WatchingDeps } from './find-table.ts'

/** Postgres gives up a lock after 200 ms, so that nobody waits behind us for long; in between others get their turn. */
const BUSY_MS_MAX = 10_000
const PAUSE_MS = 150
const APPLY = 'select quoin.apply_watch($1::bigint::oid)'
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
 * Runs changes of who wants what and brings the triggers of these tables to what is then wanted, all in one
 * transaction: both or neither. Answers the rows of each change. Throws `table_busy` when one of the tables stays
 * locked for ten seconds. A table that is gone is let go.
 */
export async function changeAndApply(
  { platform }: { platform: Pick<PlatformDatabase, 'transaction'> },
  changes: readonly Statement[],
  tableIds: readonly number[],
  clock: Clock = CLOCK,
): Promise<(string | null)[][][]> {
  const endsAt = clock.now() + BUSY_MS_MAX
  for (;;) {
    try {
      return await platform.transaction([...changes, ...applyingOf(tableIds)])
    } catch (err) {
      if (!isBusy(err)) throw err
      if (clock.now() + PAUSE_MS > endsAt) throw tableBusy(err)
      await clock.pause(PAUSE_MS)
    }
  }
}

/** Brings these tables' triggers to what is wanted of them, as the last statements of a transaction. */
export function applyingOf(tableIds: readonly number[]): Statement[] {
  return tableIds.map(id => ({ sql: APPLY, params: [String(id)] }))
}

/**
 * Applies the watch of every table that is or was watched, once each; answers those that were busy or failed, with
 * the error.
 */
export async function applyAllWatches({ platform }: WatchingDeps): Promise<Map<number, unknown>> {
  const failures = new Map<number, unknown>()
  const rows = await platform.query<{ table_id: number }>(
    'select table_id::bigint from quoin.watched_tables() as t (table_id)',
    [],
    'repeatable',
  )
  for (const { table_id } of rows) {
    try {
      await platform.query(APPLY, [String(table_id)], 'repeatable')
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
  return new DomainError('table_busy', 'The table is locked by somebody else; nothing was changed.', {
    hint: 'Try again when the transaction or migration that holds the lock has ended (see pg_locks).',
    cause,
    retryAfterSeconds: 10,
  })
}
