// The log of a webhook, newest first: one entry an attempt. And one entry of it.

import type { PlatformDatabase } from '../../db/database.ts'
import type { DeliveryListQuery } from './delivery-schemas.ts'
import { type EntryFilter, type EntrySource, entryListJson, readEntryPage, timeSql } from './entry-page.ts'
import type { EntryListQuery } from './schemas.ts'
import { deliveryNotFound, parseId, webhookNotFound } from './webhook-id.ts'
import { findWebhook } from './webhook-store.ts'

export interface ListEntriesDeps {
  platform: Pick<PlatformDatabase, 'query' | 'forReading'>
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
  query: DeliveryListQuery,
): Promise<string> {
  return listEntries(deps, DELIVERIES, idText, query, filterOf(query))
}

/** One entry of the log as JSON text (`Delivery`). Throws `invalid_parameter` and `not_found`. */
export async function readDelivery(
  { platform }: ListEntriesDeps,
  ids: { id: string; logId: string },
): Promise<string> {
  const id = parseId('webhook', ids.id)
  const logId = parseId('log entry', ids.logId)
  const filter = { sql: 'id = $5::uuid', params: [logId] }
  const { entries } = await readEntryPage(platform, DELIVERIES, id, { limit: 1 }, filter)
  const [entry] = entries
  if (entry !== undefined) return entry
  if ((await findWebhook(platform, id)) === undefined) throw webhookNotFound(id)
  throw deliveryNotFound(logId)
}

function filterOf({ event_type, outcome, from, to }: DeliveryListQuery): EntryFilter {
  const conditions = ['true']
  const params: string[] = []
  const add = (value: string | undefined, condition: (parameter: string) => string) => {
    if (value !== undefined) conditions.push(condition(`$${params.push(value) + 4}`))
  }
  add(event_type, parameter => `event_type = ${parameter}`)
  add(from, parameter => `created_at >= ${parameter}::timestamptz`)
  add(to, parameter => `created_at < ${parameter}::timestamptz`)
  // As text, not as a value: the index of failures is for this very condition.
  if (outcome !== undefined) conditions.push(outcome === 'failed' ? 'error is not null' : 'error is null')
  return { sql: conditions.join(' and '), params }
}

/** One page of a webhook's entries as JSON text. Throws `invalid_parameter` and `not_found`. */
export async function listEntries(
  { platform }: ListEntriesDeps,
  source: EntrySource,
  idText: string,
  query: EntryListQuery,
  filter?: EntryFilter,
): Promise<string> {
  const id = parseId('webhook', idText)
  const [webhook, page] = await Promise.all([
    findWebhook(platform, id),
    readEntryPage(platform, source, id, query, filter),
  ])
  if (webhook === undefined) throw webhookNotFound(id)
  return entryListJson(page)
}
