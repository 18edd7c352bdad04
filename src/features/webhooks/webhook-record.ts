// The webhook record out of its row, for callers, for the audit log and for the webhook's object. Pure.

import type { WebhookRow } from './delivery/webhook-row.ts'
import type { Webhook } from './schemas.ts'
import type { StoredWebhook } from './webhook-store.ts'

/** The record as callers see it: no secret, times as ISO 8601 UTC with milliseconds. */
export function toWebhook(row: StoredWebhook): Webhook {
  return {
    id: row.id,
    name: row.name,
    table_schema: row.table_schema,
    table_name: row.table_name,
    table_watched: row.table_watched,
    events: row.events,
    url: row.url,
    headers: row.headers,
    active: row.active,
    has_secret: row.secret_encrypted !== null,
    fail_count: row.fail_count,
    state: row.state,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

/** The record as the audit log shows it: of headers only the names, since their values are often credentials. */
export function auditView(webhook: Webhook): unknown {
  const headers = Object.fromEntries(Object.keys(webhook.headers).map(name => [name, '[secret]']))
  return { ...webhook, headers }
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
