// /v1/audit-logs over HTTP, and the promises of the log itself: every change of a key is in it, nothing of it is ever
// changed or deleted, and no secret stands in it.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiKeyWithSecret } from '../../../src/features/api-keys/record/schemas.ts'
import { AuditLog, AuditLogList } from '../../../src/features/audit/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

const { base_url: baseUrl } = inject('stack')
let operator: { id: string; key: string }

beforeAll(async () => {
  operator = await makeKey('service_role', { name: 'audit operator', rateLimitPerMinute: 100_000 })
})

interface Answer {
  status: number
  requestId: string
  json: Record<string, unknown>
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { apikey: operator.key, 'content-type': 'application/json', 'cf-connecting-ip': '192.0.2.77' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const requestId = response.headers.get('x-request-id') ?? ''
  return { status: response.status, requestId, json: (await response.json()) as Record<string, unknown> }
}

async function listLogs(filters: Record<string, string>): Promise<AuditLogList> {
  const answer = await call('GET', `/v1/audit-logs?${new URLSearchParams(filters)}`)
  expect(answer.status).toBe(200)
  for (const entry of answer.json['data'] as object[]) AuditLog.strict().parse(entry)
  return AuditLogList.parse(answer.json)
}

async function createKey(): Promise<ApiKeyWithSecret> {
  const answer = await call('POST', '/v1/keys', { name: 'audited', role: 'anon' })
  expect(answer.status).toBe(201)
  return ApiKeyWithSecret.parse(answer.json)
}

describe('a change of a key', () => {
  it('is in the log with who, from where, the states around it and the request id', async () => {
    const answer = await call('POST', '/v1/keys', { name: 'audited', role: 'anon' })
    const { key: _secret, ...record } = ApiKeyWithSecret.parse(answer.json)
    const { data } = await listLogs({ target_id: record.id })
    expect(data).toEqual([
      {
        id: expect.any(String),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        completed_at: expect.any(String),
        request_id: answer.requestId,
        actor_kind: 'api_key',
        actor_id: operator.id,
        actor_name: 'audit operator',
        address: '192.0.2.77',
        action: 'keys.create',
        target_kind: 'api_key',
        target_id: record.id,
        outcome: 'succeeded',
        error_code: null,
        before: null,
        after: record,
      },
    ])
  })

  it('is there for each of creation, rotation and revocation, newest first, and none holds a key', async () => {
    const created = await createKey()
    const rotated = ApiKeyWithSecret.parse((await call('POST', `/v1/keys/${created.id}/rotate`)).json)
    await call('DELETE', `/v1/keys/${created.id}`)
    const { data } = await listLogs({ target_kind: 'api_key', target_id: created.id })
    expect(data.map(entry => entry.action)).toEqual(['keys.revoke', 'keys.rotate', 'keys.create'])
    expect(data[1]).toMatchObject({
      before: { last_four: created.last_four },
      after: { last_four: rotated.last_four },
    })
    expect(data[0]).toMatchObject({ before: { revoked_at: null }, after: { revoked_at: expect.any(String) } })
    const text = await rowText(created.id)
    for (const { key } of [created, rotated]) expect(text).not.toContain(key.slice(7, 50))
    expect(text).not.toContain('key_hash')
  })

  it('that is refused is there as failed, with the code of the refusal', async () => {
    const { id } = await createKey()
    await call('DELETE', `/v1/keys/${id}`)
    const refused = await call('POST', `/v1/keys/${id}/rotate`)
    expect(refused.status).toBe(409)
    const { data } = await listLogs({ target_id: id, outcome: 'failed' })
    expect(data).toMatchObject([
      { action: 'keys.rotate', error_code: 'conflict', request_id: refused.requestId, after: null },
    ])
  })
})

/** Everything that the log has on a target, as Postgres prints it. */
async function rowText(targetId: string): Promise<string> {
  await using owner = await connectOwner()
  const { rows } = await owner.query(
    `select string_agg(a::text, ' ') as text from quoin.audit_logs a where target_id = $1`,
    [targetId],
  )
  return rows[0].text
}

// Stops whoever has the owner's connection from covering their tracks, by mistake at least.
describe('the log is append-only, for its owner too', () => {
  it.each([
    ['update', "update quoin.audit_logs set actor_id = 'somebody else' where target_id = $1"],
    [
      'reopening',
      "update quoin.audit_logs set outcome = 'pending', completed_at = null where target_id = $1",
    ],
    ['completing twice', "update quoin.audit_logs set outcome = 'failed' where target_id = $1"],
    ['delete', 'delete from quoin.audit_logs where target_id = $1'],
  ])('refuses %s', async (_, sql) => {
    const { id } = await createKey()
    const before = await rowText(id)
    await using owner = await connectOwner()
    await expect(owner.query(sql, [id])).rejects.toMatchObject({ code: '42501' })
    expect(await rowText(id)).toBe(before)
  })

  it('refuses to be emptied', async () => {
    await using owner = await connectOwner()
    await expect(owner.query('truncate quoin.audit_logs')).rejects.toMatchObject({ code: '42501' })
  })

  it('lets a pending entry be completed, and changes nothing else of it', async () => {
    await using owner = await connectOwner()
    const sql = `insert into quoin.audit_logs (request_id, actor_kind, action, target_kind)
      values ('r', 'anonymous', 'tests.pending', 'test') returning id`
    const { id } = (await owner.query(sql)).rows[0]
    const forged =
      "update quoin.audit_logs set outcome = 'succeeded', completed_at = now(), action = 'x' where id = $1"
    await expect(owner.query(forged, [id])).rejects.toMatchObject({ code: '42501' })
    const completed = "update quoin.audit_logs set outcome = 'succeeded', completed_at = now() where id = $1"
    expect((await owner.query(completed, [id])).rowCount).toBe(1)
  })
})

it('a pending entry may get the code of the error that hid its end, once, and still be completed', async () => {
  await using owner = await connectOwner()
  const insert = `insert into quoin.audit_logs (request_id, actor_kind, action, target_kind)
    values ('r', 'anonymous', 'tests.pending', 'test') returning id`
  const { id } = (await owner.query(insert)).rows[0]
  const note = 'update quoin.audit_logs set error_code = $2 where id = $1'
  expect((await owner.query(note, [id, 'upstream_unavailable'])).rowCount).toBe(1)
  await expect(owner.query(note, [id, 'conflict'])).rejects.toMatchObject({ code: '42501' })
  const completed = "update quoin.audit_logs set outcome = 'succeeded', completed_at = now() where id = $1"
  expect((await owner.query(completed, [id])).rowCount).toBe(1)
})

describe('GET /v1/audit-logs', () => {
  const action = `tests.${randomUUID().slice(0, 8)}`
  const BASE_TIME = Date.parse('2020-01-01T00:00:00Z')

  /** Entries 0 to 5, a minute apart; 4 and 5 at the same time. */
  beforeAll(async () => {
    await using owner = await connectOwner()
    await owner.query(
      `insert into quoin.audit_logs (created_at, completed_at, request_id, actor_kind, actor_id, action, target_kind,
         target_id, outcome, error_code)
       select $2::timestamptz + least(n, 4) * interval '1 minute', now(), $1 || n,
         case when n < 3 then 'session' else 'api_key' end, 'actor' || n, $1, 'kind' || n % 2, $1 || '/' || n,
         case when n = 5 then 'failed' else 'succeeded' end, case when n = 5 then 'conflict' end
       from generate_series(0, 5) n`,
      [action, new Date(BASE_TIME)],
    )
  })

  const found = async (filters: Record<string, string>) =>
    (await listLogs({ action, ...filters })).data.map(entry => Number(entry.request_id.at(-1))).sort()

  const minute = (n: number) => new Date(BASE_TIME + n * 60_000).toISOString()

  it.each([
    ['actor_kind', { actor_kind: 'session' }, [0, 1, 2]],
    ['actor_id', { actor_id: 'actor3' }, [3]],
    ['target_kind', { target_kind: 'kind1' }, [1, 3, 5]],
    ['target_id', { target_id: `${action}/2` }, [2]],
    ['outcome', { outcome: 'failed' }, [5]],
    ['request_id', { request_id: `${action}1` }, [1]],
    ['from, which counts itself', { from: minute(3) }, [3, 4, 5]],
    ['to, which does not', { to: minute(3) }, [0, 1, 2]],
    ['times in another zone', { from: '2020-01-01T05:33:00+05:30', to: minute(4) }, [3]],
    ['two filters at once', { actor_kind: 'session', target_kind: 'kind0' }, [0, 2]],
    ['a value that is nowhere', { actor_id: "' or true --" }, []],
  ])('filters by %s', async (_, filters, numbers) => {
    expect(await found(filters as Record<string, string>)).toEqual(numbers)
  })

  it('goes from the newest to the oldest', async () => {
    const times = (await listLogs({ action })).data.map(entry => entry.created_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  it.each(['1', '2', '5', '6'])(
    'gives each entry exactly once over pages of %s, and then ends',
    async limit => {
      const seen: string[] = []
      let cursor: string | null | undefined
      do {
        const page = await listLogs({ action, limit, ...(cursor ? { cursor } : {}) })
        expect(page.data.length).toBeLessThanOrEqual(Number(limit))
        seen.push(...page.data.map(entry => entry.request_id))
        cursor = page.next_cursor
      } while (cursor !== null)
      expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5].map(n => action + n))
    },
  )

  it('neither skips nor repeats an entry when new ones arrive between two pages', async () => {
    const filters = { actor_id: operator.id, limit: '2' }
    for (const _ of [1, 2, 3]) await createKey()
    const first = await listLogs(filters)
    await createKey()
    const second = await listLogs({ ...filters, cursor: first.next_cursor ?? '' })
    const all = (await listLogs({ actor_id: operator.id, limit: '5' })).data.map(entry => entry.id)
    expect([...first.data, ...second.data].map(entry => entry.id)).toEqual(all.slice(1))
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=abc',
    'foo=1',
    'cursor=abc',
    `cursor=${btoa('["now()","x"]')}`,
    'from=yesterday',
    'from=2020-01-01',
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    'from=0000-01-01T00:00:00Z',
    'to=2020-01-01T00:00:00',
    'outcome=done',
    'actor_kind=root',
    'actor_id=',
    'action=%00',
    'action=a&action=b',
  ])('refuses %s with 400', async query => {
    expect((await call('GET', `/v1/audit-logs?${query}`)).status).toBe(400)
  })
})
