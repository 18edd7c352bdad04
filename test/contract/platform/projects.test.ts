// Projects over HTTP: what each endpoint answers, what a key reaches of them, and what a pause does to keys. What a key
// reaches of other projects' keys is in key-isolation.test.ts.

import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { type StoredApiKey, storeApiKey } from '../../../cli/support/api-key.ts'
import { ApiKey } from '../../../src/features/api-keys/record/schemas.ts'
import {
  ChangedProject,
  Project,
  ProjectDetail,
  ProjectList,
} from '../../../src/features/projects/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import { asAdmin, auditLogs, memberOutcome } from '../dashboard/caller.ts'

const { base_url: baseUrl } = inject('stack')

async function createProject(name = `contract ${randomUUID()}`): Promise<Project> {
  const answer = await asAdmin('POST', '/api/projects', { body: { name } })
  expect(answer.status, answer.text).toBe(201)
  return Project.strict().parse(answer.json)
}

/** A project with keys of these roles. */
async function projectWithKeys(...roles: ('anon' | 'service_role')[]) {
  const project = await createProject()
  const keys = await Promise.all(
    roles.map(role => makeKey(role, { projectId: project.id, rateLimitPerMinute: 100_000 })),
  )
  return { project, keys }
}

async function withKey({ key }: { key: string }, method: string, path: string, body?: unknown) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { apikey: key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { request_id: _, ...json } = (await response.json()) as Record<string, unknown>
  return { status: response.status, json }
}

async function patch(id: string, body: object): Promise<ChangedProject> {
  const answer = await asAdmin('PATCH', `/api/projects/${id}`, { body })
  expect(answer.status, answer.text).toBe(200)
  return ChangedProject.strict().parse(answer.json)
}

async function read(id: string): Promise<ProjectDetail> {
  return ProjectDetail.strict().parse((await asAdmin('GET', `/api/projects/${id}`)).json)
}

/** What a call with the key gets: 200, or the code of its refusal. */
async function outcome(key: { key: string }): Promise<unknown> {
  const { status, json } = await withKey(key, 'GET', '/v1/oauth2/discovery')
  return status === 200 ? 200 : json.code
}

const outcomes = (keys: readonly StoredApiKey[]) => Promise.all(keys.map(outcome))

/** Resolves once some statement with this text waits for a lock that a test holds. */
async function waitsForLock(text: string): Promise<void> {
  await using owner = await connectOwner()
  const waiting = async () => {
    const sql = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1"
    return (await owner.query(sql, [`%${text}%`])).rowCount
  }
  await expect.poll(waiting, { interval: 10 }).toBeGreaterThan(0)
}

const BAD_NAMES: [string, unknown][] = [
  ['an empty name', { name: ' ' }],
  ['a name of 101 characters', { name: 'x'.repeat(101) }],
  ['a name with a line break', { name: 'a\nb' }],
  ['a name with NUL', { name: 'a\0b' }],
  ['half of a surrogate pair', '{"name":"\\ud800"}'],
  ['a name that is no text', { name: 7 }],
  ['a field that does not exist', { name: 'a', id: randomUUID() }],
  ['an array', []],
]

describe('POST /api/projects', () => {
  it('answers 201 with an active project without keys, and leaves one row in the audit log', async () => {
    const name = `new ${randomUUID()}`
    const project = await createProject(`  ${name} `)
    expect(project).toMatchObject({ name, status: 'active', active_keys: 0 })
    expect(project.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const entries = await auditLogs({ target_kind: 'project', target_id: project.id })
    expect(entries).toMatchObject([
      {
        action: 'projects.create',
        actor_kind: 'session',
        outcome: 'succeeded',
        before: null,
        after: project,
      },
    ])
  })

  it.each([
    ['no body', undefined],
    ['no name', {}],
    ['a status', { name: 'a', status: 'paused' }],
    ...BAD_NAMES,
  ])('refuses %s with 400', async (_, body) => {
    expect((await asAdmin('POST', '/api/projects', { body })).status).toBe(400)
  })

  it('is for administrators', async () => {
    expect(await memberOutcome('POST', '/api/projects')).toEqual([403, 'admin_required'])
  })
})

describe('GET /api/projects', () => {
  it('gives every project exactly once over pages of one, newest first', async () => {
    const made = [await createProject(), await createProject(), await createProject()].reverse()
    const ids = made.map(({ id }) => id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: '1', ...(cursor === null ? {} : { cursor }) })
      const page = ProjectList.strict().parse((await asAdmin('GET', `/api/projects?${query}`)).json)
      seen.push(...page.data.map(({ id }) => id).filter(id => ids.includes(id)))
      cursor = page.next_cursor
    } while (cursor !== null && seen.length < ids.length)
    expect(seen).toEqual(ids)
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'status=paused',
    'cursor=abc',
    `cursor=${btoa('["now()","x"]')}`,
  ])('refuses %s with 400', async query => {
    expect((await asAdmin('GET', `/api/projects?${query}`)).status).toBe(400)
  })
})

