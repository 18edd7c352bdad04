// Real changes to real tables on their whole way, and receivers of every kind at the end of it: nothing here knows what
// stands in between.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { type Receiver, type Respond, startReceiver } from '../../support/receiver.ts'
import { watchTable } from '../../support/webhooks.ts'

let owner: TestClient
const tables: string[] = []

beforeAll(async () => {
  owner = await connectOwner()
})

afterAll(async () => {
  await owner.query('delete from quoin.webhooks where table_name = any($1)', [tables])
  for (const table of tables) await owner.query(`drop table if exists public.${table}`)
  await owner.end()
})

interface Watched {
  table: string
  webhookId: string
  receiver: Receiver
}

async function watching(
  columns: string,
  respond: Respond | undefined,
  run: (watched: Watched) => Promise<void>,
) {
  await using receiver = await startReceiver(respond)
  const table = `watched_${randomUUID().slice(0, 8)}`
  tables.push(table)
  await owner.query(`create table public.${table} (${columns})`)
  const webhookId = await watchTable(owner, table, `${receiver.url}/hook`)
  await run({ table, webhookId, receiver })
}

function logOf({ webhookId }: Watched) {
  return vi.waitFor(async () => {
    const { rows } = await owner.query(
      'select status_code, error, response_body, latency_ms from quoin.webhook_deliveries ' +
        'where webhook_id = $1 order by created_at limit 1',
      [webhookId],
    )
    expect(rows).toHaveLength(1)
    return rows[0]
  }, 45_000)
}

const outboxOf = async ({ table }: Watched) =>
  Number(
    (await owner.query('select count(*) from quoin.row_events where table_name = $1', [table])).rows[0]
      ?.count,
  )

describe('a change', () => {
  it('arrives as the six fields, for each event, in the order of its key', async () => {
    await watching('id bigint primary key, price numeric', undefined, async watched => {
      const { table, receiver } = watched
      await owner.query(`insert into public.${table} values (9007199254740993, 1.10)`)
      await owner.query(`update public.${table} set price = 2.00`)
      await owner.query(`delete from public.${table}`)
      await receiver.waitFor(({ body }) => body.includes('"DELETE"'))
      const bodies = receiver.received.map(({ body }) => body)
      const old = '{"id":9007199254740993,"price":1.10}'
      const changed = '{"id":9007199254740993,"price":2.00}'
      const expected = [
        `{"event":"INSERT","schema":"public","table":"${table}","row":${old},"old_row":null,"timestamp":"`,
        `{"event":"UPDATE","schema":"public","table":"${table}","row":${changed},"old_row":${old},"timestamp":"`,
        `{"event":"DELETE","schema":"public","table":"${table}","row":${changed},"old_row":${changed},"timestamp":"`,
      ]
      expect(bodies.map(body => body.slice(0, body.lastIndexOf('timestamp') + 12))).toEqual(expected)
      await expect.poll(() => outboxOf(watched)).toBe(0)
    })
  })

  it('of thousands of rows at once arrives for each of them, once, the values untouched', async () => {
    await watching('id int primary key, text text', undefined, async watched => {
      const { table, receiver } = watched
      await owner.query(
        `insert into public.${table} select n, 'é"\\' || repeat('x', 2000) from generate_series(1, 3000) n`,
      )
      await vi.waitFor(() => expect(receiver.received).toHaveLength(3_000), 40_000)
      const rows = receiver.received.map(({ body }) => JSON.parse(body).row)
      expect(new Set(rows.map(row => row.id)).size).toBe(3_000)
      expect(rows.every(row => row.text === `é"\\${'x'.repeat(2_000)}`)).toBe(true)
      await expect.poll(() => outboxOf(watched)).toBe(0)
    })
  })

  it('with a value of 12 MB arrives whole; one of 20 MB arrives without its row, and with the reason', async () => {
    await watching('id int primary key, text text', undefined, async watched => {
      const { table, receiver } = watched
      await owner.query(`insert into public.${table} values (1, repeat('aé😀"', 1400000))`)
      await owner.query(`insert into public.${table} values (2, repeat('x', 20000000))`)
      const whole = await receiver.waitFor(({ body }) => body.includes('😀'))
      expect(JSON.parse(whole.body).row.text === 'aé😀"'.repeat(1_400_000)).toBe(true)
      const without = await receiver.waitFor(request => request !== whole)
      expect(JSON.parse(without.body)).toMatchObject({ event: 'INSERT', table, row: null, old_row: null })
      expect(without.headers['x-quoin-payload-error']).toBe('the body is larger than 16777216 bytes')
      await expect.poll(() => outboxOf(watched)).toBe(0)
    })
  })
})

