// What the start page says needs somebody.

import { expect, it } from 'vitest'
import { attentionOf, type Known } from '../../../dashboard/src/views/overview/attention.ts'

type Webhook = NonNullable<Known['webhooks']>[number]
const WEBHOOK = { id: 'w1', name: 'Search', state: 'healthy', fail_count: 0, table_watched: true } as Webhook
const WELL = { state: 'up', latency_ms: 1 } as const

it('has nothing to say of a platform that is well, and nothing of what is not known', () => {
  expect(attentionOf({})).toEqual([])
  const oauth = { status: 'ok', public: WELL, admin: WELL, dynamic_client_registration: 'disabled' } as const
  const migrations = { applied: 3, pending: 0, modified: 0, orphaned: 0 }
  expect(attentionOf({ oauth, migrations, webhooks: [WEBHOOK], givenUp: [], failedChanges: [] })).toEqual([])
})

it('gives problems and warnings in the server’s words, the problems first', () => {
  const status = { problems: ['No listener: start it.'], warnings: ['Roles hold *.'] } as Known['status']
  const migrations = { applied: 1, pending: 0, modified: 1, orphaned: 0 }
  expect(attentionOf({ status, migrations }).map(({ tone, text }) => [tone, text])).toEqual([
    ['bad', 'No listener: start it.'],
    ['bad', 'One migration is changed after being applied.'],
    ['attention', 'Roles hold *.'],
  ])
})

it('tells a webhook that fails from one whose last attempt failed, and leads to each', () => {
  const webhooks = [
    { ...WEBHOOK, state: 'failing' as const, fail_count: 20 },
    { ...WEBHOOK, id: 'w2', fail_count: 1 },
    { ...WEBHOOK, id: 'w3', state: 'paused_by_receiver' as const },
    { ...WEBHOOK, id: 'w4', table_watched: false },
  ]
  const found = attentionOf({ webhooks, givenUp: [{ webhook: WEBHOOK, count: 2 }] })
  expect(found.map(({ tone, way }) => [tone, way?.href])).toEqual([
    ['bad', '/webhooks/w1'],
    ['bad', '/webhooks/w4'],
    ['bad', '/webhooks/w1'],
    ['attention', '/webhooks/w2'],
    ['attention', '/webhooks/w3'],
  ])
})

it('names the port of the OAuth2 server that is down, and its variable', () => {
  const oauth = {
    status: 'unavailable',
    public: WELL,
    admin: { state: 'down', latency_ms: null },
    dynamic_client_registration: 'unknown',
  } as const
  expect(attentionOf({ oauth })).toMatchObject([
    { tone: 'bad', text: expect.stringContaining('OAUTH_ADMIN_URL') },
  ])
  // The platform's status, which asks the same port, says it in the same words.
  const [{ text = '' } = {}] = attentionOf({ oauth })
  const status = { problems: [text], warnings: [] as string[] } as Known['status']
  expect(attentionOf({ oauth, status })).toHaveLength(1)
})

it('says in one line that changes failed, and leads to all of the day before', () => {
  type Change = NonNullable<Known['failedChanges']>[number]
  const change = {
    action: 'migrations.run',
    actor_name: 'ada@example.com',
    error_code: '42P07',
    created_at: '2026-01-31T12:00:00.000Z',
  } as Change
  const [only, ...more] = attentionOf({ failedChanges: [change, change] })
  expect(more).toEqual([])
  expect(only?.text).toBe('migrations.run by ada@example.com failed in the last day (42P07), and 1 more.')
  expect(only?.way?.href).toBe('/audit-log?outcome=failed&from=2026-01-30T12%3A00%3A00.000Z')
})

it('calls nothing well that could not be read, and names it', () => {
  const failures = [
    { part: 'webhooks', message: 'No.' },
    { part: 'status', message: 'No answer.' },
    { part: 'migrations', message: 'No.' },
  ]
  expect(attentionOf({ failures })).toEqual([
    { tone: 'bad', text: 'Could not be read: webhooks, migrations. No.' },
    { tone: 'bad', text: 'Could not be read: status. No answer.' },
  ])
})
