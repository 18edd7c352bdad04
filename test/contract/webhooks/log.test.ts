// What can be read of the deliveries afterwards: the log by pages, and each webhook with its figures.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { connectOwner } from '../../support/postgres.ts'
import { startReceiver } from '../../support/receiver.ts'
import { logOf, makeTable, makeWebhook, tidyUp, webhooks, webhookViews } from './caller.ts'
import { makeChain } from './chain.ts'

afterAll(tidyUp)

/** The entries of the log, page after page to the last. */
async function pagesOf(id: string, limit: number, query = ''): Promise<Record<string, unknown>[][]> {
  const pages: Record<string, unknown>[][] = []
  let cursor = ''
  do {
    const { status, json } = await webhooks('GET', `/${id}/logs?limit=${limit}${query}${cursor}`)
    expect(status).toBe(200)
    pages.push(json['data'] as Record<string, unknown>[])
    cursor = json['next_cursor'] === null ? '' : `&cursor=${encodeURIComponent(String(json['next_cursor']))}`
  } while (cursor !== '')
  return pages
}

describe('GET /api/webhooks/:id/logs', () => {
  it('shows every entry once over pages, newest first', async () => {
    await using receiver = await startReceiver()
    const { id } = await makeChain(receiver)
    for (let n = 0; n < 5; n++) await webhooks('POST', `/${id}/test`)
    const all = (await logOf(id, 5)).map(entry => entry['id'])
    const pages = await pagesOf(id, 2)
    expect(pages.flat().map(entry => entry['id'])).toEqual(all)
  })

  it('is written without blanks, and shows a payload as it was sent', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    const payload = '{"row": {"id":9007199254740993,  "price": 1.50}}'
    await using owner = await connectOwner()
    const { rows } = await owner.query<{ id: string }>(
      `insert into quoin.webhook_deliveries
        (webhook_id, webhook_message_id, event_type, payload, latency_ms, created_at)
        values ($1, 'msg', 'INSERT', $2, 7, '2030-01-31T12:00:00.1Z') returning id`,
      [id, payload],
    )
    expect((await webhooks('GET', `/${id}/logs`)).text).toBe(
      `{"data":[{"id":"${rows[0]?.id}","event_id":null,"event_type":"INSERT","message_id":"msg",` +
        '"status_code":null,"response_body":null,"error":null,"latency_ms":7,"attempt":1,"replay_of":null,' +
        `"created_at":"2030-01-31T12:00:00.100Z","payload":${payload}}],"next_cursor":null}`,
    )
  })

  // Deeper than Postgres parses JSON again in a query of ours, once it has taken it from the writer.
  it('shows a payload however deep it is nested, and what is behind it', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    await using owner = await connectOwner()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const payload of ['{"n":1}', deep]) {
      await owner.query(
        `insert into quoin.webhook_deliveries (webhook_id, webhook_message_id, event_type, payload, latency_ms)
          values ($1, 'msg', 'INSERT', $2, 7)`,
        [id, payload],
      )
      await owner.query(
        'insert into quoin.dead_letters (webhook_id, event_id, reason, payload) ' +
          "values ($1, '1.0', 'attempts_exhausted', $2)",
        [id, payload],
      )
    }
    for (const list of ['logs', 'dead-letters']) {
      const { status, text } = await webhooks('GET', `/${id}/${list}`)
      expect([status, text.includes(deep), text.includes('{"n":1}')], list).toEqual([200, true, true])
    }
  })

  it('ends a page early where bodies are large, and goes on behind it', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    await using owner = await connectOwner()
    await owner.query(
      `insert into quoin.webhook_deliveries (webhook_id, webhook_message_id, event_type, payload, latency_ms)
        select $1, 'msg', 'INSERT', json_build_object('text', repeat('x', 1000000)), n from generate_series(1, 12) n`,
      [id],
    )
    const pages = await pagesOf(id, 200)
    const seen = pages.flat().map(entry => Number(entry['latency_ms']))
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
    expect(pages.length).toBeGreaterThan(1)
  })

  it('narrows to an event, an outcome and a time, over pages', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    await using owner = await connectOwner()
    await owner.query(
      `insert into quoin.webhook_deliveries
        (webhook_id, webhook_message_id, event_type, payload, latency_ms, error, created_at)
        select $1, 'msg', case when n % 2 = 0 then 'INSERT' else 'DELETE' end, '{}', n,
          case when n <= 4 then 'timeout' end, '2030-01-31T12:00:00Z'::timestamptz + n * interval '1 minute'
        from generate_series(1, 8) n`,
      [id],
    )
    const found = async (query: string) => (await pagesOf(id, 1, query)).flat().map(it => it['latency_ms'])
    expect(await found('&event_type=INSERT')).toEqual([8, 6, 4, 2])
    expect(await found('&outcome=failed')).toEqual([4, 3, 2, 1])
    expect(await found('&outcome=succeeded&event_type=DELETE')).toEqual([7, 5])
    expect(await found('&from=2030-01-31T12:03:00Z&to=2030-01-31T12:05:00Z')).toEqual([4, 3])
    expect(await found('&event_type=TEST')).toEqual([])
  })

  it('shows one entry by itself, of its own webhook alone', async () => {
    const fields = async () => ({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    const [id, other] = [await makeWebhook(await fields()), await makeWebhook(await fields())]
    await webhooks('POST', `/${id}/test`)
    const [entry] = await logOf(id, 1)
    expect((await webhooks('GET', `/${id}/logs/${entry?.['id']}`)).json).toEqual(entry)
    for (const path of [`/${other}/logs/${entry?.['id']}`, `/${id}/logs/${randomUUID()}`])
      expect(await webhooks('GET', path)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  })

  it.each([
    '?limit=0',
    '?limit=201',
    '?cursor=x',
    '?event_type=TRUNCATE',
    '?outcome=lost',
    '?from=yesterday',
    '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
  ])('refuses %s', async query => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    expect((await webhooks('GET', `/${id}/logs${query}`)).status).toBe(400)
  })
})

describe('GET /v1/webhooks and GET /api/webhooks', () => {
  it('lists webhooks with their figures', async () => {
    await using receiver = await startReceiver()
    const { id } = await makeChain(receiver)
    for (const list of [webhookViews, (query: string) => webhooks('GET', query)]) {
      const { status, json } = await list('?limit=1000')
      expect(status).toBe(200)
      expect(json['data'].find((webhook: { id: string }) => webhook.id === id)).toMatchObject({
        has_secret: true,
        statistics: { attempts: 0, succeeded: 0, failed: 0, last_attempt_at: null, dead_letters: 0 },
      })
    }
  })

  it('answers 404 and 400 for ids that there are not, and needs a key of service_role', async () => {
    expect((await webhookViews(`/${randomUUID()}`)).status).toBe(404)
    expect((await webhookViews('/x')).status).toBe(400)
    const { base_url, anon_key } = inject('stack')
    const response = await fetch(`${base_url}/v1/webhooks`, { headers: { apikey: anon_key } })
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'insufficient_role' }])
  })
})
