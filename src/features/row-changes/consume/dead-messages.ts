// The consumer of the queue `row-changes-dead`: messages that could not be handled, written down for people to see.
// Their chunks are still in the outbox, and the listener sends them again: nothing is lost with a message, and it is
// done with once they have left.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { Chunk } from '../ingest/messages.ts'
import type { QueuedMessage } from './consume-row-changes.ts'

export interface DeadMessagesDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

const RETRY_DELAY_SECONDS = 60
const IDS_LOGGED_MAX = 20

/** Writes each message down and into the log, once as long as it is unresolved. Never throws. */
export async function keepDeadMessages(
  { platform }: DeadMessagesDeps,
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

/** Resolves those whose chunks have all left the outbox: whoever wants them has them. Called every minute. */
export async function resolveDeadMessages({ platform }: DeadMessagesDeps): Promise<void> {
  await platform.query(
    `update quoin.dead_letters d set resolved_at = now()
      where d.webhook_id is null and d.resolved_at is null and not exists (
        select from quoin.row_events e where e.id = any(string_to_array(d.event_id, ',')::bigint[]))
      returning d.id`,
  )
}

// The ids of its chunks make a message that comes again the same dead letter. One whose chunks were confirmed
// meanwhile is nothing to tell: another copy of it was handled.
const KEEP = `
  insert into quoin.dead_letters (event_id, reason, payload)
    select $1, 'message_not_handled', $2
    where exists (select from quoin.row_events where id = any(string_to_array($1, ',')::bigint[]))
      and not exists (
        select from quoin.dead_letters where webhook_id is null and event_id = $1 and resolved_at is null)
    returning id`

async function keep(platform: DeadMessagesDeps['platform'], body: string): Promise<void> {
  const { chunks } = JSON.parse(body) as { chunks: Chunk[] }
  const ids = chunks.map(chunk => chunk.id)
  const kept = await platform.query(KEEP, [ids.join(','), body])
  if (kept.length === 0) return
  console.error(
    JSON.stringify({
      level: 'error',
      component: 'row-changes',
      code: 'message_not_handled',
      message: 'a message could not be handled: its changes wait in the outbox and are sent again',
      tables: [...new Set(chunks.map(chunk => `${chunk.table_schema}.${chunk.table_name}`))],
      chunk_ids: ids.slice(0, IDS_LOGGED_MAX),
    }),
  )
}
