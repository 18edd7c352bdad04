// What was sent to a private topic from the database before a client joined it, for a join that asks for it: of that
// what policies show to the caller.

import { callerClaims } from '../../src/db/caller-session.ts'
import { type ChannelRecord, type HubSocket, roleOf } from '../../src/features/realtime/hub/channel.ts'
import { sightSession } from '../../src/features/realtime/sight/ask-sight.ts'
import { bareTopic } from '../../src/features/realtime/wire/topic.ts'
import type { HubParts } from './hub-parts.ts'
import { messageOf, type RowMessage } from './message-row.ts'

const TIMEOUT_MS = 2_000
const SET_TOPIC = "select pg_catalog.set_config('realtime.topic', $1, true)"
const SQL = `
  select row_to_json(m)::text from realtime.messages m
  where m.topic = $1 and m.private and m.extension = 'broadcast'
    and m.inserted_at >= to_timestamp($2::float8 / 1000) at time zone 'UTC'
  order by m.inserted_at desc, m.ctid desc limit $3::int`

/** The last `limit` messages since then (milliseconds since 1970), oldest first. */
export async function replayMessages(
  { data, config, share }: HubParts,
  { pass }: HubSocket,
  { claims, topic }: Pick<ChannelRecord, 'claims' | 'topic'>,
  { since, limit }: { since: number; limit: number },
): Promise<RowMessage[]> {
  const role = roleOf(config, pass, claims)
  const session = {
    ...sightSession(config, TIMEOUT_MS, share),
    role,
    claims: callerClaims(role, claims),
  }
  const name = bareTopic(topic)
  const statements = [
    { sql: SET_TOPIC, params: [name] },
    { sql: `${SQL}/*${role}*/`, params: [name, String(since), String(limit)] },
  ]
  const [, result] = await data.batch(session, statements, { prepared: true, readOnly: true })
  return (result?.rows ?? []).reverse().flatMap(([row]) => messageOf(row ?? null) ?? [])
}
