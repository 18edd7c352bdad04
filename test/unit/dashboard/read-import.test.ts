import { expect, it } from 'vitest'
import { readImport } from '../../../dashboard/src/views/permissions/import/read-import.ts'

const PROJECT = {
  name: 'Project',
  in_file: true,
  on_server: true,
  counted_all: true,
  relations: [{ name: 'owner', types: ['User'], declared: true, subjects: 0 }],
  permits: [],
  rules: [],
}
const names = { namespace: 'Project', object: 'apollo', relation: 'owner' }

it('lines are numbered as in the file; comments, empty lines and a byte order mark are passed over', () => {
  const ann = JSON.stringify({ ...names, subject_id: 'ann' })
  const first = '\uFEFF// who owns what\r\n\r\nProject:apollo#owner@ann\r\n'
  const text = `${first}# more\nProject:apollo#ownr@ben\n${ann}\nnonsense`
  const { kind, entries } = readImport(text, [PROJECT])
  expect(kind).toBe('lines')
  expect(entries).toEqual([
    { number: 3, text: 'Project:apollo#owner@ann', tuple: { ...names, subject_id: 'ann' } },
    expect.objectContaining({ number: 5, mistake: expect.objectContaining({ at: { start: 15, end: 19 } }) }),
    expect.objectContaining({ number: 6, sameAs: 3 }),
    expect.objectContaining({ number: 7, mistake: expect.anything() }),
  ])
})

it.each([
  (list: unknown[]) => list,
  (tuples: unknown[]) => ({ tuples }),
  (relation_tuples: unknown[]) => ({ relation_tuples, next_page_token: '' }),
])('JSON is a list of texts and objects, by itself or in an answer', wrap => {
  const list = [
    'Project:apollo#owner@ann',
    { ...names, subject_id: 'ben', subject_set: null },
    { ...names, subject_set: { namespace: 'Project', object: 'b', relation: 'owner' } },
    { ...names },
    { ...names, subject_id: 'ann', expires: 1 },
    { ...names, object: '', subject_id: 'ann' },
    7,
  ]
  const { kind, entries } = readImport(JSON.stringify(wrap(list), undefined, 2), [PROJECT])
  expect(kind).toBe('list')
  expect(entries.map(({ mistake }) => mistake?.problem ?? 'good')).toEqual([
    'good',
    'good',
    'good',
    'It needs a subject_id or a subject_set, and only one.',
    'A tuple has no field “expires”.',
    'The object is empty.',
    'An entry is a tuple’s text, or an object with its fields.',
  ])
})
