// Messages that SQL sent are kept for a while, for clients that ask for a replay, and then deleted.

import type { PlatformDatabase } from '../../../db/database.ts'

// Some at a time: what is left goes in the next hour.
const DELETE = `
  delete from realtime.messages where id in (
    select id from realtime.messages where inserted_at < (now() at time zone 'UTC') - interval '72 hours'
    order by inserted_at limit 50000)
  returning 1`

/** Deletes messages that are older than 72 hours. Called every hour. */
export async function expireMessages({
  platform,
}: {
  platform: Pick<PlatformDatabase, 'texts'>
}): Promise<void> {
  await platform.texts(DELETE, [], 'repeatable')
}
