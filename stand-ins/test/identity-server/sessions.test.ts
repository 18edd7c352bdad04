// Whose session a request carries, and the lists of sessions: the Kratos wire, by public HTTP only. Runs against our
// own server, or a real one (test/support/identity-server.ts). Identities, login and the rest have files of their own.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityProvider, openIdentityProvider } from '../../../test/support/identity-server.ts'
import {
  call,
  cookieHeader,
  makePerson,
  NOBODY,
  signIn,
  tokenFor,
} from '../../../test/support/identity-visitor.ts'

let provider: IdentityProvider
let whoamiUrl: string
let adminUrl: string

beforeAll(async () => {
  provider = await openIdentityProvider()
  whoamiUrl = `${provider.publicUrl}/sessions/whoami`
  adminUrl = `${provider.adminUrl}/admin`
})
afterAll(() => provider[Symbol.asyncDispose]())

const REFUSED = {
  error: {
    code: 401,
    status: 'Unauthorized',
  },
}

describe('whoami', () => {
  it('answers every way of not being signed in with one and the same body', async () => {
    for (const headers of [
      {},
      { cookie: 'ory_kratos_session=garbage' },
      { cookie: 'ory_kratos_session=' },
      { 'x-session-token': 'garbage' },
      { authorization: 'Bearer garbage' },
      { authorization: 'Basic YTpi' },
    ] as Record<string, string>[]) {
      const answer = await call(whoamiUrl, { headers })
      expect(answer, JSON.stringify(headers)).toMatchObject({ status: 401, body: REFUSED })
    }
  })

  it('shows the session and the identity without what only an admin may see', async () => {
    const ada = await makePerson(provider, {
      traits: { name: { first: 'Ada' }, role: 'admin', groups: ['a', 'b'] },
      metadata_public: { plan: 'pro' },
      metadata_admin: { note: 'secret' },
    })
    const { jar } = await signIn(provider, ada)
    const { status, body, headers, text } = await call(whoamiUrl, { jar })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      active: true,
      authenticator_assurance_level: 'aal1',
      authentication_methods: [{ method: 'password', aal: 'aal1' }],
      identity: {
        id: ada.id,
        schema_id: 'default',
        state: 'active',
        traits: { email: ada.email, name: { first: 'Ada' }, role: 'admin', groups: ['a', 'b'] },
        metadata_public: { plan: 'pro' },
        organization_id: null,
      },
    })
    expect(Date.parse(body.expires_at) - Date.parse(body.authenticated_at)).toBeCloseTo(24 * 3_600_000, -4)
    expect(text).not.toContain('secret')
    expect(body.identity).not.toHaveProperty('credentials')
    expect(headers.get('x-kratos-authenticated-identity-id')).toBe(ada.id)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.getSetCookie()).toEqual([])
  })

  it('takes the token before the cookie and the cookie before the bearer, garbage included', async () => {
    const [ada, bob] = [await makePerson(provider), await makePerson(provider)]
    const { token } = await tokenFor(provider, ada)
    const { jar } = await signIn(provider, bob)
    const who = async (headers: Record<string, string>, withCookie: boolean) => {
      const answer = await call(whoamiUrl, { headers, ...(withCookie ? { jar } : {}) })
      return answer.body.identity?.traits.email ?? answer.status
    }
    expect(await who({ 'x-session-token': token }, true)).toBe(ada.email)
    expect(await who({ 'x-session-token': 'garbage' }, true)).toBe(401)
    expect(await who({ 'x-session-token': 'garbage', authorization: `Bearer ${token}` }, false)).toBe(401)
    expect(await who({ authorization: `Bearer ${token}` }, true)).toBe(bob.email)
    expect(await who({ authorization: `bEARER ${token}` }, false)).toBe(ada.email)
    const cookie = `ory_kratos_session=garbage; ${cookieHeader(jar)}`
    expect(await who({ cookie }, false)).toBe(bob.email)
  })

  it('knows a revoked session from an unreadable cookie: the bearer beside it does not count', async () => {
    const ada = await makePerson(provider)
    const { token } = await tokenFor(provider, ada)
    const { jar, session } = await signIn(provider, ada)
    expect((await call(`${adminUrl}/sessions/${session.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await call(whoamiUrl, { jar })).toMatchObject({ status: 401, body: REFUSED })
    expect((await call(whoamiUrl, { jar, headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    expect((await call(whoamiUrl, { headers: { 'x-session-token': token } })).status).toBe(200)
  })

  it('lets nobody in whose identity is inactive or gone, and shows changes at once', async () => {
    const ada = await makePerson(provider)
    const { jar } = await signIn(provider, ada)
    const identityUrl = `${adminUrl}/identities/${ada.id}`
    const patch = (path: string, value: unknown) =>
      call(identityUrl, { method: 'PATCH', json: [{ op: 'replace', path, value }] })
    await patch('/state', 'inactive')
    expect(await call(whoamiUrl, { jar })).toMatchObject({ status: 401, body: REFUSED })
    await patch('/state', 'active')
    await patch('/traits/role', 'editor')
    expect((await call(whoamiUrl, { jar })).body.identity.traits.role).toBe('editor')
    await call(identityUrl, { method: 'DELETE' })
    expect(await call(whoamiUrl, { jar })).toMatchObject({ status: 401, body: REFUSED })
  })
})

describe('own sessions', () => {
  it('lists and ends the others of the same person only', async () => {
    const [ada, bob] = [await makePerson(provider), await makePerson(provider)]
    const { jar, session } = await signIn(provider, ada)
    const other = await tokenFor(provider, ada)
    const foreign = await tokenFor(provider, bob)
    const url = `${provider.publicUrl}/sessions`
    const listed = await call(url, { jar })
    expect(listed.body.map((one: { id: string }) => one.id)).toEqual([other.session.id])
    expect(listed.headers.get('x-total-count')).toBe('1')
    expect((await call(`${url}/${session.id}`, { method: 'DELETE', jar })).status).toBe(400)
    expect((await call(`${url}/${foreign.session.id}`, { method: 'DELETE', jar })).status).toBe(204)
    expect((await call(`${url}/${other.session.id}`, { method: 'DELETE', jar })).status).toBe(204)
    expect((await call(whoamiUrl, { headers: { 'x-session-token': other.token } })).status).toBe(401)
    expect((await call(whoamiUrl, { headers: { 'x-session-token': foreign.token } })).status).toBe(200)
    expect((await call(url, { method: 'DELETE' })).status).toBe(401)
  })
})

describe('sessions of an identity', () => {
  it('come newest first, by activity, without admin metadata and schema url', async () => {
    const ada = await makePerson(provider, { metadata_admin: { note: 'x' } })
    const first = await tokenFor(provider, ada)
    const second = await signIn(provider, ada)
    const url = `${adminUrl}/identities/${ada.id}/sessions`
    const ids = async (query: string) => (await call(url + query)).body.map((one: { id: string }) => one.id)
    expect(await ids('')).toEqual([second.session.id, first.session.id])
    await call(`${adminUrl}/sessions/${first.session.id}`, { method: 'DELETE' })
    expect(await ids('?active=true')).toEqual([second.session.id])
    expect(await ids('?active=false')).toEqual([first.session.id])
    expect((await call(`${url}?active=maybe`)).status).toBe(400)
    const [shown] = (await call(url)).body
    expect(shown.identity).toMatchObject({ id: ada.id, schema_url: '' })
    expect(shown.identity).not.toHaveProperty('metadata_admin')
  })

  it('come in pages with a true total, by number from 1 or by the link to the next', async () => {
    const ada = await makePerson(provider)
    for (let i = 0; i < 3; i++) await tokenFor(provider, ada)
    const page = async (path: string) => {
      const { body, headers } = await call(provider.adminUrl + path)
      expect(headers.get('x-total-count')).toBe('3')
      const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      return { ids: body.map((one: { id: string }) => one.id), next }
    }
    const path = `/admin/identities/${ada.id}/sessions`
    const [all, first] = [await page(path), await page(`${path}?page=1&per_page=2`)]
    const [byLink, byNumber] = [await page(first.next ?? ''), await page(`${path}?page=2&per_page=2`)]
    expect([...first.ids, ...byLink.ids]).toEqual(all.ids)
    expect(byNumber).toEqual(byLink)
    expect([all.next, byLink.next]).toEqual([undefined, undefined])
  })

  it('are removed by one call, which answers 404 when there were none', async () => {
    const ada = await makePerson(provider)
    const { session } = await tokenFor(provider, ada)
    const url = `${adminUrl}/identities/${ada.id}/sessions`
    expect((await call(url, { method: 'DELETE' })).status).toBe(204)
    expect((await call(url, { method: 'DELETE' })).status).toBe(404)
    expect((await call(`${adminUrl}/sessions/${session.id}`)).status).toBe(404)
    expect((await call(url)).body).toEqual([])
    expect((await call(`${adminUrl}/identities/${NOBODY}/sessions`)).body).toEqual([])
    expect((await call(`${adminUrl}/identities/nope/sessions`)).status).toBe(400)
  })
})

describe('one session', () => {
  it('shows identity and devices only when asked, and says active for an inactive person unless it looks', async () => {
    const ada = await makePerson(provider)
    const { session } = await tokenFor(provider, ada)
    const url = `${adminUrl}/sessions/${session.id}`
    expect((await call(url)).body).toMatchObject({ active: true, identity: null, devices: [] })
    await call(`${adminUrl}/identities/${ada.id}`, {
      method: 'PATCH',
      json: [{ op: 'replace', path: '/state', value: 'inactive' }],
    })
    expect((await call(url)).body.active).toBe(true)
    const whole = await call(`${url}?expand=Identity&expand=devices`)
    expect(whole.body).toMatchObject({ active: false, identity: { id: ada.id }, devices: [{ location: '' }] })
    expect((await call(`${url}?expand=identity,devices`)).status).toBe(400)
  })

  it('is extended, ended and ended again; unknown ones are 404, bad ids 400', async () => {
    const { session } = await tokenFor(provider, await makePerson(provider))
    const url = `${adminUrl}/sessions/${session.id}`
    const extended = await call(`${url}/extend`, { method: 'PATCH' })
    expect(Date.parse(extended.body.expires_at)).toBeGreaterThanOrEqual(Date.parse(session.expires_at))
    expect((await call(url, { method: 'DELETE' })).status).toBe(204)
    expect((await call(url)).body.active).toBe(false)
    expect((await call(url, { method: 'DELETE' })).status).toBe(204)
    expect((await call(`${adminUrl}/sessions/${NOBODY}`, { method: 'DELETE' })).status).toBe(404)
    expect((await call(`${adminUrl}/sessions/nope`, { method: 'DELETE' })).status).toBe(400)
  })

  it('is found by following the links of the list of all, each once', async () => {
    const ada = await makePerson(provider)
    const made = new Set<string>()
    for (let i = 0; i < 5; i++) made.add((await tokenFor(provider, ada)).session.id)
    const seen: string[] = []
    let next: string | undefined = '/admin/sessions?page_size=2'
    while (next !== undefined && made.size > seen.filter(id => made.has(id)).length) {
      const { body, headers } = await call(provider.adminUrl + next)
      seen.push(...body.map((one: { id: string }) => one.id))
      next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect([...made].every(id => seen.includes(id))).toBe(true)
    expect((await call(`${adminUrl}/sessions?page_size=abc`)).status).toBe(400)
  })
})
