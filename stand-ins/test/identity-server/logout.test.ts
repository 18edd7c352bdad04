// Signing out and signing up on the Kratos wire, and what stands around the routes: wrong ports and methods, CORS,
// health. Public HTTP only; see test/support/identity-server.ts for the servers it runs against.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type IdentityProvider,
  openIdentityProvider,
  PAGES_URL,
  WELCOME_URL,
} from '../../../test/support/identity-server.ts'
import {
  call,
  csrfTokenOf,
  makePerson,
  newAddress,
  PASSWORD,
  signIn,
  startFlow,
  tokenFor,
} from '../../../test/support/identity-visitor.ts'

const HTML = 'text/html'

let provider: IdentityProvider
let selfService: string

beforeAll(async () => {
  provider = await openIdentityProvider()
  selfService = `${provider.publicUrl}/self-service`
})
afterAll(() => provider[Symbol.asyncDispose]())

const whoami = (jar: Map<string, string>) => call(`${provider.publicUrl}/sessions/whoami`, { jar })

describe('signing out', () => {
  const offer = async (query = '') => {
    const { jar } = await signIn(provider, await makePerson(provider))
    const { body } = await call(`${selfService}/logout/browser${query}`, { jar })
    return { jar, before: new Map(jar), url: String(body.logout_url), token: String(body.logout_token) }
  }

  it('takes a URL of the session, the same each time, whatever the caller accepts', async () => {
    const { jar, url, token } = await offer()
    expect(token).toMatch(/^ory_lo_[A-Za-z0-9]{32}$/)
    expect(url).toBe(`${selfService}/logout?token=${token}`)
    expect((await call(`${selfService}/logout/browser`, { jar, accept: HTML })).body.logout_token).toBe(token)
    expect(await call(`${selfService}/logout/browser`)).toMatchObject({
      status: 401,
      body: { error: { id: 'session_inactive' } },
    })
    expect((await call(`${selfService}/logout/browser?return_to=http://evil.example/`, { jar })).status).toBe(
      400,
    )
  })

  it('ends the session, clears its cookie and leads to the sign-in or the return_to', async () => {
    const plain = await offer()
    const done = await call(plain.url, { jar: plain.jar, accept: HTML })
    expect(done).toMatchObject({ status: 303, location: `${PAGES_URL}/login` })
    // Kratos leaves the value where it was: what clears the cookie is its age.
    const cleared = /^ory_kratos_session=[^;]*;.*max-age=0/i
    expect(done.headers.getSetCookie().some(cookie => cleared.test(cookie))).toBe(true)
    expect((await whoami(plain.before)).status).toBe(401)
    expect((await call(plain.url, { jar: plain.before })).body.error.id).toBe('session_inactive')
    const back = await offer('?return_to=/bye')
    expect((await call(back.url, { jar: back.jar, accept: HTML })).location).toBe(`${PAGES_URL}/bye`)
    const script = await offer()
    expect((await call(script.url, { jar: script.jar })).status).toBe(204)
  })

  it('ends nothing with the token of another', async () => {
    const [own, other] = [await offer(), await offer()]
    expect((await call(other.url, { jar: own.jar })).status).toBe(403)
    expect((await call(`${selfService}/logout?token=`, { jar: own.jar })).status).toBe(400)
    for (const { before } of [own, other]) expect((await whoami(before)).status).toBe(200)
  })

  it('ends the session even when the return_to added to it is refused', async () => {
    const { jar, before, url } = await offer()
    expect((await call(`${url}&return_to=http://evil.example/`, { jar })).status).toBe(400)
    expect((await whoami(before)).status).toBe(401)
  })

  it('of an app takes the token in the body, twice if need be', async () => {
    const { token } = await tokenFor(provider, await makePerson(provider))
    const end = (json: object) => call(`${selfService}/logout/api`, { method: 'DELETE', json })
    expect((await end({ session_token: 'ory_st_nonsense' })).status).toBe(403)
    expect((await end({})).status).toBe(403)
    expect((await end({ session_token: token })).status).toBe(204)
    expect((await end({ session_token: token })).status).toBe(204)
    expect(
      (await call(`${provider.publicUrl}/sessions/whoami`, { headers: { 'x-session-token': token } })).status,
    ).toBe(401)
  })
})

