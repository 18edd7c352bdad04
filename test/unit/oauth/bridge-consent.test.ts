// The consent screen and its answers between an OAuth2 server and an identity provider that give set answers.

import { describe, expect, it } from 'vitest'
import {
  acceptConsentAnswer,
  rejectConsentAnswer,
  switchAccount,
} from '../../../src/features/oauth/bridge/answer-consent.ts'
import { readConsentInfo } from '../../../src/features/oauth/bridge/consent-info.ts'
import { keepDeviceCode } from '../../../src/features/oauth/bridge/device-code.ts'
import { showLogout } from '../../../src/features/oauth/bridge/logout.ts'
import { showConsent } from '../../../src/features/oauth/bridge/show-consent.ts'
import {
  ADA,
  BOB,
  bridge,
  form,
  hidden,
  identity,
  json,
  location,
  nextCookies,
  REQUEST_URL,
  sent,
  sessionOf,
  type World,
} from './bridge-support.ts'

const ACCEPT = 'PUT /admin/oauth2/auth/requests/consent/accept'
const REJECT = 'PUT /admin/oauth2/auth/requests/consent/reject'
const SIGNED_IN = 'session=1'
const SKIPPING = { metadata: { skip_consent: true } }
const DEVICE_URL = 'https://oauth.example/oauth2/device/verify?client_id=app&user_code=x'

const SIGNED_OUT = { code: 'session_required', restartUrl: REQUEST_URL }
const answered = (log: string[]) => log.filter(call => call.startsWith('PUT'))

/** The screen, opened in a browser, and what its form sends. */
async function openScreen(world: World = {}) {
  const opened = bridge(world)
  const page = await showConsent(opened.deps, 'c', SIGNED_IN)
  const cookies = nextCookies(page, SIGNED_IN)
  const fields: [string, string][] = [
    ['challenge', hidden(page, 'challenge')],
    ['form_token', hidden(page, 'form_token')],
  ]
  return { ...opened, page, cookies, fields }
}

