// That an API key sees and changes the keys of its own project alone, and cannot tell another project's from none. An
// administrator's session reaches all: test/contract/dashboard/keys.test.ts.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { StoredApiKey } from '../../../cli/support/api-key.ts'
import { ApiKeyList } from '../../../src/features/api-keys/record/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

const { base_url: baseUrl } = inject('stack')
let mine: StoredApiKey
let theirs: StoredApiKey

beforeAll(async () => {
  await using owner = await connectOwner()
  const { rows } = await owner.query(
    "insert into quoin.projects (name) values ('mine'), ('theirs') returning id",
  )
  const keyOf = (projectId: string) => makeKey('service_role', { projectId, rateLimitPerMinute: 10_000 })
  ;[mine, theirs] = await Promise.all([keyOf(rows[0].id), keyOf(rows[1].id)])
})

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { apikey: mine.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { request_id: _, ...json } = (await response.json()) as Record<string, unknown>
  return { status: response.status, json }
}

/** The key as the database has it. */
async function stored(id: string): Promise<unknown> {
  await using owner = await connectOwner()
  const { rows } = await owner.query('select k from quoin.api_keys k where id = $1', [id])
  return rows[0].k
}

it('lists its own project’s keys, whatever pages there are', async () => {
  const { data, next_cursor: cursor } = ApiKeyList.parse((await call('GET', '/v1/keys')).json)
  expect([data.map(({ id }) => id), cursor]).toEqual([[mine.id], null])
  const own = await call('GET', `/v1/keys?project_id=${mine.projectId.toUpperCase()}`)
  expect(ApiKeyList.parse(own.json).data).toEqual(data)
})

it('says of another project’s list what it says of none', async () => {
  const nobodys = randomUUID()
  const answers = await Promise.all(
    [theirs.projectId, nobodys].map(id => call('GET', `/v1/keys?project_id=${id}`)),
  )
  expect(answers[0]).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect(JSON.stringify(answers[0]).replace(theirs.projectId, nobodys)).toBe(JSON.stringify(answers[1]))
})

it('makes no key in another project, and says what it says of none', async () => {
  const [foreign, unknown] = await Promise.all(
    [theirs.projectId, randomUUID()].map(project_id =>
      call('POST', '/v1/keys', { name: 'intruder', role: 'service_role', project_id }),
    ),
  )
  expect(foreign).toMatchObject({ status: 400, json: { code: 'validation_failed' } })
  expect(foreign).toEqual(unknown)
  await using owner = await connectOwner()
  const { rows } = await owner.query('select id from quoin.api_keys where project_id = $1', [
    theirs.projectId,
  ])
  expect(rows).toEqual([{ id: theirs.id }])
})

describe.each([
  ['PATCH', '', { name: 'taken' }],
  ['DELETE', '', undefined],
  ['POST', '/rotate', undefined],
])('%s /v1/keys/:id%s', (method, suffix, body) => {
  it('leaves another project’s key as it is, and says what it says of none', async () => {
    const before = await stored(theirs.id)
    const nobodys = randomUUID()
    const [foreign, unknown] = await Promise.all(
      [theirs.id, nobodys].map(id => call(method, `/v1/keys/${id}${suffix}`, body)),
    )
    expect(foreign).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect(JSON.stringify(foreign).replace(theirs.id, nobodys)).toBe(JSON.stringify(unknown))
    expect(await stored(theirs.id)).toEqual(before)
  })
})
