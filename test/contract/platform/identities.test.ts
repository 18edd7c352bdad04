// /v1/auth/identities over HTTP, against the identity provider of the stack: who is found, page by page, and that
// nothing secret is. What odd answers of the provider become is in test/unit/clients/identity-admin.test.ts.

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { Identity, IdentityDetail, IdentityList } from '../../../src/features/identities/schemas.ts'
import { signInAsBrowser } from '../../../stand-ins/identity-server/seeds.ts'
import { makePerson, type Person } from '../../support/applications.ts'
import { makeKey } from '../../support/keys.ts'

const stack = inject('stack')
let key: string
let people: Person[]

beforeAll(async () => {
  key = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
  people = await Promise.all([makePerson(), makePerson(), makePerson()])
})

interface Answer {
  status: number
  text: string
  json: Record<string, unknown>
}

async function get(path: string): Promise<Answer> {
  const response = await fetch(`${stack.base_url}/v1/auth/identities${path}`, { headers: { apikey: key } })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) as Record<string, unknown> }
}

async function list(query: Record<string, string>): Promise<IdentityList> {
  const answer = await get(`?${new URLSearchParams(query)}`)
  expect(answer.status, answer.text).toBe(200)
  for (const record of answer.json['data'] as object[]) Identity.strict().parse(record)
  return IdentityList.parse(answer.json)
}

/** Asks the identity provider's admin API itself. */
function arrange(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${stack.identity_admin_url}/admin/identities${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

function personOf(index: number): Person {
  const person = people[index]
  if (person === undefined) throw new Error('three people are made before the tests')
  return person
}

describe('GET /v1/auth/identities', () => {
  it('finds a person by e-mail address in any letter case, with the whole record and no credentials', async () => {
    const { id, email } = personOf(0)
    const { data, next_cursor } = await list({ email: ` ${email.toUpperCase()} ` })
    expect(next_cursor).toBeNull()
    expect(data).toEqual([
      {
        id,
        schema_id: 'default',
        state: 'active',
        traits: expect.objectContaining({ email }),
        verifiable_addresses: expect.any(Array),
        recovery_addresses: expect.any(Array),
        metadata_public: expect.objectContaining({ plan: 'team' }),
        metadata_admin: null,
        created_at: expect.stringMatching(/^\d{4}-/),
        updated_at: expect.stringMatching(/^\d{4}-/),
      },
    ])
    const { text } = await get(`?email=${encodeURIComponent(email)}`)
    expect(text).not.toMatch(/credentials|hashed_password|\$scrypt|\$2[aby]\$/)
  })

  it('finds nobody for an address that nobody has', async () => {
    expect(await list({ email: `${randomUUID()}@example.com` })).toEqual({ data: [], next_cursor: null })
  })

  it('finds people by ids, and leaves unknown ones out', async () => {
    const ids = people.map(person => person.id)
    const { data } = await list({ ids: [...ids, randomUUID()].join(',') })
    expect(data.map(identity => identity.id).sort()).toEqual([...ids].sort())
  })

  it('takes as many ids as it says', async () => {
    const ids = [personOf(0).id, ...Array.from({ length: 199 }, () => randomUUID())]
    expect((await list({ ids: ids.join(',') })).data).toHaveLength(1)
  })

  it('gives everybody exactly once over pages of one, and then ends', async () => {
    const ids = people.map(person => person.id).join(',')
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await list({ ids, limit: '1', ...(cursor ? { cursor } : {}) })
      expect(page.data.length).toBeLessThanOrEqual(1)
      seen.push(...page.data.map(identity => identity.id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect([...seen].sort()).toEqual(people.map(person => person.id).sort())
  })

  it('goes on without a filter too', async () => {
    const first = await list({ limit: '2' })
    expect(first.data).toHaveLength(2)
    const second = await list({ limit: '2', cursor: first.next_cursor ?? '' })
    expect(second.data.length).toBeGreaterThan(0)
    const [before, after] = [first.data, second.data].map(page => page.map(identity => identity.id))
    expect(before?.some(id => after?.includes(id))).toBe(false)
  })

  it.each([
    ['limit=0'],
    ['limit=501'],
    ['limit=1e2'],
    ['foo=1'],
    ['email='],
    ['email=a@b.test&email=c@d.test'],
    ['ids='],
    ['ids=nope'],
    [`ids=${randomUUID()},`],
    [`ids=${randomUUID()}&email=a@b.test`],
    [`ids=${Array.from({ length: 201 }, () => randomUUID()).join(',')}`],
    ['cursor='],
    ['cursor=abc'],
    // What a caller made up must not reach the provider.
    [`cursor=${btoa('["nonsense"]')}`],
    [`cursor=${btoa('["/../../admin/clients/00000000000000000000000000000000"]')}`],
    [`cursor=${btoa('{"length":1}')}`],
    ['page_token=abc'],
    ['include_credential=password'],
    ['email=%00'],
  ])('refuses %s with 400', async query => {
    expect((await get(`?${query}`)).status).toBe(400)
  })

  it('says that a cursor of the right form is none of the provider’s', async () => {
    const answer = await get(`?cursor=${btoa(JSON.stringify(['x'.repeat(64)]))}`)
    expect([answer.status, answer.json['code']]).toEqual([400, 'invalid_parameter'])
  })
})

describe('GET /v1/auth/identities/:id', () => {
  it('shows the record with its active sessions, where they were opened, and no more than that', async () => {
    const person = personOf(1)
    await signInAsBrowser(stack.identity_public_url ?? '', person)
    const answer = await get(`/${person.id}`)
    expect(answer.status).toBe(200)
    const identity = IdentityDetail.strict().parse(answer.json)
    expect(identity).toMatchObject({ id: person.id, traits: { email: person.email } })
    expect(identity.active_sessions).toHaveLength(1)
    const [session] = identity.active_sessions
    expect(session).toMatchObject({
      authenticator_assurance_level: 'aal1',
      authentication_methods: ['password'],
    })
    for (const device of session?.devices ?? []) expect(device.ip_address).not.toMatch(/:\d+$/)
    expect(answer.text).not.toMatch(/credentials|hashed_password|token/)
  })

  it('shows metadata for administrators, and no session of somebody who was disabled', async () => {
    const person = personOf(2)
    await signInAsBrowser(stack.identity_public_url ?? '', person)
    const changes = [
      { op: 'replace', path: '/metadata_admin', value: { note: 'vip' } },
      { op: 'replace', path: '/state', value: 'inactive' },
    ]
    expect((await arrange('PATCH', `/${person.id}`, changes)).status).toBe(200)
    expect((await get(`/${person.id}`)).json).toMatchObject({
      state: 'inactive',
      metadata_admin: { note: 'vip' },
      active_sessions: [],
    })
  })

  it.each([
    ['an id that nobody has', randomUUID()],
    ['a text that is no id', 'nope'],
    ['a path in place of an id', `..%2Fsessions`],
    ['more than an id', `${randomUUID()}%2Fsessions`],
    ['a query in place of an id', '%3Finclude_credential=password'],
  ])('answers 404 for %s', async (_, id) => {
    const answer = await get(`/${id}`)
    expect([answer.status, answer.json['code']]).toEqual([404, 'not_found'])
  })
})
