// The log of a webhook, newest first: one entry an attempt.

import type { PlatformDatabase } from '../../db/database.ts'
import { type EntrySource, entryListJson, readEntryPage, timeSql } from './entry-page.ts'
import type { EntryListQuery } from './schemas.ts'
import { parseId, webhookNotFound } from './webhook-id.ts'
import { findWebhook } from './webhook-store.ts'

export interface ListEntriesDeps {
  platform: Pick<PlatformDatabase, 'query' | 'texts'>
}

/** The log, as `Delivery` describes an entry. */
export const DELIVERIES: EntrySource = {
  table: 'quoin.webhook_deliveries',
  columns: `e.id, e.event_id, e.event_type, e.webhook_message_id as message_id,
    e.status_code, e.response_body, e.error, e.latency_ms, e.attempt, e.replay_of,
    ${timeSql('created_at')} as created_at`,
  otherBytes: 'coalesce(octet_length(e.response_body), 0)',
}

/** One page of the log as JSON text (`DeliveryList`). Throws `invalid_parameter` and `not_found`. */
export function listDeliveries(
  deps: ListEntriesDeps,
  idText: string,
  query: EntryListQuery,
): Promise<string> {
  return listEntries(deps, DELIVERIES, idText, query)
}

/** One page of a webhook's entries as JSON text. Throws `invalid_parameter` and `not_found`. */
export async function listEntries(
  { platform }: ListEntriesDeps,
  source: EntrySource,
  idText: string,
  query: EntryListQuery,
): Promise<string> {
  const id = parseId('webhook', idText)
  const [webhook, page] = await Promise.all([
    findWebhook(platform, id),
    readEntryPage(platform, source, id, query),
  ])
  if (webhook === undefined) throw webhookNotFound(id)
  return entryListJson(page)
}
