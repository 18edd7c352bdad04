// Messages of the queue that no consumer could handle: written down, shown, and done with once their chunks are. In a
// database of the file's own, whose outbox nobody empties.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { fireCron } from '../../../local/crons.ts'
import type { PlatformDatabase } from '../../../src/db/database.ts'
import type { QueuedMessage } from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import {
  keepDeadMessages,
  resolveDeadMessages,
} from '../../../src/features/row-changes/consume/dead-messages.ts'
import { confirmChunks } from '../../../src/features/row-changes/consume/outbox.ts'
import { platformStatusOf } from '../../support/platform-status.ts'
import { connectOwner } from '../../support/postgres.ts'
import { makeChunk } from '../../support/webhooks.ts'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase
let table: string

beforeAll(async () => {
  db = await openOutboxDatabase()
  table = await db.watched('id int primary key')
})

afterAll(async () => {
  await db.end()
})

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(async () => {
  vi.restoreAllMocks()
  await db.owner.query('delete from quoin.dead_letters; delete from quoin.row_events')
})

/** Writes a row for each chunk, and answers the chunks' ids. */
async function writeChunks(count: number): Promise<string[]> {
  await db.owner.query(`delete from ${table}; delete from quoin.row_events`)
  for (let n = 0; n < count; n++) await db.owner.query(`insert into ${table} values (${n})`)
  return (await db.chunks(table)).filter(({ event }) => event === 'INSERT').map(({ id }) => String(id))
}

function messageOf(chunkIds: readonly string[]) {
  const chunks = chunkIds.map(id => makeChunk({ id: 'w', table: 'notes', tableId: 1 }, { id }))
  return {
    body: JSON.stringify({ registry_version: 1, chunks }),
    attempts: 1,
    ack: vi.fn(),
    retry: vi.fn(),
  } satisfies QueuedMessage
}

async function keep(chunkIds: readonly string[], platform: PlatformDatabase = db.platform) {
  const message = messageOf(chunkIds)
  await keepDeadMessages({ platform }, [message])
  return message
}

async function letters() {
  const { rows } = await db.owner.query(
    'select webhook_id, reason, payload, resolved_at from quoin.dead_letters order by created_at',
  )
  return rows
}

async function lettersInStatus() {
  const { dead_letters, unhandled_messages } = (await platformStatusOf(db.platform)).webhooks
  return { dead_letters, unhandled_messages }
}

describe('a message that no consumer could handle', () => {
  it('is written down whole, once, acknowledged, and told with its tables and chunks', async () => {
    const ids = await writeChunks(2)
    const message = await keep(ids)
    await keep(ids)
    expect(message.ack).toHaveBeenCalledOnce()
    expect(message.retry).not.toHaveBeenCalled()
    expect(await letters()).toEqual([
      { webhook_id: null, reason: 'message_not_handled', payload: message.body, resolved_at: null },
    ])
    const lines = vi.mocked(console.error).mock.calls.map(([line]) => JSON.parse(String(line)))
    expect(lines).toMatchObject([
      { level: 'error', code: 'message_not_handled', tables: ['public.notes'], chunk_ids: ids },
    ])
    expect(JSON.stringify(lines)).not.toContain('"row"')
  })

  it('is counted in GET /v1/status until it is resolved', async () => {
    const ids = await writeChunks(1)
    expect(await lettersInStatus()).toEqual({ dead_letters: 0, unhandled_messages: 0 })
    await keep(ids)
    expect(await lettersInStatus()).toEqual({ dead_letters: 0, unhandled_messages: 1 })
    await confirmChunks(db.platform, ids)
    await resolveDeadMessages(db)
    expect(await lettersInStatus()).toEqual({ dead_letters: 0, unhandled_messages: 0 })
  })

  it('is resolved when the last of its chunks has left the outbox, however many those are', async () => {
    const ids = await writeChunks(30)
    await keep(ids)
    await confirmChunks(db.platform, ids.slice(0, -1))
    await resolveDeadMessages(db)
    expect(await letters()).toMatchObject([{ resolved_at: null }])
    await confirmChunks(db.platform, ids.slice(-1))
    await resolveDeadMessages(db)
    expect(await letters()).toMatchObject([{ resolved_at: expect.any(Date) }])
  })

  it('is resolved by the cron of every minute', async () => {
    await using owner = await connectOwner()
    const { rows } = await owner.query(
      "insert into quoin.dead_letters (event_id, reason) values ('9007199254740993', 'message_not_handled') " +
        'returning id',
    )
    await fireCron(inject('stack').base_url, '* * * * *')
    const after = await owner.query('select resolved_at from quoin.dead_letters where id = $1', [rows[0].id])
    expect(after.rows).toEqual([{ resolved_at: expect.any(Date) }])
  })

  // The listener sends a chunk again after a minute: another copy may have been handled while this one was tried.
  it('is nothing to tell when its chunks have left the outbox meanwhile', async () => {
    const ids = await writeChunks(1)
    await confirmChunks(db.platform, ids)
    const message = await keep(ids)
    expect(message.ack).toHaveBeenCalledOnce()
    expect(await letters()).toEqual([])
    expect(console.error).not.toHaveBeenCalled()
  })

  it('is tried again later when Postgres does not take it', async () => {
    const ids = await writeChunks(1)
    const query = () => Promise.reject(new Error('away'))
    const message = await keep(ids, { query } as Partial<PlatformDatabase> as PlatformDatabase)
    expect(message.ack).not.toHaveBeenCalled()
    expect(message.retry).toHaveBeenCalledOnce()
  })
})

it('counts events that were given up in GET /v1/status, of webhooks that there are', async () => {
  const id = await db.addWebhook(table, ['INSERT'])
  await db.owner.query(
    `insert into quoin.dead_letters (webhook_id, event_id, reason, resolved_at) values
      ($1, '1.0', 'attempts_exhausted', null), ($1, '2.0', 'attempts_exhausted', now()),
      (gen_random_uuid(), '3.0', 'attempts_exhausted', null)`,
    [id],
  )
  expect(await lettersInStatus()).toEqual({ dead_letters: 1, unhandled_messages: 0 })
})
