// What only our own identity provider promises: it survives a restart, keeps no secret readable, ends forms that are
// over, has pages that work without scripts, and seeds its people. Never runs against a real one.

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalProvider, openLocalProvider } from '../../../test/support/identity-server.ts'
import {
  call,
  cookieHeader,
  csrfTokenOf,
  makePerson,
  newAddress,
  PASSWORD,
  signIn,
  startFlow,
  tokenFor,
} from '../../../test/support/identity-visitor.ts'
import {
  SEED_ADMIN_EMAIL,
  SEED_USER_EMAIL,
  seedIdentities,
  signInAsBrowser,
} from '../../identity-server/seeds.ts'

const HTML = 'text/html'

describe('across a restart', () => {
  it('sessions, tokens and open forms go on', async () => {
    await using before = await openLocalProvider()
    const ada = await makePerson(before)
    const { jar } = await signIn(before, ada)
    const { token } = await tokenFor(before, ada)
    const { body: flow } = await call(`${before.publicUrl}/self-service/login/api`)
    const after = await before.restart()
    const whoami = `${after.publicUrl}/sessions/whoami`
    expect((await call(whoami, { headers: { cookie: cookieHeader(jar) } })).body.identity.id).toBe(ada.id)
    expect((await call(whoami, { headers: { 'x-session-token': token } })).status).toBe(200)
    const json = { method: 'password', identifier: ada.email, password: PASSWORD }
    expect((await call(`${after.publicUrl}/self-service/login?flow=${flow.id}`, { json })).status).toBe(200)
  })
})

describe('what is stored', () => {
  it('holds no password and no session token', async () => {
    await using provider = await openLocalProvider()
    const ada = await makePerson(provider)
    const { token } = await tokenFor(provider, ada)
    const { jar } = await signIn(provider, ada)
    const text = await dump(provider.settings.databaseUrl)
    expect(text).toContain(ada.email)
    for (const secret of [PASSWORD, token, jar.get('ory_kratos_session') ?? ''])
      expect(text).not.toContain(secret)
  })
})

