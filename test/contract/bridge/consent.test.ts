// The consent endpoints as scripts and custom screens use them, against the local servers.

import { exportJWK, generateKeyPair, UnsecuredJWT } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import {
  CALLBACK,
  callTokenEndpoint,
  consentForm,
  makePerson,
  type Person,
  type RegisteredClient,
  registerClient,
} from '../../support/applications.ts'
import { UserAgent } from '../../support/user-agent.ts'
import {
  type Answer,
  authorizationUrl,
  BRIDGE,
  browserUntil,
  callBridge,
  challengeOf,
  cookiesOf,
  postJson,
  signInAt,
} from './caller.ts'

const {
  base_url,
  dashboard_url,
  identity_admin_url,
  oauth_admin_url,
  oauth_public_url,
  session_cookie_admin,
} = inject('stack')

interface Pending {
  client: RegisteredClient
  person: Person
  browser: UserAgent
  challenge: string
}

/** Somebody has signed in, and the browser stands before the consent screen. */
async function pendingConsent(fields: Record<string, unknown> = {}): Promise<Pending> {
  const [client, person, browser] = [
    await registerClient(fields),
    await makePerson(),
    browserUntil('consent'),
  ]
  await signInAt(browser, person)
  const challenge = await challengeOf(browser, authorizationUrl(client), 'consent')
  return { client, person, browser, challenge }
}

