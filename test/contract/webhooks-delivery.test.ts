// What a receiver gets: from a row that was written over /v1/db to a signed request, and from there to the log, a test, a
// replay, a pause, a failure. The receivers are on this machine; libraries of others check the signatures.

import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { DeadLetterList, DeliveryList, WebhookDetail } from '../../src/features/webhooks/delivery-schemas.ts'
import { connectOwner } from '../support/postgres.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { asOwner, type DbCaller, makeDbCaller } from './db-caller.ts'
import {
  logOf,
  makeTable,
  makeWebhook,
  tidyUp,
  webhooks,
  webhookViews,
  webhookWhen,
} from './webhooks-caller.ts'

const SECRET = `whsec_${randomBytes(32).toString('base64')}`
/** More digits than a JavaScript number holds. */
const BIG = '9007199254740993'

let db: DbCaller
beforeAll(async () => {
  db = await makeDbCaller()
})
afterAll(tidyUp)

const headerOf = (request: Received, name: string) => String(request.headers[name])
const hmacOf = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')
const insert = (table: string, id: string, note = 'one') =>
  db(table, { method: 'POST', body: `{"id":${id},"note":"${note}"}` })
/** The three headers that the libraries read. */
const standardHeaders = ({ headers }: Received) =>
  Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => [name, String(headers[name])]),
  )

/** A table, a receiver of its changes and a webhook between them. */
async function makeChain(receiver: Receiver, fields: Record<string, unknown> = {}) {
  const table = await makeTable()
  const id = await makeWebhook({ table_name: table, url: `${receiver.url}/hook`, secret: SECRET, ...fields })
  return { table, id }
}

