// Has the changes of tables recorded while sockets follow them, and for an hour behind: who comes back in that time
// misses nothing.

import type { PlatformDatabase } from '../../../db/database.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { applyingOf } from '../../row-changes/watching/apply-watch.ts'

export interface WatchTablesDeps {
  readonly platform: Pick<PlatformDatabase, 'query' | 'transaction'>
}

export const WATCHED_MAX = 50
const LOCK_NOT_AVAILABLE = '55P03'

const FIND_MISSING = `
  select t.id::bigint as table_id, w.table_id is not null as is_watched
  from unnest($1::bigint[]) t (id) left join quoin.realtime_watches w on w.table_id = t.id::oid
  where w.table_id is null or w.wanted_until < now() + interval '50 minutes'`

const EXTEND = `
  update quoin.realtime_watches set wanted_until = now() + interval '1 hour' where table_id = any ($1::bigint[]::oid[])
  returning table_id::bigint`

// The lock keeps two joins from making more than there may be, each for itself.
const LOCK = "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('quoin.realtime_watches'))"
const INSERT = `
  insert into quoin.realtime_watches (table_id, table_schema, table_name, wanted_until)
    select c.oid, n.nspname, c.relname, now() + interval '1 hour'
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.oid = any ($1::bigint[]::oid[])
      and (select count(*) from quoin.realtime_watches) + cardinality($1::bigint[]) <= ${WATCHED_MAX}
  on conflict (table_id) do update set wanted_until = excluded.wanted_until
  returning table_id::bigint`

/**
 * Has the tables watched for an hour from now; every change that commits after the answer is recorded. Throws
 * `table_busy` where a lock does not come within 200 ms, and `table_not_watchable` where sockets watch too many tables.
 */
export async function watchTables({ platform }: WatchTablesDeps, tableIds: readonly number[]): Promise<void> {
  const due = await platform.query<{ table_id: number; is_watched: boolean }>(
    FIND_MISSING,
    [arrayOf(tableIds)],
    'repeatable',
  )
  const [watched, missing] = [due.filter(one => one.is_watched), due.filter(one => !one.is_watched)]
  if (watched.length > 0) await platform.query(EXTEND, [arrayOf(watched.map(one => one.table_id))])
  if (missing.length > 0)
    await begin(
      { platform },
      missing.map(one => one.table_id),
    )
}

async function begin({ platform }: WatchTablesDeps, tableIds: readonly number[]): Promise<void> {
  const insert = { sql: INSERT, params: [arrayOf(tableIds)] }
  try {
    const [, inserted] = await platform.transaction([
      { sql: LOCK, params: [] },
      insert,
      ...applyingOf(tableIds),
    ])
    if (inserted?.length === 0) throw tooMany()
  } catch (err) {
    if (err instanceof PostgresError && err.code === LOCK_NOT_AVAILABLE) throw tableBusy(err)
    throw err
  }
}

/** Ends what nobody wants any more: the cron of every minute takes the triggers away. */
export async function expireWatches({ platform }: Pick<WatchTablesDeps, 'platform'>): Promise<void> {
  const isOver =
    'wanted_until < now() or not exists (select from pg_catalog.pg_class c where c.oid = table_id)'
  // A statement that deletes nothing would raise the registry's version all the same.
  const over = await platform.query(
    `select from quoin.realtime_watches where ${isOver} limit 1`,
    [],
    'repeatable',
  )
  if (over.length === 0) return
  await platform.query(`delete from quoin.realtime_watches where ${isOver} returning table_id::bigint`)
}

const arrayOf = (ids: readonly number[]) => `{${ids.join(',')}}`

function tableBusy(cause: unknown): DomainError {
  return new DomainError(
    'table_busy',
    'The table is locked by somebody else, so its changes cannot be watched yet.',
    {
      hint: 'Join again when the transaction or migration that holds the lock has ended (see pg_locks).',
      cause,
      retryAfterSeconds: 1,
    },
  )
}

function tooMany(): DomainError {
  return new DomainError('table_not_watchable', `Sockets watch ${WATCHED_MAX} tables already.`, {
    hint: 'A table that nobody follows any more is let go after an hour. Send changes by realtime.broadcast_changes.',
  })
}
