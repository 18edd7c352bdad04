// Which tables sockets watch, as an isolate knows it, and in which life of the database.

import type { PlatformDatabase } from '../../../db/database.ts'
import { VersionedRegistry } from '../../row-changes/consume/versioned-registry.ts'

export interface WatchedTables {
  version: number
  table_ids: number[]
  /** Of `realtime.messages`. */
  messages_id: number | null
  epoch: string
  gaps: number
}

// One statement, so that all of it is of one moment.
const SQL = `
  select r.version, s.gaps, (select epoch from quoin.database_epoch) as epoch,
    to_regclass('realtime.messages')::oid::bigint as messages_id,
    (select coalesce(json_agg(w.table_id::bigint), '[]') from quoin.realtime_watches w) as table_ids
  from quoin.webhook_registry r cross join quoin.realtime_state s`

/** What sockets watch, as the database has it. Throws when it does not answer. */
export function watchRegistry(platform: Pick<PlatformDatabase, 'query'>): VersionedRegistry<WatchedTables> {
  return new VersionedRegistry(async () => {
    const [tables] = await platform.query<WatchedTables>(SQL, [], 'repeatable')
    if (tables === undefined) throw new Error('quoin.realtime_state is empty')
    return tables
  })
}
