// What came over a channel, as lines of the inspector's list.

import { expect, it } from 'vitest'
import {
  broadcastEntry,
  changeEntry,
  ENTRIES_MAX,
  type Entry,
  withEntries,
} from '../../../dashboard/src/views/realtime/entries.ts'

const at = '2026-01-01T00:00:00Z'
const entry = (number: number): Entry => ({ number, at, kind: 'broadcast', words: '', values: {} })

it('keeps the newest entries, and those first', () => {
  const old = withEntries(
    [],
    Array.from({ length: ENTRIES_MAX }, (_, i) => entry(i)),
  )
  const all = withEntries(old, [entry(ENTRIES_MAX), entry(ENTRIES_MAX + 1)])
  expect(all).toHaveLength(ENTRIES_MAX)
  expect([all[0]?.number, all.at(-1)?.number]).toEqual([ENTRIES_MAX + 1, 2])
})

it('says of an update what is another value now, beside the first column', () => {
  const change = {
    event: 'UPDATE',
    at,
    row: { id: 1, a: [2], b: 3 },
    oldRow: { id: 1, a: [1], b: 3 },
  } as const
  expect(changeEntry({ ...change, errors: null }).words).toBe('{"id":1,"a":[2]}')
  expect(changeEntry({ ...change, oldRow: {}, errors: null }).words).toBe('{"id":1,"a":[2],"b":3}')
})

it('shows of a deleted row what it was, and what the server says is missing', () => {
  const deleted = changeEntry({ event: 'DELETE', at, row: {}, oldRow: { id: 1 }, errors: ['Error 413'] })
  expect(deleted.words).toBe('{"id":1}')
  expect(deleted.values).toEqual({ Row: { id: 1 }, Errors: ['Error 413'] })
})

it('cuts what is long in a line, and keeps it whole behind it', () => {
  const payload = { text: 'x'.repeat(1_000) }
  const { words, values } = broadcastEntry('hello', payload, at)
  expect(words.length).toBeLessThan(400)
  expect(values).toEqual({ Payload: payload })
})

it('shows bytes as bytes', () => {
  const { words, values } = broadcastEntry('raw', new Uint8Array([0, 255]).buffer, at)
  expect([words, values]).toEqual(['raw 2 bytes', { Bytes: '00 ff' }])
})
