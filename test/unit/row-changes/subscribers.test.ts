// What holds between subscribers of row changes: each gets what it wants, none waits for what another one fails at, and
// a chunk stays in the outbox as long as one that never gives up has not got it.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import {
  type ConsumeDeps,
  consumeRowChanges,
} from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import type { RowChange, RowChangeSubscriber } from '../../../src/features/row-changes/consume/subscriber.ts'
import type { Chunk } from '../../../src/features/row-changes/ingest/messages.ts'
import { eventIdOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import { CHANGE, CHUNK, subscribedWebhook } from '../../support/row-changes.ts'

const warnings: string[] = []
/** Ids of the chunks that `logOf` was told of. */
const passedBy: string[] = []

beforeEach(() => {
  warnings.length = 0
  passedBy.length = 0
  vi.spyOn(console, 'warn').mockImplementation(line => void warnings.push(String(line)))
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A subscriber of all changes of the table with the oid 1, as a log of a few lines would be. */
function logOf(lines: string[], more: Partial<RowChangeSubscriber> = {}): RowChangeSubscriber {
  const store = async (changes: readonly RowChange[]) => {
    for (const { chunk, index, row } of changes) lines.push(`${chunk.id}.${index} ${row}`)
    return 'stored' as const
  }
  return {
    name: 'log',
    gaveUp: async chunks => void passedBy.push(...chunks.map(({ id }) => id)),
    recipientsOf: async ({ table_id }) => (table_id === 1 ? [{ id: 'all', store }] : []),
    followTables: async () => new Map(),
    ...more,
  }
}

/** A subscriber whose one recipient does this with what it gets. */
const doing = (store: () => Promise<'stored' | 'gave_up'>, more: Partial<RowChangeSubscriber> = {}) =>
  logOf([], { ...more, recipientsOf: async () => [{ id: 'all', store }] })

/** Webhooks, and where their one object keeps the ids of events. */
function webhookInto(ids: string[], fails: () => boolean = () => false): RowChangeSubscriber {
  return subscribedWebhook(async ({ events }) => {
    if (fails()) throw new Error('the object does not answer')
    ids.push(...events.map(({ position }) => eventIdOf(position)))
  })
}

const chunkOf = (id: string, more: Partial<Chunk> = {}): Chunk => ({ ...CHUNK, id, ...more })

/** Consumes a message for each list of chunks; answers how each ended, and what was confirmed. */
async function consume(
  rowChangeSubscribers: RowChangeSubscriber[],
  messages: Chunk[][],
  read: (sql: string) => Promise<unknown[][]> = async () => [],
) {
  const confirmed: string[] = []
  const ended: string[] = []
  const texts = async (sql: string, [ids]: string[]) => {
    if (!sql.startsWith('delete')) return await read(sql)
    confirmed.push(...String(ids).replace(/[{}]/g, '').split(','))
    return []
  }
  await consumeRowChanges(
    { platform: { texts }, rowChangeSubscribers } as unknown as ConsumeDeps,
    messages.map((chunks, i) => ({
      body: JSON.stringify({ registry_version: 1, chunks }),
      attempts: 1,
      ack: () => {
        ended[i] = 'acknowledged'
      },
      retry: () => {
        ended[i] = 'retried'
      },
    })),
  )
  return { confirmed, ended }
}

/** An outbox whose chunks have one change each, with the row `{"id":2}`. */
const READABLE = async (sql: string) =>
  sql.includes('octet_length')
    ? [['0', '["1"]', null, null, '16']]
    : [['["1"]', null, '{"id":2}', null, null]]

it('a second subscriber gets what it wants, with the rows as Postgres wrote them', async () => {
  const [lines, ids]: [string[], string[]] = [[], []]
  const row = '{"id": 12345678901234567890, "n": 1.10}'
  const chunks = [chunkOf('1', { changes: [{ ...CHANGE, row }, CHANGE] }), chunkOf('2', { table_id: 2 })]
  const { confirmed } = await consume([webhookInto(ids), logOf(lines)], [chunks])
  expect(lines).toEqual([`1.0 ${row}`, '1.1 {"id":1}'])
  expect([ids, confirmed]).toEqual([
    ['1.0', '1.1'],
    ['1', '2'],
  ])
})

it('a webhook that does not take its events holds up its own message, and no other subscriber', async () => {
  const [lines, ids]: [string[], string[]] = [[], []]
  let isDown = true
  const subscribers = [webhookInto(ids, () => isDown), logOf(lines)]
  const messages = [
    [chunkOf('1'), chunkOf('2', { changes: null }), chunkOf('3')],
    [chunkOf('4', { table_id: 2 })],
  ]
  const first = await consume(subscribers, messages, READABLE)
  expect(first).toEqual({ confirmed: ['4'], ended: ['retried', 'acknowledged'] })
  expect(lines).toEqual(['1.0 {"id":1}', '2.0 {"id":2}', '3.0 {"id":1}'])
  expect(ids).toEqual([])
  isDown = false
  expect(await consume(subscribers, messages, READABLE)).toMatchObject({
    ended: ['acknowledged', 'acknowledged'],
  })
  // Whoever had it gets it again: each keeps by chunk and index what it has.
  expect(ids).toEqual(['1.0', '2.0', '3.0'])
  expect(lines).toHaveLength(6)
})

it.each([
  ['throws', () => Promise.reject(new Error('no room'))],
  ['says that it gave up', async () => 'gave_up' as const],
])('one that may give up and %s holds nothing up', async (_, store) => {
  const ids: string[] = []
  const outcome = await consume([webhookInto(ids), doing(store)], [[chunkOf('1')]])
  expect([outcome, ids]).toEqual([{ confirmed: ['1'], ended: ['acknowledged'] }, ['1.0']])
  expect(warnings).toEqual([expect.stringMatching(/"gave up","subscriber":"log".*"chunk_ids":\["1"\]/)])
  expect(passedBy).toEqual(['1'])
})

it('one that may give up and hangs is waited for ten seconds, once a batch', async () => {
  vi.useFakeTimers()
  const ids: string[] = []
  const hanging = doing(() => new Promise(() => {}))
  const chunks = [chunkOf('1'), chunkOf('2', { changes: null }), chunkOf('3', { changes: null })]
  const consuming = consume([webhookInto(ids), hanging], [chunks, [chunkOf('4')]], READABLE)
  await vi.advanceTimersByTimeAsync(9_900)
  expect(ids).toEqual(['1.0', '2.0', '3.0', '4.0'])
  await vi.advanceTimersByTimeAsync(200)
  expect(await consuming).toEqual({
    confirmed: ['1', '2', '3', '4'],
    ended: ['acknowledged', 'acknowledged'],
  })
  expect(warnings).toEqual([expect.stringContaining('"message":"gave up","subscriber":"log"')])
  expect(passedBy).toEqual(['1', '2', '3', '4'])
})

it('one that may give up and cannot say who wants a chunk holds nothing up', async () => {
  const lost = logOf([], { recipientsOf: () => Promise.reject(new Error('no registry')) })
  expect(await consume([lost], [[chunkOf('1')]])).toEqual({ confirmed: ['1'], ended: ['acknowledged'] })
  expect(passedBy).toEqual(['1'])
})

it('one that may give up loses nothing where the outbox cannot be read just now', async () => {
  const lines: string[] = []
  const fails = () => Promise.reject(new PostgresError({ code: '57014', message: 'timeout' }))
  const outcome = await consume([logOf(lines)], [[chunkOf('1', { changes: null })]], fails)
  expect([outcome, lines]).toEqual([{ confirmed: [], ended: ['retried'] }, []])
})

/** A chunk of four changes without keys, read in two runs. */
const IN_TWO_RUNS = async (sql: string) =>
  sql.includes('octet_length')
    ? [0, 1, 2, 3].map(index => [String(index), null, null, null, '900000'])
    : ['{"id":1}', '{"id":2}'].map(row => [null, null, row, null, null])

it('no run of a chunk follows one that was not stored: its changes may have a key in common', async () => {
  const ids: string[] = []
  let calls = 0
  const webhook = webhookInto(ids, () => ++calls === 1)
  const { ended } = await consume([webhook], [[chunkOf('1', { changes: null })]], IN_TWO_RUNS)
  expect([ended, ids, calls]).toEqual([['retried'], [], 1])
})

it('one that was cut off is handed nothing more', async () => {
  vi.useFakeTimers()
  let calls = 0
  const slow = doing(async () => {
    calls += 1
    await new Promise(resolve => setTimeout(resolve, 11_000))
    return 'stored'
  })
  const consuming = consume([slow], [[chunkOf('1', { changes: null })]], IN_TWO_RUNS)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await consuming).toEqual({ confirmed: ['1'], ended: ['acknowledged'] })
  expect([calls, passedBy]).toEqual([1, ['1']])
})

it('one that never gives up and fails has the message tried again', async () => {
  const failing = doing(() => Promise.reject(new Error('no room')), { gaveUp: null })
  expect(await consume([failing], [[chunkOf('1')]])).toEqual({ confirmed: [], ended: ['retried'] })
})

it('what cannot be read reaches each subscriber without its rows', async () => {
  const [lines, ids]: [string[], string[]] = [[], []]
  const read = async (sql: string) => {
    if (sql.includes('quoin.changes_in')) throw new PostgresError({ code: 'XX001', message: 'broken page' })
    return [['["1"]', null, null]]
  }
  const subscribers = [webhookInto(ids), logOf(lines)]
  const { ended } = await consume(subscribers, [[chunkOf('1', { changes: null })]], read)
  expect([ended, ids, lines]).toEqual([['acknowledged'], ['1.0'], ['1.0 null']])
})

it('rows that are too large to hold are read part by part, by whoever wants them', async () => {
  const parts: string[] = []
  const reader = logOf([], {
    recipientsOf: async () => [
      {
        id: 'all',
        store: async ([change]) => {
          for await (const part of change?.large?.read('new') ?? []) parts.push(part)
          return 'stored'
        },
      },
    ],
  })
  const answers = [[['0', '["1"]', null, null, String(2 ** 21)]], [['x'.repeat(2_000_000)]], [['y']]]
  const { ended } = await consume(
    [reader],
    [[chunkOf('1', { changes: null })]],
    async () => answers.shift() ?? [],
  )
  expect([ended, parts.map(part => part.length)]).toEqual([['acknowledged'], [2_000_000, 1]])
})