/** Follows a decision to the application, and exchanges the code. */
async function tokensAfter({ client, browser }: Pending, { json }: Answer) {
  const { url } = await browser.open(json.redirect_to)
  const code = url.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${url.href}`)
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  return (await (await callTokenEndpoint(client, form)).json()) as { scope: string; id_token: string }
}

const refused = (status: number, code: string) => ({ status, json: { code } })

describe('a decision in JSON', () => {
  it('grants, from a server without cookies as from the person’s own browser', async () => {
    for (const isOwn of [false, true]) {
      const pending = await pendingConsent()
      const yes = { challenge: pending.challenge, grant_scope: ['openid', 'read'] }
      const headers = isOwn ? { cookie: cookiesOf(pending.browser), origin: base_url } : {}
      const answer = await postJson('consent/accept', yes, headers)
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.json)).toEqual(['redirect_to'])
      expect((await tokensAfter(pending, answer)).scope).toBe('openid read')
    }
  })

  it('denies, with the words that it was given', async () => {
    const { browser, challenge } = await pendingConsent()
    const no = { challenge, error: 'interaction_required', error_description: 'Come back later.' }
    const answer = await postJson('consent/reject', no)
    const { url } = await browser.open(answer.json.redirect_to)
    expect(url.searchParams.get('error')).toBe('interaction_required')
    expect(url.searchParams.get('error_description')).toContain('Come back later.')
  })

  it('is refused with the session of somebody else, and can then still be made', async () => {
    const pending = await pendingConsent()
    const yes = { challenge: pending.challenge, grant_scope: ['openid'] }
    const cookie = session_cookie_admin ?? ''
    for (const path of ['consent/accept', 'consent/reject']) {
      const body = path === 'consent/accept' ? yes : { challenge: pending.challenge }
      expect(await postJson(path, body, { cookie })).toMatchObject(refused(403, 'subject_mismatch'))
    }
    const page = await callBridge(`consent?consent_challenge=${pending.challenge}`, {
      headers: { cookie, accept: 'text/html' },
    })
    expect(page.status).toBe(403)
    expect(page.text).toContain('You are signed in as somebody else')
    expect((await tokensAfter(pending, await postJson('consent/accept', yes))).scope).toBe('openid')
  })

  it('grants no scope that was not asked for', async () => {
    const { challenge } = await pendingConsent()
    for (const scope of ['offline_access', 'admin']) {
      const body = { challenge, grant_scope: ['openid', scope] }
      const answer = await postJson('consent/accept', body)
      expect(answer).toMatchObject(refused(422, 'scope_not_requested'))
      expect(answer.json.detail).toContain(scope)
    }
  })

  // A page of another site must not consent in the name of whoever looks at it.
  it('comes from no other site', async () => {
    const { challenge, browser } = await pendingConsent()
    const cookie = cookiesOf(browser)
    for (const headers of [
      { cookie, origin: 'https://evil.example' },
      { cookie, origin: 'null' },
      { cookie, 'sec-fetch-site': 'cross-site' },
    ])
      for (const [path, body] of [
        ['consent/accept', { challenge, grant_scope: ['openid'] }],
        ['consent/reject', { challenge }],
        ['logout/accept', { challenge }],
        ['device', { challenge, user_code: 'ABCDEFGH' }],
      ] as const)
        expect(await postJson(path, body, headers)).toMatchObject(refused(403, 'cross_site_request'))
  })

  it('may come from the dashboard’s own screen', async () => {
    const { challenge, browser } = await pendingConsent()
    const headers = { cookie: cookiesOf(browser), origin: dashboard_url }
    const answer = await postJson('consent/accept', { challenge, grant_scope: ['openid'] }, headers)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe(dashboard_url)
  })

  it.each([
    ['consent/accept', { grant_scope: [] }],
    ['consent/accept', { challenge: 'x' }],
    ['consent/accept', { challenge: 'x', grant_scope: 'openid' }],
    ['consent/accept', { challenge: 'x', grant_scope: [], remember: 1 }],
    ['consent/accept', { challenge: 'x', grant_scope: [], subject: 'me' }],
    ['consent/reject', {}],
    ['consent/reject', { challenge: 'x', error: 'two words' }],
    ['logout/accept', { challenge: 5 }],
    ['device', { challenge: 'x' }],
  ])('%s %j is validation_failed', async (path, body) => {
    expect(await postJson(path, body)).toMatchObject(refused(400, 'validation_failed'))
  })

  it.each(['consent/accept', 'consent/reject', 'logout/accept', 'logout/reject', 'device'])(
    '%s with an unknown challenge is 404',
    async path => {
      const more =
        path === 'consent/accept' ? { grant_scope: [] } : path === 'device' ? { user_code: 'ABCDEFGH' } : {}
      expect(await postJson(path, { challenge: 'garbage', ...more })).toMatchObject(
        refused(404, 'challenge_not_found'),
      )
    },
  )

  it('is JSON or a form, and nothing else', async () => {
    for (const [type, body, status, code] of [
      ['text/plain', '{}', 415, 'unsupported_media_type'],
      ['multipart/form-data; boundary=x', '--x--', 415, 'unsupported_media_type'],
      ['application/json', '{', 400, 'invalid_body'],
      ['application/x-www-form-urlencoded', 'grant_scope=openid', 400, 'validation_failed'],
      ['application/x-www-form-urlencoded', 'challenge=x&form_token=y', 403, 'form_token_invalid'],
    ] as const) {
      const init = { method: 'POST', headers: { 'content-type': type }, body }
      expect(await callBridge('consent/accept', init), type).toMatchObject(refused(status, code))
    }
  })
})

/** The screen in the person's browser, with its form. */
async function openScreen({ browser, challenge }: Pending) {
  const screen = new UserAgent([CALLBACK])
  for (const [name, value] of browser.cookies) screen.cookies.set(name, value)
  const page = await screen.open(`${BRIDGE}/consent?${new URLSearchParams({ consent_challenge: challenge })}`)
  const form = consentForm(page)
  if (form === undefined) throw new Error(`no consent form: ${page.status} ${page.html.slice(0, 500)}`)
  return { screen, page, form }
}

const endSessions = ({ id }: Person) =>
  fetch(`${identity_admin_url}/admin/identities/${id}/sessions`, { method: 'DELETE' })

// Whoever ends somebody's sessions, because a computer was stolen, must not find tokens made on it afterwards.
describe('a session that has ended', () => {
  it('neither grants nor denies on the screen that is still open, but leads to another sign-in', async () => {
    const pending = await pendingConsent()
    const { screen, page, form } = await openScreen(pending)
    await endSessions(pending.person)
    const [, deny] = form.buttons
    for (const button of [undefined, deny]) {
      const refusal = await screen.submit(page, form, { button })
      expect(refusal.status).toBe(401)
      expect(refusal.html).toContain('You are signed out')
      expect(refusal.html).toContain(`href="${oauth_public_url}/oauth2/auth?client_id=`)
      expect(refusal.html).toContain('session_required')
    }
  })

  it.each([{}, { metadata: { skip_consent: true } }])('opens no screen and skips none (%j)', async fields => {
    const { person, challenge, browser } = await pendingConsent(fields)
    await endSessions(person)
    for (const cookie of ['', cookiesOf(browser)])
      expect(
        await callBridge(`consent?consent_challenge=${challenge}`, { headers: { cookie } }),
      ).toMatchObject(refused(401, 'session_required'))
  })

  it('is refused in JSON where its cookie is sent, and a server without one goes on', async () => {
    const pending = await pendingConsent()
    const { challenge, browser, person } = pending
    await endSessions(person)
    const yes = { challenge, grant_scope: ['openid'] }
    for (const cookie of [cookiesOf(browser), 'ory_kratos_session=garbage']) {
      expect(await postJson('consent/accept', yes, { cookie })).toMatchObject(
        refused(401, 'session_required'),
      )
      expect(await postJson('consent/reject', { challenge }, { cookie })).toMatchObject(
        refused(401, 'session_required'),
      )
    }
    const answer = await postJson('consent/accept', yes, { cookie: 'theme=dark' })
    expect((await tokensAfter(pending, answer)).scope).toBe('openid')
  })
})