describe('a receiver', () => {
  const change = ({ table }: Watched) => owner.query(`insert into public.${table} values (1)`)

  it('that redirects is not followed', async () => {
    const redirect: Respond = (_, answer) => answer.writeHead(307, { location: '/elsewhere' }).end()
    await watching('id int primary key', redirect, async watched => {
      await change(watched)
      expect(await logOf(watched)).toMatchObject({ status_code: 307, error: 'redirect' })
      expect(watched.receiver.received.map(({ path }) => path)).toEqual(['/hook'])
    })
  })

  it('that sends without end is heard for 16 KiB', async () => {
    const flood: Respond = (_, answer) => {
      const more = () => {
        while (!answer.destroyed && answer.write('x'.repeat(64 * 1024)));
        answer.once('drain', more)
      }
      more()
    }
    await watching('id int primary key', flood, async watched => {
      await change(watched)
      const log = await logOf(watched)
      expect(log).toMatchObject({ status_code: 200, error: null })
      expect(log.response_body).toHaveLength(16 * 1024)
    })
  })

  // Servers and proxies do send such: what cannot be unpacked says nothing about whether the event was taken.
  it.each([
    ['nothing', ''],
    ['plain text', 'thanks'],
  ])('that calls %s compressed is taken at its word about the event', async (_, body) => {
    const respond: Respond = (__, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
    await watching('id int primary key', respond, async watched => {
      await change(watched)
      expect(await logOf(watched)).toMatchObject({ status_code: 200, error: null, response_body: '' })
    })
  })

  it.each<[string, Respond]>([
    ['that closes the connection', (_, answer) => answer.destroy()],
    [
      'that breaks off its answer',
      (_, answer) => {
        answer.writeHead(200, { 'content-length': '100' }).write('half', () => answer.destroy())
      },
    ],
  ])('%s has failed', async (_, respond) => {
    await watching('id int primary key', respond, async watched => {
      await change(watched)
      expect(await logOf(watched)).toMatchObject({ status_code: null, error: 'connection_failed' })
    })
  })

  it('that nobody is there for has failed', async () => {
    await watching('id int primary key', undefined, async watched => {
      await watched.receiver[Symbol.asyncDispose]()
      await change(watched)
      expect(await logOf(watched)).toMatchObject({ status_code: null, error: 'connection_failed' })
    })
  })

  // Each of the three holds a connection: together they take as long as one.
  it.concurrent.each<[string, Respond]>([
    ['that never answers', () => undefined],
    [
      'that drips its headers',
      (_, answer) => {
        answer.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
        const timer = setInterval(() => answer.socket?.write('x'), 500).unref()
        answer.once('close', () => clearInterval(timer))
      },
    ],
    [
      'that drips its body',
      (_, answer) => {
        const timer = setInterval(() => answer.write('.'), 500).unref()
        answer.once('close', () => clearInterval(timer))
      },
    ],
  ])('%s has 15 seconds, then its connection is closed', async (_, respond) => {
    const closed = Promise.withResolvers<void>()
    const respondAndWatch: Respond = (call, answer) => {
      answer.once('close', closed.resolve)
      return respond(call, answer)
    }
    await watching('id int primary key', respondAndWatch, async watched => {
      await change(watched)
      const log = await logOf(watched)
      expect(log).toMatchObject({ status_code: null, error: 'timeout' })
      expect(log.latency_ms).toBeGreaterThanOrEqual(14_900)
      expect(log.latency_ms).toBeLessThan(25_000)
      await closed.promise
    })
  })
})
