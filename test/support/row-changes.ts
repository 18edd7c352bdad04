// What the listener sends, for tests of what takes it.

import type { RowChangeSubscriber } from '../../src/features/row-changes/consume/subscriber.ts'
import type { Change, Chunk } from '../../src/features/row-changes/ingest/messages.ts'
import type { EventShare, WebhookFanouts } from '../../src/features/webhooks/delivery/fanout-contract.ts'
import {
  type WebhookSubscriberDeps,
  webhookSubscriber,
} from '../../src/features/webhooks/subscription/webhook-subscriber.ts'

/** An UPDATE of key 1. */
export const CHANGE: Change = {
  key: '["1"]',
  old_key: null,
  row: '{"id":1}',
  old_row: '{"id":1}',
  error: null,
}

/** A chunk of one change, of the table with the oid 1. */
export const CHUNK: Chunk = {
  id: '1',
  table_id: 1,
  table_schema: 'public',
  table_name: 'todos',
  event: 'UPDATE',
  occurred_at: '2026-01-01T00:00:00.000Z',
  request_id: null,
  change_count: 1,
  changes: [CHANGE],
}

/** Webhooks, of which there is one: it wants every change of the table with the oid 1, and its object is `store`. */
export function subscribedWebhook(
  store: (share: EventShare) => Promise<void>,
  version = 1,
): RowChangeSubscriber {
  const events = ['INSERT', 'UPDATE', 'DELETE'] as const
  return webhookSubscriber({
    platform: {} as WebhookSubscriberDeps['platform'],
    registry: {
      atLeast: async () => ({
        version,
        webhooks: [{ id: 'w', table_ids: [1], events: [...events], version: 1 }],
      }),
    },
    fanouts: { byId: () => ({ store }) } as unknown as WebhookFanouts,
  })
}
