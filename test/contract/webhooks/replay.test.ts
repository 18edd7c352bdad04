// What a person sends by hand: an example, a delivery once more, and what was given up. The receivers are on this
// machine.

import { randomUUID } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeadLetterList } from '../../../src/features/webhooks/delivery-schemas.ts'
import { connectOwner } from '../../support/postgres.ts'
import { startReceiver } from '../../support/receiver.ts'
import { type DbCaller, freshPrefix, makeDbCaller } from '../data-api/caller.ts'
import { atTheEnd, logOf, makeTable, makeWebhook, tidyUp, webhooks, webhookViews } from './caller.ts'
import { BIG, headerOf, hmacOf, insertRow, makeChain, SECRET, standardHeaders } from './chain.ts'

let db: DbCaller
beforeAll(async () => {
  db = await makeDbCaller()
})
afterAll(tidyUp)

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
    expect(JSON.parse(request.body)).toMatchObject({
      schema: 'public',
      table,
      row: { id: 1, note: 'example' },
      old_row: null,
    })
    expect(new StandardWebhook(SECRET).verify(request.body, standardHeaders(request))).toBeTruthy()
    expect(headerOf(request, 'x-quoin-test')).toBe('true')
    expect(await logOf(id, 1)).toMatchObject([{ id: json['log_id'], event_type: 'TEST', status_code: 201 }])
  })

  it('has the columns that deliveries of the table have, of their kinds, and no row of it', async () => {
    await using receiver = await startReceiver()
    const prefix = freshPrefix()
    atTheEnd(`drop domain ${prefix}_short; drop type ${prefix}_mood`)
    const columns = `"2" bigint, "1" numeric(9, 2), "__proto__" text, gone int, flag boolean, at timestamptz,
      day date, id uuid, doc jsonb, tags text[], short ${prefix}_short, mood ${prefix}_mood, place point,
      twice int generated always as ("2" * 2) stored, virtual int generated always as ("2" * 2) virtual`
    const table = await makeTable(`
      create domain ${prefix}_short as varchar(9); create type ${prefix}_mood as enum ('sad', 'fine');
      create table %s (${columns}); alter table %s drop column gone; insert into %s ("2") values (77)`)
    const id = await makeWebhook({ table_name: table, url: receiver.url, events: ['UPDATE'] })
    await webhooks('POST', `/${id}/test`)
    const { body } = await receiver.waitFor(() => true)
    const row =
      '{"2":1,"1":1,"__proto__":"example","flag":true,"at":"2026-01-31T12:00:00+00:00","day":"2026-01-31",' +
      '"id":"00000000-0000-4000-8000-000000000000","doc":{},"tags":[],"short":"example","mood":"sad",' +
      '"place":null,"twice":1}'
    expect(body).toContain(`"row":${row},"old_row":${row},`)
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
    await insertRow(db, table, BIG)
    const original = await receiver.waitFor(() => true)
    const [logged] = await logOf(id, 1)
    const { status, json } = await webhooks('POST', `/${id}/replay/${logged?.['id']}`)
    expect(status).toBe(200)
    expect(json).toMatchObject({ ok: true, status_code: 200 })
    const replay = await receiver.waitFor(request => request !== original)
    expect(replay.body).toBe(original.body)
    expect(headerOf(replay, 'webhook-id')).toBe(headerOf(original, 'webhook-id'))
    expect(headerOf(replay, 'x-quoin-replay-of')).toBe(logged?.['id'])
    expect(headerOf(replay, 'x-request-id')).toBe(headerOf(original, 'x-request-id'))
    expect(headerOf(original, 'x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
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

describe('dead letters', () => {
  /** An event of the webhook that was given up at `createdAt`. */
  async function bury(id: string, table: string, chunk: number, createdAt: string): Promise<string> {
    await using owner = await connectOwner()
    const payload =
      `{"event":"INSERT","schema":"public","table":"${table}","row":{"id":${chunk}},` +
      `"old_row":null,"timestamp":"2026-01-01T00:00:00.000Z"}`
    const { rows } = await owner.query(
      `insert into quoin.dead_letters (webhook_id, event_id, reason, payload, request_id, payload_error, created_at)
        values ($1, $2, 'attempts_exhausted', $3, 'request-1', 'too large', $4) returning id`,
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
    expect(receiver.received[1]?.headers).toMatchObject({
      'x-quoin-replay-of': letter,
      'x-request-id': 'request-1',
      'x-quoin-payload-error': 'too large',
    })
    expect((await webhooks('POST', `/${id}/dead-letters/${randomUUID()}/replay`)).status).toBe(404)
  })

  it('are resolved when the event arrives by a replay of the log', async () => {
    let isUp = false
    await using receiver = await startReceiver((_, answer) => {
      answer.writeHead(isUp ? 200 : 500).end()
    })
    const { table, id } = await makeChain(receiver)
    const created = '2026-01-02T00:00:00Z'
    const letter = await bury(id, table, 700_000_005, created)
    const other = await bury(id, table, 700_000_006, created)
    await webhooks('POST', `/${id}/dead-letters/${letter}/replay`)
    const [logged] = await logOf(id, 1)
    const replay = () => webhooks('POST', `/${id}/replay/${logged?.['id']}`)
    const unresolved = async () =>
      (await letters(id)).filter(({ resolved_at }) => resolved_at === null).map(entry => entry.id)
    expect((await replay()).json).toMatchObject({ ok: false })
    expect((await unresolved()).sort()).toEqual([letter, other].sort())
    isUp = true
    expect((await replay()).json).toMatchObject({ ok: true })
    expect(await unresolved()).toEqual([other])
  })

  it('are all sent again that are not older than a time', async () => {
    await using receiver = await startReceiver()
    const { table, id } = await makeChain(receiver)
    const old = await bury(id, table, 700_000_002, '2026-01-01T00:00:00Z')
    const wanted = [
      await bury(id, table, 700_000_003, '2026-02-01T00:00:00Z'),
      await bury(id, table, 700_000_004, '2026-03-01T00:00:00Z'),
    ]
    const { status, json } = await webhooks('POST', `/${id}/replay-failed`, { since: '2026-02-01T00:00:00Z' })
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

  it.each(['1970-01-01T00:00:00Z', '2026-01-01T00:00:00.123456789+15:59', '9999-12-31T23:59:59Z'])(
    'may have a time as %s',
    async since => {
      const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
      expect(await webhooks('POST', `/${id}/replay-failed`, { since })).toMatchObject({
        status: 202,
        json: { queued: 0 },
      })
    },
  )

  it.each([
    {},
    { since: 'yesterday' },
    { since: '2026-01-01T00:00:00Z', until: 1 },
    { since: '0000-01-01T00:00:00Z' },
    { since: '1969-12-31T23:59:59Z' },
    { since: '1970-01-01T00:00:00+01:00' },
    { since: '2026-01-01T00:00:00+23:59' },
    { since: '9999-12-31T23:59:59-01:00' },
  ])('are not sent again for %j', async body => {
    const id = await makeWebhook({ table_name: await makeTable(), url: 'http://127.0.0.1:9/' })
    expect(await webhooks('POST', `/${id}/replay-failed`, body)).toMatchObject({
      status: 400,
      json: { code: 'validation_failed' },
    })
  })
})