describe('a delivery', () => {
  it('is a POST of exactly the six fields, with every digit, to each event that is asked for', async () => {
    await using receiver = await startReceiver()
    const { table } = await makeChain(receiver, { headers: { 'X-Source': 'quoin' } })
    await insert(table, BIG)
    await db(`${table}?id=eq.${BIG}`, { method: 'PATCH', body: { note: 'two' } })
    await db(`${table}?id=eq.${BIG}`, { method: 'DELETE' })
    const requests = []
    for (const event of ['INSERT', 'UPDATE', 'DELETE']) {
      requests.push(await receiver.waitFor(({ body }) => body.startsWith(`{"event":"${event}"`)))
    }
    const time = '"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z"'
    const [one, two] = [`{"id":${BIG},"note":"one"}`, `{"id":${BIG},"note":"two"}`]
    const bodyOf = (event: string, row: string, old: string) =>
      new RegExp(
        `^{"event":"${event}","schema":"public","table":"${table}","row":${row},"old_row":${old},"timestamp":${time}}$`,
      )
    expect(requests[0]?.body).toMatch(bodyOf('INSERT', one, 'null'))
    expect(requests[1]?.body).toMatch(bodyOf('UPDATE', two, one))
    expect(requests[2]?.body).toMatch(bodyOf('DELETE', two, two))
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(3).fill('POST /hook'),
    )
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-source': 'quoin',
      'user-agent': expect.stringMatching(/^Quoin-Webhooks\//),
    })
    expect(new Set(requests.map(request => headerOf(request, 'webhook-id'))).size).toBe(3)
  })

  it('is verified by standardwebhooks, svix and the hex HMAC over the raw body', async () => {
    await using receiver = await startReceiver()
    const { table } = await makeChain(receiver)
    await insert(table, '1', 'ünïcode ✓')
    const request = await receiver.waitFor(({ body }) => body.includes('✓'))
    expect(new StandardWebhook(SECRET).verify(request.body, standardHeaders(request))).toMatchObject({
      table,
    })
    expect(() => new SvixWebhook(SECRET).verify(request.body, standardHeaders(request))).not.toThrow()
    expect(headerOf(request, 'x-service-signature')).toBe(hmacOf(SECRET, request.body))
    const forged = request.body.replace('✓', '✗')
    expect(() => new StandardWebhook(SECRET).verify(forged, standardHeaders(request))).toThrow()
    expect(() => new SvixWebhook(SECRET).verify(forged, standardHeaders(request))).toThrow()
  })

  it('is verified with a secret of plain text too', async () => {
    await using receiver = await startReceiver()
    const { table } = await makeChain(receiver, { secret: 'correct horse' })
    await insert(table, '1')
    const request = await receiver.waitFor(() => true)
    const library = new StandardWebhook('correct horse', { format: 'raw' })
    expect(library.verify(request.body, standardHeaders(request))).toMatchObject({ table })
    expect(headerOf(request, 'x-service-signature')).toBe(hmacOf('correct horse', request.body))
  })

  it('carries no signature without a secret, and comes only for the events that are asked for', async () => {
    await using receiver = await startReceiver()
    const { table } = await makeChain(receiver, { secret: null, events: ['DELETE'] })
    await insert(table, '1')
    await db(`${table}?id=eq.1`, { method: 'DELETE' })
    const request = await receiver.waitFor(() => true)
    expect(request.body).toMatch(/^{"event":"DELETE"/)
    expect(Object.keys(request.headers)).not.toEqual(expect.arrayContaining(['x-service-signature']))
    expect(Object.keys(request.headers)).not.toEqual(expect.arrayContaining(['webhook-signature']))
    expect(receiver.received).toHaveLength(1)
  })

  it('is in the log with every digit of its payload', async () => {
    await using receiver = await startReceiver((_, answer) => {
      answer.statusCode = 202
      answer.end('taken')
    })
    const { table, id } = await makeChain(receiver)
    await insert(table, BIG)
    await logOf(id, 1)
    const { status, text, json } = await webhooks('GET', `/${id}/logs`)
    expect(status).toBe(200)
    expect(DeliveryList.strict().parse(json).data).toMatchObject([
      {
        event_type: 'INSERT',
        event_id: expect.stringMatching(/^\d+\.0$/),
        message_id: headerOf(await receiver.waitFor(() => true), 'webhook-id'),
        status_code: 202,
        response_body: 'taken',
        error: null,
        attempt: 1,
        replay_of: null,
      },
    ])
    expect(text).toContain(receiver.received[0]?.body)
    const detail = await webhookViews(`/${id}`)
    expect(detail.text).toContain(`"row":{"id":${BIG},`)
  })

  it('names the table that is watched where a row was written into a partition of it', async () => {
    await using receiver = await startReceiver()
    const table = await makeTable(
      'create table %s (id bigint primary key, note text) partition by range (id)',
    )
    await asOwner(`create table ${table}_one partition of ${table} for values from (0) to (10)`)
    await makeWebhook({ table_name: table, url: receiver.url })
    await asOwner(`insert into ${table}_one values (1, 'direct')`)
    const request = await receiver.waitFor(() => true)
    expect(JSON.parse(request.body)).toMatchObject({ event: 'INSERT', table, row: { id: 1, note: 'direct' } })
  })
})

describe('pausing', () => {
  it('keeps the events and sends them on resume, in order', async () => {
    await using paused = await startReceiver()
    await using other = await startReceiver()
    const { table, id } = await makeChain(paused)
    await makeWebhook({ table_name: table, url: other.url })
    expect((await webhooks('PATCH', `/${id}`, { active: false })).json).toMatchObject({ active: false })
    await insert(table, '1', 'first')
    await db(`${table}?id=eq.1`, { method: 'PATCH', body: { note: 'second' } })
    // Whoever is not paused has both: so both were handed out, and the paused one has kept them.
    await other.waitFor(({ body }) => body.includes('second'))
    expect(paused.received).toEqual([])
    await webhooks('PATCH', `/${id}`, { active: true })
    await paused.waitFor(({ body }) => body.includes('"UPDATE"'))
    expect(paused.received.map(({ body }) => JSON.parse(body).event)).toEqual(['INSERT', 'UPDATE'])
  })

  it('sends to another URL from the moment it is changed', async () => {
    await using first = await startReceiver()
    await using second = await startReceiver()
    const { table, id } = await makeChain(first)
    await insert(table, '1')
    await first.waitFor(() => true)
    await webhooks('PATCH', `/${id}`, { url: second.url })
    await insert(table, '2')
    await second.waitFor(() => true)
    expect(first.received).toHaveLength(1)
  })
})

