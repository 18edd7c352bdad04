// Which event a free lane takes next, on Node's own SQLite, with attempts that end when the test says so.
// test/objects shows the lanes in the runtime; what must fall into one microtask is shown here.

import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { DeliveryLanes } from '../../../durable-objects/webhook-fanout/delivery-lanes.ts'
import { settleAttempt } from '../../../durable-objects/webhook-fanout/settlement.ts'
import { FanoutStorage } from '../../../durable-objects/webhook-fanout/storage.ts'
import { positionOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent } from '../../../src/features/webhooks/delivery/fanout-contract.ts'
import { withRow } from '../../../src/features/webhooks/delivery/fanout-state.ts'
import { type AttemptResult, failed } from '../../../src/features/webhooks/delivery/send-attempt.ts'
import type { WebhookRow } from '../../../src/features/webhooks/delivery/webhook-row.ts'

const WEBHOOK: WebhookRow = {
  id: '00000000-0000-4000-8000-000000000001',
  table_id: 1,
  table_schema: 'public',
  table_name: 'todos',
  events: ['UPDATE'],
  url: 'https://receiver.example/',
  headers_encrypted: {},
  secret_encrypted: null,
  active: true,
  fail_count: 0,
  state: 'healthy',
  version: 1,
}

interface Sent {
  text: string
  end(result: AttemptResult): void
}

function openLanes() {
  const database = new DatabaseSync(':memory:')
  const storage = new FanoutStorage({
    exec: (query, ...bindings) => database.prepare(query).all(...bindings),
  })
  const sent: Sent[] = []
  let state = withRow(undefined, WEBHOOK)
  const sender = {
    send: (_: WebhookRow, { text }: { text: string }) =>
      new Promise<AttemptResult>(end => {
        sent.push({ text, end })
      }),
  }
  const lanes = new DeliveryLanes(sender, {
    open: () => ({ state, storage }),
    probing: () => {},
    settle: finished => {
      state = settleAttempt(storage, state, finished)
    },
    written: () => {},
    keep: () => {},
  })
  return { lanes, storage, sent }
}

function eventAt(index: number, payload: string | null): FanoutEvent {
  return {
    position: positionOf('1', index),
    key: `["${index}"]`,
    old_key: null,
    event_type: 'UPDATE',
    occurred_at_ms: 1,
    request_id: null,
    payload,
    bytes: 5,
    payload_error: null,
  }
}

it('sends a large event that was passed over once the one before is over, also when others end with that', async () => {
  const { lanes, storage, sent } = openLanes()
  const [small, ...large] = [eventAt(0, 'small'), eventAt(1, null), eventAt(2, null)]
  for (const { position } of large) storage.pieces.put(position, 0, `large ${position}`, Date.now())
  storage.add([small, ...large], Date.now())
  lanes.pump()
  await expect.poll(() => sent).toHaveLength(2)
  for (const { end } of [...sent]) end(failed('timeout', 15_000))
  await expect.poll(() => sent.map(({ text }) => text)).toContain(`large ${large[1]?.position}`)
})
