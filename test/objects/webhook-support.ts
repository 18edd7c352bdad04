// Webhooks of a test's own, and a receiver that the test answers for: what WebhookFanout sends goes through this
// isolate's `fetch`, everything else (the database) through as it is.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, vi } from 'vitest'
import type { WebhookFanout } from '../../durable-objects/webhook-fanout/webhook-fanout.ts'
import { PlatformDatabase } from '../../src/db/database.ts'
import { SqlWire } from '../../src/db/sql-wire.ts'
import type { Env } from '../../src/deps.ts'
import { positionOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent, PayloadPiece } from '../../src/features/webhooks/delivery/fanout-contract.ts'
import { findWebhookRow, type WebhookRow } from '../../src/features/webhooks/delivery/webhook-row.ts'
import { headerSealName, makeSecretBox } from '../../src/features/webhooks/secret-box.ts'

interface TestEnv extends Omit<Env, 'WEBHOOK_FANOUT'> {
  WEBHOOK_FANOUT: DurableObjectNamespace<WebhookFanout>
  DATABASE_URL: string
  SQL_GATEWAY_URL: string
  SECRETS_KEY: string
}

const { WEBHOOK_FANOUT, DATABASE_URL, SQL_GATEWAY_URL, SECRETS_KEY } = env as TestEnv
export const platform = new PlatformDatabase(
  new SqlWire(
    { connectionString: DATABASE_URL, gatewayUrl: SQL_GATEWAY_URL },
    // Sets no timers: those that a test sees are its object's.
    { deadline: (_, work) => work },
  ),
)

export type FanoutStub = DurableObjectStub<WebhookFanout>

export interface Call {
  url: string
  headers: Headers
  body: string
}

export interface TestReceiver {
  url: string
  calls: Call[]
  /** Replaced by tests; 200 unless said. */
  answer: (call: Call) => Response | Promise<Response>
  /** Answers for `http://nowhere.test/`, where a webhook is before it is given this one's URL. */
  elsewhere: () => Response | Promise<Response>
  callsElsewhere: number
  /** What the database was asked, as it was sent. */
  queries: string[]
  /** Replaced by tests; what it waits for happens while a query is answered and its answer has not arrived. */
  whileAnswering: (query: string) => void | Promise<void>
  /** Cuts the database off while true. */
  isDatabaseDown: boolean
}

/** The runtime's own clock sets alarms off: none of an object whose clock is as far ahead while a test runs. */
const AHEAD_MS = 30 * 60_000

/**
 * For each test of a file: a clock that only the test moves, by what this answers. Timers and promises go on as they
 * are.
 */
export function useMovedClock(): (milliseconds: number) => void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + AHEAD_MS }))
  afterEach(() => void vi.useRealTimers())
  return milliseconds => void vi.setSystemTime(Date.now() + milliseconds)
}

/**
 * For each test of a file: a receiver that takes everything that is sent to its own address, and begins anew with
 * each.
 */
export function useReceiver(): TestReceiver {
  const receiver = newReceiver()
  beforeEach(() => {
    Object.assign(receiver, newReceiver())
    intercept(receiver)
  })
  afterEach(() => void vi.restoreAllMocks())
  return receiver
}

function newReceiver(): TestReceiver {
  return {
    url: `http://receiver-${crypto.randomUUID()}.test/hook`,
    calls: [],
    answer: () => new Response('thanks'),
    elsewhere: () => new Response('', { status: 500 }),
    callsElsewhere: 0,
    queries: [],
    whileAnswering: () => undefined,
    isDatabaseDown: false,
  }
}

function intercept(receiver: TestReceiver): void {
  const realFetch = globalThis.fetch
  // An object of a test before may still send to where that one was.
  const { url, calls, queries } = receiver
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    if (request.url === 'http://nowhere.test/') {
      receiver.callsElsewhere += 1
      return await receiver.elsewhere()
    }
    if (request.url !== url) {
      if (receiver.isDatabaseDown) throw new TypeError('taken away by the test')
      const query = await request.clone().text()
      queries.push(query)
      const answer = await realFetch(request)
      await receiver.whileAnswering(query)
      return answer
    }
    const call = { url: request.url, headers: request.headers, body: await request.text() }
    calls.push(call)
    return await receiver.answer(call)
  })
}

export interface TestWebhook {
  row: WebhookRow
  fanout: FanoutStub
}

