// A table's page while its rows change: which rows a change is about, and what becomes of the page.

import { describe, expect, it } from 'vitest'
import type { HeardChange } from '../../../dashboard/src/parts/realtime/channel.ts'
import {
  comparableKey,
  hearChange,
  nothingHeard,
  rowsWith,
} from '../../../dashboard/src/views/database/tables/live-keys.ts'
import {
  afterLook,
  afterTick,
  type LivePage,
  NOTHING_LIVE,
  shownRows,
} from '../../../dashboard/src/views/database/tables/live-page.ts'
import type { Row, Table } from '../../../dashboard/src/views/database/tables/table-types.ts'

function table(...types: string[]): Table {
  const columns = types.map((type, i) => ({ name: `k${i}`, type, enum_values: null }))
  return { primary_key: columns.map(({ name }) => name), columns } as unknown as Table
}

function change(event: HeardChange['event'], row: object, oldRow: object = {}): HeardChange {
  const values = row as HeardChange['row']
  return {
    event,
    at: '2026-01-01T00:00:00Z',
    row: values,
    oldRow: oldRow as HeardChange['row'],
    errors: null,
  }
}

describe('the key of a change', () => {
  it('is the one of the row that Postgres prints otherwise', () => {
    const keyOf = comparableKey(table('numeric(10,2)', 'uuid', 'character varying(3)'))
    expect(keyOf?.({ k0: 1.1, k1: 'a', k2: 'b' })).toBe(keyOf?.({ k0: '1.10', k1: 'a', k2: 'b' }))
    expect(keyOf?.({ k0: 1.1, k1: 'a', k2: 'b' })).not.toBe(keyOf?.({ k0: '1.20', k1: 'a', k2: 'b' }))
  })

  it('leaves out none of the rows whose digits the client has lost', () => {
    const keyOf = comparableKey(table('bigint'))
    const rows = [{ k0: '9007199254740992' }, { k0: '9007199254740993' }, { k0: '1' }]
    const heard = nothingHeard()
    hearChange(heard, change('UPDATE', { k0: Number('9007199254740993') }), keyOf)
    expect(keyOf && rowsWith(rows, heard.changed, keyOf)).toEqual(rows.slice(0, 2))
  })

  it('is not made where JSON writes a value in another way, and where there is no key', () => {
    for (const types of [['timestamp with time zone'], ['bigint[]'], ['bytea'], ['text', 'time'], []])
      expect(comparableKey(table(...types))).toBeUndefined()
    expect(comparableKey(table('bigint'))?.({})).toBeUndefined()
  })
})

describe('what was heard', () => {
  const keyOf = comparableKey(table('integer'))

  it('has a row that got another key as deleted and inserted', () => {
    const heard = nothingHeard()
    hearChange(heard, change('UPDATE', { k0: 2 }, { k0: 1 }), keyOf)
    expect([[...heard.deleted], [...heard.inserted]]).toEqual([['["1"]'], ['["2"]']])
  })

  it('forgets a row that came and went, and keeps one that went and came', () => {
    const heard = nothingHeard()
    hearChange(heard, change('INSERT', { k0: 1 }), keyOf)
    hearChange(heard, change('DELETE', {}, { k0: 1 }), keyOf)
    expect([...heard.inserted]).toEqual([])
    hearChange(heard, change('INSERT', { k0: 1 }), keyOf)
    expect([[...heard.inserted], [...heard.deleted], heard.changes]).toEqual([['["1"]'], [], 3])
  })
})

describe('the page', () => {
  const keyOf = comparableKey(table('integer'))
  const idOf = (row: Row) => String(row['k0'])
  const read: Row[] = [
    { k0: '1', word: 'a' },
    { k0: '2', word: 'b' },
  ]

  function lookedAt(
    page: LivePage,
    changes: HeardChange[],
    now: Record<string, Row | null>,
    at = 0,
  ): LivePage {
    const heard = nothingHeard()
    for (const each of changes) hearChange(heard, each, keyOf)
    const looked = Object.entries(now).map(([id, row]) => ({ id, now: row, isNew: false }))
    return afterLook(page, { heard, looked, readAt: 7, at })
  }
  const tick = (page: LivePage, at: number, readAt = 7, rows = read) =>
    afterTick(page, { rows, readAt, keyOf, idOf, at })

  it('has rows as they are now in their old places, deleted ones too', () => {
    const page = lookedAt(NOTHING_LIVE, [], { 1: null, 2: { k0: '2', word: 'c' } })
    expect(shownRows(page, read, 7, idOf)).toEqual([
      { k0: '1', word: 'a' },
      { k0: '2', word: 'c' },
    ])
    expect([...page.marks].map(([id, { mark }]) => [id, mark])).toEqual([
      ['1', 'deleted'],
      ['2', 'changed'],
    ])
  })

  it('has nothing of it once the page was read again', () => {
    const page = lookedAt(NOTHING_LIVE, [], { 2: { k0: '2', word: 'c' } })
    expect(shownRows(page, read, 8, idOf)).toBe(read)
  })

  it('unmarks what changed after a while, and what was deleted when the page was read again', () => {
    const page = lookedAt(NOTHING_LIVE, [], { 1: null, 2: { k0: '2', word: 'c' } }, 1_000)
    expect([...tick(page, 4_000).marks.keys()]).toEqual(['1', '2'])
    expect([...tick(page, 4_001).marks.keys()]).toEqual(['1'])
    expect([...tick(page, 4_001, 8).marks.keys()]).toEqual([])
  })

  it('counts inserted rows until they are asked for, and marks those that have come', () => {
    const counted = lookedAt(NOTHING_LIVE, [change('INSERT', { k0: 3 }), change('INSERT', { k0: 4 })], {})
    expect(counted.unseen.size).toBe(2)
    expect(lookedAt(counted, [change('DELETE', {}, { k0: 4 })], {}).unseen.size).toBe(1)
    const asked = { ...counted, asked: counted.unseen, unseen: new Set<string>() }
    const shown = tick(asked, 5, 8, [...read, { k0: '3', word: 'new' }])
    expect([...shown.marks].map(([id, { mark }]) => [id, mark])).toEqual([['3', 'inserted']])
    expect([...shown.asked]).toEqual(['["4"]'])
  })

  it('counts no further than ten thousand rows', () => {
    const many = Array.from({ length: 10_001 }, (_, i) => change('INSERT', { k0: i + 10 }))
    const page = lookedAt(NOTHING_LIVE, many, {})
    expect([page.unseen.size, page.changes]).toEqual([10_000, 10_000])
  })

  it('stays the same object while nothing happens', () => {
    const page = lookedAt(NOTHING_LIVE, [change('INSERT', { k0: 3 })], {})
    expect(tick(page, 10_000)).toBe(page)
  })
})