describe('GET /api/projects/:id', () => {
  it('has the newest keys without secrets, and says how many there are', async () => {
    const { project, keys } = await projectWithKeys('service_role')
    await using owner = await connectOwner()
    await owner.query(
      `insert into quoin.api_keys (project_id, name, role, prefix, last_four, key_hash, revoked_at, created_at)
       select $1::uuid, 'n' || n, 'anon', 'svc_pk_', 'abcd', md5($1::text || n) || md5(n || $1::text), now(),
         now() - interval '1 day' from generate_series(1, 120) n`,
      [project.id],
    )
    const detail = await read(project.id)
    expect(detail).toMatchObject({ ...project, active_keys: 1, keys: { total: 121 } })
    expect(detail.keys.data).toHaveLength(100)
    for (const key of detail.keys.data) ApiKey.strict().parse(key)
    expect(detail.keys.data[0]?.id).toBe(keys[0]?.id)
    expect(JSON.stringify(detail)).not.toContain(keys[0]?.keyHash)
  })

  it('has the tables that the database has now, its size, and what is stored', async () => {
    const project = await createProject()
    await using owner = await connectOwner()
    const name = `a_projects_${randomUUID().slice(0, 8)}`
    await owner.query(`create table public.${name} (id int) partition by list (id);
      create table public.${name}_1 partition of public.${name} for values in (1)`)
    const { tables, database_size_bytes: size, storage } = await read(project.id)
    await owner.query(`drop table public.${name}`)
    const named = tables.data.filter(table => table.name.startsWith(name))
    expect(named).toEqual([{ schema: 'public', name, kind: 'partitioned_table', rows_estimated: null }])
    expect(tables.total).toBeGreaterThanOrEqual(tables.data.length)
    expect(size).toBeGreaterThan(1_000_000)
    expect(storage).toEqual({
      buckets: expect.any(Number),
      objects: expect.any(Number),
      bytes: expect.any(Number),
    })
  })

  it.each([randomUUID(), 'nope', '%00', "'%20or%20true--"])('answers 404 for %s', async id => {
    for (const method of ['GET', 'PATCH']) {
      const call = method === 'PATCH' ? { body: { name: 'a' } } : {}
      const { status, json } = await asAdmin(method, `/api/projects/${id}`, call)
      expect([status, json.code]).toEqual([404, 'not_found'])
    }
  })
})

describe('PATCH /api/projects/:id', () => {
  it('changes what was sent, with one row in the audit log that has the state before and after', async () => {
    const before = await createProject()
    const { keys_told, keys_following, ...after } = await patch(before.id, { name: 'renamed' })
    expect({ ...after, keys_told, keys_following }).toEqual({
      ...before,
      name: 'renamed',
      updated_at: after.updated_at,
      keys_told: 0,
      keys_following: 0,
    })
    expect(after.updated_at > before.updated_at).toBe(true)
    const entries = await auditLogs({ action: 'projects.update', target_id: before.id })
    expect(entries).toMatchObject([{ outcome: 'succeeded', target_kind: 'project', before, after }])
  })

  it('changes nothing, and leaves no row in the audit log, where all is so already', async () => {
    const { project } = await projectWithKeys('anon')
    // Tables and size are those of the whole database, which grows meanwhile.
    const { name, status, updated_at, keys } = await read(project.id)
    const same = await patch(project.id, { name: project.name, status: 'active' })
    expect(same).toMatchObject({ updated_at: project.updated_at, keys_told: 1, keys_following: 0 })
    expect(await read(project.id)).toMatchObject({ name, status, updated_at, keys })
    expect(await auditLogs({ action: 'projects.update', target_id: project.id })).toEqual([])
  })

  it.each([
    ['no body', undefined],
    ['no field', {}],
    ['an unknown status', { status: 'deleted' }],
    ['a status in capitals', { status: 'PAUSED' }],
    ['a status that is null', { status: null }],
    ['a name that is null', { name: null }],
    ...BAD_NAMES,
  ])('refuses %s with 400 and changes nothing', async (_, body) => {
    const project = await createProject()
    expect((await asAdmin('PATCH', `/api/projects/${project.id}`, { body })).status).toBe(400)
    expect(await read(project.id)).toMatchObject(project)
  })
})

