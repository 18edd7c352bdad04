// What is known of a page's rows while they change. Pure: what was heard and read comes in, and the time with it.

import type { RowMark } from '../../../parts/database/row-mark.ts'
import { type ComparableKey, type HeardKeys, keysWithout } from './live-keys.ts'
import type { Row } from './table-types.ts'

export interface LivePage {
  /** When the page was read; rows read after it are in `now`. */
  readonly readAt: number
  /** By row ids, as they were read after a change; null: gone. */
  readonly now: ReadonlyMap<string, Row | null>
  /** By row ids. */
  readonly marks: ReadonlyMap<string, { readonly mark: RowMark; readonly at: number }>
  /** Comparable keys of rows that were inserted since the page was asked for. */
  readonly unseen: ReadonlySet<string>
  /** Of these the page was asked for. */
  readonly asked: ReadonlySet<string>
  /** Changes since the page was asked for. */
  readonly changes: number
  /** The server has said that changes may be missing. */
  readonly wasIncomplete: boolean
}

export const NOTHING_LIVE: LivePage = {
  readAt: 0,
  now: new Map(),
  marks: new Map(),
  unseen: new Set(),
  asked: new Set(),
  changes: 0,
  wasIncomplete: false,
}

/** So long a row is marked, in milliseconds. */
const MARKED_MS = 3_000
/** More are not counted. */
export const UNSEEN_MAX = 10_000

/** A row of the page about which something was heard, as it is now. */
export interface LookedAt {
  readonly id: string
  readonly now: Row | null
  readonly isNew: boolean
}

/** The page as it is shown: rows keep their places. */
export function shownRows(page: LivePage, read: readonly Row[], readAt: number, idOf: IdOf): readonly Row[] {
  if (page.readAt !== readAt || page.now.size === 0) return read
  return read.map(row => page.now.get(idOf(row)) ?? row)
}

type IdOf = (row: Row) => string

/** After the rows that changes are about were looked at. */
export function afterLook(
  page: LivePage,
  {
    heard,
    looked,
    readAt,
    at,
  }: { heard: HeardKeys; looked: readonly LookedAt[]; readAt: number; at: number },
): LivePage {
  const kept = [...page.unseen].filter(key => !heard.deleted.has(key))
  const now = new Map(page.readAt === readAt ? page.now : [])
  const marks = new Map(page.marks)
  for (const row of looked) {
    now.set(row.id, row.now)
    marks.set(row.id, { mark: row.now === null ? 'deleted' : row.isNew ? 'inserted' : 'changed', at })
  }
  return {
    ...page,
    readAt,
    now,
    marks,
    unseen: new Set([...kept, ...heard.inserted].slice(0, UNSEEN_MAX)),
    changes: Math.min(page.changes + heard.changes, UNSEEN_MAX),
  }
}

export interface Tick {
  readonly rows: readonly Row[]
  readonly readAt: number
  readonly keyOf: ComparableKey | undefined
  readonly idOf: IdOf
  readonly at: number
}

/** As time goes on: marks go, those of deleted rows with them. Rows that were asked for are marked as they come. */
export function afterTick(page: LivePage, { rows, readAt, keyOf, idOf, at }: Tick): LivePage {
  const isOver = (mark: RowMark, since: number) =>
    at - since > MARKED_MS && (mark !== 'deleted' || page.readAt !== readAt)
  const marks = new Map([...page.marks].filter(([, { mark, at: since }]) => !isOver(mark, since)))
  const missing = keyOf === undefined ? [] : keysWithout(page.asked, rows, keyOf)
  if (marks.size === page.marks.size && missing.length === page.asked.size) return page
  const isMissing = new Set(missing)
  for (const row of rows) {
    const key = keyOf?.(row)
    if (key !== undefined && page.asked.has(key) && !isMissing.has(key))
      marks.set(idOf(row), { mark: 'inserted', at })
  }
  return { ...page, marks, asked: isMissing }
}