describe('a receiver that fails', () => {
  it('raises fail_count, gets the event again under the same id, and heals', async () => {
    let failures = 1
    await using receiver = await startReceiver((_, answer) => {
      answer.statusCode = failures-- > 0 ? 503 : 200
      answer.end('busy')
    })
    const { table, id } = await makeChain(receiver)
    await insert(table, '1')
    await webhookWhen(id, 'fail_count rises', webhook => webhook['fail_count'] === 1)
    await webhookWhen(id, 'fail_count is 0 again', webhook => webhook['fail_count'] === 0)
    expect(new Set(receiver.received.map(request => headerOf(request, 'webhook-id'))).size).toBe(1)
    const log = await logOf(id, 2)
    expect(log).toMatchObject([
      { status_code: 200, error: null, attempt: 2 },
      { status_code: 503, error: 'status', attempt: 1, response_body: 'busy' },
    ])
    const { json } = await webhookViews(`/${id}`)
    expect(WebhookDetail.parse(json).statistics).toMatchObject({
      attempts: 2,
      succeeded: 1,
      failed: 1,
      last_status_code: 200,
      dead_letters: 0,
    })
  })

  it('is paused by 410 Gone, and keeps the event for when it is resumed', async () => {
    let isGone = true
    await using receiver = await startReceiver((_, answer) => {
      answer.statusCode = isGone ? 410 : 200
      answer.end()
    })
    const { table, id } = await makeChain(receiver)
    await insert(table, '1')
    const paused = await webhookWhen(id, 'the webhook is paused', webhook => webhook['active'] === false)
    expect(paused).toMatchObject({ state: 'paused_by_receiver' })
    isGone = false
    expect((await webhooks('PATCH', `/${id}`, { active: true })).json).toMatchObject({ state: 'healthy' })
    await receiver.waitFor(() => receiver.received.length === 2)
    await webhookWhen(id, 'it is healthy', webhook => webhook['fail_count'] === 0)
  })
})

describe('POST /api/webhooks/:id/test', () => {
  it('sends an example once, also while paused, and says how the receiver took it', async () => {
    await using receiver = await startReceiver((_, answer) => {
      answer.statusCode = 201
      answer.end('thanks')
    })
    const { table, id } = await makeChain(receiver, { active: false })
    const { status, json } = await webhooks('POST', `/${id}/test`)
    expect(status).toBe(200)
    expect(json).toEqual({
      ok: true,
      status_code: 201,
      latency_ms: expect.any(Number),
      response_body: 'thanks',
      error: null,
      log_id: expect.any(String),
    })
    const request = await receiver.waitFor(() => true)
    expect(Object.keys(JSON.parse(request.body))).toEqual([
      'event',
      'schema',
      'table',
      'row',
      'old_row',
      'timestamp',
    ])
    expect(JSON.parse(request.body)).toMatchObject({ schema: 'public', table })
    expect(new StandardWebhook(SECRET).verify(request.body, standardHeaders(request))).toBeTruthy()
    expect(headerOf(request, 'x-quoin-test')).toBe('true')
    expect(await logOf(id, 1)).toMatchObject([{ id: json['log_id'], event_type: 'TEST', status_code: 201 }])
  })

  it('answers 200 with ok false when nobody listens, and counts no failure', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    const { status, json } = await webhooks('POST', `/${id}/test`)
    expect(status).toBe(200)
    expect(json).toMatchObject({ ok: false, status_code: null, error: 'connection_failed' })
    expect((await webhooks('GET', `/${id}`)).json).toMatchObject({ fail_count: 0 })
  })

  it('answers with the status of a receiver that refuses', async () => {
    await using receiver = await startReceiver((_, answer) => {
      answer.statusCode = 401
      answer.end('who are you')
    })
    const { id } = await makeChain(receiver)
    expect((await webhooks('POST', `/${id}/test`)).json).toMatchObject({
      ok: false,
      status_code: 401,
      response_body: 'who are you',
      error: 'status',
    })
  })
})