describe('without a screen', () => {
  it.each<[string, World]>([
    ['a remembered consent', { consent: { skip: true } }],
    ['a client with skip_consent in its metadata', { client: SKIPPING }],
    ['a client with the field of the server', { client: { skip_consent: true } }],
  ])('%s is granted as asked, with the claims of now', async (_, world) => {
    const claims = { id_token_claims: { mail: '{{traits.email}}' }, access_token_claims: { who: '{{id}}' } }
    const { deps, oauth } = bridge({ ...world, claims })
    const answer = await showConsent(deps, 'c', SIGNED_IN)
    expect(location(answer).href).toBe('https://oauth.example/next?consent')
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({
      grant_scope: ['openid', 'email', 'offline_access'],
      grant_access_token_audience: ['https://api'],
      remember_for: 3_600,
      session: {
        id_token: { mail: '0@example.com', email: '0@example.com' },
        access_token: { who: ADA, consent_request_id: 'r-1' },
      },
    })
  })

  // A sign-in of somebody else in between must not hand this person's tokens to the other's application.
  it('nobody consents with another account signed in', async () => {
    const { deps, oauth } = bridge({ client: SKIPPING, whoami: sessionOf(BOB) })
    await expect(showConsent(deps, 'c', SIGNED_IN)).rejects.toMatchObject({ code: 'subject_mismatch' })
    expect(answered(oauth.log())).toEqual([])
  })

  it('a device is never connected', async () => {
    const { deps } = bridge({ client: SKIPPING, consent: { skip: true, request_url: DEVICE_URL } })
    const typed = (await keepDeviceCode(deps, null, 'ABCDEFGH')).split(';', 1)[0]
    const page = await showConsent(deps, 'c', `${SIGNED_IN}; ${typed}`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('ABCD-EFGH')
  })
})

// Whoever ended somebody's sessions, because a computer was stolen, must not find tokens made on it afterwards.
describe('a session that has ended', () => {
  const ENDED = 'ory_kratos_session=ended'
  const world = { identities: { [ADA]: identity(ADA) } }

  it.each<[string, World]>([
    ['the screen', {}],
    ['a remembered consent', { consent: { skip: true } }],
    ['a client with skip_consent', { client: SKIPPING }],
  ])('opens nothing by %s', async (_, more) => {
    const { deps, oauth } = bridge({ ...world, ...more })
    for (const cookies of [null, ENDED])
      await expect(showConsent(deps, 'c', cookies)).rejects.toMatchObject(SIGNED_OUT)
    expect(answered(oauth.log())).toEqual([])
  })

  it('neither grants nor denies on the screen that is still open, but leads to another sign-in', async () => {
    const { fields, cookies } = await openScreen(world)
    const { deps, oauth } = bridge({ ...world, whoami: null })
    for (const verb of [acceptConsentAnswer, rejectConsentAnswer])
      await expect(verb(deps, form(fields, cookies))).rejects.toMatchObject(SIGNED_OUT)
    expect(answered(oauth.log())).toEqual([])
    expect((await switchAccount(deps, form(fields, cookies))).body).toContain('prompt=login')
  })

  it('is refused in JSON too, where its cookie is sent', async () => {
    const { deps, oauth } = bridge(world)
    const yes = { challenge: 'c', grant_scope: ['openid'] }
    for (const cookies of [ENDED, `theme=dark; ${ENDED}`, 'ory_session_project=ended'])
      for (const attempt of [
        acceptConsentAnswer(deps, json(yes, cookies)),
        rejectConsentAnswer(deps, json({ challenge: 'c' }, cookies)),
      ])
        await expect(attempt).rejects.toMatchObject(SIGNED_OUT)
    expect(answered(oauth.log())).toEqual([])
    await acceptConsentAnswer(deps, json(yes, 'theme=dark'))
    expect(answered(oauth.log())).toHaveLength(1)
  })
})

describe('a consent that was given before', () => {
  const client = { client_id: 'app' }
  const others = { consent_request_id: 'r-0', consent_request: { client } }
  const own = { consent_request_id: 'r-1', consent_request: { client } }
  const used = { code: 'challenge_used', restartUrl: REQUEST_URL }

  // The server itself would take every answer, and the last one would be refused at the application only.
  it('is neither shown nor answered again', async () => {
    const { fields, cookies } = await openScreen({ given: [others] })
    const { deps, oauth } = bridge({ given: [others, own] })
    await expect(showConsent(deps, 'c', SIGNED_IN)).rejects.toMatchObject(used)
    await expect(readConsentInfo(deps, 'c')).rejects.toMatchObject({ code: 'challenge_used' })
    const yes = { challenge: 'c', grant_scope: ['openid'] }
    for (const submission of [form(fields, cookies), json(yes, SIGNED_IN)])
      await expect(acceptConsentAnswer(deps, submission)).rejects.toMatchObject(used)
    for (const submission of [form(fields, cookies), json({ challenge: 'c' })])
      await expect(rejectConsentAnswer(deps, submission)).rejects.toMatchObject(used)
    expect(answered(oauth.log())).toEqual([])
    expect(oauth.log()).toContain(
      `GET /admin/oauth2/auth/sessions/consent?subject=${ADA}&login_session_id=l-1&page_size=500`,
    )
  })

  it('is not given again while the server does not say', async () => {
    const list = 'GET /admin/oauth2/auth/sessions/consent'
    const { deps, oauth } = bridge({ answers: { [list]: [500, ''] } })
    const failure = { code: 'upstream_unavailable' }
    await expect(showConsent(deps, 'c', SIGNED_IN)).rejects.toMatchObject(failure)
    const yes = json({ challenge: 'c', grant_scope: ['openid'] }, SIGNED_IN)
    await expect(acceptConsentAnswer(deps, yes)).rejects.toMatchObject(failure)
    expect(answered(oauth.log())).toEqual([])
  })

  it('is not asked about at servers that give consents no id', async () => {
    const { deps, oauth } = bridge({ consent: { consent_request_id: undefined } })
    expect((await showConsent(deps, 'c', SIGNED_IN)).status).toBe(200)
    expect(oauth.log()).toHaveLength(1)
  })
})

describe('the claims', () => {
  it('are read by the subject where the admin API is configured, for a server that has no session', async () => {
    const { deps, oauth } = bridge({
      identities: { [ADA]: identity(ADA, { traits: { email: 'new@x.org' } }) },
    })
    await acceptConsentAnswer(deps, json({ challenge: 'c', grant_scope: ['openid', 'email'] }))
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ session: { id_token: { email: 'new@x.org' } } })
  })

  it('hold only what the granted scopes are for', async () => {
    const { deps, oauth } = bridge()
    await acceptConsentAnswer(deps, json({ challenge: 'c', grant_scope: ['openid'] }, SIGNED_IN))
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ session: { id_token: {} }, grant_scope: ['openid'] })
  })

  it.each<[string, World, string | null, string]>([
    ['nobody is signed in and there is no admin API', {}, null, 'session_required'],
    ['the account is gone', { identities: {} }, SIGNED_IN, 'account_unavailable'],
    [
      'the account is locked',
      { identities: { [ADA]: identity(ADA, { state: 'inactive' }) } },
      SIGNED_IN,
      'account_unavailable',
    ],
  ])('are not made up when %s', async (_, world, cookies, code) => {
    const { deps, oauth } = bridge(world)
    const submission = json({ challenge: 'c', grant_scope: ['openid'] }, cookies)
    const restartUrl = code === 'account_unavailable' ? `${REQUEST_URL}&prompt=login` : REQUEST_URL
    await expect(acceptConsentAnswer(deps, submission)).rejects.toMatchObject({ code, restartUrl })
    expect(answered(oauth.log())).toEqual([])
  })
})

