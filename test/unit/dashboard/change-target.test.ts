// What the overviews say a change was made to.

import { expect, it } from 'vitest'
import type { Schema } from '../../../dashboard/src/api/schema.ts'
import { changeHref, kindLabel, targetName } from '../../../dashboard/src/parts/audit-targets.ts'

type Change = Schema<'AuditLog'>
const changeTarget = (change: Change) => ({
  text: targetName(change) ?? kindLabel(change.target_kind),
  href: changeHref(change),
})
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
  const ofClient = { action: 'oauth_clients.delete', target_kind: 'oauth_client', target_id: 'c/1' }
  expect(changeTarget({ ...deleted, ...ofClient }).href).toBeUndefined()
  expect(changeTarget({ ...CHANGE, ...ofClient, action: 'oauth_clients.update' }).href).toBe(
    '/oauth2/clients/c%2F1',
  )
  expect(changeTarget(rows)).toEqual({ text: 'public.todos', href: '/database/tables/public/todos' })
})

it('is its kind where it has no id, with a way to what there is one of alone', () => {
  const nameless = { ...CHANGE, target_id: null, before: null, after: null }
  expect(changeTarget(nameless)).toEqual({ text: 'Webhook', href: undefined })
  const claims = { ...nameless, target_kind: 'claims_config' }
  expect(changeTarget(claims)).toEqual({ text: 'Claims', href: '/oauth2/claims' })
})

it('leads to a signing key by its set and id', () => {
  const made = {
    ...CHANGE,
    action: 'signing_keys.create',
    target_kind: 'signing_key',
    target_id: 'set.a/kid/1',
  }
  expect(changeTarget(made).href).toBe('/oauth2/keys?set=set.a&kid=kid%2F1')
})
