// The consumer of the queue `row-changes`: hands each subscriber what has changed, then confirms the chunks. A chunk is
// deleted from the outbox only when whoever wants it has answered; whatever fails before that is done again, and stored
// once. No subscriber waits for what another one fails at.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { RowChangesMessage } from '../ingest/messages.ts'
import { handOver, type OpenMessage } from './hand-over.ts'
import { confirmChunks } from './outbox.ts'
import type { RowChangeSubscriber } from './subscriber.ts'

export interface ConsumeDeps {
  platform: PlatformDatabase
  rowChangeSubscribers: readonly RowChangeSubscriber[]
}

/** A message of the queue, as far as it is used. */
export interface QueuedMessage {
  readonly body: unknown
  /** Deliveries of this message, this one included. */
  readonly attempts: number
  ack(): void
  retry(options: { delaySeconds: number }): void
}

const RETRY_DELAY_SECONDS_MAX = 30

/** Handles a batch: each message is acknowledged or retried by itself. Never throws. */
export async function consumeRowChanges(
  deps: ConsumeDeps,
  messages: readonly QueuedMessage[],
): Promise<void> {
  const opened = messages.map(({ body }) => openMessage(body))
  try {
    await Promise.all(
      deps.rowChangeSubscribers.map(subscriber => handOver(deps.platform, subscriber, opened)),
    )
    const done = opened.filter(({ failures }) => failures.size === 0)
    const ids = done.flatMap(({ chunks }) => chunks.map(chunk => chunk.id))
    if (ids.length > 0) await confirmChunks(deps.platform, ids)
  } catch (err) {
    for (const { failures } of opened) failures.set(null, err)
  }
  for (const [i, message] of messages.entries()) acknowledge(message, opened[i]?.failures)
}

function openMessage(body: unknown): OpenMessage {
  try {
    // Checked when it was put there (`RowChangesIn`).
    const { chunks, registry_version } = JSON.parse(String(body)) as RowChangesMessage
    return { chunks, registryVersion: registry_version, failures: new Map() }
  } catch (err) {
    return { chunks: [], registryVersion: 0, failures: new Map([[null, err]]) }
  }
}

function acknowledge(message: QueuedMessage, failures: OpenMessage['failures'] = new Map()): void {
  if (failures.size === 0) {
    message.ack()
    return
  }
  const cause = [...failures.values()].map(String).join('; ')
  console.warn(JSON.stringify({ level: 'warn', component: 'row-changes', message: 'tried again', cause }))
  message.retry({ delaySeconds: Math.min(RETRY_DELAY_SECONDS_MAX, 2 ** (message.attempts - 1)) })
}