describe('the screen', () => {
  it('shows who asks for what, in whose name, and posts to us alone', async () => {
    const { page } = await openScreen()
    for (const text of [
      'Web Shop',
      '0@example.com',
      'See your e-mail address',
      'https://api',
      'shop.example',
      'asked again for 60 minutes',
    ])
      expect(page.body).toContain(text)
    expect(page.body?.match(/name="grant_scope" value="[^"]*" checked/g)).toHaveLength(3)
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'nonce-[\w-]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(page.headers['referrer-policy']).toBe('same-origin')
    expect(page.body).not.toMatch(/<script|\son\w+=/)
  })

  // The record of a client was written by whoever registered it.
  it('shows the texts of a client as text, and links no address that is not of the web', async () => {
    const { page } = await openScreen({
      client: {
        client_name: '<img src=x onerror=alert(1)>"\'&',
        client_uri: 'javascript:alert(1)',
        tos_uri: 'data:text/html,<script>alert(1)</script>',
        policy_uri: 'https://shop.example/privacy?a=1&b="><script>',
        logo_uri: 'https://cdn.example/logo.png;%20script-src%20*',
      },
    })
    expect(page.body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    expect(page.body).not.toMatch(/<img src=x|<script|javascript:|data:/)
    expect(page.body).toContain('href="https://shop.example/privacy?a=1&amp;b=%22%3E%3Cscript%3E"')
    expect(page.headers['content-security-policy']).toContain('img-src https://cdn.example; form-action')
  })

  // `;`, `,` and `'` are legal in the host of a URL, and would begin directives of the client's own.
  it.each([
    ["https://a;script-src'unsafe-inline'/x.png", undefined],
    ['https://a,b/x.png', undefined],
    ["https://a'b/x.png", undefined],
    ['https://u:p@cdn.example:8443/x.png', 'https://cdn.example:8443'],
    ['https://[2001:db8::1]/x.png', 'https://[2001:db8::1]'],
  ])('loads the logo %s from %s', async (logo_uri, origin) => {
    const { page } = await openScreen({ client: { logo_uri } })
    const images = page.headers['content-security-policy']?.split('; ').filter(part => part.startsWith('img'))
    expect(images).toEqual(origin === undefined ? [] : [`img-src ${origin}`])
    expect(page.headers['content-security-policy']).not.toMatch(/script-src|,/)
    expect(page.body?.includes('<img')).toBe(origin !== undefined)
  })

  it.each([
    [' \n ', 'app'],
    ['\u200b\u202e\u2066', 'app'],
    ['\u3164', 'app'],
    ['\u202eknaB\u200b \n Shop ', 'knaB Shop'],
  ])('names the application visibly: %j is %s', async (client_name, name) => {
    const { page } = await openScreen({ client: { client_name } })
    expect(page.body).toContain(`<h1>${name} wants to use your account</h1>`)
    const logout = await showLogout(bridge({ client: { client_name } }).deps, 'c', SIGNED_IN)
    expect(logout.body).toContain(`${name} asks to sign you out`)
  })

  it('is not for a stranger who holds a challenge', async () => {
    const { deps } = bridge({ identities: { [ADA]: identity(ADA) } })
    await expect(showConsent(deps, 'c', null)).rejects.toMatchObject(SIGNED_OUT)
  })

  it('sets its cookies for the host alone, over https', async () => {
    const { page } = await openScreen({ baseUrl: 'https://quoin.example' })
    expect(page.cookies).toHaveLength(2)
    for (const cookie of page.cookies ?? [])
      expect(cookie).toMatch(
        /^__Host-quoin_\w+=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax(; Max-Age=\d+)?; Secure$/,
      )
  })
})

describe('the form', () => {
  it('grants what is ticked, and goes on by a page', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    const ticked: [string, string][] = [
      ['grant_scope', 'openid'],
      ['grant_scope', 'email'],
      ['grant_scope', 'admin'],
      ['remember', 'true'],
    ]
    const answer = await acceptConsentAnswer(deps, form([...fields, ...ticked], cookies))
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(
      '<meta http-equiv="refresh" content="0;url=https://oauth.example/next?consent"',
    )
    expect(answer.body).toContain('<a class="button primary" href="https://oauth.example/next?consent"')
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ grant_scope: ['openid', 'email'], remember: true })
  })

  it('grants nothing when nothing is ticked, and remembers nothing', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    await acceptConsentAnswer(deps, form(fields, cookies))
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ grant_scope: [], remember: false })
  })

  it('denies in words that the application understands', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    const answer = await rejectConsentAnswer(deps, form(fields, cookies))
    expect(answer.body).toContain('https://oauth.example/next?consent')
    expect(sent(oauth.calls, REJECT)).toEqual({
      error: 'access_denied',
      error_description: 'The resource owner denied the request.',
    })
  })

  it('is nothing without the cookie of its page, and for another challenge', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    const stolen = fields.map(([name, value]): [string, string] => [name, name === 'challenge' ? 'd' : value])
    for (const submission of [form(fields, SIGNED_IN), form(fields), form(stolen, cookies)])
      for (const verb of [acceptConsentAnswer, rejectConsentAnswer, switchAccount])
        await expect(verb(deps, submission)).rejects.toMatchObject({ code: 'form_token_invalid' })
    expect(answered(oauth.log())).toEqual([])
  })

  it('needs its fields', async () => {
    const { deps, cookies } = await openScreen()
    for (const fields of [[], [['challenge', '']]] as [string, string][][])
      await expect(acceptConsentAnswer(deps, form(fields, cookies))).rejects.toMatchObject({
        code: 'validation_failed',
      })
  })

  it('knows where to start again when it is sent too late', async () => {
    const { fields, cookies } = await openScreen()
    const expired: [number, unknown] = [401, { error: 'request_unauthorized', error_description: '' }]
    const { deps } = bridge({ answers: { 'GET /admin/oauth2/auth/requests/consent': expired } })
    await expect(acceptConsentAnswer(deps, form(fields, cookies))).rejects.toMatchObject({
      code: 'challenge_expired',
      restartUrl: REQUEST_URL,
    })
  })

  it('of "Not you?" ends the session and starts the flow with a sign-in', async () => {
    const { deps, identityPublic, fields, cookies } = await openScreen()
    const answer = await switchAccount(deps, form(fields, cookies))
    expect(answer.body).toContain('scope=openid&amp;prompt=login"')
    expect(identityPublic.log().slice(-2)).toEqual([
      'GET /self-service/logout/browser',
      'GET /self-service/logout?token=t',
    ])
  })
})