describe('POST /api/webhooks/:id/replay/:logId', () => {
  it('sends the same bytes under the same id, freshly signed, and logs it as a replay', async () => {
    await using receiver = await startReceiver()
    const { table, id } = await makeChain(receiver)
    await insert(table, BIG)
    const original = await receiver.waitFor(() => true)
    const [logged] = await logOf(id, 1)
    const { status, json } = await webhooks('POST', `/${id}/replay/${logged?.['id']}`)
    expect(status).toBe(200)
    expect(json).toMatchObject({ ok: true, status_code: 200 })
    const replay = await receiver.waitFor(request => request !== original)
    expect(replay.body).toBe(original.body)
    expect(headerOf(replay, 'webhook-id')).toBe(headerOf(original, 'webhook-id'))
    expect(headerOf(replay, 'x-quoin-replay-of')).toBe(logged?.['id'])
    expect(headerOf(replay, 'x-service-signature')).toBe(hmacOf(SECRET, replay.body))
    expect(new StandardWebhook(SECRET).verify(replay.body, standardHeaders(replay))).toMatchObject({ table })
    expect(await logOf(id, 2)).toMatchObject([
      { id: json['log_id'], replay_of: logged?.['id'], event_type: 'INSERT' },
      { replay_of: null },
    ])
  })

  it("answers 404 for an entry that there is not, and for one of another webhook's log", async () => {
    await using receiver = await startReceiver()
    const [{ id }, other] = [await makeChain(receiver), await makeChain(receiver)]
    const { json } = await webhooks('POST', `/${other.id}/test`)
    for (const logId of [randomUUID(), String(json['log_id'])]) {
      expect(await webhooks('POST', `/${id}/replay/${logId}`)).toMatchObject({
        status: 404,
        json: { code: 'not_found' },
      })
    }
  })
})

describe('GET /api/webhooks/:id/logs', () => {
  it('shows every entry once over pages, newest first', async () => {
    await using receiver = await startReceiver()
    const { id } = await makeChain(receiver)
    for (let n = 0; n < 5; n++) await webhooks('POST', `/${id}/test`)
    const all = (await logOf(id, 5)).map(entry => entry['id'])
    const seen: unknown[] = []
    let cursor = ''
    do {
      const { json } = await webhooks('GET', `/${id}/logs?limit=2${cursor}`)
      seen.push(...(json['data'] as { id: string }[]).map(entry => entry.id))
      cursor =
        json['next_cursor'] === null ? '' : `&cursor=${encodeURIComponent(String(json['next_cursor']))}`
    } while (cursor !== '')
    expect(seen).toEqual(all)
  })

  it('ends a page early where bodies are large, and goes on behind it', async () => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    await using owner = await connectOwner()
    await owner.query(
      `insert into quoin.webhook_deliveries (webhook_id, webhook_message_id, event_type, payload, latency_ms)
        select $1, 'msg', 'INSERT', json_build_object('text', repeat('x', 1000000)), n from generate_series(1, 12) n`,
      [id],
    )
    const seen: unknown[] = []
    let pages = 0
    let cursor = ''
    do {
      const { status, json } = await webhooks('GET', `/${id}/logs?limit=200${cursor}`)
      expect(status).toBe(200)
      pages++
      seen.push(...(json['data'] as { latency_ms: number }[]).map(entry => entry.latency_ms))
      cursor =
        json['next_cursor'] === null ? '' : `&cursor=${encodeURIComponent(String(json['next_cursor']))}`
    } while (cursor !== '')
    expect(seen.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
    expect(pages).toBeGreaterThan(1)
  })

  it.each(['?limit=0', '?limit=201', '?cursor=x'])('refuses %s', async query => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    expect((await webhooks('GET', `/${id}/logs${query}`)).status).toBe(400)
  })
})

