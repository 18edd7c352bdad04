// In which order the consumer hands chunks to a webhook's object, which sends the first of a key as soon as it has it.

import { expect, it } from 'vitest'
import {
  type ConsumeDeps,
  consumeRowChanges,
  type QueuedMessage,
} from '../../../src/features/webhooks/consume/consume-row-changes.ts'
import type { Chunk } from '../../../src/features/webhooks/ingest/messages.ts'

const WEBHOOK = { id: 'w', table_ids: [1], events: ['UPDATE'], version: 1 }

/** One change of key 1; `isReferenced`: too large for a message, read from the outbox. */
function chunkOf(id: string, isReferenced = false): Chunk {
  const change = { key: '["1"]', row: '{"id":1}', old_row: '{"id":1}' }
  return {
    id,
    table_id: 1,
    table_schema: 'public',
    table_name: 'todos',
    event: 'UPDATE',
    occurred_at: '2026-01-01T00:00:00.000Z',
    request_id: null,
    change_count: 1,
    changes: isReferenced ? null : [change],
  }
}

interface Outcome {
  /** Chunk ids in the order in which the object stored them. */
  stored: number[]
  acknowledged: number
  retried: number
}

/** Consumes one message; the first `failures` calls of the object fail. */
async function consume(chunks: Chunk[], failures = 0): Promise<Outcome> {
  const outcome: Outcome = { stored: [], acknowledged: 0, retried: 0 }
  let left = failures
  const store = async ({ events }: { events: { position: number }[] }) => {
    left -= 1
    if (left >= 0) throw new Error('the object does not answer')
    outcome.stored.push(...events.map(({ position }) => Math.floor(position / 1_024)))
  }
  const texts = async (sql: string) =>
    sql.includes('octet_length') ? [['0', '["1"]', null, '8', '8']] : [['{"id":1}', '{"id":1}']]
  const deps = {
    platform: { texts },
    webhookRegistry: { at: async () => [WEBHOOK] },
    fanouts: { byId: () => ({ store }) },
  } as Partial<Record<keyof ConsumeDeps, unknown>> as ConsumeDeps
  const message: QueuedMessage = {
    body: JSON.stringify({ registry_version: 1, chunks }),
    attempts: 1,
    ack: () => {
      outcome.acknowledged += 1
    },
    retry: () => {
      outcome.retried += 1
    },
  }
  await consumeRowChanges(deps, [message])
  return outcome
}

it('keeps the order of a key where a large chunk stands between small ones', async () => {
  const outcome = await consume([chunkOf('1'), chunkOf('2', true), chunkOf('3'), chunkOf('4', true)])
  expect(outcome).toEqual({ stored: [1, 2, 3, 4], acknowledged: 1, retried: 0 })
})

it('hands on nothing of a message behind what could not be handed over', async () => {
  const small = await consume([chunkOf('1'), chunkOf('2', true), chunkOf('3')], 1)
  expect(small).toEqual({ stored: [], acknowledged: 0, retried: 1 })
  const large = await consume([chunkOf('1', true), chunkOf('2'), chunkOf('3', true)], 1)
  expect(large).toEqual({ stored: [], acknowledged: 0, retried: 1 })
})