describe('JSON', () => {
  const YES = { challenge: 'c', grant_scope: ['openid'], remember: true }

  it('is answered with the address to go on at', async () => {
    const { deps, oauth } = bridge()
    const answer = await acceptConsentAnswer(deps, json(YES, SIGNED_IN))
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(answer.body ?? '')).toEqual({ redirect_to: 'https://oauth.example/next?consent' })
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ remember: true, grant_scope: ['openid'] })
  })

  it('passes on why somebody says no', async () => {
    const { deps, oauth } = bridge()
    const no = { challenge: 'c', error: 'consent_required', error_description: 'Not today.' }
    await rejectConsentAnswer(deps, json(no))
    expect(sent(oauth.calls, REJECT)).toEqual({ error: 'consent_required', error_description: 'Not today.' })
  })

  it('grants no scope that was not asked for, and nothing beside it', async () => {
    const { deps, oauth } = bridge()
    const submission = json({ ...YES, grant_scope: ['openid', 'admin'] }, SIGNED_IN)
    await expect(acceptConsentAnswer(deps, submission)).rejects.toMatchObject({
      code: 'scope_not_requested',
      detail: 'grant_scope: admin',
    })
    expect(answered(oauth.log())).toEqual([])
  })

  it('of somebody else is refused, to accept and to reject', async () => {
    const { deps, oauth } = bridge({ whoami: sessionOf(BOB) })
    await expect(acceptConsentAnswer(deps, json(YES, SIGNED_IN))).rejects.toMatchObject({
      code: 'subject_mismatch',
    })
    await expect(rejectConsentAnswer(deps, json({ challenge: 'c' }, SIGNED_IN))).rejects.toMatchObject({
      code: 'subject_mismatch',
    })
    expect(answered(oauth.log())).toEqual([])
  })

  it.each([
    [{}, 'validation_failed'],
    [{ challenge: 'c' }, 'validation_failed'],
    [{ ...YES, grant_scope: 'openid' }, 'validation_failed'],
    [{ ...YES, remember: 'yes' }, 'validation_failed'],
    [{ ...YES, subject: BOB }, 'validation_failed'],
    [{ ...YES, challenge: '' }, 'validation_failed'],
  ])('%j is refused before anything is asked', async (body, code) => {
    const { deps, oauth } = bridge()
    await expect(acceptConsentAnswer(deps, json(body))).rejects.toMatchObject({ code })
    expect(oauth.log()).toEqual([])
  })

  it('that is none is refused without quoting what was sent', async () => {
    const { deps } = bridge()
    const broken = { ...json(YES), readBodyText: async () => '{"challenge":"the-secret' }
    const error = await acceptConsentAnswer(deps, broken).catch(err => err)
    expect(error).toMatchObject({ code: 'invalid_body' })
    expect(`${error.message}${error.detail}${error.cause}`).not.toContain('secret')
    const other = { ...json(YES), contentType: 'text/plain' }
    await expect(acceptConsentAnswer(deps, other)).rejects.toMatchObject({ code: 'unsupported_media_type' })
  })
})

it('gives a screen of one’s own all that it needs, and nothing that consents', async () => {
  const { deps } = bridge({ client: { logo_uri: 'javascript:alert(1)', client_secret: 'x' } })
  const info = await readConsentInfo(deps, 'the-challenge')
  expect(info).toMatchObject({
    client: {
      client_id: 'app',
      client_name: 'Web Shop',
      client_uri: 'https://shop.example/',
      logo_uri: null,
    },
    subject: ADA,
    requested_scope: ['openid', 'email', 'offline_access'],
    requested_access_token_audience: ['https://api'],
    skip: false,
    is_device_flow: false,
  })
  expect(JSON.stringify(info)).not.toMatch(/the-challenge|secret/)
})
