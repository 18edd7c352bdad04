// Realtime as a subscriber of row changes: which changes reach the log, in which calls, and what becomes of those that
// do not.

import { expect, it } from 'vitest'
import type { PlatformDatabase } from '../../../src/db/database.ts'
import { MESSAGES_TABLE_ID, type NewChanges } from '../../../src/features/realtime/log/log-contract.ts'
import { realtimeSubscriber } from '../../../src/features/realtime/log/realtime-subscriber.ts'
import { type WatchedTables, watchRegistry } from '../../../src/features/realtime/log/watch-registry.ts'
import { changesOf } from '../../../src/features/row-changes/consume/chunk-changes.ts'
import { consumeRowChanges } from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import type { RowChange } from '../../../src/features/row-changes/consume/subscriber.ts'
import { CHANGE, CHUNK } from '../../support/row-changes.ts'

const WATCHED: WatchedTables = { version: 1, table_ids: [1], messages_id: 99, epoch: 'e', gaps: 2 }

/** The subscriber over a database that answers `watched`, and what it did. */
function subscribed(store = async (_: NewChanges) => {}) {
  const seen = {
    shares: [] as NewChanges[],
    statements: [] as string[],
    confirmed: [] as unknown[],
    watched: WATCHED,
    readings: 0,
  }
  const query = async <Row>(sql: string) => {
    seen.statements.push(sql)
    if (!sql.includes('quoin.webhook_registry')) return []
    seen.readings += 1
    return [seen.watched] as Row[]
  }
  const texts = async (_: string, [ids]: unknown[]) => {
    seen.confirmed.push(ids)
    return []
  }
  const platform = { query, texts } as unknown as PlatformDatabase
  const log = {
    store: async (share: NewChanges) => {
      seen.shares.push(share)
      await store(share)
    },
  }
  const subscriber = realtimeSubscriber({ platform, log: () => log, registry: watchRegistry(platform) })
  const counted = () => seen.statements.filter(sql => sql.includes('gaps = gaps + 1')).length
  return { seen, subscriber, platform, counted }
}

it('takes the changes of a watched table, and those of messages under an id of their own', async () => {
  const { seen, subscriber } = subscribed()
  for (const table_id of [1, 99]) {
    const chunk = { ...CHUNK, table_id }
    const [recipient] = await subscriber.recipientsOf(chunk, 1)
    expect(await recipient?.store(changesOf(chunk, [CHANGE]))).toBe('stored')
  }
  expect(await subscriber.recipientsOf({ ...CHUNK, table_id: 2 }, 1)).toEqual([])
  expect(seen.shares).toMatchObject([
    { epoch: 'e', gaps: 2, changes: [{ event_id: 'e:1.0', table_id: 1, row: '{"id":1}', error: null }] },
    { changes: [{ table_id: MESSAGES_TABLE_ID, occurred_at: '2026-01-01T00:00:00.000Z' }] },
  ])
})

it('takes no table for messages where there is none of these', async () => {
  const { seen, subscriber } = subscribed()
  seen.watched = { ...WATCHED, messages_id: null, table_ids: [] }
  expect(await subscriber.recipientsOf({ ...CHUNK, table_id: 0 }, 1)).toEqual([])
})

it('reads what is watched again where a message saw a newer version, and takes nothing by an older one', async () => {
  const { seen, subscriber } = subscribed()
  expect(await subscriber.recipientsOf(CHUNK, 1)).toHaveLength(1)
  await subscriber.recipientsOf(CHUNK, 0)
  expect(seen.readings).toBe(1)
  seen.watched = { ...WATCHED, version: 2, table_ids: [] }
  expect(await subscriber.recipientsOf(CHUNK, 2)).toEqual([])
  await expect(subscriber.recipientsOf(CHUNK, 3)).rejects.toThrow('older than version 3')
})

it('sends a share in calls of some megabytes, in order', async () => {
  const { seen, subscriber } = subscribed()
  const change = { ...CHANGE, old_row: null, row: `"${'x'.repeat(1_000_000)}"` }
  const [recipient] = await subscriber.recipientsOf(CHUNK, 1)
  await recipient?.store(changesOf(CHUNK, Array(9).fill(change)))
  expect(seen.shares.map(({ changes }) => changes.length)).toEqual([4, 4, 1])
  expect(seen.shares.flatMap(({ changes }) => changes.map(({ event_id }) => event_id))).toEqual(
    Array.from({ length: 9 }, (_, index) => `e:1.${index}`),
  )
})

it('sends nothing behind a call that failed', async () => {
  const { seen, subscriber } = subscribed(async () => expect.fail('the log is away'))
  const change = { ...CHANGE, row: `"${'x'.repeat(3_000_000)}"` }
  const [recipient] = await subscriber.recipientsOf(CHUNK, 1)
  await expect(recipient?.store(changesOf(CHUNK, Array(3).fill(change)))).rejects.toThrow('the log is away')
  expect(seen.shares).toHaveLength(1)
})

it('sends a large row without it, unread, and says why', async () => {
  const { seen, subscriber } = subscribed()
  const read = () => expect.fail('the row was read')
  const changes = changesOf(CHUNK, [{ ...CHANGE, row: null, old_row: null }])
  const large = changes.map((change): RowChange => ({ ...change, large: { bytes: 2 ** 21, read } }))
  const [recipient] = await subscriber.recipientsOf(CHUNK, 1)
  await recipient?.store(large)
  expect(seen.shares).toMatchObject([
    { changes: [{ row: null, old_row: null, error: 'the rows have 2097152 bytes' }] },
  ])
})

it('gives up what the log does not take, counts one gap for it, and lets the chunk go', async () => {
  const { seen, subscriber, platform, counted } = subscribed(async () => expect.fail('the log is away'))
  const outcomes: string[] = []
  const message = {
    body: JSON.stringify({ registry_version: 1, chunks: [CHUNK, { ...CHUNK, id: '2' }] }),
    attempts: 1,
    ack: () => outcomes.push('ack'),
    retry: () => outcomes.push('retry'),
  }
  await consumeRowChanges({ platform, rowChangeSubscribers: [subscriber] }, [message])
  expect(outcomes).toEqual(['ack'])
  expect(seen.confirmed).toEqual(['{1,2}'])
  expect(counted()).toBe(1)
})

it('tells the log each minute what is counted by now, so that a gap is told where nothing changes', async () => {
  const { seen, subscriber } = subscribed()
  await subscriber.recipientsOf(CHUNK, 1)
  seen.watched = { ...WATCHED, gaps: 3 }
  expect(await subscriber.followTables()).toEqual(new Map())
  expect(seen.shares).toEqual([{ epoch: 'e', gaps: 3, changes: [] }])
})

it('looks after its watches although the log does not answer, and says that it did not', async () => {
  const { seen, subscriber } = subscribed(async () => expect.fail('the log is away'))
  await expect(subscriber.followTables()).rejects.toThrow('the log is away')
  expect(seen.statements.some(sql => sql.includes('quoin.realtime_watches where'))).toBe(true)
})
