// What the form of a webhook sends: of its headers, whose values nobody sees, above all.

import { expect, it } from 'vitest'
import { draftOf, patchOf } from '../../../dashboard/src/views/webhooks/webhook-draft.ts'

const WEBHOOK = {
  name: 'a',
  table_schema: 'public',
  table_name: 'notes',
  events: ['INSERT' as const],
  url: 'https://example.com/',
  headers: { Authorization: '[secret]', 'X-Source': '[secret]' },
}
const webhook = WEBHOOK as unknown as Parameters<typeof draftOf>[0]
const [first, second] = draftOf(webhook).headers

it('sends no headers where none was touched', () => {
  const draft = draftOf(webhook)
  expect(draft.headers.map(({ value }) => value)).toEqual(['', ''])
  expect(patchOf(webhook, { ...draft, name: 'b' })).toEqual({ name: 'b' })
})

it.each([
  [
    'replaces one value and keeps the other',
    [{ value: 'new' }, {}],
    { Authorization: 'new', 'X-Source': '[secret]' },
  ],
  ['keeps a value that was typed and taken away', [{ value: '' }, undefined], { Authorization: '[secret]' }],
])('%s', (_, [one, two], headers) => {
  const rows = [first && one && { ...first, ...one }, second && two && { ...second, ...two }]
  const draft = { ...draftOf(webhook), headers: rows.filter(row => row !== undefined) }
  expect(patchOf(webhook, draft)).toEqual({ headers })
})

it('sends a header that was added as it was typed, an empty value too', () => {
  const added = { key: 2, name: 'X-Empty', value: '', isStored: false }
  const patch = patchOf(webhook, { ...draftOf(webhook), headers: [added] })
  expect(patch).toEqual({ headers: { 'X-Empty': '' } })
})