export async function makeWebhook(
  url: string,
  { secret, active = true }: { secret?: string; active?: boolean } = {},
): Promise<TestWebhook> {
  const id = crypto.randomUUID()
  const box = makeSecretBox(SECRETS_KEY)
  const sealed = secret === undefined ? null : await box.seal(id, secret)
  const headers = { 'x-tenant': await box.seal(headerSealName(id, 'x-tenant'), '7') }
  await platform.query(
    `insert into quoin.webhooks
      (id, name, table_schema, table_name, table_id, events, url, headers_encrypted, secret_encrypted, active)
      values ($1::uuid, 'test', 'public', 'nowhere', 1, '{INSERT,UPDATE,DELETE}',
        $2, $3::jsonb, $4, $5::boolean)
      returning id`,
    [id, url, JSON.stringify(headers), sealed, String(active)],
  )
  return { row: await readWebhook(id), fanout: WEBHOOK_FANOUT.getByName(id) }
}

export async function readWebhook(id: string): Promise<WebhookRow> {
  const row = await findWebhookRow(platform, id)
  if (row === undefined) throw new Error('the webhook is gone')
  return row
}

/** As the endpoints do: the row first, then the object; not `isTold`: the object could not be reached. */
export async function changeWebhook(
  { row, fanout }: TestWebhook,
  { active, url }: { active?: boolean; url?: string },
  { isTold = true } = {},
): Promise<void> {
  await platform.query(
    `update quoin.webhooks set active = coalesce($2::boolean, active), url = coalesce($3, url), version = version + 1
      where id = $1::uuid returning id`,
    [row.id, active === undefined ? null : String(active), url ?? null],
  )
  if (isTold) await fanout.learn(await readWebhook(row.id))
}

export function setActive(webhook: TestWebhook, active: boolean): Promise<void> {
  return changeWebhook(webhook, { active })
}

export interface LogRow {
  id: string
  event_id: string | null
  webhook_message_id: string
  event_type: string
  payload: string
  status_code: number | null
  response_body: string | null
  error: string | null
  attempt: number
  replay_of: string | null
  request_id: string | null
  payload_error: string | null
}

export function readLogs(id: string): Promise<LogRow[]> {
  return platform.query<LogRow>(
    'select * from quoin.webhook_deliveries where webhook_id = $1::uuid order by created_at, id',
    [id],
  )
}

export function readDeadLetters(id: string) {
  return platform.query<{
    id: string
    event_id: string
    reason: string
    length: number | null
    resolved_at: string | null
  }>(
    'select id, event_id, reason, length(payload) as length, resolved_at from quoin.dead_letters ' +
      'where webhook_id = $1::uuid',
    [id],
  )
}

let chunkCount = 0

/** The events of one new chunk, one for each key. */
export function chunkOf(keys: (string | null)[], changes: Partial<FanoutEvent> = {}): FanoutEvent[] {
  chunkCount += 1
  return keys.map((key, index) => {
    const payload =
      `{"event":"UPDATE","schema":"public","table":"nowhere","row":{"key":"${key}","n":${chunkCount}},` +
      '"old_row":null,"timestamp":"2026-01-01T00:00:00.000Z"}'
    return {
      position: positionOf(String(chunkCount), index),
      key,
      old_key: null,
      event_type: 'UPDATE',
      occurred_at_ms: Date.parse('2026-01-01T00:00:00.000Z'),
      request_id: 'request-1',
      payload,
      bytes: payload.length,
      payload_error: null,
      ...changes,
    }
  })
}

export function pieceOf(
  { position, occurred_at_ms }: FanoutEvent,
  number: number,
  text: string,
): PayloadPiece {
  return { position, occurred_at_ms, number, text }
}

/** `<key><chunk>` of each call, in the order in which they came. */
export function rowsOf(calls: readonly Pick<Call, 'body'>[]): string[] {
  return calls.map(({ body }) => {
    const { row } = JSON.parse(body) as { row: { key: string; n: number } }
    return `${row.key}${row.n}`
  })
}

/** 0 without an alarm. */
export function alarmOf(fanout: FanoutStub): Promise<number> {
  return runInDurableObject(fanout, async (_, state) => (await state.storage.getAlarm()) ?? 0)
}

export function tablesOf(fanout: FanoutStub): Promise<string[]> {
  return runInDurableObject(fanout, (_, state) =>
    Array.from(
      state.storage.sql.exec("select name from sqlite_master where name not like '\\_%' escape '\\'"),
      row => String(row['name']),
    ),
  )
}

export function countOf(
  fanout: FanoutStub,
  table: 'events' | 'reports' | 'pieces' | 'chunks' | 'failed_replays',
): Promise<number> {
  return runInDurableObject(fanout, (_, state) =>
    Number(state.storage.sql.exec(`select count(*) as n from ${table}`).one()['n']),
  )
}

/** Ends the object as a crash does, with what is under way; answers the way to the next one. */
export async function crash({ row, fanout }: TestWebhook): Promise<FanoutStub> {
  await runInDurableObject(fanout, (_, state) => state.abort('crashed by the test')).catch(() => undefined)
  return WEBHOOK_FANOUT.getByName(row.id)
}