describe('dead letters', () => {
  /** An event of the webhook that was given up at `createdAt`. */
  async function bury(id: string, table: string, chunk: number, createdAt: string): Promise<string> {
    await using owner = await connectOwner()
    const payload = `{"event":"INSERT","schema":"public","table":"${table}","row":{"id":${chunk}},"old_row":null,"timestamp":"2026-01-01T00:00:00.000Z"}`
    const { rows } = await owner.query(
      `insert into quoin.dead_letters (webhook_id, event_id, reason, payload, created_at)
        values ($1, $2, 'attempts_exhausted', $3, $4) returning id`,
      [id, `${chunk}.0`, payload, createdAt],
    )
    return String(rows[0].id)
  }
  const letters = async (id: string) =>
    DeadLetterList.strict().parse((await webhooks('GET', `/${id}/dead-letters`)).json).data

  it('are sent again one by one, and are resolved when they arrive', async () => {
    let isUp = false
    await using receiver = await startReceiver((_, answer) => {
      answer.statusCode = isUp ? 200 : 500
      answer.end()
    })
    const { table, id } = await makeChain(receiver)
    const letter = await bury(id, table, 700_000_001, '2026-01-02T00:00:00Z')
    expect(await letters(id)).toMatchObject([
      {
        id: letter,
        event_id: '700000001.0',
        reason: 'attempts_exhausted',
        resolved_at: null,
        payload: { table },
      },
    ])
    const replay = () => webhooks('POST', `/${id}/dead-letters/${letter}/replay`)
    expect((await replay()).json).toMatchObject({ ok: false, status_code: 500 })
    expect(await letters(id)).toMatchObject([{ resolved_at: null }])
    isUp = true
    expect((await replay()).json).toMatchObject({ ok: true })
    expect(await letters(id)).toMatchObject([{ resolved_at: expect.any(String) }])
    expect(receiver.received[1]?.headers).toMatchObject({ 'x-quoin-replay-of': letter })
    expect((await webhooks('POST', `/${id}/dead-letters/${randomUUID()}/replay`)).status).toBe(404)
  })

  it('are all sent again that are not older than a time', async () => {
    await using receiver = await startReceiver()
    const { table, id } = await makeChain(receiver)
    const old = await bury(id, table, 700_000_002, '2026-01-01T00:00:00Z')
    const wanted = [
      await bury(id, table, 700_000_003, '2026-02-01T00:00:00Z'),
      await bury(id, table, 700_000_004, '2026-03-01T00:00:00Z'),
    ]
    const { status, json } = await webhooks('POST', `/${id}/replay`, { since: '2026-02-01T00:00:00Z' })
    expect([status, json]).toEqual([202, { queued: 2 }])
    for (const letter of wanted) {
      await receiver.waitFor(({ headers }) => headers['x-quoin-replay-of'] === letter)
    }
    await webhookViewWhen(id, dead => dead === 1)
    expect(
      (await letters(id)).filter(letter => letter.resolved_at === null).map(letter => letter.id),
    ).toEqual([old])
  })

  async function webhookViewWhen(id: string, isSo: (deadLetters: number) => boolean): Promise<void> {
    await expect
      .poll(async () => isSo((await webhookViews(`/${id}`)).json.statistics.dead_letters), {
        timeout: 10_000,
      })
      .toBe(true)
  }

  it.each([{}, { since: 'yesterday' }, { since: '2026-01-01T00:00:00Z', until: 1 }])(
    'are not sent again for %j',
    async body => {
      const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
      expect(await webhooks('POST', `/${id}/replay`, body)).toMatchObject({
        status: 400,
        json: { code: 'validation_failed' },
      })
    },
  )
})

describe('GET /v1/webhooks', () => {
  it('lists webhooks with their figures', async () => {
    await using receiver = await startReceiver()
    const { id } = await makeChain(receiver)
    const { status, json } = await webhookViews('?limit=1000')
    expect(status).toBe(200)
    expect(json.data.find((webhook: { id: string }) => webhook.id === id)).toMatchObject({
      has_secret: true,
      statistics: { attempts: 0, succeeded: 0, failed: 0, last_attempt_at: null, dead_letters: 0 },
    })
  })

  it('answers 404 and 400 for ids that there are not, and needs a key of service_role', async () => {
    expect((await webhookViews(`/${randomUUID()}`)).status).toBe(404)
    expect((await webhookViews('/x')).status).toBe(400)
    const { base_url, anon_key } = inject('stack')
    const response = await fetch(`${base_url}/v1/webhooks`, { headers: { apikey: anon_key } })
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'insufficient_role' }])
  })
})
