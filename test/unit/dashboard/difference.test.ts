// What the audit log shows of a change: fields that came, went or are another now.

import { expect, it } from 'vitest'
import { differences } from '../../../dashboard/src/views/audit-log/difference.ts'

it('tells added, removed, changed and unchanged fields apart', () => {
  const before = { name: 'old', gone: 1, same: [1, { a: null }] }
  const after = { name: 'new', same: [1, { a: null }], fresh: null }
  expect(differences(before, after)).toEqual([
    { path: 'name', change: 'changed', before: 'old', after: 'new' },
    { path: 'gone', change: 'removed', before: 1 },
    { path: 'same', change: 'same', before: before.same, after: after.same },
    { path: 'fresh', change: 'added', after: null },
  ])
})

it('opens records that both states have, and shows whole those that only one has', () => {
  expect(
    differences({ meta: { a: 1, b: { c: 2 } } }, { meta: { a: 1, b: { c: 3 } }, more: { d: 4 } }),
  ).toEqual([
    { path: 'meta.a', change: 'same', before: 1, after: 1 },
    { path: 'meta.b.c', change: 'changed', before: 2, after: 3 },
    { path: 'more', change: 'added', after: { d: 4 } },
  ])
})

it('shows of a list of texts what is gone and what is new, however they moved', () => {
  expect(differences({ uris: ['a', 'b', 'b'] }, { uris: ['c', 'b', 'a'] })).toEqual([
    { path: 'uris', change: 'removed', before: 'b' },
    { path: 'uris', change: 'added', after: 'c' },
  ])
  expect(differences({ uris: ['a', 'b'] }, { uris: ['b', 'a'] })).toEqual([
    { path: 'uris', change: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
  ])
})

it('compares records in a list by their places', () => {
  expect(differences({ rows: [{ id: 1 }, { id: 2 }] }, { rows: [{ id: 1 }, { id: 3 }, { id: 4 }] })).toEqual([
    { path: 'rows[0].id', change: 'same', before: 1, after: 1 },
    { path: 'rows[1].id', change: 'changed', before: 2, after: 3 },
    { path: 'rows[2]', change: 'added', after: { id: 4 } },
  ])
})

it('shows every field of what was created or deleted, and nothing where there is nothing', () => {
  expect(differences(null, { a: 1 })).toEqual([{ path: 'a', change: 'added', after: 1 }])
  expect(differences({ a: 1 }, null)).toEqual([{ path: 'a', change: 'removed', before: 1 }])
  expect(differences(null, null)).toEqual([])
  expect(differences([1], null)).toEqual([{ path: '', change: 'changed', before: [1], after: null }])
})

it('takes a field called like a part of every object for what it is', () => {
  expect(differences({}, JSON.parse('{"constructor": 1, "__proto__": 2}'))).toEqual([
    { path: 'constructor', change: 'added', after: 1 },
    { path: '__proto__', change: 'added', after: 2 },
  ])
})