describe('a service_role key', () => {
  it('lists, reads and renames its own project alone', async () => {
    const { project, keys } = await projectWithKeys('service_role')
    const [key] = keys as [StoredApiKey]
    await createProject()
    const { data, next_cursor } = ProjectList.parse((await withKey(key, 'GET', '/v1/projects')).json)
    expect([data.map(({ id }) => id), next_cursor]).toEqual([[project.id], null])
    const detail = await withKey(key, 'GET', `/v1/projects/${project.id.toUpperCase()}`)
    expect(ProjectDetail.parse(detail.json).keys.data.map(({ id }) => id)).toEqual([key.id])
    const renamed = await withKey(key, 'PATCH', `/v1/projects/${project.id}`, { name: 'by its key' })
    expect([renamed.status, renamed.json.name]).toEqual([200, 'by its key'])
  })

  it('is told the same of another project, of none, and of what is no id, and changes nothing', async () => {
    const { keys } = await projectWithKeys('service_role')
    const [key] = keys as [StoredApiKey]
    const other = await createProject()
    for (const [method, body] of [['GET'], ['PATCH', { status: 'paused' }]] as const) {
      const told = await Promise.all(
        [other.id, randomUUID(), 'nope'].map(async id => {
          const { status, json } = await withKey(key, method, `/v1/projects/${id}`, body)
          return JSON.stringify({ status, json }).replace(id, '')
        }),
      )
      expect(told[0]).toContain('"status":404,"json":{"error":"No project has the id .","code":"not_found"')
      expect(new Set(told).size).toBe(1)
    }
    expect(await read(other.id)).toMatchObject(other)
  })
})

