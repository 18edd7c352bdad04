// Pages of webhooks, newest first, and one of them.

import type { PlatformDatabase } from '../../db/database.ts'
import { pageOf, readCursor } from '../../db/keyset-page.ts'
import type { Webhook, WebhookList, WebhookListQuery } from './schemas.ts'
import { parseId, webhookNotFound } from './webhook-id.ts'
import { toWebhook } from './webhook-record.ts'
import { findWebhook, listWebhookRows } from './webhook-store.ts'

export interface ReadWebhookDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

/** One page of webhooks. Throws `invalid_parameter` for a cursor that is not one of ours. */
export async function listWebhooks(deps: ReadWebhookDeps, query: WebhookListQuery): Promise<WebhookList> {
  const rows = await listWebhookRows(deps.platform, {
    after: readCursor(query.cursor),
    limit: query.limit + 1,
  })
  const { page, nextCursor } = pageOf(rows, query.limit)
  return { data: page.map(toWebhook), next_cursor: nextCursor }
}

/** One webhook. Throws `invalid_parameter` and `not_found`. */
export async function readWebhook(deps: ReadWebhookDeps, idText: string): Promise<Webhook> {
  const id = parseId('webhook', idText)
  const row = await findWebhook(deps.platform, id)
  if (row === undefined) throw webhookNotFound(id)
  return toWebhook(row)
}
