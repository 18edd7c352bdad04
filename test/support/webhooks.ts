// Webhooks stored directly, and requests as the listener signs them, for tests of what comes behind.

import { randomInt, randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { signIngest } from '../../src/features/row-changes/ingest/ingest-signature.ts'
import type { Chunk, RowEvent } from '../../src/features/row-changes/ingest/messages.ts'
import { makeSecretBox } from '../../src/features/webhooks/secret-box.ts'
import { encodeUtf8 } from '../../src/lib/utf8.ts'

export const INGEST_SECRET = 'the listener of a test signs with this'
export const SECRETS_KEY = Buffer.from('tests encrypt with this key only').toString('base64')

export interface TestWebhook {
  id: string
  table: string
  tableId: number
}

/** A webhook on a table of its own that does not exist, so that no real change reaches it. */
export async function makeWebhook(
  owner: Client,
  url: string,
  { secret, events = ['INSERT', 'UPDATE', 'DELETE'] }: { secret?: string; events?: RowEvent[] } = {},
): Promise<TestWebhook> {
  const [id, table, tableId] = [randomUUID(), `nowhere_${randomUUID().slice(0, 8)}`, randomInt(1, 2 ** 31)]
  const sealed = secret === undefined ? null : await makeSecretBox(SECRETS_KEY).seal(id, secret)
  await owner.query(
    `insert into quoin.webhooks (id, name, table_schema, table_name, table_id, events, url, secret_encrypted)
      values ($1, 'test', 'public', $2, $3, $4, $5, $6)`,
    [id, table, tableId, events, url, sealed],
  )
  return { id, table, tableId }
}

/** A webhook on a table that exists, whose changes come the whole way: trigger, outbox, listener, queue, object. */
export async function watchTable(
  owner: Client,
  table: string,
  url: string,
  events: RowEvent[] = ['INSERT', 'UPDATE', 'DELETE'],
): Promise<string> {
  const { rows } = await owner.query(
    `insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url)
      values ('test', 'public', $1::text, to_regclass('public.' || quote_ident($1::text)), $2, $3)
      returning id, table_id`,
    [table, events, url],
  )
  await owner.query('select quoin.apply_watch($1)', [rows[0]?.table_id])
  return String(rows[0]?.id)
}

/** The registry's version now, as the listener would see it with its next look. */
export async function registryVersion(owner: Client): Promise<number> {
  const { rows } = await owner.query('select version from quoin.webhook_registry')
  return Number(rows[0]?.version)
}

/** A chunk under a number that no outbox of a test reaches. */
export function makeChunk({ table, tableId }: TestWebhook, parts: Partial<Chunk> = {}): Chunk {
  const row = '{"id":9007199254740993,"name":"one"}'
  return {
    id: String(randomInt(2 ** 40, 2 ** 42)),
    table_id: tableId,
    table_schema: 'public',
    table_name: table,
    event: 'INSERT',
    occurred_at: '2026-01-01T00:00:00.123456+00:00',
    request_id: null,
    change_count: 1,
    changes: [{ key: '["9007199254740993"]', old_key: null, row, old_row: null, error: null }],
    ...parts,
  }
}

export const INGEST_PATH = '/internal/row-changes'

/** The makings of a signed request. */
export async function signedRequest(
  body: unknown,
  { secret = INGEST_SECRET, ageSeconds = 0 }: { secret?: string; ageSeconds?: number } = {},
): Promise<{ method: string; headers: Record<string, string>; body: string }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const signed = { method: 'POST', path: INGEST_PATH, body: encodeUtf8(text) }
  const headers = await signIngest(secret, Math.floor(Date.now() / 1_000) - ageSeconds, signed)
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text }
}
