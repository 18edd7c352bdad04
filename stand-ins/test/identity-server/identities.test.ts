// The admin's identities on the Kratos wire: making, finding, paging, replacing, patching, deleting. Public HTTP only;
// see test/support/identity-server.ts for the servers it runs against.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityProvider, openIdentityProvider } from '../../../test/support/identity-server.ts'
import {
  call,
  makePerson,
  NOBODY,
  newAddress,
  PASSWORD,
  submitLogin,
  tokenFor,
} from '../../../test/support/identity-visitor.ts'

let provider: IdentityProvider
let all: string

beforeAll(async () => {
  provider = await openIdentityProvider()
  all = `${provider.adminUrl}/admin/identities`
})
afterAll(() => provider[Symbol.asyncDispose]())

const create = (json: object) => call(all, { json: { schema_id: 'default', ...json } })
const canSignIn = async (identifier: string, password: string) =>
  (await submitLogin(provider, { identifier, password })).status
const next = (headers: Headers) => /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]

describe('making an identity', () => {
  it('answers 201, where it is, and an empty password credential', async () => {
    const email = newAddress().toUpperCase()
    const made = await create({ traits: { email }, metadata_public: 'text', metadata_admin: [1] })
    expect(made.status).toBe(201)
    expect(made.location).toBe(`${provider.adminUrl}/identities/${made.body.id}`)
    expect(made.body).toMatchObject({
      state: 'active',
      traits: { email },
      metadata_public: 'text',
      metadata_admin: [1],
      credentials: { password: { identifiers: [email.toLowerCase()] } },
    })
    const bare = await create({ traits: { email: newAddress() } })
    expect(bare.body).not.toHaveProperty('metadata_admin')
    expect((await call(`${all}/${bare.body.id}`)).body.metadata_admin).toBeNull()
  })

  it.each([
    ['an unknown field', { traits: { email: 'a@b.example' }, surprise: 1 }],
    ['an id of its own', { id: NOBODY, traits: { email: 'a@b.example' } }],
    ['no e-mail', { traits: {} }],
    ['traits that are null', { traits: null }],
    ['an e-mail that is none', { traits: { email: 'nope' } }],
    ['an e-mail of another type', { traits: { email: 7 } }],
    ['a trait the schema does not know', { traits: { email: 'a@b.example', __proto: 1 } }],
    ['a list that is none', { traits: { email: 'a@b.example', groups: 'x' } }],
    ['a list of the wrong items', { traits: { email: 'a@b.example', groups: [1] } }],
    ['an unknown schema', { schema_id: 'nope', traits: { email: 'a@b.example' } }],
    ['an unknown state', { state: 'asleep', traits: { email: 'a@b.example' } }],
    [
      'an empty password',
      { traits: { email: 'a@b.example' }, credentials: { password: { config: { password: '' } } } },
    ],
    [
      'a hash of no known kind',
      {
        traits: { email: 'a@b.example' },
        credentials: { password: { config: { hashed_password: 'plain' } } },
      },
    ],
  ])('refuses %s with 400', async (_, json) => {
    expect(await create(json)).toMatchObject({
      status: 400,
      body: { error: { code: 400, status: 'Bad Request' } },
    })
  })

  it('keeps an e-mail for one identity, in any letter case, with or without a password', async () => {
    const ada = await makePerson(provider)
    for (const email of [ada.email, ada.email.toUpperCase()]) {
      const taken = await create({ traits: { email } })
      expect(taken.status).toBe(409)
    }
    await call(`${all}/${ada.id}`, { method: 'DELETE' })
    expect((await create({ traits: { email: ada.email } })).status).toBe(201)
  })

  it('takes an imported hash, and passwords that a visitor might not choose', async () => {
    const hash =
      '$pbkdf2-sha256$i=1000,l=32$S2VlcFRoaXNTYWx0MTIzNA$PpBQ5gDvsBoyQkDOnsZzvClYCnMs4SQpNuFzMLkYqPk'
    const made = await create({
      traits: { email: newAddress() },
      credentials: { password: { config: { hashed_password: hash } } },
    })
    const { body } = await call(`${all}/${made.body.id}?include_credential=password`)
    expect(body.credentials.password.config.hashed_password).toBe(hash)
    const weak = newAddress()
    await create({ traits: { email: weak }, credentials: { password: { config: { password: 'a' } } } })
    expect(await canSignIn(weak, 'a')).toBe(200)
  })

  it('makes many at once, each for itself', async () => {
    const taken = await makePerson(provider)
    const identities = [
      { create: { traits: { email: newAddress() } }, patch_id: NOBODY },
      { create: { traits: { email: taken.email } } },
    ]
    const { status, body } = await call(all, { method: 'PATCH', json: { identities } })
    expect(status).toBe(200)
    expect(body.identities).toMatchObject([
      { action: 'create', patch_id: NOBODY },
      { action: 'error', error: { code: 409 } },
    ])
    expect((await call(`${all}/${body.identities[0].identity}`)).status).toBe(200)
  })
})

