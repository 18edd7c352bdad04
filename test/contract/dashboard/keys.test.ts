// /api/keys over HTTP: that a session does what a service_role key does at /v1/keys, and is in the audit log as itself.
// The verbs' own promises are in keys.test.ts; which credentials each route takes is in sessions.test.ts.

import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { ApiKey, ApiKeyList, ApiKeyWithSecret } from '../../../src/features/api-keys/record/schemas.ts'
import { connectOwner } from '../../support/postgres.ts'
import { asAdmin, auditLogs, type DashboardAnswer, memberOutcome } from './caller.ts'

const stack = inject('stack')

async function createKey(body: object = {}): Promise<ApiKeyWithSecret> {
  const answer = await asAdmin('POST', '/api/keys', { body: { name: 'dashboard', role: 'anon', ...body } })
  expect(answer.status, answer.text).toBe(201)
  return ApiKeyWithSecret.strict().parse(answer.json)
}

const statusWith = async (apikey: string) =>
  (await fetch(`${stack.base_url}/v1/status`, { headers: { apikey } })).status
const outcome = ({ status, json }: DashboardAnswer) => [status, json?.code]

describe('POST /api/keys', () => {
  it('makes a key that works at once, in the oldest project where none is named', async () => {
    const { key, project_id } = await createKey({ role: 'service_role' })
    expect(await statusWith(key)).toBe(200)
    await using owner = await connectOwner()
    const { rows } = await owner.query('select id from quoin.projects order by created_at, id limit 1')
    expect(project_id).toBe(rows[0].id)
  })

  it('makes it in the project that is named', async () => {
    await using owner = await connectOwner()
    const { rows } = await owner.query("insert into quoin.projects (name) values ('named') returning id")
    expect((await createKey({ project_id: rows[0].id })).project_id).toBe(rows[0].id)
  })

  it.each([
    ['no body', undefined],
    ['no role', { name: 'a' }],
    ['a field that does not exist', { name: 'a', role: 'anon', key_hash: 'x' }],
    ['an unknown project', { name: 'a', role: 'anon', project_id: randomUUID() }],
  ])('refuses %s', async (_, body) => {
    expect(outcome(await asAdmin('POST', '/api/keys', { body }))).toEqual([400, 'validation_failed'])
  })
})

it('GET /api/keys lists records without secrets', async () => {
  const { id, key } = await createKey()
  const answer = await asAdmin('GET', '/api/keys?limit=1000')
  for (const record of answer.json.data) ApiKey.strict().parse(record)
  expect(ApiKeyList.parse(answer.json).data.map(record => record.id)).toContain(id)
  expect(answer.text).not.toContain(key)
  expect(outcome(await asAdmin('GET', '/api/keys?limit=0'))).toEqual([400, 'validation_failed'])
})

it('changes, rotates and revokes a key, each in the audit log with who did it and no key', async () => {
  const { id, key } = await createKey({ role: 'service_role' })
  const patched = await asAdmin('PATCH', `/api/keys/${id}`, { body: { name: 'renamed' } })
  expect([patched.status, patched.json.name]).toEqual([200, 'renamed'])
  const rotated = await asAdmin('POST', `/api/keys/${id}/rotate`)
  const { key: newKey } = ApiKeyWithSecret.parse(rotated.json)
  expect([await statusWith(key), await statusWith(newKey)]).toEqual([401, 200])
  const revoked = await asAdmin('DELETE', `/api/keys/${id}`)
  expect(ApiKey.strict().parse(revoked.json).revoked_at).not.toBeNull()
  expect(await statusWith(newKey)).toBe(401)

  const entries = await auditLogs({ target_kind: 'api_key', target_id: id })
  expect(entries.map(entry => entry.action)).toEqual(
    ['revoke', 'rotate', 'update', 'create'].map(verb => `keys.${verb}`),
  )
  for (const entry of entries) {
    expect(entry).toMatchObject({
      actor_kind: 'session',
      actor_id: stack.admin_identity_id,
      actor_name: stack.admin_email,
      outcome: 'succeeded',
    })
  }
  for (const secret of [key, newKey]) expect(JSON.stringify(entries)).not.toContain(secret.slice(7, 50))
})

it.each([
  ['GET', ''],
  ['POST', ''],
  ['PATCH', `/${randomUUID()}`],
  ['DELETE', `/${randomUUID()}`],
  ['POST', `/${randomUUID()}/rotate`],
])('%s /api/keys%s is not for members', async (method, suffix) => {
  expect(await memberOutcome(method, `/api/keys${suffix}`)).toEqual([403, 'admin_required'])
})

it.each([
  ['PATCH', '', { name: 'a' }],
  ['DELETE', '', undefined],
  ['POST', '/rotate', undefined],
])('%s /api/keys/:id%s answers 404 for an id that no key has, and 400 for what is no id', async (...call) => {
  const [method, suffix, body] = call
  expect(outcome(await asAdmin(method, `/api/keys/${randomUUID()}${suffix}`, { body }))).toEqual([
    404,
    'not_found',
  ])
  expect(outcome(await asAdmin(method, `/api/keys/nope${suffix}`, { body }))).toEqual([
    400,
    'invalid_parameter',
  ])
})
