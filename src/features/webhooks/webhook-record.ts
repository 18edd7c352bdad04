// The webhook record out of its row, for callers, for the audit log and for the webhook's object. Pure.

import type { WebhookRow } from './delivery/webhook-row.ts'
import type { Webhook } from './schemas.ts'
import { MASKED } from './seal-secret.ts'
import type { StoredWebhook } from './webhook-store.ts'

/**
 * The record as callers and the audit log see it: no secret, of headers the names alone, times as ISO 8601 UTC with
 * milliseconds.
 */
export function toWebhook(row: StoredWebhook): Webhook {
  return {
    id: row.id,
    name: row.name,
    table_schema: row.table_schema,
    table_name: row.table_name,
    table_watched: row.table_watched,
    events: row.events,
    url: row.url,
    headers: Object.fromEntries(Object.keys(row.headers_encrypted).map(name => [name, MASKED])),
    active: row.active,
    has_secret: row.secret_encrypted !== null,
    fail_count: row.fail_count,
    state: row.state,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

/** What the webhook's object is told. */
export function toFanoutRow({
  name,
  table_watched,
  created_at,
  updated_at,
  ...row
}: StoredWebhook): WebhookRow {
  return row
}
