// Logout, consent and login sessions, and devices on the Hydra wire. Public HTTP only; test/support/oauth-server.ts
// says which servers it runs against.

import { randomUUID } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES_URL, startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { startReceiver } from '../../../test/support/receiver.ts'
import {
  acceptConsent,
  acceptLogin,
  authorize,
  authorizeUrl,
  call,
  claimsOf,
  DEVICE_GRANT,
  introspect,
  makeClient,
  param,
  requestUrl,
  SECRET,
  type TestClient,
  token,
  tokensFor,
} from './visitor.ts'

const BYE = 'http://127.0.0.1:5555/bye'

let at: TestOAuthServer
beforeAll(async () => {
  at = await startTestOAuthServer()
})
afterAll(() => at[Symbol.asyncDispose]())

const logOut = (query: Record<string, string>, jar = new Map<string, string>()) =>
  call(`${at.publicUrl}/oauth2/sessions/logout?${new URLSearchParams(query)}`, { jar })
const consents = (query: Record<string, string>, method = 'GET') =>
  call(`${at.adminUrl}/admin/oauth2/auth/sessions/consent?${new URLSearchParams(query)}`, { method })
const logins = (query: Record<string, string>) =>
  call(`${at.adminUrl}/admin/oauth2/auth/sessions/login?${new URLSearchParams(query)}`, { method: 'DELETE' })
const listed = async (query: Record<string, string>) =>
  JSON.parse((await consents(query)).text) as Record<string, unknown>[]
const isSignedIn = async (client: TestClient, jar: Map<string, string>) => {
  const start = await call(authorizeUrl(at, client), { jar })
  return (await call(requestUrl(at.adminUrl, 'login', start))).body['skip']
}

