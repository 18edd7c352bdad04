// Users change watched tables behind our back: a rename, another primary key, a new trigger, a table dropped and made
// again. This is followed within a minute: by the cron of every minute, which puts subscribers and triggers as they
// should be.

import type { RowChangeSubscriber } from '../consume/subscriber.ts'
import { applyAllWatches } from './apply-watch.ts'
import type { WatchingDeps } from './find-table.ts'

export interface RepairDeps extends WatchingDeps {
  rowChangeSubscribers: readonly Pick<RowChangeSubscriber, 'name' | 'followTables'>[]
}

/** Repairs what every subscriber watches; a table that is busy is tried again the next minute, and said in the log. */
export async function repairWatches(deps: RepairDeps): Promise<void> {
  const failures: [number, unknown][] = []
  for (const { name, followTables } of deps.rowChangeSubscribers) {
    try {
      failures.push(...(await followTables()))
    } catch (err) {
      console.warn(
        JSON.stringify({
          level: 'warn',
          code: 'tables_not_followed',
          subscriber: name,
          message: String(err),
        }),
      )
    }
  }
  failures.push(...(await applyAllWatches(deps)))
  for (const [tableId, err] of failures) {
    console.warn(
      JSON.stringify({ level: 'warn', code: 'watch_not_applied', table_id: tableId, message: String(err) }),
    )
  }
}
