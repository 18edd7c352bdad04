// The SQL on quoin.webhooks. Changes that concern a table go together with its triggers, in one transaction. Decides
// nothing and tells no object.

import type { PlatformDatabase } from '../../db/database.ts'
import type { KeysetPosition } from '../../db/keyset-page.ts'
import type { Statement } from '../../db/sql.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import type { RowEvent } from '../row-changes/ingest/messages.ts'
import { changeAndApply } from '../row-changes/watching/apply-watch.ts'
import type { WebhookRow } from './delivery/webhook-row.ts'

/** What the statements here need of the platform's database. */
export type WebhookDatabase = Pick<PlatformDatabase, 'query' | 'transaction'>

/** A row of quoin.webhooks as Postgres' JSON has it, with the names that its table has now. */
export interface StoredWebhook extends WebhookRow {
  name: string
  /** False: the table was dropped; the names are its last. */
  table_watched: boolean
  created_at: string
  updated_at: string
}

/** What is stored of a webhook; the encrypted ones are sealed. */
export type WebhookFields = Pick<
  StoredWebhook,
  | 'name'
  | 'table_id'
  | 'table_schema'
  | 'table_name'
  | 'events'
  | 'url'
  | 'headers_encrypted'
  | 'secret_encrypted'
  | 'active'
>

const SELECT = `
  select w.id, w.name, w.table_id::bigint as table_id, c.oid is not null as table_watched,
    coalesce(n.nspname::text, w.table_schema) as table_schema, coalesce(c.relname::text, w.table_name) as table_name,
    w.events, w.url, w.headers_encrypted, w.secret_encrypted, w.active, w.fail_count, w.state, w.version,
    w.created_at, w.updated_at
  from quoin.webhooks w
  left join pg_catalog.pg_class c on c.oid = w.table_id
  left join pg_catalog.pg_namespace n on n.oid = c.relnamespace`

const INSERT = `
  insert into quoin.webhooks
    (id, name, table_id, table_schema, table_name, events, url, headers_encrypted, secret_encrypted,
      active)
  select $1::uuid, $2, $3::bigint::oid, $4, $5, $6::text[], $7, $8::jsonb, $9, $10::boolean
  where quoin.unwatchable_reason($3::bigint::oid) is null`

/**
 * Stores a webhook and watches its table, both or neither; undefined when the table is gone by now. Throws
 * `table_busy`.
 */
export async function insertWebhook(
  platform: WebhookDatabase,
  id: string,
  fields: WebhookFields,
): Promise<StoredWebhook | undefined> {
  const insert = { sql: INSERT, params: [id, ...valuesOf(fields)] }
  return rowOf(await changeAndApply({ platform }, [insert, readStatement(id)], [fields.table_id]))
}

// A webhook that its receiver has paused is as good as new once its user resumes it.
const UPDATE = `
  update quoin.webhooks set name = $3, table_id = $4::bigint::oid, table_schema = $5, table_name = $6,
    events = $7::text[],
    url = $8, headers_encrypted = $9::jsonb, secret_encrypted = $10, active = $11::boolean,
    state = case when $11::boolean and state = 'paused_by_receiver' then 'healthy' else state end,
    version = version + 1, updated_at = now()
  where id = $1::uuid and version = $2::bigint
  returning id`

/**
 * Changes a webhook that is still the one that was read, and where table or events differ applies the watches of the
 * tables of before and after. Undefined when somebody else has changed or deleted it since. Throws `table_busy`.
 */
export async function updateWebhookRow(
  platform: WebhookDatabase,
  before: StoredWebhook,
  fields: WebhookFields,
): Promise<StoredWebhook | undefined> {
  const update = { sql: UPDATE, params: [before.id, String(before.version), ...valuesOf(fields)] }
  const isWatchChanged = fields.table_id !== before.table_id || fields.events.join() !== before.events.join()
  const tableIds = isWatchChanged ? [...new Set([before.table_id, fields.table_id])] : []
  const results = await changeAndApply({ platform }, [update, readStatement(before.id)], tableIds)
  return results[0]?.length === 0 ? undefined : rowOf(results)
}

const DELETE = 'delete from quoin.webhooks where id = $1::uuid and table_id = $2::bigint::oid returning id'

/** Deletes a webhook and lets go of its table where nobody else watches it; false when it was not there any more. */
export async function deleteWebhookRow(platform: WebhookDatabase, webhook: StoredWebhook): Promise<boolean> {
  const { id, table_id } = webhook
  const remove = { sql: DELETE, params: [id, String(table_id)] }
  const [deleted] = await changeAndApply({ platform }, [remove], [table_id])
  return deleted?.length === 1
}

/** Undefined for a webhook that does not exist. */
export async function findWebhook(
  platform: Pick<PlatformDatabase, 'query'>,
  id: string,
): Promise<StoredWebhook | undefined> {
  const sql = `${SELECT} where w.id = $1::uuid`
  return (await platform.query<StoredWebhook>(sql, [id], 'repeatable'))[0]
}

/** Webhooks from the newest to the oldest; equal times are ordered by id, so that no page skips or repeats one. */
export function listWebhookRows(
  platform: Pick<PlatformDatabase, 'query'>,
  { after, limit }: { after: KeysetPosition | null; limit: number },
): Promise<StoredWebhook[]> {
  const sql = `${SELECT}
    where $1::timestamptz is null or (w.created_at, w.id) < ($1::timestamptz, $2::uuid)
    order by w.created_at desc, w.id desc limit $3::integer`
  return platform.query<StoredWebhook>(
    sql,
    [after?.createdAt ?? null, after?.id ?? null, String(limit)],
    'repeatable',
  )
}

function readStatement(id: string): Statement {
  const sql = `select row_to_json(w)::text from (${SELECT} where w.id = $1::uuid) w`
  return { sql, params: [id] }
}

/** The row that `readStatement` read, as the second statement of a change. */
function rowOf(results: readonly (string | null)[][][]): StoredWebhook | undefined {
  const json = results[1]?.[0]?.[0]
  return json == null ? undefined : (JSON.parse(json) as StoredWebhook)
}

function valuesOf(fields: WebhookFields): (string | null)[] {
  return [
    fields.name,
    String(fields.table_id),
    fields.table_schema,
    fields.table_name,
    writeArrayLiteral(fields.events satisfies RowEvent[]),
    fields.url,
    JSON.stringify(fields.headers_encrypted),
    fields.secret_encrypted,
    String(fields.active),
  ]
}