describe('logout', () => {
  it('asked for by an application tells every application and goes back to the one that asked', async () => {
    await using back = await startReceiver()
    const logout = {
      post_logout_redirect_uris: [BYE],
      backchannel_logout_uri: `${back.url}/back`,
      frontchannel_logout_uri: 'http://127.0.0.1:5555/front?a=b',
    }
    const client = await makeClient(at, logout)
    const [jar, subject] = [new Map<string, string>(), randomUUID()]
    const { id_token = '', access_token } = await tokensFor(at, client, { jar, subject })
    const hint = { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: 'state&more' }
    const start = await logOut(hint, jar)
    const shown = await call(requestUrl(at.adminUrl, 'logout', start))
    expect(shown.body).toMatchObject({ subject, rp_initiated: true, client: { client_id: client.client_id } })
    expect(await isSignedIn(client, jar)).toBe(true)

    const yes = await call(requestUrl(at.adminUrl, 'logout/accept', start), { method: 'PUT' })
    const page = await call(String(yes.body['redirect_to']), { jar })
    expect(page.status).toBe(200)
    expect(page.text).toContain('http://127.0.0.1:5555/front?a=b&amp;iss=')
    expect(page.text).toContain(BYE)
    const { method, body } = await back.waitFor(({ path }) => path === '/back')
    expect(method).toBe('POST')
    const keys = createRemoteJWKSet(new URL(`${at.publicUrl}/.well-known/jwks.json`))
    const logoutToken = new URLSearchParams(body).get('logout_token') ?? ''
    const { payload } = await jwtVerify(logoutToken, keys, {
      issuer: at.publicUrl,
      audience: client.client_id,
    })
    expect(payload).toMatchObject({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
    expect(payload['sid']).toBe(claimsOf(id_token)['sid'])
    expect(payload).not.toHaveProperty('nonce')

    expect(await isSignedIn(client, jar)).toBe(false)
    expect(await introspect(at, access_token)).toMatchObject({ active: true })
    expect((await call(requestUrl(at.adminUrl, 'logout', start))).status).toBe(410)
    const again = await call(String(yes.body['redirect_to']), { jar })
    expect(again.location).toBe(`${BYE}?state=state%26more`)
    expect((await logOut(hint, new Map())).location).toBe(`${BYE}?state=state%26more`)
    expect(back.received).toHaveLength(1)
  })

  it('asked for by the browser needs its session and its yes', async () => {
    const client = await makeClient(at)
    const jar = new Map<string, string>()
    await authorize(at, client, { jar })
    const start = await logOut({}, jar)
    expect((await call(requestUrl(at.adminUrl, 'logout', start))).body).toMatchObject({
      rp_initiated: false,
      client: null,
    })
    const no = await call(requestUrl(at.adminUrl, 'logout/reject', start), { method: 'PUT' })
    expect(no.status).toBe(204)
    expect((await call(requestUrl(at.adminUrl, 'logout', start))).status).toBe(404)
    expect(await isSignedIn(client, jar)).toBe(true)

    const second = await logOut({}, jar)
    const yes = await call(requestUrl(at.adminUrl, 'logout/accept', second), { method: 'PUT' })
    const end = await call(String(yes.body['redirect_to']), { jar })
    expect(end.location).toBe(`${at.publicUrl}/oauth2/fallbacks/logout/callback`)
    expect(await isSignedIn(client, jar)).toBe(false)
    expect(param((await logOut({}, jar)).location, 'logout_challenge')).toBe('')
  })

  it('is refused on the error page when it does not prove what it asks', async () => {
    const client = await makeClient(at, { post_logout_redirect_uris: [BYE] })
    const { id_token = '', access_token = '' } = await tokensFor(at, client)
    const refused = [
      { id_token_hint: id_token, post_logout_redirect_uri: `${BYE}2` },
      { id_token_hint: 'garbage' },
      { id_token_hint: `${id_token.slice(0, -4)}AAAA` },
      { id_token_hint: access_token },
      { post_logout_redirect_uri: BYE },
      { state: 'without a hint' },
    ]
    for (const query of refused) {
      const { location } = await logOut(query)
      expect(location, JSON.stringify(query)).toMatch(
        /^http:\/\/127\.0\.0\.1:4455\/error\?error=invalid_request&/,
      )
    }
    expect((await logOut({ logout_verifier: 'garbage' })).location).toContain(`${PAGES_URL}/error?error=`)
  })
})

describe('consent sessions', () => {
  it('are listed with what was given, and revoked with their tokens', async () => {
    const [one, two] = [await makeClient(at), await makeClient(at)]
    const subject = randomUUID()
    const tokens = await tokensFor(at, one, { subject })
    const others = await tokensFor(at, two, { subject, consent: { remember: false } })
    const rows = await listed({ subject })
    expect(rows).toHaveLength(2)
    expect(rows.find(row => row['remember'])).toMatchObject({
      grant_scope: ['openid', 'offline_access', 'read'],
      session: { access_token: { tenant: 'acme' }, id_token: { email: 'ada@example.com' } },
      consent_request: { subject, challenge: '', client: { client_id: one.client_id } },
    })
    expect((await consents({ subject, client: one.client_id }, 'DELETE')).status).toBe(204)
    expect(await introspect(at, tokens['access_token'])).toEqual({ active: false })
    const refreshed = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' }
    expect((await token(at, one, refreshed)).body['error']).toBe('invalid_grant')
    expect(await introspect(at, others['access_token'])).toMatchObject({ active: true })

    const [row] = await listed({ subject })
    await consents({ consent_request_id: String(row?.['consent_request_id']) }, 'DELETE')
    expect(await introspect(at, others['access_token'])).toEqual({ active: false })
    expect(await listed({ subject })).toEqual([])
  })

  it('come in pages, and of one login session when asked', async () => {
    const [subject, jar] = [randomUUID(), new Map<string, string>()]
    for (let i = 0; i < 3; i++) await authorize(at, await makeClient(at), { subject, jar })
    await authorize(at, await makeClient(at), { subject })
    const seen: unknown[] = []
    for (let url = `/admin/oauth2/auth/sessions/consent?subject=${subject}&page_size=2`; url !== ''; ) {
      const { text, headers } = await call(`${at.adminUrl}${url}`)
      seen.push(...JSON.parse(text).map((row: Record<string, unknown>) => row['consent_request_id']))
      url = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    }
    expect(new Set(seen).size).toBe(4)
    const sessionsOf = (await listed({ subject })).map(
      row => (row['consent_request'] as typeof row)['login_session_id'],
    )
    const counts = Object.values(Object.groupBy(sessionsOf, String)).map(group => group?.length)
    expect(counts.sort()).toEqual([1, 3])
    expect(await listed({ subject, login_session_id: randomUUID() })).toEqual([])
  })

  it('are not deleted by a question that is not clear, and forget the consent when they are', async () => {
    const client = await makeClient(at)
    const [subject, jar] = [randomUUID(), new Map<string, string>()]
    await authorize(at, client, { subject, jar })
    for (const query of [
      { subject },
      { client: client.client_id },
      { subject, client: client.client_id, all: 'true' },
      {},
    ]) {
      expect((await consents(query as Record<string, string>, 'DELETE')).status, JSON.stringify(query)).toBe(
        400,
      )
    }
    expect(await listed({ subject })).toHaveLength(1)
    expect((await consents({ subject, all: 'true' }, 'DELETE')).status).toBe(204)
    const silent = await authorize(at, client, { subject, jar, query: { prompt: 'none' } })
    expect(param(silent.location, 'error')).toBe('consent_required')
  })
})

describe('login sessions', () => {
  it('ended by their id tell the applications; those of a subject end in silence', async () => {
    await using back = await startReceiver()
    const client = await makeClient(at, { backchannel_logout_uri: `${back.url}/by-id` })
    const silent = await makeClient(at, { backchannel_logout_uri: `${back.url}/by-subject` })
    const [jar, subject] = [new Map<string, string>(), randomUUID()]
    const { id_token } = await tokensFor(at, client, { jar, subject })
    expect((await logins({ sid: String(claimsOf(id_token)['sid']) })).status).toBe(204)
    await back.waitFor(({ path }) => path === '/by-id')
    expect(await isSignedIn(client, jar)).toBe(false)

    await authorize(at, silent, { jar, subject })
    expect((await logins({ subject })).status).toBe(204)
    expect(await isSignedIn(client, jar)).toBe(false)
    expect(back.received.filter(({ path }) => path === '/by-subject')).toEqual([])
    for (const query of [{ sid: randomUUID() }, { subject: randomUUID() }] as Record<string, string>[]) {
      expect((await logins(query)).status).toBe(204)
    }
    expect((await logins({})).status).toBe(400)
  })

  it('that were not remembered leave no cookie and replace the one before', async () => {
    const client = await makeClient(at)
    const jar = new Map<string, string>()
    await authorize(at, client, { jar })
    expect(await isSignedIn(client, jar)).toBe(true)
    await authorize(at, client, {
      jar,
      query: { prompt: 'login' },
      login: { remember: false, subject: 'other' },
    })
    expect(await isSignedIn(client, jar)).toBe(false)
  })
})

describe('a device', () => {
  const begin = (client: TestClient, more = {}) =>
    call(`${at.publicUrl}/oauth2/device/auth`, {
      form: {
        client_id: client.client_id,
        client_secret: SECRET,
        scope: 'openid offline_access read',
        ...more,
      },
    })
  const poll = (client: TestClient, deviceCode: unknown) =>
    token(at, client, { grant_type: DEVICE_GRANT, device_code: String(deviceCode) })
  const accept = (challenge: string, userCode: unknown) =>
    call(`${at.adminUrl}/admin/oauth2/auth/requests/device/accept?device_challenge=${challenge}`, {
      json: { user_code: userCode },
    })

  it('waits until its user has typed the code, signed in and consented', async () => {
    const client = await makeClient(at)
    const { body, status } = await begin(client)
    expect(status).toBe(200)
    expect(body).toMatchObject({ interval: 5, verification_uri: `${at.publicUrl}/oauth2/device/verify` })
    expect(body['user_code']).toMatch(/^[A-Za-z3-9]{8}$/)
    expect((await poll(client, body['device_code'])).body['error']).toBe('authorization_pending')

    const jar = new Map<string, string>()
    const opened = await call(String(body['verification_uri_complete']), { jar })
    expect(opened.location).toMatch(new RegExp(`^${PAGES_URL}/device\\?device_challenge=`))
    const challenge = param(opened.location, 'device_challenge')
    expect((await accept(challenge, 'ZZZZZZZZ')).status).toBe(400)
    expect((await accept('garbage', body['user_code'])).status).toBe(404)
    const { body: accepted } = await accept(challenge, body['user_code'])
    expect((await call(String(accepted['redirect_to']))).body['error']).toBe('request_forbidden')
    const login = await call(String(accepted['redirect_to']), { jar })
    const consent = await call(await acceptLogin(at, login, { subject: 'ada' }), { jar })
    expect((await call(requestUrl(at.adminUrl, 'consent', consent))).body).toMatchObject({
      requested_scope: ['openid', 'offline_access', 'read'],
      client: { client_id: client.client_id },
    })
    const end = await call(await acceptConsent(at, consent), { jar })
    expect(end.location).toBe(`${PAGES_URL}/device/success?client_id=${client.client_id}`)

    expect((await poll(await makeClient(at), body['device_code'])).body['error']).toBe('invalid_grant')
    const tokens = await poll(client, body['device_code'])
    expect(claimsOf(String(tokens.body['id_token']))).toMatchObject({ sub: 'ada', email: 'ada@example.com' })
    expect(tokens.body['refresh_token']).toMatch(/^ory_rt_/)
    expect((await poll(client, body['device_code'])).body['error']).toBe('invalid_grant')
    expect((await accept(challenge, body['user_code'])).status).toBe(400)
  })

  // Hydra reads no parameters of the address here: `prompt=login`, its own way to start over, does nothing.
  it('skips the login of whoever is remembered, also with prompt=login in its address', async () => {
    const [client, jar] = [await makeClient(at), new Map<string, string>()]
    await tokensFor(at, client, { jar, subject: 'ada' })
    const { body } = await begin(client)
    const askLogin = async (address: string) => {
      const challenge = param((await call(address, { jar })).location, 'device_challenge')
      const { body: accepted } = await accept(challenge, body['user_code'])
      const login = await call(String(accepted['redirect_to']), { jar })
      expect((await call(requestUrl(at.adminUrl, 'login', login))).body).toMatchObject({
        skip: true,
        subject: 'ada',
      })
      return acceptLogin(at, login, { subject: 'bob' })
    }
    const again = await askLogin(String(body['verification_uri']))
    expect(again.split('?')[0]).toBe(body['verification_uri'])
    expect(param(again, 'prompt')).toBe('login')
    await askLogin(again)
  })

  it('names its client in the form, even one that proves itself in the header', async () => {
    const client = await makeClient(at, { token_endpoint_auth_method: 'client_secret_basic' })
    const headers = { authorization: `Basic ${btoa(`${client.client_id}:${SECRET}`)}` }
    const url = `${at.publicUrl}/oauth2/device/auth`
    const nameless = await call(url, { form: { scope: 'read' }, headers })
    expect([nameless.status, nameless.body['error']]).toEqual([400, 'invalid_request'])
    expect((await call(url, { form: { client_id: client.client_id }, headers })).status).toBe(200)
  })

  it('asks only for what its client may', async () => {
    const client = await makeClient(at)
    expect((await begin(client, { scope: 'admin' })).body['error']).toBe('invalid_scope')
    expect((await begin(client, { client_secret: 'wrong' })).status).toBe(401)
    const narrow = await makeClient(at, { grant_types: ['authorization_code'] })
    expect((await begin(narrow)).body['error']).toBe('invalid_grant')
    expect((await poll(narrow, 'ory_dc_none')).body['error']).toBe('unauthorized_client')
  })
})
