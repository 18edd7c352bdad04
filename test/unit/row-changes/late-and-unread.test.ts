// What is handed over behind a failure, and behind the end of the ten seconds.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import {
  type ConsumeDeps,
  consumeRowChanges,
} from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import type { RowChange, RowChangeSubscriber } from '../../../src/features/row-changes/consume/subscriber.ts'
import type { Chunk } from '../../../src/features/row-changes/ingest/messages.ts'
import { eventIdOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import { CHUNK, subscribedWebhook } from '../../support/row-changes.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const chunkOf = (id: string, more: Partial<Chunk> = {}): Chunk => ({ ...CHUNK, id, ...more })

async function consume(
  rowChangeSubscribers: RowChangeSubscriber[],
  chunks: Chunk[],
  read: (sql: string, params: string[]) => Promise<unknown[][]> = async () => [],
) {
  let ended = ''
  const texts = async (sql: string, params: string[]) =>
    sql.startsWith('delete') ? [] : await read(sql, params)
  await consumeRowChanges({ platform: { texts }, rowChangeSubscribers } as unknown as ConsumeDeps, [
    {
      body: JSON.stringify({ registry_version: 1, chunks }),
      attempts: 1,
      ack: () => {
        ended = 'acknowledged'
      },
      retry: () => {
        ended = 'retried'
      },
    },
  ])
  return ended
}

/** Two runs, of which the second cannot be read. */
const SECOND_BROKEN = async (sql: string, [, from]: string[]) => {
  if (sql.includes('octet_length'))
    return [0, 1]
      .map(index => [String(index), null, null, null, '1040000'])
      .concat([['2', null, null, null, '1040000']])
  if (sql.includes('generate_series')) return [1, 2, 3].map(() => [null, null, null])
  if (from !== '1') throw new PostgresError({ code: 'XX001', message: 'broken page' })
  return [1, 2].map(() => [null, null, '{"id":1}', null, null])
}

it('a readable row that was not stored does not lose its rows to one behind it that is unreadable', async () => {
  const stored: [string, string | null][] = []
  let calls = 0
  const webhook = subscribedWebhook(async ({ events }) => {
    calls += 1
    if (calls === 1) throw new Error('the object does not answer')
    stored.push(
      ...events.map(
        ({ position, payload_error }) => [eventIdOf(position), payload_error] as [string, string | null],
      ),
    )
  })
  const ended = await consume([webhook], [chunkOf('1', { changes: null, change_count: 3 })], SECOND_BROKEN)
  expect([ended, stored]).toEqual(['retried', []])
})

it('nothing of a message goes in front of what was gathered and failed, though it be unreadable', async () => {
  const stored: string[] = []
  let calls = 0
  const webhook = subscribedWebhook(async ({ events }) => {
    calls += 1
    if (calls === 1) throw new Error('the object does not answer')
    stored.push(...events.map(({ position }) => eventIdOf(position)))
  })
  const read = async (sql: string) => {
    if (sql.includes('quoin.changes_in')) throw new PostgresError({ code: 'XX001', message: 'broken page' })
    return [['["1"]', null, null]]
  }
  const ended = await consume([webhook], [chunkOf('1'), chunkOf('2', { changes: null })], read)
  expect([ended, stored]).toEqual(['retried', []])
})

it('one that was cut off while it said who wants a chunk is handed nothing more', async () => {
  vi.useFakeTimers()
  const handed: string[] = []
  const order: string[] = []
  const store = async (changes: readonly RowChange[]) => {
    handed.push(...changes.map(({ chunk }) => chunk.id))
    order.push('stored')
    return 'stored' as const
  }
  const slow: RowChangeSubscriber = {
    name: 'slow',
    gaveUp: async () => void order.push('gave up'),
    recipientsOf: async ({ id }) => {
      if (id === '2') await new Promise(resolve => setTimeout(resolve, 11_000))
      return [{ id: 'all', store }]
    },
    followTables: async () => new Map(),
  }
  const consuming = consume([slow], [chunkOf('1'), chunkOf('2')])
  await vi.advanceTimersByTimeAsync(60_000)
  await consuming
  expect([order, handed]).toEqual([['gave up'], []])
})
