// What a receiver gets: from a row that was written over /v1/db to a signed request, through a pause and through
// failures. The receivers are on this machine; libraries of others check the signatures.

import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeliveryList, WebhookDetail } from '../../../src/features/webhooks/delivery-schemas.ts'
import { startReceiver } from '../../support/receiver.ts'
import { asOwner, type DbCaller, makeDbCaller } from '../data-api/caller.ts'
import { logOf, makeTable, makeWebhook, tidyUp, webhooks, webhookViews, webhookWhen } from './caller.ts'
import { BIG, headerOf, hmacOf, insertRow, makeChain, SECRET, standardHeaders } from './chain.ts'

let db: DbCaller
beforeAll(async () => {
  db = await makeDbCaller()
})
afterAll(tidyUp)

describe('a delivery', () => {
  it('is a POST of exactly the six fields, with every digit, to each event that is asked for', async () => {
    await using receiver = await startReceiver()
    const { table, id } = await makeChain(receiver, { headers: { 'X-Source': 'quoin', 'X-Old': 'old' } })
    // As scripts do: what was read is sent back, with one change.
    const { url, headers } = (await webhooks('GET', `/${id}`)).json
    await webhooks('PATCH', `/${id}`, { url, headers: { ...Object(headers), 'X-Old': 'new' } })
    await insertRow(db, table, BIG)
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
      'x-old': 'new',
      'user-agent': expect.stringMatching(/^Quoin-Webhooks\//),
    })
    expect(new Set(requests.map(request => headerOf(request, 'webhook-id'))).size).toBe(3)
  })

  it('is verified by standardwebhooks, svix and the hex HMAC over the raw body', async () => {
    await using receiver = await startReceiver()
    const { table } = await makeChain(receiver)
    await insertRow(db, table, '1', 'ünïcode ✓')
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
    const secret = 'cörrect hörse'
    const { table } = await makeChain(receiver, { secret })
    await insertRow(db, table, '1')
    const request = await receiver.waitFor(() => true)
    for (const Library of [StandardWebhook, SvixWebhook]) {
      const library = new Library(Buffer.from(secret), { format: 'raw' })
      expect(() => library.verify(request.body, standardHeaders(request))).not.toThrow()
      expect(() => library.verify(`${request.body} `, standardHeaders(request))).toThrow()
    }
    expect(headerOf(request, 'x-service-signature')).toBe(hmacOf(secret, request.body))
  })

  it('carries no signature without a secret, and comes only for the events that are asked for', async () => {
    await using receiver = await startReceiver()
    const { table } = await makeChain(receiver, { secret: null, events: ['DELETE'] })
    await insertRow(db, table, '1')
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
    await insertRow(db, table, BIG)
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
    await insertRow(db, table, '1', 'first')
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
    await insertRow(db, table, '1')
    await first.waitFor(() => true)
    await webhooks('PATCH', `/${id}`, { url: second.url })
    await insertRow(db, table, '2')
    await second.waitFor(() => true)
    expect(first.received).toHaveLength(1)
  })

  it('does not leave what has failed to its next attempt, neither on resume nor at a new URL', async () => {
    // Without either the next attempt came in an hour.
    await using broken = await startReceiver((_, answer) =>
      answer.writeHead(503, { 'retry-after': '3600' }).end(),
    )
    await using mended = await startReceiver()
    const { table, id } = await makeChain(broken)
    await insertRow(db, table, '1')
    await logOf(id, 1)
    await webhooks('PATCH', `/${id}`, { active: false })
    await webhooks('PATCH', `/${id}`, { active: true })
    await broken.waitFor(() => broken.received.length === 2)
    await logOf(id, 2)
    await webhooks('PATCH', `/${id}`, { url: mended.url })
    await mended.waitFor(() => true)
    expect((await logOf(id, 3)).map(entry => entry['attempt'])).toEqual([1, 1, 1])
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
    await insertRow(db, table, '1')
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
    await insertRow(db, table, '1')
    const paused = await webhookWhen(id, 'the webhook is paused', webhook => webhook['active'] === false)
    expect(paused).toMatchObject({ state: 'paused_by_receiver' })
    isGone = false
    expect((await webhooks('PATCH', `/${id}`, { active: true })).json).toMatchObject({ state: 'healthy' })
    await receiver.waitFor(() => receiver.received.length === 2)
    await webhookWhen(id, 'it is healthy', webhook => webhook['fail_count'] === 0)
  })
})
