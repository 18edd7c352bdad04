// GET /api/audit-logs, /api/status and /api/modules over HTTP: that they say what their twins under /v1 say. What these
// promise is in audit-logs.test.ts and local-stack.test.ts.

import { describe, expect, inject, it } from 'vitest'
import { AuditLogList } from '../../../src/features/audit/schemas.ts'
import { ModuleList } from '../../../src/features/status/modules.ts'
import { PlatformStatus } from '../../../src/features/status/overview.ts'
import { asAdmin, auditLogs, memberOutcome } from './caller.ts'

const stack = inject('stack')

it.each(['/api/audit-logs', '/api/status', '/api/modules'])('GET %s is not for members', async path => {
  expect(await memberOutcome('GET', path)).toEqual([403, 'admin_required'])
})

describe('GET /api/audit-logs', () => {
  it('filters by actor, action, target and time, and pages by a cursor', async () => {
    const made: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const { json } = await asAdmin('POST', '/api/keys', { body: { name, role: 'anon' } })
      made.unshift(json.id)
    }
    const filters = { actor_id: stack.admin_identity_id ?? '', action: 'keys.create' }
    const [oldest] = await auditLogs({ ...filters, target_kind: 'api_key', target_id: made[2] ?? '' })
    const from = oldest?.created_at ?? ''
    expect(await auditLogs({ ...filters, to: from, target_id: made[2] ?? '' })).toEqual([])
    const seen: (string | null)[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({
        ...filters,
        from,
        limit: '1',
        ...(cursor === null ? {} : { cursor }),
      })
      const { json } = await asAdmin('GET', `/api/audit-logs?${query}`)
      const page = AuditLogList.parse(json)
      seen.push(...page.data.map(entry => entry.target_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    // Other files make keys with the same session meanwhile.
    expect(seen.filter(id => made.includes(id ?? ''))).toEqual(made)
  })

  it.each(['limit=0', 'actor=x', 'from=yesterday', 'cursor=abc'])('refuses %s', async query => {
    expect((await asAdmin('GET', `/api/audit-logs?${query}`)).status).toBe(400)
  })
})

it('GET /api/status and GET /api/modules say what the key’s endpoints say', async () => {
  const byKey = async (path: string) =>
    (await fetch(stack.base_url + path, { headers: { apikey: stack.service_role_key } })).json()
  const status = PlatformStatus.strict().parse((await asAdmin('GET', '/api/status')).json)
  const { version, base_url, database } = PlatformStatus.parse(await byKey('/v1/status'))
  expect(status).toMatchObject({ version, base_url, database: { schemas: database.schemas } })
  const modules = ModuleList.parse((await asAdmin('GET', '/api/modules')).json)
  expect(modules).toEqual(await byKey('/v1/modules'))
})