describe('reading one', () => {
  it('finds it by its id in any letter case, and by its external id', async () => {
    const external = `external-${randomUUID()}`
    const ada = await makePerson(provider, { external_id: external, metadata_admin: { note: 'x' } })
    for (const id of [ada.id, ada.id.toUpperCase()])
      expect((await call(`${all}/${id}`)).body.id, id).toBe(ada.id)
    expect((await call(`${all}/by/external/${external}`)).body).toMatchObject({
      id: ada.id,
      external_id: external,
    })
    expect((await call(`${provider.adminUrl}/identities/${ada.id}`)).body.metadata_admin).toEqual({
      note: 'x',
    })
    expect((await create({ traits: { email: newAddress() }, external_id: external })).status).toBe(409)
  })

  it('shows the config of a credential only when it is asked for', async () => {
    const ada = await makePerson(provider)
    const config = async (query: string) =>
      (await call(`${all}/${ada.id}${query}`)).body.credentials.password.config
    expect(await config('')).toBeUndefined()
    expect(await config('?include_credential=oidc')).toBeUndefined()
    expect(await config('?include_credential=password')).toHaveProperty('hashed_password')
    expect((await call(`${all}/${ada.id}?include_credential=nope`)).status).toBe(400)
  })

  it('answers 404 to an unknown id, to one that is none and to a slash at the end', async () => {
    for (const path of [NOBODY, 'nope', 'by/external/nope', `${NOBODY}/`])
      expect((await call(`${all}/${path}`)).status, path).toBe(404)
  })
})

describe('lists', () => {
  it('find by identifier in any case, exactly, with credentials', async () => {
    const ada = await makePerson(provider)
    const find = async (identifier: string) =>
      (await call(`${all}?credentials_identifier=${encodeURIComponent(identifier)}`)).body
    expect(await find(` ${ada.email.toUpperCase()} `)).toMatchObject([
      { id: ada.id, credentials: { password: { identifiers: [ada.email] } } },
    ])
    expect(await find(ada.email.slice(0, -1))).toEqual([])
    expect(await find('%')).toEqual([])
  })

  it('find by ids, unknown ones left out, ordered by id, and refuse what is none', async () => {
    const [ada, bob] = [await makePerson(provider), await makePerson(provider)]
    const query = new URLSearchParams([ada.id, bob.id, NOBODY, ada.id].map(id => ['ids', id]))
    const found = await call(`${all}?${query}`)
    expect(found.body.map((one: { id: string }) => one.id)).toEqual([ada.id, bob.id].sort())
    expect(found.body[0]).not.toHaveProperty('credentials')
    expect(found.headers.get('link')?.match(/ids=/g)).toHaveLength(4)
    for (const bad of [
      'page_size=abc',
      'page_token=abc',
      'organization_id=x',
      'include_credential=nope',
      'ids=nope',
      'ids=',
      `ids=${ada.id},${bob.id}`,
      `ids=${ada.id}&credentials_identifier=x`,
    ])
      expect((await call(`${all}?${bad}`)).status, bad).toBe(400)
  })

  it('page by id with relative links; the old pages count from 0 and know the total', async () => {
    for (let i = 0; i < 3; i++) await create({ traits: { email: newAddress() } })
    const first = await call(`${all}?page_size=2`)
    const link = next(first.headers) ?? ''
    expect(link).toMatch(/^\/admin\/identities\?/)
    const second = await call(provider.adminUrl + link)
    expect(second.body[0].id > first.body[1].id).toBe(true)
    expect(first.headers.has('x-total-count')).toBe(false)
    const [zero, one] = [await call(`${all}?page=0&per_page=2`), await call(`${all}?page=1&per_page=2`)]
    expect(zero.body[0].id).toBe(first.body[0].id)
    expect(one.body[0].id).toBe(second.body[0].id)
    expect(Number(one.headers.get('x-total-count'))).toBeGreaterThanOrEqual(3)
  })
})

