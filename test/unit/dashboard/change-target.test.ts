// What the start page says a change was made to.

import { expect, it } from 'vitest'
import { changeTarget } from '../../../dashboard/src/views/overview/change-target.ts'

type Change = Parameters<typeof changeTarget>[0]
const CHANGE = {
  action: 'webhooks.update',
  target_kind: 'webhook',
  target_id: 'w1',
  outcome: 'succeeded',
  before: { name: 'Old' },
  after: { name: 'Search' },
} as Change

it('is the record by its name, and the way to it', () => {
  expect(changeTarget(CHANGE)).toEqual({ text: 'Search', href: '/webhooks/w1' })
  expect(changeTarget({ ...CHANGE, before: null, after: null }).text).toBe('w1')
})

it('leads nowhere once it is deleted, and still there where that failed', () => {
  const deleted = { ...CHANGE, action: 'webhooks.delete', after: null }
  expect(changeTarget(deleted)).toEqual({ text: 'Old', href: undefined })
  expect(changeTarget({ ...deleted, outcome: 'failed' }).href).toBe('/webhooks/w1')
  const rows = {
    ...deleted,
    action: 'db.delete',
    target_kind: 'table',
    target_id: 'public.todos',
    before: null,
  }
  expect(changeTarget(rows)).toEqual({ text: 'public.todos', href: '/database/tables/public/todos' })
})

it('is its kind where it has no id, with a way to what there is one of alone', () => {
  const nameless = { ...CHANGE, target_id: null, before: null, after: null }
  expect(changeTarget(nameless)).toEqual({ text: 'Webhook', href: undefined })
  const claims = { ...nameless, target_kind: 'claims_config' }
  expect(changeTarget(claims)).toEqual({ text: 'Claims', href: '/oauth2/claims' })
})
