// Dead letters in Postgres that can go back into their webhook's queue: how many there are, which, and their bodies.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { EventNotes } from './fanout-contract.ts'

/**
 * The letters of a webhook behind one place and up to a time, by time and id. Times are texts as Postgres wrote them.
 */
export interface LetterRange {
  /** Behind this time, or of this time with a higher id. */
  after: LetterPlace
  until: string
}

export interface LetterPlace {
  created_at: string
  id: string
}

export interface ListedLetter extends LetterPlace {
  event_id: string
}

export interface ReplayableLetter extends ListedLetter, EventNotes {
  /** Characters of the payload. */
  length: number
  /** The payload where it is short; null: `readLetterPart` has it. */
  payload: string | null
}

/** A count ends here: a webhook that was paused for a week may have millions. */
const COUNTED_MAX = 100_000
/** Longer payloads are read one by one. */
const SHORT_BYTES_MAX = 16 * 1024
/** No id is lower: a place with it is in front of all letters of its time. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

const REDELIVERABLE =
  'webhook_id = $1::uuid and resolved_at is null and payload is not null and event_id is not null'

// Sets are joined, not compared one by one: both sides may be long.
const COUNT = `
  select pg_catalog.count(*) as count, pg_catalog.min(created_at) as first,
    (select pg_catalog.max(created_at) from quoin.dead_letters
      where webhook_id = $1::uuid and resolved_at is null) as last
  from (
    select created_at from quoin.dead_letters l
    where ${REDELIVERABLE} and created_at >= $2::timestamptz
      and not exists (select from pg_catalog.unnest($3::uuid[]) as known(id) where known.id = l.id)
      and not exists (
        select from pg_catalog.json_to_recordset($4::json) as r(created_at timestamptz, id uuid, until timestamptz)
        where (l.created_at, l.id) > (r.created_at, r.id) and l.created_at <= r.until)
    order by created_at, id limit ${COUNTED_MAX}) as letters`

/**
 * Counts letters of `since` (ISO 8601) and later, up to 100 000, without the `known` ones and those in the ranges
 * `pending`, and answers the range in which they are; undefined: there are none. Letters of later are not in it.
 */
export async function countLetters(
  platform: PlatformDatabase,
  webhookId: string,
  since: string,
  { known, pending }: { known: readonly string[]; pending: readonly LetterRange[] },
): Promise<{ count: number; range: LetterRange } | undefined> {
  const ranges = JSON.stringify(pending.map(({ after, until }) => ({ ...after, until })))
  const [row] = await platform.query<{ count: number; first: string | null; last: string | null }>(
    COUNT,
    [webhookId, since, `{${known.join(',')}}`, ranges],
    'repeatable',
  )
  if (row === undefined || row.first === null || row.last === null) return undefined
  return { count: row.count, range: { after: { created_at: row.first, id: NO_ID }, until: row.last } }
}

/** The first letters of a range, in its order. */
export function listLetters(
  platform: PlatformDatabase,
  webhookId: string,
  { after, until }: LetterRange,
  limit: number,
): Promise<ListedLetter[]> {
  return platform.query<ListedLetter>(
    `select id, event_id, created_at from quoin.dead_letters
      where ${REDELIVERABLE} and (created_at, id) > ($2::timestamptz, $3::uuid) and created_at <= $4::timestamptz
      order by created_at, id limit $5::int`,
    [webhookId, after.created_at, after.id, until, String(limit)],
    'repeatable',
  )
}

/** Those of the letters that were not delivered by now. */
export function readLetters(platform: PlatformDatabase, ids: readonly string[]): Promise<ReplayableLetter[]> {
  return platform.query<ReplayableLetter>(
    `select id, event_id, created_at, request_id, payload_error, pg_catalog.length(payload) as length,
        case when pg_catalog.octet_length(payload) <= ${SHORT_BYTES_MAX} then payload end as payload
      from quoin.dead_letters where id = any($1::uuid[]) and resolved_at is null and payload is not null`,
    [`{${ids.join(',')}}`],
    'repeatable',
  )
}

/** `length` characters of a letter's payload from `from` (0 is the first). */
export async function readLetterPart(
  platform: PlatformDatabase,
  id: string,
  from: number,
  length: number,
): Promise<string> {
  const rows = await platform.query<{ part: string }>(
    'select pg_catalog.substr(payload, $2::int, $3::int) as part from quoin.dead_letters where id = $1::uuid',
    [id, String(from + 1), String(length)],
    'repeatable',
  )
  return rows[0]?.part ?? ''
}
