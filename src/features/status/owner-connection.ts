// Whether the database answers the owner, and what it knows of row changes: Quoin's own tables are reached so.

import type { PlatformDatabase } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import { deadline } from '../../lib/deadline.ts'
import { LISTENER_LOCK_KEY } from '../row-changes/ingest/messages.ts'
import { down, latencySince, logProbeFailure, PROBE_TIMEOUT_MS, type Probed } from './probe.ts'
import { DATABASE_DOWN, refusalProblem, TABLES_UNREADABLE } from './problems.ts'

const RECORDING_FAILURES_MAX = 20

/** `RowChangeFacts` as a JSON object. */
export const ROW_CHANGE_FACTS_SQL = `
  json_build_object(
    'oldest_waiting_seconds', (
      select round(greatest(0, extract(epoch from clock_timestamp() - changed_at)))::int
      from quoin.oldest_waiting_change() changed_at where changed_at is not null),
    'listener_connected', exists (select from pg_catalog.pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
        and l.database = (select d.oid from pg_catalog.pg_database d
          where d.datname = pg_catalog.current_database())
        and (l.classid::bigint << 32) | l.objid::bigint = ${LISTENER_LOCK_KEY}),
    'recording_failures', (select coalesce(json_agg(f), '[]')
      from quoin.recording_failures(${RECORDING_FAILURES_MAX}) f))`

interface OwnerProbed<Facts> extends Probed {
  /** The statement's one row; undefined where it did not come. */
  facts: Facts | undefined
}

/**
 * Asks the statement as the owner, within two seconds. A database that answers but lacks what is asked is up, with that
 * problem. Never throws.
 */
export async function askOwner<Facts>(
  platform: Pick<PlatformDatabase, 'query'>,
  sql: string,
  params: readonly string[] = [],
): Promise<OwnerProbed<Facts>> {
  const startedAt = performance.now()
  try {
    const [facts] = await deadline(PROBE_TIMEOUT_MS, platform.query<Facts>(sql, params, 'repeatable'))
    return { state: 'up', latencyMs: latencySince(startedAt), problems: [], facts }
  } catch (err) {
    logProbeFailure('status_unreadable', err)
    if (!(err instanceof PostgresError))
      return { ...down(refusalProblem('DATABASE_URL', err) ?? DATABASE_DOWN), facts: undefined }
    const latencyMs = latencySince(startedAt)
    return { state: 'up', latencyMs, problems: [TABLES_UNREADABLE], facts: undefined }
  }
}
