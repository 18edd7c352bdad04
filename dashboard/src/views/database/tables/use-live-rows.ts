// The rows of a page while they change. A change says only which rows to look at: what stands in them is read, as the
// page reads it. Rows keep their places, whatever is in them now, until somebody asks for the page anew.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { RowMark } from '../../../parts/database/row-mark.ts'
import { usualProjectQuery } from '../../../parts/realtime/project.ts'
import { type UsedChannel, useChannel } from '../../../parts/realtime/use-channel.ts'
import { comparableKey, hearChange, keysWithout, nothingHeard, rowsWith } from './live-keys.ts'
import { afterLook, afterTick, NOTHING_LIVE, shownRows } from './live-page.ts'
import { type Row, readRowsByKeys, readTableAgain, rowReadAgain, type Table } from './queries.ts'
import { keyOf } from './row-query.ts'

export interface LiveRows {
  readonly channel: UsedChannel
  /** Without one nobody can listen; `projectError`: why it is not known. */
  readonly hasProject: boolean
  readonly projectError: Error | null
  readonly rows: readonly Row[]
  readonly markOf: (row: Row) => RowMark | undefined
  /** Inserted rows that are not on the page; all changes where rows cannot be told apart. */
  readonly unseen: number
  readonly tellsRowsApart: boolean
  /** Of the rows that were asked for, those that are not on this page. */
  readonly elsewhere: number
  readonly wasIncomplete: boolean
  readonly show: () => void
}

interface Asked {
  table: Table
  isOn: boolean
  /** What the page has read, and when. */
  read: readonly Row[]
  readAt: number
  /** Of the row that is open beside the list. */
  openKey: readonly string[] | undefined
}

/** Changes are recorded by triggers, which views have not. */
export function isWatchable({ kind, readable }: Table): boolean {
  return readable && (kind === 'table' || kind === 'partitioned_table')
}

const TOPIC = 'quoin-dashboard'
const TICK_MS = 300

export function useLiveRows({ table, isOn, read, readAt, openKey }: Asked): LiveRows {
  const keyOfRow = useMemo(() => comparableKey(table), [table])
  const [page, setPage] = useState(NOTHING_LIVE)
  const heard = useRef(nothingHeard())
  const isLooking = useRef(false)
  const project = useQuery({ ...usualProjectQuery, enabled: isOn })
  const channel = useChannel(
    isOn && project.data
      ? { projectId: project.data, topic: TOPIC, table: { schema: table.schema, name: table.name } }
      : undefined,
    {
      change: change => hearChange(heard.current, change, keyOfRow),
      refetch: () => {
        setPage(present => ({ ...present, wasIncomplete: true }))
        void readTableAgain(table)
      },
    },
  )
  const idOf = (row: Row) => JSON.stringify(keyOf(table, row))
  const rows = shownRows(page, read, readAt, idOf)

  const look = async () => {
    const keys = heard.current
    heard.current = nothingHeard()
    const open = openKey && Object.fromEntries(table.primary_key.map((name, i) => [name, openKey[i]]))
    if (openKey && open && keys.changed.has(keyOfRow?.(open) ?? '')) void rowReadAgain(table, openKey)
    const touched = keyOfRow === undefined ? [] : rowsWith(rows, keys.changed, keyOfRow)
    const found = await readRowsByKeys(
      table,
      touched.map(row => keyOf(table, row) ?? []),
    )
    const byId = new Map(found?.map(row => [idOf(row), row]))
    const looked = touched.map(row => ({
      id: idOf(row),
      now: byId.get(idOf(row)) ?? null,
      isNew: keys.inserted.has(keyOfRow?.(row) ?? ''),
    }))
    const moment = { heard: keys, looked: found === undefined ? [] : looked, readAt, at: Date.now() }
    setPage(present => afterLook(present, moment))
    // Too many to be read one by one.
    if (found === undefined) void readTableAgain(table)
  }
  const tick = useEffectEvent(() => {
    setPage(present => afterTick(present, { rows, readAt, keyOf: keyOfRow, idOf, at: Date.now() }))
    if (isLooking.current || heard.current.changes === 0) return
    isLooking.current = true
    void look()
      // The page itself says that it cannot be read.
      .catch(() => readTableAgain(table))
      .finally(() => {
        isLooking.current = false
      })
  })
  useEffect(() => {
    if (!isOn) return setPage(NOTHING_LIVE)
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [isOn])
  // What was written before the channel was open comes by no other way.
  const onLive = useEffectEvent(() => void readTableAgain(table))
  useEffect(() => {
    if (channel.state.kind === 'live') onLive()
  }, [channel.state.kind])

  const missing = (keys: ReadonlySet<string>) =>
    keyOfRow === undefined ? 0 : keysWithout(keys, rows, keyOfRow).length
  return {
    channel,
    hasProject: !isOn || project.data !== null,
    projectError: isOn ? (project.error ?? project.failureReason) : null,
    rows,
    markOf: row => page.marks.get(idOf(row))?.mark,
    unseen: keyOfRow === undefined ? page.changes : missing(page.unseen),
    tellsRowsApart: keyOfRow !== undefined,
    elsewhere: missing(page.asked),
    wasIncomplete: page.wasIncomplete,
    show: () => {
      setPage(({ unseen, marks }) => ({ ...NOTHING_LIVE, marks, asked: unseen }))
      void readTableAgain(table)
    },
  }
}
