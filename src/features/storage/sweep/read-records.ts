// What the database knows of a page of blobs, and which rows of the same range have no blob. One statement, so one
// view of rows, claims and notes: a version on its way from a claim to a row is seen as one of the two.

import type { PlatformDatabase } from '../../../db/database.ts'
import { writeArrayLiteral } from '../../../lib/array-literal.ts'
import { NAMES_MAX } from './sweep-state.ts'

/**
 * Why a blob is there. named: a row names it; claimed: a write is under way; waiting: its row is gone, and its time has
 * not come; lost: it has; null: no record at all.
 */
export type BlobRecord = 'named' | 'claimed' | 'waiting' | 'lost' | null

export interface PageRecords {
  /** Of the blobs of the page in their order, as far as `until`. */
  records: BlobRecord[]
  /** The last key that was looked at; null: all keys behind `after`. */
  until: string | null
  /** Keys of notes whose time has come and that no blob stands for, or whose blob another row names. */
  settled_notes: string[]
  /** Rows whose blob is not there. */
  missing: number
  missing_names: string[]
}

interface PageRange {
  /** The key that the page begins behind; null: the first of all. */
  readonly after: string | null
  /** The key that the page ends with; null: it is the last page. */
  readonly until: string | null
  /** In their order. */
  readonly keys: readonly string[]
  readonly retentionSeconds: number
}

/** Behind every key: a key has at most 1 024 bytes, and no character has more than this one. */
const BEHIND_ALL_KEYS = '\u{10ffff}'.repeat(257)
/** Rows of a page, and notes: where there are more, the page is made shorter. */
const ROWS_MAX = 5_000
/** A row that is younger may have got its blob after the page was listed. Longer than any two clocks differ. */
const NEW_ROW_MINUTES = 10

/** When a note is due; `$4` is the retention in seconds. */
const NOTE_IS_DUE = 'n.lost_at < now() - make_interval(secs => $4::float8)'
const NOTE_KEY = `(n.bucket_id || '/' || n.version) collate "C"`
const ROW_KEY = `(o.bucket_id || '/' || o.version) collate "C"`

const RECORDS_SQL = `
  with listed as (
    select key collate "C" as key, place from unnest($2::text[]) with ordinality listed (key, place)
  ), here as (
    select ${ROW_KEY} as key, o.bucket_id || '/' || o.name as name, o.updated_at
    from storage.objects o
    where o.version is not null and ${ROW_KEY} > $1 and ${ROW_KEY} <= $3
    order by ${ROW_KEY} limit ${ROWS_MAX}
  ), notes as (
    select ${NOTE_KEY} as key, ${NOTE_IS_DUE} as is_due
    from quoin.lost_versions n
    where ${NOTE_KEY} > $1 and ${NOTE_KEY} <= $3
    order by ${NOTE_KEY} limit ${ROWS_MAX}
  ), bound as (
    select least($3 collate "C",
      (select max(key) from here having count(*) = ${ROWS_MAX}),
      (select max(key) from notes having count(*) = ${ROWS_MAX})) as until
  ), named as (
    select distinct key from here
  ), claimed as (
    select distinct (bucket_id || '/' || version) collate "C" as key from quoin.storage_claims
  ), missing as (
    select h.key, h.name from here h cross join bound b left join listed l on l.key = h.key
    where h.key <= b.until and l.key is null and h.updated_at < now() - interval '${NEW_ROW_MINUTES} minutes'
  )
  select b.until,
    (select coalesce(json_agg(case when r.key is not null then 'named' when c.key is not null then 'claimed'
        when n.is_due then 'lost' when not n.is_due then 'waiting' end order by l.place), '[]')
      from listed l left join named r on r.key = l.key left join claimed c on c.key = l.key
        left join notes n on n.key = l.key
      where l.key <= b.until) as records,
    (select coalesce(json_agg(n.key), '[]')
      from notes n left join listed l on l.key = n.key left join named r on r.key = n.key
        left join claimed c on c.key = n.key
      where n.key <= b.until and n.is_due and (r.key is not null or (l.key is null and c.key is null)))
      as settled_notes,
    (select count(*) from missing) as missing,
    (select coalesce(json_agg(m.name), '[]')
      from (select name from missing order by key limit ${NAMES_MAX}) m) as missing_names
  from bound b`

/** Asks for the records of a page. To be called after the page was listed, never before. */
export async function readRecords(
  platform: Pick<PlatformDatabase, 'query'>,
  { after, until, keys, retentionSeconds }: PageRange,
): Promise<PageRecords> {
  const params = [after ?? '', writeArrayLiteral(keys), until ?? BEHIND_ALL_KEYS, String(retentionSeconds)]
  const [row] = await platform.query<PageRecords>(RECORDS_SQL, params, 'repeatable')
  if (row === undefined) throw new Error('the question for records of blobs has no answer')
  return { ...row, until: row.until === BEHIND_ALL_KEYS ? null : row.until }
}

/** Removes notes whose blobs are gone, unless one was written anew meanwhile. */
export function forgetNotesStatement(keys: readonly string[], retentionSeconds: number) {
  return {
    sql: `delete from quoin.lost_versions n using unnest($1::text[]) gone (key)
      where ${NOTE_KEY} = gone.key and n.lost_at < now() - make_interval(secs => $2::float8)`,
    params: [writeArrayLiteral(keys), String(retentionSeconds)],
  }
}
