// What users do to watched tables behind our back (another primary key, a new trigger, a dropped table) is followed within
// a minute: by the cron of every minute, which puts each table's triggers as they should be.

import type { WatchingDeps } from './find-table.ts'
import { settleAllWatches } from './settle-watch.ts'

/** Settles every watched table; one that is busy is tried again the next minute, and said in the log. */
export async function repairWatches(deps: WatchingDeps): Promise<void> {
  const failures = await settleAllWatches(deps)
  for (const [tableId, err] of failures) {
    console.warn(
      JSON.stringify({ level: 'warn', code: 'watch_not_settled', table_id: tableId, message: String(err) }),
    )
  }
}
