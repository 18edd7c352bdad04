// A webhook as its `WebhookFanout` and the consumer know it: the row of quoin.webhooks, read by id or all at once. The
// secret and the headers' values stay sealed in here.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { RowEvent } from '../../row-changes/ingest/messages.ts'

export interface WebhookRow {
  id: string
  /** Of the watched table. */
  table_id: number
  table_schema: string
  table_name: string
  events: RowEvent[]
  url: string
  /** Values sealed by `secret-box.ts`, each under the webhook's id and the header's name. */
  headers_encrypted: Record<string, string>
  /** Sealed under the webhook's id; null: deliveries are not signed. */
  secret_encrypted: string | null
  active: boolean
  fail_count: number
  state: WebhookState
  /** Grows with every change of what is sent where: of two rows the higher is the newer. */
  version: number
}

export const WEBHOOK_STATES = ['healthy', 'failing', 'paused_by_receiver'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]

const COLUMNS =
  'id, table_id::bigint as table_id, table_schema, table_name, events, url, headers_encrypted, ' +
  'secret_encrypted, active, fail_count, state, version'

/** Undefined for a webhook that is deleted. */
export async function findWebhookRow(
  platform: PlatformDatabase,
  id: string,
): Promise<WebhookRow | undefined> {
  const sql = `select ${COLUMNS} from quoin.webhooks where id = $1::uuid`
  return (await platform.query<WebhookRow>(sql, [id], 'repeatable'))[0]
}

/** The counts and the state that deliveries have led to. They are not a change of the webhook: its version stays. */
export async function writeHealth(
  platform: PlatformDatabase,
  id: string,
  failCount: number,
  state: WebhookState,
): Promise<void> {
  await platform.query(
    'update quoin.webhooks set fail_count = $2::int, state = $3 where id = $1::uuid returning id',
    [id, String(failCount), state],
  )
}

/**
 * Pauses a webhook whose receiver answered 410. Undefined when its user has changed it since `version`: that counts.
 */
export async function pauseForReceiver(
  platform: PlatformDatabase,
  id: string,
  version: number,
): Promise<WebhookRow | undefined> {
  const sql = `update quoin.webhooks set active = false, state = 'paused_by_receiver',
      version = version + 1, updated_at = now()
    where id = $1::uuid and version = $2::bigint returning ${COLUMNS}`
  return (await platform.query<WebhookRow>(sql, [id, String(version)]))[0]
}
