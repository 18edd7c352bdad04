// Deletes what has been kept long enough: attempts and dead letters, 30 days.

import type { PlatformDatabase } from '../../../db/database.ts'

/** Rows of one statement, so that it holds its locks for a moment only. */
const BATCH = 5_000
/** Statements of one run and table: an hour's rows at 800 deliveries a second, several times over. */
const BATCHES_MAX = 2_000

/** Called every hour. */
export async function expireLogs({ platform }: { platform: PlatformDatabase }): Promise<void> {
  for (const table of ['quoin.webhook_deliveries', 'quoin.dead_letters'] as const) {
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const rows = await platform.texts(
        `with gone as (
            delete from ${table} where id in (
              select id from ${table} where created_at < now() - interval '30 days' order by created_at limit ${BATCH})
            returning id)
          select count(*) from gone`,
      )
      if (Number(rows[0]?.[0] ?? 0) < BATCH) break
    }
  }
}
