// What was sent to a private topic from the database before a client joined it, for a join that asks for it. Whoever
// may read the topic may read what was sent to it.

import { bareTopic } from '../../src/features/realtime/hub/channel.ts'
import type { HubParts } from './hub-parts.ts'
import { messageOf, type RowMessage } from './message-row.ts'

const SQL = `
  select row_to_json(m)::text from realtime.messages m
  where m.topic = $1 and m.private and m.extension = 'broadcast'
    and m.inserted_at >= to_timestamp($2::float8 / 1000) at time zone 'UTC'
  order by m.inserted_at desc limit $3::int`

/** The last `limit` messages since then (milliseconds since 1970), oldest first. */
export async function replayMessages(
  { platform }: Pick<HubParts, 'platform'>,
  topic: string,
  { since, limit }: { since: number; limit: number },
): Promise<RowMessage[]> {
  const rows = await platform.texts(SQL, [bareTopic(topic), String(since), String(limit)], 'repeatable')
  return rows.reverse().flatMap(([row]) => messageOf(row ?? null) ?? [])
}
