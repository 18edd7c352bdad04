// All webhooks, paused ones too, as an isolate knows them: read again when a message was written by somebody who saw a
// newer registry. So no change misses a webhook that was there when it was made.

import type { PlatformDatabase } from '../../../db/database.ts'
import { VersionedRegistry } from '../../row-changes/consume/versioned-registry.ts'
import type { Chunk, ChunkEvent } from '../../row-changes/ingest/messages.ts'

/** What is needed to match a change to a webhook. */
export interface RegisteredWebhook {
  id: string
  /** The table that it watches, and those that are gone, as long as changes of theirs may be on the way. */
  table_ids: number[]
  /** TRUNCATE is never among them. */
  events: ChunkEvent[]
  version: number
}

export interface Registry {
  version: number
  webhooks: readonly RegisteredWebhook[]
}

// One statement, so that version and rows are of one moment.
const SQL = `select version, (
    select coalesce(json_agg(w), '[]') from (
      select id, (former_table_ids || table_id)::bigint[] as table_ids, events, version
      from quoin.webhooks) w) as webhooks
  from quoin.webhook_registry`

/** All webhooks, as the database has them. Throws when it does not answer. */
export function webhookRegistry(platform: Pick<PlatformDatabase, 'query'>): VersionedRegistry<Registry> {
  return new VersionedRegistry(async () => {
    const [registry] = await platform.query<Registry>(SQL, [], 'repeatable')
    if (registry === undefined) throw new Error('quoin.webhook_registry is empty')
    return registry
  })
}

/** The webhooks that a chunk is for: by the table alone, since its names may be those of another by now. */
export function matching(webhooks: readonly RegisteredWebhook[], chunk: Chunk): RegisteredWebhook[] {
  return webhooks.filter(
    ({ table_ids, events }) => table_ids.includes(chunk.table_id) && events.includes(chunk.event),
  )
}
