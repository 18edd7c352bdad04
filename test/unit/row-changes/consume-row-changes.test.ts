// In which order the consumer hands chunks to a webhook's object, which sends the first of a key as soon as it has it.
// Also what becomes of the others when one cannot be handed over.

import { expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import {
  type ConsumeDeps,
  consumeRowChanges,
  type QueuedMessage,
} from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import type { Chunk } from '../../../src/features/row-changes/ingest/messages.ts'
import { eventIdOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import type { EventShare, FanoutEvent } from '../../../src/features/webhooks/delivery/fanout-contract.ts'
import { CHUNK, subscribedWebhook } from '../../support/row-changes.ts'

/** One change of key 1; `isReferenced`: too large for a message, read from the outbox. */
function chunkOf(id: string, isReferenced = false): Chunk {
  return { ...CHUNK, id, ...(isReferenced ? { changes: null } : {}) }
}

interface Outcome {
  /** Ids in the order in which the object stored them. */
  stored: string[]
  acknowledged: number
  retried: number
}

/** Consumes one message; the first `failures` calls of the object fail. */
async function consume(chunks: Chunk[], failures = 0): Promise<Outcome> {
  const outcome: Outcome = { stored: [], acknowledged: 0, retried: 0 }
  let left = failures
  const store = async ({ events }: EventShare) => {
    left -= 1
    if (left >= 0) throw new Error('the object does not answer')
    outcome.stored.push(...events.map(({ position }) => eventIdOf(position)))
  }
  const texts = async (sql: string) =>
    sql.includes('octet_length')
      ? [['0', '["1"]', null, null, '16']]
      : [['["1"]', null, '{"id":1}', '{"id":1}', null]]
  const deps = {
    platform: { texts },
    rowChangeSubscribers: [subscribedWebhook(store)],
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
  expect(outcome).toEqual({ stored: ['1.0', '2.0', '3.0', '4.0'], acknowledged: 1, retried: 0 })
})

it('hands on nothing of a message behind what could not be handed over', async () => {
  const small = await consume([chunkOf('1'), chunkOf('2', true), chunkOf('3')], 1)
  expect(small).toEqual({ stored: [], acknowledged: 0, retried: 1 })
  const large = await consume([chunkOf('1', true), chunkOf('2'), chunkOf('3', true)], 1)
  expect(large).toEqual({ stored: [], acknowledged: 0, retried: 1 })
})

/**
 * Consumes a message for each text; the outbox answers `texts`. Answers what was stored, confirmed and acknowledged.
 */
async function consumeAll(bodies: string[], texts: (sql: string) => Promise<unknown[][]>) {
  const events: FanoutEvent[] = []
  const confirmed: string[] = []
  const acknowledged: number[] = []
  const deps = {
    platform: {
      texts: async (sql: string, [first]: string[]) => {
        if (!sql.includes('delete from quoin.row_events')) return await texts(sql)
        confirmed.push(String(first))
        return []
      },
    },
    rowChangeSubscribers: [subscribedWebhook(async batch => void events.push(...batch.events))],
  } as Partial<Record<keyof ConsumeDeps, unknown>> as ConsumeDeps
  const messages = bodies.map((body, index) => ({
    body,
    attempts: 1,
    ack: () => void acknowledged.push(index),
    retry: () => undefined,
  }))
  await consumeRowChanges(deps, messages)
  return { events, confirmed, acknowledged }
}

const messageOf = (...chunks: Chunk[]) => JSON.stringify({ registry_version: 1, chunks })

/** An outbox that fails at whatever reads images. */
const failingWith = (code: string) => async (sql: string) => {
  if (sql.includes('quoin.changes_in')) throw new PostgresError({ code, message: 'as Postgres says' })
  return [
    ['["1"]', null, null],
    ['["2"]', null, 'its own'],
  ]
}

it.each(['XX001', '22P05'])(
  'tells of the changes of a chunk that cannot be read (%s) without rows',
  async code => {
    const bodies = [messageOf({ ...chunkOf('2', true), change_count: 2 }, chunkOf('3'))]
    const { events, confirmed, acknowledged } = await consumeAll(bodies, failingWith(code))
    expect(
      events.map(({ position, key, payload_error }) => [eventIdOf(position), key, payload_error]),
    ).toEqual([
      ['2.0', '["1"]', 'the row cannot be read: as Postgres says'],
      ['2.1', '["2"]', 'its own'],
      ['3.0', '["1"]', null],
    ])
    expect(JSON.parse(events[0]?.payload ?? '')).toMatchObject({ event: 'UPDATE', row: null, old_row: null })
    expect([confirmed, acknowledged]).toEqual([['{2,3}'], [0]])
  },
)

it('tries again what took Postgres too long to read', async () => {
  const { events, acknowledged } = await consumeAll([messageOf(chunkOf('2', true))], failingWith('57014'))
  expect([events, acknowledged]).toEqual([[], []])
})

it.each([
  ['is no message', '{'],
  ['has a time that is none', messageOf({ ...chunkOf('9'), occurred_at: 'never' })],
])('hands over what came with a message that %s', async (_, bad) => {
  const bodies = [messageOf(chunkOf('1')), bad, messageOf(chunkOf('2'))]
  const { events, confirmed, acknowledged } = await consumeAll(bodies, async () => [])
  expect(events.map(({ position }) => eventIdOf(position))).toEqual(['1.0', '2.0'])
  expect([confirmed, acknowledged]).toEqual([['{1,2}'], [0, 2]])
})