describe('signing up', () => {
  const submit = async (fields: object, jar = new Map<string, string>()) => {
    const flow = await startFlow(provider, 'registration', jar)
    const json = { method: 'password', csrf_token: csrfTokenOf(flow), password: PASSWORD, ...fields }
    return { jar, flow, answer: await call(flow.ui.action, { jar, json }) }
  }

  it('works in two steps for a browser, which is signed in and led on', async () => {
    const jar = new Map()
    const flow = await startFlow(provider, 'registration', jar, '?return_to=/after')
    const form = { csrf_token: csrfTokenOf(flow), 'traits.email': newAddress(), 'traits.name.first': 'New' }
    const step = await call(flow.ui.action, { accept: HTML, jar, form: { ...form, method: 'profile' } })
    expect(step).toMatchObject({ status: 303, location: `${PAGES_URL}/registration?flow=${flow.id}` })
    const done = await call(flow.ui.action, {
      accept: HTML,
      jar,
      form: { ...form, method: 'password', password: PASSWORD },
    })
    expect(done).toMatchObject({ status: 303, location: `${PAGES_URL}/after` })
    expect((await whoami(jar)).body.identity.traits).toEqual({
      email: form['traits.email'],
      name: { first: 'New' },
    })
  })

  it('works in one step for a script, and lets nobody set metadata', async () => {
    const email = newAddress()
    const { answer } = await submit({ traits: { email }, metadata_public: { role: 'admin' }, surprise: 1 })
    expect(answer).toMatchObject({
      status: 200,
      body: { identity: { traits: { email, name: {} }, metadata_public: null }, session: { active: true } },
    })
  })

  it.each([
    ['a short password', { password: 'abc' }, 'password 4000032'],
    ['a long password', { password: 'x'.repeat(73) }, 'password 4000033'],
    ['no password', { password: '' }, 'password 4000002'],
    ['no e-mail', { traits: {} }, 'traits.email 4000002'],
    ['a bad e-mail', { traits: { email: 'nope' } }, 'traits.email 4000040'],
    ['an unknown trait', { traits: { email: newAddress(), surprise: 1 } }, 'traits 4000001'],
  ])('returns the form with %s', async (_, fields, message) => {
    const { answer, jar } = await submit({ traits: { email: newAddress() }, ...fields })
    expect(answer.status).toBe(400)
    const nodes: { attributes: { name: string }; messages: { id: number }[] }[] = answer.body.ui.nodes
    expect(nodes.flatMap(node => node.messages.map(({ id }) => `${node.attributes.name} ${id}`))).toContain(
      message,
    )
    expect((await whoami(jar)).status).toBe(401)
  })

  it('refuses an e-mail that is taken in any letter case, and a password like it', async () => {
    const { email } = await makePerson(provider)
    for (const taken of [email, email.toUpperCase()])
      expect((await submit({ traits: { email: taken } })).answer.body.ui.messages).toMatchObject([
        { id: 4000007 },
      ])
    const own = newAddress()
    const { answer } = await submit({ traits: { email: own }, password: own })
    expect(answer.text).toContain('4000031')
  })

  it('needs the token of its cookie, and is no offer to somebody signed in', async () => {
    const refused = await submit({ traits: { email: newAddress() }, csrf_token: 'nonsense' })
    expect(refused.answer.body.error.id).toBe('security_csrf_violation')
    const { jar } = await signIn(provider, await makePerson(provider))
    const url = `${selfService}/registration/browser`
    expect(await call(url, { jar, accept: HTML })).toMatchObject({ status: 303, location: WELCOME_URL })
    expect((await call(url, { jar })).body.error.id).toBe('session_already_available')
  })
})

describe('around the routes', () => {
  it('is healthy on both ports and names its version on the admin port', async () => {
    for (const base of [provider.publicUrl, provider.adminUrl]) {
      for (const state of ['alive', 'ready'])
        expect(await call(`${base}/health/${state}`)).toMatchObject({ status: 200, body: { status: 'ok' } })
    }
    expect((await call(`${provider.adminUrl}/version`)).body.version).toEqual(expect.any(String))
  })

  it('lets any origin read without cookies on the public port, none on the admin port', async () => {
    const origin = 'http://127.0.0.1:5173'
    const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } }
    const allowed = await call(`${provider.publicUrl}/sessions/whoami`, preflight)
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const strange = {
      ...preflight,
      headers: { ...preflight.headers, 'access-control-request-headers': 'x-nope' },
    }
    const refused = await call(`${provider.publicUrl}/sessions/whoami`, strange)
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([204, null])
    expect((await call(`${provider.adminUrl}/admin/identities`, preflight)).status).toBe(404)
  })
})
