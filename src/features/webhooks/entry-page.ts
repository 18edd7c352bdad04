// Pages of what was sent, as JSON text that Postgres writes and nobody parses: a bigint in a payload would lose
// digits. A page ends early where bodies are large, since 200 of them could be 200 MB.

import type { PlatformDatabase } from '../../db/database.ts'
import { pageOf, readCursor } from '../../db/keyset-page.ts'
import { WHOLE_PAYLOAD_BYTES_MAX } from './delivery/fanout-contract.ts'

/** A body over this is not shown in a list; the log keeps none that is larger. */
const SHOWN_PAYLOAD_BYTES_MAX = WHOLE_PAYLOAD_BYTES_MAX
/** The wire escapes a body once more: of 16 MiB that are read, this leaves room. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024

/** A table whose rows have webhook_id, created_at, id and payload. */
export interface EntrySource {
  table: 'quoin.webhook_deliveries' | 'quoin.dead_letters'
  /** SQL for the fields of an entry beside its payload, each under the name that it has in JSON; the row is `e`. */
  columns: string
  /** SQL for the bytes of an entry beside its payload; the row is `e`. */
  otherBytes: string
}

/** What matches few of many entries is sought for seconds. */
const READING = 'deliveries'

export interface EntryPage {
  /** JSON texts. */
  entries: string[]
  nextCursor: string | null
}

/** Narrows a page: SQL over the table's own columns, its values being `$5` and those behind. */
export interface EntryFilter {
  sql: string
  params: readonly string[]
}

const ALL: EntryFilter = { sql: 'true', params: [] }

/** SQL for a time of the row `e`: ISO 8601 UTC with milliseconds. */
export function timeSql(column: string): string {
  return `to_char(e.${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/**
 * SQL for the payload of the row `e`, exactly as it was sent; `null` where there is none to show. Text and never a
 * value of type JSON: nested to the limit of the writer's stack, Postgres does not take it again.
 */
const PAYLOAD =
  `case when octet_length(e.payload) between 1 and ${SHOWN_PAYLOAD_BYTES_MAX} ` +
  "then e.payload else 'null' end"

/** One page of a webhook's entries, newest first; entries of one time are ordered by id. Throws `invalid_parameter`. */
export async function readEntryPage(
  platform: Pick<PlatformDatabase, 'forReading'>,
  source: EntrySource,
  webhookId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  filter: EntryFilter = ALL,
): Promise<EntryPage> {
  const after = readCursor(cursor)
  const rows = await platform
    .forReading(READING)
    .texts(
      pageSql(source, filter),
      [webhookId, after?.createdAt ?? null, after?.id ?? null, String(limit + 1), ...filter.params],
      'repeatable',
    )
  const entries = rows.map(toEntry)
  // The statement has ended the page early where there are more behind its last row. At least four fit, whatever they
  // hold.
  const isCut = rows.at(-1)?.[3] === 't'
  const { page, nextCursor } = pageOf(entries, isCut ? entries.length - 1 : limit)
  return { entries: page.map(entry => entry.json), nextCursor }
}

/** A list as `{data, next_cursor}`. */
export function entryListJson({ entries, nextCursor }: EntryPage): string {
  return `{"data":[${entries.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`
}

/** An entry is `row_to_json` of a subselect, with its payload behind: `json_build_object` would write blanks. */
function pageSql({ table, columns, otherBytes }: EntrySource, filter: EntryFilter): string {
  return `
    select (select left(row_to_json(entry)::text, -1) from (select ${columns}) entry)
        || ',"payload":' || ${PAYLOAD} || '}',
      e.exact_time, e.id::text, e.has_more
    from (
      select e.*, to_json(e.created_at) #>> '{}' as exact_time,
        lead(e.id) over (order by e.created_at desc, e.id desc) is not null as has_more,
        coalesce(sum(${otherBytes}
            + case when octet_length(e.payload) <= ${SHOWN_PAYLOAD_BYTES_MAX} then octet_length(e.payload) else 0 end)
          over (order by e.created_at desc, e.id desc rows between unbounded preceding and 1 preceding), 0)
          as bytes_before
      from (
        select * from ${table}
        where webhook_id = $1::uuid and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))
          and ${filter.sql}
        order by created_at desc, id desc limit $4::integer
      ) e
    ) e
    where e.bytes_before <= ${PAGE_BYTES_MAX}
    order by e.created_at desc, e.id desc`
}

function toEntry([json, created_at, id]: readonly (string | null)[]): {
  json: string
  created_at: string
  id: string
} {
  return { json: json ?? 'null', created_at: created_at ?? '', id: id ?? '' }
}