describe('replacing', () => {
  it('clears metadata that is left out, keeps password, state and schema', async () => {
    const ada = await makePerson(provider, {
      metadata_public: { plan: 'pro' },
      metadata_admin: { note: 'x' },
      state: 'inactive',
    })
    const url = `${all}/${ada.id}`
    const put = await call(url, { method: 'PUT', json: { traits: { email: ada.email }, surprise: 1 } })
    expect(put.body).toMatchObject({ metadata_public: null, state: 'inactive', schema_id: 'default' })
    expect((await call(url)).body.metadata_admin).toBeNull()
    await call(url, { method: 'PUT', json: { state: 'active', traits: { email: ada.email } } })
    expect(await canSignIn(ada.email, PASSWORD)).toBe(200)
  })

  it('changes the password and the e-mail one signs in with', async () => {
    const ada = await makePerson(provider)
    const [url, email] = [`${all}/${ada.id}`, newAddress()]
    const credentials = { password: { config: { password: 'another-Kettle-43' } } }
    expect((await call(url, { method: 'PUT', json: { traits: { email }, credentials } })).status).toBe(200)
    expect(await canSignIn(email, 'another-Kettle-43')).toBe(200)
    expect(await canSignIn(email, PASSWORD)).toBe(400)
    expect(await canSignIn(ada.email, 'another-Kettle-43')).toBe(400)
  })

  it('refuses bodies that are no JSON by name or content, and the e-mail of another', async () => {
    const [ada, bob] = [await makePerson(provider), await makePerson(provider)]
    const url = `${all}/${ada.id}`
    const raw = JSON.stringify({ traits: { email: ada.email } })
    expect((await call(url, { method: 'PUT', raw, headers: { 'content-type': 'text/plain' } })).status).toBe(
      400,
    )
    expect((await call(url, { method: 'PUT' })).status).toBe(400)
    const taken = await call(url, { method: 'PUT', json: { traits: { email: bob.email } } })
    expect(taken.status).toBe(409)
    expect((await call(`${all}/${NOBODY}`, { method: 'PUT', json: { traits: {} } })).status).toBe(404)
  })
})

describe('patching', () => {
  const patch = (id: string, json: unknown) => call(`${all}/${id}`, { method: 'PATCH', json })

  it('adds, replaces (also what is missing) and removes; nothing and null change nothing', async () => {
    const ada = await makePerson(provider, {
      traits: { role: 'admin', groups: ['a'] },
      metadata_admin: { note: 'x' },
    })
    const changed = await patch(ada.id, [
      { op: 'replace', path: '/traits/name/last', value: 'Byron' },
      { op: 'add', path: '/traits/groups/-', value: 'b' },
      { op: 'remove', path: '/traits/role' },
      { op: 'add', path: '/metadata_public/plan', value: 'pro' },
    ])
    expect(changed.body).toMatchObject({
      traits: { email: ada.email, name: { last: 'Byron' }, groups: ['a', 'b'] },
      metadata_public: { plan: 'pro' },
      metadata_admin: { note: 'x' },
    })
    for (const nothing of [[], null])
      expect((await patch(ada.id, nothing)).body.traits).toEqual(changed.body.traits)
  })

  it('changes nothing when one operation fails', async () => {
    const ada = await makePerson(provider)
    const failed = await patch(ada.id, [
      { op: 'add', path: '/traits/role', value: 'lost' },
      { op: 'remove', path: '/traits/nope' },
    ])
    expect(failed.status).toBe(400)
    expect((await call(`${all}/${ada.id}`)).body.traits).toEqual({ email: ada.email })
  })

  it.each([
    [{ op: 'test', path: '/state', value: 'active' }],
    [{ op: 'copy', from: '/traits/email', path: '/metadata_public' }],
    [{ op: 'move', from: '/traits/email', path: '/metadata_public' }],
    [{ op: 'replace', path: '/id', value: NOBODY }],
    [{ op: 'replace', path: '/ID', value: NOBODY }],
    [{ op: 'replace', path: '/credentials', value: {} }],
    [{ op: 'replace', path: '/Credentials/oidc/config', value: {} }],
    [{ op: 'replace', path: '/state', value: 'asleep' }],
    [{ op: 'replace', path: '/schema_id', value: 'nope' }],
    [{ op: 'replace', path: '/created_at', value: 'yesterday' }],
    [{ op: 'remove', path: '/traits/email' }],
    [{ op: 'add', path: '/traits/surprise', value: 1 }],
    [{ op: 'replace', path: '/traits/groups/0', value: 'x' }],
    [{ op: 'replace', path: 'state', value: 'active' }],
    [{ op: 'replace', value: 'active' }],
  ])('refuses %j with 400', async operation => {
    const ada = await makePerson(provider)
    expect(await patch(ada.id, [operation])).toMatchObject({ status: 400, body: { error: { code: 400 } } })
  })

  it('takes the password away, and then nobody signs in by it', async () => {
    const ada = await makePerson(provider)
    expect((await patch(ada.id, [{ op: 'remove', path: '/credentials/password' }])).status).toBe(200)
    expect(await canSignIn(ada.email, PASSWORD)).toBe(400)
  })

  it('cannot reach what objects inherit', async () => {
    const ada = await makePerson(provider)
    await patch(ada.id, [{ op: 'add', path: '/metadata_admin/__proto__/polluted', value: true }])
    await patch(ada.id, [{ op: 'add', path: '/metadata_admin/constructor/prototype/polluted', value: true }])
    const other = await makePerson(provider)
    expect((await call(`${all}/${other.id}`)).text).not.toContain('polluted')
    // In our own server, which runs in this process.
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('deleting', () => {
  it('takes the sessions along and answers 404 the second time', async () => {
    const ada = await makePerson(provider)
    const { session } = await tokenFor(provider, ada)
    expect((await call(`${all}/${ada.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await call(`${all}/${ada.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await call(`${provider.adminUrl}/admin/sessions/${session.id}`)).status).toBe(404)
  })
})
