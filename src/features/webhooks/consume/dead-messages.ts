// The consumer of the queue `row-changes-dead`: messages that could not be handled, written down for people to see. Their
// chunks are still in the outbox, and the listener sends them again: nothing is lost with a message.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { Chunk } from '../ingest/messages.ts'
import type { QueuedMessage } from './consume-row-changes.ts'

const RETRY_DELAY_SECONDS = 60
const IDS_SHOWN_MAX = 20

/** Writes each message down, once as long as it is unresolved. Never throws. */
export async function keepDeadMessages(
  { platform }: { platform: PlatformDatabase },
  messages: readonly QueuedMessage[],
): Promise<void> {
  for (const message of messages) {
    try {
      await keep(platform, String(message.body))
      message.ack()
    } catch (err) {
      const cause = String(err)
      console.error(
        JSON.stringify({ level: 'error', component: 'row-changes', message: 'dead letter not kept', cause }),
      )
      message.retry({ delaySeconds: RETRY_DELAY_SECONDS })
    }
  }
}

async function keep(platform: PlatformDatabase, body: string): Promise<void> {
  await platform.query(
    `insert into quoin.dead_letters (event_id, reason, payload)
      select $1, 'message_not_handled', $2
      where not exists (
        select from quoin.dead_letters where webhook_id is null and event_id = $1 and resolved_at is null)
      returning id`,
    [chunkIdsIn(body), body],
  )
}

/** What makes the same chunks, sent again, the same dead letter. */
function chunkIdsIn(body: string): string {
  const { chunks } = JSON.parse(body) as { chunks: Chunk[] }
  return chunks
    .slice(0, IDS_SHOWN_MAX)
    .map(chunk => chunk.id)
    .join(',')
}