describe('a pause', () => {
  it('refuses all keys of the project, and no other’s, until an administrator resumes it', async () => {
    const { project, keys } = await projectWithKeys('anon', 'service_role', 'service_role')
    const { keys: others } = await projectWithKeys('service_role')
    expect(await outcomes([...keys, ...others])).toEqual([200, 200, 200, 200])

    const paused = await patch(project.id, { status: 'paused' })
    expect(paused).toMatchObject({ status: 'paused', active_keys: 3, keys_told: 3, keys_following: 0 })
    expect(await outcomes(keys)).toEqual(keys.map(() => 'project_paused'))
    expect(await outcomes(others)).toEqual([200])
    // What a limiter has read before must not undo it; and it costs one row, however many keys there are.
    await using owner = await connectOwner()
    const { rows } = await owner.query(
      `select k.version, p.status_version from quoin.api_keys k join quoin.projects p on p.id = k.project_id
       where p.id = $1`,
      [project.id],
    )
    expect(rows).toEqual(keys.map(() => ({ version: '1', status_version: '1' })))

    const [, key] = keys as [StoredApiKey, StoredApiKey]
    const resumption = await withKey(key, 'PATCH', `/v1/projects/${project.id}`, { status: 'active' })
    expect(resumption).toMatchObject({ status: 403, json: { code: 'project_paused' } })
    expect(resumption.json.hint).toContain('PATCH /api/projects/:id')

    const resumed = await patch(project.id, { status: 'active' })
    expect(resumed).toMatchObject({ status: 'active', keys_told: 3, keys_following: 0 })
    expect(await outcomes(keys)).toEqual([200, 200, 200])
    const entries = await auditLogs({ action: 'projects.update', target_id: project.id })
    expect(entries.map(({ before, after }) => [before, after])).toMatchObject([
      [{ status: 'paused' }, { status: 'active' }],
      [{ status: 'active' }, { status: 'paused' }],
    ])
  })

  it('may be asked for by a key of the project, which is refused from then on', async () => {
    const { project, keys } = await projectWithKeys('service_role', 'anon')
    const [key] = keys as [StoredApiKey]
    const answer = await withKey(key, 'PATCH', `/v1/projects/${project.id}`, { status: 'paused' })
    expect(answer).toMatchObject({ status: 200, json: { status: 'paused', keys_told: 2 } })
    expect(await outcomes(keys)).toEqual(['project_paused', 'project_paused'])
  })

  it('ends permits that isolates hold of a busy key', async () => {
    const { project, keys } = await projectWithKeys('anon')
    const [key] = keys as [StoredApiKey]
    for (const _ of [1, 2]) await Promise.all(Array.from({ length: 60 }, () => outcome(key)))
    await patch(project.id, { status: 'paused' })
    await expect.poll(() => outcome(key), { interval: 20 }).toBe('project_paused')
  })

  it('reaches the replaced key that lives on beside a rotated one', async () => {
    const { project, keys } = await projectWithKeys('service_role')
    const [old] = keys as [StoredApiKey]
    const path = `/v1/keys/${old.id}/rotate`
    const { json } = await withKey(old, 'POST', path, { overlap_seconds: 3_600 })
    const both = [old, { key: String(json.key) }]
    expect(await Promise.all(both.map(outcome))).toEqual([200, 200])
    await patch(project.id, { status: 'paused' })
    expect(await Promise.all(both.map(outcome))).toEqual(['project_paused', 'project_paused'])
  })

  it('holds for a key that is being made while the project is paused', async () => {
    const project = await createProject()
    await using owner = await connectOwner()
    await owner.query('begin')
    const key = await storeApiKey(owner, { role: 'anon', name: 'meanwhile', projectId: project.id })
    const paused = patch(project.id, { status: 'paused' })
    await waitsForLock('update quoin.projects')
    await owner.query('commit')
    expect(await paused).toMatchObject({ active_keys: 1, keys_told: 1 })
    expect(await outcome(key)).toBe('project_paused')
  })

  it('holds for a key that is asked for while the project is being paused', async () => {
    const project = await createProject()
    await using owner = await connectOwner()
    await owner.query('begin')
    await owner.query("update quoin.projects set status = 'paused' where id = $1", [project.id])
    const body = { name: 'meanwhile', role: 'anon', project_id: project.id }
    const made = asAdmin('POST', '/api/keys', { body })
    await waitsForLock('insert into quoin.api_keys')
    await owner.query('commit')
    expect(await outcome((await made).json)).toBe('project_paused')
  })

  it('holds for a key that is changed while the project is being paused', async () => {
    const { project, keys } = await projectWithKeys('anon')
    const [key] = keys as [StoredApiKey]
    await using owner = await connectOwner()
    await owner.query('begin')
    await owner.query(
      "update quoin.projects set status = 'paused', status_version = status_version + 1 where id = $1",
      [project.id],
    )
    const changed = asAdmin('PATCH', `/api/keys/${key.id}`, { body: { name: 'meanwhile' } })
    await waitsForLock('update quoin.api_keys')
    await owner.query('commit')
    expect(await changed).toMatchObject({ status: 409, json: { code: 'conflict' } })
    expect(await read(project.id)).toMatchObject({ status: 'paused' })
    const again = await asAdmin('PATCH', `/api/keys/${key.id}`, { body: { name: 'meanwhile' } })
    expect([again.status, await outcome(key)]).toEqual([200, 'project_paused'])
  })

  it('holds for keys that are rotated or changed at the same time', async () => {
    const { project, keys } = await projectWithKeys('anon', 'anon')
    const [rotated, changed] = keys as [StoredApiKey, StoredApiKey]
    const [rotation] = await Promise.all([
      asAdmin('POST', `/api/keys/${rotated.id}/rotate`),
      patch(project.id, { status: 'paused' }),
      asAdmin('PATCH', `/api/keys/${changed.id}`, { body: { name: 'meanwhile' } }),
    ])
    // The rotation may have come second: then the old key is still the one.
    const current = rotation.status === 200 ? rotation.json : rotated
    expect(await Promise.all([current, changed].map(outcome))).toEqual(['project_paused', 'project_paused'])
  })
})

it('loses nothing of several changes at once: whoever was not first is told, and keys go by the status', async () => {
  const { project, keys } = await projectWithKeys('anon', 'anon')
  const changes = [{ status: 'paused' }, { name: 'meanwhile' }, { status: 'paused', name: 'both' }]
  const made = await Promise.all(
    changes.map(async body => {
      const { status, json } = await asAdmin('PATCH', `/api/projects/${project.id}`, { body })
      expect([status, json.code]).toBeOneOf([
        [200, undefined],
        [409, 'conflict'],
      ])
      return status === 200 ? [json] : []
    }),
  )
  expect(made.flat().length).toBeGreaterThan(0)
  const { name, status } = await read(project.id)
  const expected = status === 'paused' ? 'project_paused' : 200
  expect(await outcomes(keys)).toEqual([expected, expected])
  // Each change goes on from what the one before it has left.
  const entries = await auditLogs({ action: 'projects.update', outcome: 'succeeded', target_id: project.id })
  const states = entries.map(({ before, after }) => ({ before: before as Project, after: after as Project }))
  expect(states[0]?.after).toMatchObject({ name, status })
  expect(states.at(-1)?.before).toEqual({ ...project, active_keys: 2 })
  for (const [i, { before }] of states.slice(0, -1).entries()) expect(before).toEqual(states[i + 1]?.after)
})
