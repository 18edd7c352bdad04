// Users change watched tables behind our back: a rename, another primary key, a new trigger, a table dropped and made
// again. This is followed within a minute: by the cron of every minute, which puts webhooks and triggers as they should
// be.

import { applyAllWatches } from './apply-watch.ts'
import { type FollowingDeps, followRenames, watchTablesMadeAgain } from './follow-tables.ts'

/** Repairs what every webhook watches; a table that is busy is tried again the next minute, and said in the log. */
export async function repairWatches(deps: FollowingDeps): Promise<void> {
  await followRenames(deps)
  const failures = [...(await watchTablesMadeAgain(deps)), ...(await applyAllWatches(deps))]
  for (const [tableId, err] of failures) {
    console.warn(
      JSON.stringify({ level: 'warn', code: 'watch_not_applied', table_id: tableId, message: String(err) }),
    )
  }
}