// The OAuth2 server itself takes every answer, and the last one fails at the application only.
it('is neither shown nor answered again once the browser went on with a yes', async () => {
  const pending = await pendingConsent()
  const { challenge, browser } = pending
  const { screen, page, form } = await openScreen(pending)
  await tokensAfter(pending, await postJson('consent/accept', { challenge, grant_scope: ['openid'] }))
  const used = refused(409, 'challenge_used')
  const headers = { cookie: cookiesOf(browser) }
  for (const path of ['consent', 'consent/info'])
    expect(await callBridge(`${path}?consent_challenge=${challenge}`, { headers })).toMatchObject(used)
  for (const cookie of [{}, headers]) {
    expect(await postJson('consent/accept', { challenge, grant_scope: ['openid'] }, cookie)).toMatchObject(
      used,
    )
    expect(await postJson('consent/reject', { challenge }, cookie)).toMatchObject(used)
  }
  const again = await screen.submit(page, form)
  expect(again.status).toBe(409)
  expect(again.html).toContain('This was answered already')
})

describe('without a screen', () => {
  it.each([{ metadata: { skip_consent: true } }, { skip_consent: true }])(
    'a client with %j gets what it asks for',
    async fields => {
      const pending = await pendingConsent(fields)
      const answer = await callBridge(`consent?consent_challenge=${pending.challenge}`, {
        headers: { cookie: cookiesOf(pending.browser) },
      })
      expect(answer.status).toBe(303)
      const redirect_to = answer.headers.get('location')
      expect(redirect_to).toContain(`${oauth_public_url}/oauth2/auth?`)
      expect((await tokensAfter(pending, { ...answer, json: { redirect_to } })).scope).toBe(
        'openid email read',
      )
    },
  )

  it('nobody is granted anything in the name of somebody else', async () => {
    const { challenge } = await pendingConsent({ metadata: { skip_consent: true } })
    const headers = { cookie: session_cookie_admin ?? '' }
    expect(await callBridge(`consent?consent_challenge=${challenge}`, { headers })).toMatchObject(
      refused(403, 'subject_mismatch'),
    )
  })
})

it('tells a screen of one’s own what to show', async () => {
  const { challenge, client, person } = await pendingConsent({
    client_name: 'Web Shop',
    client_uri: 'https://shop.example/',
    logo_uri: 'https://shop.example/logo.png',
    tos_uri: 'https://shop.example/terms',
    policy_uri: 'https://shop.example/privacy',
  })
  const answer = await callBridge(`consent/info?consent_challenge=${challenge}`)
  expect(answer.json).toEqual({
    client: {
      client_id: client.client_id,
      client_name: 'Web Shop',
      client_uri: 'https://shop.example/',
      logo_uri: 'https://shop.example/logo.png',
      tos_uri: 'https://shop.example/terms',
      policy_uri: 'https://shop.example/privacy',
    },
    subject: person.id,
    requested_scope: ['openid', 'email', 'read'],
    scopes: [
      { scope: 'openid', title: expect.any(String), detail: expect.any(String) },
      { scope: 'email', title: 'See your e-mail address', detail: expect.any(String) },
      { scope: 'read', title: 'read', detail: expect.any(String) },
    ],
    requested_access_token_audience: [],
    skip: false,
    is_device_flow: false,
    destination: new URL(CALLBACK).host,
  })
  expect(await callBridge('consent/info?consent_challenge=x')).toMatchObject(
    refused(404, 'challenge_not_found'),
  )
})

// The address beside a request object is anybody's; the browser goes where the object says.
it('names where a request object sends the answer, and honours its prompt', async () => {
  const [client, browser] = [await registerClient(), browserUntil('consent')]
  const { publicKey } = await generateKeyPair('RS256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' }]
  const patch = [{ op: 'add', path: '/jwks', value: { keys } }]
  const patched = await fetch(`${oauth_admin_url}/admin/clients/${client.client_id}`, {
    method: 'PATCH',
    body: JSON.stringify(patch),
  })
  expect(patched.status).toBe(200)
  await signInAt(browser, await makePerson())
  const named = async (claims: Record<string, unknown>, kind: 'login' | 'consent') => {
    const request = new UnsecuredJWT({ redirect_uri: CALLBACK, ...claims }).encode()
    const address = authorizationUrl(client, { redirect_uri: 'https://bank.example/cb', request })
    return await challengeOf(kind === 'login' ? browserUntil('login') : browser, address, kind)
  }
  const consent = await named({}, 'consent')
  const { json } = await callBridge(`consent/info?consent_challenge=${consent}`)
  expect(json.destination).toBe(new URL(CALLBACK).host)
  const login = await named({ prompt: 'login' }, 'login')
  const headers = { cookie: cookiesOf(browser) }
  const away = await callBridge(`login?login_challenge=${login}`, { headers })
  expect(away.headers.get('location')).toContain('refresh=true')
})