/** Every row of every table, as text. */
async function dump(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(
        `select t::text as text from ${client.escapeIdentifier(name)} t`,
      )
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

describe('a form that is over', () => {
  it('is gone for its page, and another takes its place when it is sent', async () => {
    await using provider = await openLocalProvider({ flowLifespanSeconds: 0 })
    const ada = await makePerson(provider)
    const jar = new Map()
    const flow = await startFlow(provider, 'login', jar, '?return_to=/after')
    const read = await call(`${provider.publicUrl}/self-service/login/flows?id=${flow.id}`, { jar })
    expect(read).toMatchObject({ status: 410, body: { error: { id: 'self_service_flow_expired' } } })
    expect(read.body.error.details.redirect_to).toContain('/self-service/login/browser?return_to=%2Fafter')
    const fields = {
      method: 'password',
      identifier: ada.email,
      password: PASSWORD,
      csrf_token: csrfTokenOf(flow),
    }
    const script = await call(flow.ui.action, { jar, json: fields })
    expect(script).toMatchObject({ status: 410, body: { use_flow_id: expect.any(String) } })
    const browser = await call(flow.ui.action, { jar, form: fields, accept: HTML })
    expect(browser.location).toMatch(/\/login\?flow=/)
    expect(browser.location).not.toContain(flow.id)
  })

  it('is a session that is over, too', async () => {
    await using provider = await openLocalProvider({ sessionLifespanSeconds: 0 })
    const { token } = await tokenFor(provider, await makePerson(provider))
    const answer = await call(`${provider.publicUrl}/sessions/whoami`, {
      headers: { 'x-session-token': token },
    })
    expect(answer.status).toBe(401)
  })
})

describe('its own pages', () => {
  let provider: LocalProvider
  beforeAll(async () => {
    provider = await openLocalProvider({ uiUrl: undefined, defaultReturnUrl: undefined })
  })
  afterAll(() => provider[Symbol.asyncDispose]())

  const page = (path: string, jar = new Map<string, string>()) =>
    call(provider.publicUrl + path, { accept: HTML, jar })
  const follow = async (path: string, jar: Map<string, string>) => {
    const { location } = await page(path, jar)
    return call(location ?? '', { accept: HTML, jar })
  }

  it('show a form without scripts under a policy that allows none, which signs in', async () => {
    const ada = await makePerson(provider)
    const jar = new Map()
    expect((await page('/ui/login?return_to=/ui/welcome', jar)).location).toBe(
      `${provider.publicUrl}/self-service/login/browser?return_to=/ui/welcome`,
    )
    const form = await follow('/self-service/login/browser', jar)
    expect(form.status).toBe(200)
    expect(form.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(form.text).not.toMatch(/<script|style="|onclick/i)
    const [, action = ''] = /action="([^"]+)"/.exec(form.text) ?? []
    const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(form.text) ?? []
    const fields = { method: 'password', csrf_token: token, identifier: ada.email }
    const wrong = await call(action, { accept: HTML, jar, form: { ...fields, password: 'wrong' } })
    const again = await call(wrong.location ?? '', { accept: HTML, jar })
    expect(again.text).toContain('role="alert"')
    expect(again.text).toContain(`value="${ada.email}"`)
    const right = await call(action, { accept: HTML, jar, form: { ...fields, password: PASSWORD } })
    expect(right.location).toBe(`${provider.publicUrl}/ui/welcome`)
    expect((await page('/ui/welcome', jar)).text).toContain(ada.email)
  })

  // A stranger's text must not become markup of ours.
  it('write what was typed as text', async () => {
    const jar = new Map()
    const flow = await startFlow(provider, 'login', jar)
    const typed = '"><script>alert(1)</script>'
    await call(flow.ui.action, {
      jar,
      json: { method: 'password', identifier: typed, password: 'x', csrf_token: csrfTokenOf(flow) },
    })
    const { text } = await page(`/ui/login?flow=${flow.id}`, jar)
    expect(text).not.toContain('<script>')
    expect(text).toContain('&quot;&gt;&lt;script&gt;')
  })

  it('say in plain words what is chosen in the second step of signing up', async () => {
    const jar = new Map()
    const flow = await startFlow(provider, 'registration', jar)
    const fields = { method: 'profile', csrf_token: csrfTokenOf(flow), 'traits.email': newAddress() }
    const { location } = await call(flow.ui.action, { accept: HTML, jar, form: fields })
    const { text } = await call(location ?? '', { accept: HTML, jar })
    expect(text).toContain('Choose a password to sign in with.')
    expect(text).not.toContain('credential')
  })

  it('do not send a browser without cookies round in circles', async () => {
    const { location } = await page('/self-service/login/browser')
    const refused = await call(location ?? '', { accept: HTML })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('Start again')
    expect((await page(`/ui/login?flow=${randomUUID()}`)).location).toBe(
      `${provider.publicUrl}/self-service/login/browser`,
    )
  })

  it('say what went wrong, and that nobody is signed in', async () => {
    const error = await follow('/self-service/login/browser?return_to=http://evil.example/', new Map())
    expect(error.text).toContain('self_service_flow_return_to_forbidden')
    expect((await page('/ui/error?id=nope')).status).toBe(404)
    expect((await page('/ui/settings')).text).toContain('Nobody is signed in')
  })
})

describe('limits', () => {
  it('refuses a body over 5 MiB', async () => {
    await using provider = await openLocalProvider()
    const raw = JSON.stringify({ traits: { email: newAddress(), role: 'x'.repeat(5 * 1024 * 1024) } })
    expect((await call(`${provider.adminUrl}/admin/identities`, { raw })).status).toBe(413)
  })
})

describe('seeds', () => {
  it('make an admin and a user who can sign in, once, and leave them as they are then', async () => {
    await using provider = await openLocalProvider({ schemaFile: undefined })
    const passwords = { adminPassword: 'first-Password-1', userPassword: 'first-Password-2' }
    await seedIdentities(provider.adminUrl, passwords)
    await seedIdentities(provider.adminUrl, { adminPassword: 'other', userPassword: 'other' })
    const people = [
      { email: SEED_ADMIN_EMAIL, password: passwords.adminPassword, metadata: { role: 'admin' } },
      { email: SEED_USER_EMAIL, password: passwords.userPassword, metadata: { plan: 'free' } },
    ]
    for (const { email, password, metadata } of people) {
      const cookie = await signInAsBrowser(provider.publicUrl, { email, password })
      const { body } = await call(`${provider.publicUrl}/sessions/whoami`, { headers: { cookie } })
      expect(body.identity).toMatchObject({
        traits: { email, name: {} },
        metadata_public: metadata,
      })
      await expect(signInAsBrowser(provider.publicUrl, { email, password: 'other' })).rejects.toThrow(
        /cannot sign in/,
      )
    }
  })
})
