// Authorization requests on the Hydra wire: what is refused at once and what only after the consent, what is skipped,
// which answer reaches the client. Public HTTP only; test/support/oauth-server.ts says which servers it runs against.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RESPONSE_TYPES } from '../../../test/support/applications.ts'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import {
  acceptConsent,
  acceptLogin,
  authorize,
  authorizeUrl,
  CALLBACK,
  call,
  claimsOf,
  exchange,
  makeClient,
  makePkce,
  param,
  requestUrl,
  toConsent,
  tokensFor,
} from './visitor.ts'

let at: TestOAuthServer
beforeAll(async () => {
  at = await startTestOAuthServer()
})
afterAll(() => at[Symbol.asyncDispose]())

const begin = async (query: Record<string, string>, fields: Record<string, unknown> = {}, jar = new Map()) =>
  call(authorizeUrl(at, await makeClient(at, fields), query), { jar })
const errorOf = (location: string) => param(location, 'error')

describe('an authorization request', () => {
  it('goes to the error page while its client or redirect URI is not proven', async () => {
    const refused = [
      [await begin({ client_id: 'nobody' }), 'invalid_client'],
      [await begin({ redirect_uri: 'http://127.0.0.1:5555/evil' }), 'invalid_request'],
      [await begin({ redirect_uri: '' }), 'invalid_request'],
      [await begin({ response_mode: 'pigeon' }), 'unsupported_response_mode'],
      [await begin({ request: 'no.jwt.at-all' }), 'invalid_request'],
    ] as const
    for (const [answer, error] of refused) {
      expect(answer.status, error).toBe(302)
      expect(answer.location, error).not.toContain('5555')
      expect(errorOf(answer.location)).toBe(error)
    }
  })

  it('is answered at its redirect URI with the state when something else is wrong with it', async () => {
    const refused = [
      [{ scope: 'openid admin' }, 'invalid_scope'],
      [{ audience: 'https://api.example.com' }, 'invalid_request'],
      [{ response_type: 'magic' }, 'unsupported_response_type'],
      [{ response_type: '' }, 'unsupported_response_type'],
      [{ registration: '{}' }, 'registration_not_supported'],
      [{ prompt: 'none' }, 'login_required'],
      [{ id_token_hint: 'garbage' }, 'invalid_request'],
    ] as const
    for (const [query, error] of refused) {
      const answer = await begin(query)
      expect(answer.status, JSON.stringify(query)).toBe(303)
      expect(answer.location).toMatch(new RegExp(`^${CALLBACK}\\?error=${error}&`))
      expect(param(answer.location, 'state')).toBe('state-of-the-test')
    }
    expect(errorOf((await begin({ state: 'short' })).location)).toBe('invalid_state')
  })

  it('may come as a form, and may name a loopback address with another port', async () => {
    const client = await makeClient(at)
    const query = { redirect_uri: 'http://127.0.0.1:9999/callback' }
    const [address = '', form = ''] = authorizeUrl(at, client, query).split('?')
    const posted = await call(address, { form: Object.fromEntries(new URLSearchParams(form)) })
    expect(param(posted.location, 'login_challenge')).not.toBe('')
    const done = await authorize(at, client, { query })
    expect(done.location).toMatch(/^http:\/\/127\.0\.0\.1:9999\/callback\?code=/)
  })
})

describe('faults that are found only after the consent', () => {
  const faults = [
    ['PKCE missing at a public client', { token_endpoint_auth_method: 'none' }, {}, 'invalid_request'],
    [
      'PKCE that is plain',
      {},
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      'invalid_request',
    ],
    [
      'PKCE by an unknown method',
      {},
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'S1' },
      'invalid_request',
    ],
    ['no nonce', {}, { response_type: 'id_token', nonce: '' }, 'invalid_request'],
    [
      'a nonce that can be guessed',
      {},
      { response_type: 'code id_token', nonce: 'short' },
      'insufficient_entropy',
    ],
    [
      'tokens in the query',
      {},
      { response_type: 'token', response_mode: 'query' },
      'unsupported_response_mode',
    ],
    [
      'a grant type missing',
      { grant_types: ['authorization_code'] },
      { response_type: 'token' },
      'invalid_grant',
    ],
    ['an unknown prompt', {}, { prompt: 'magic' }, 'invalid_request'],
    ['a prompt that Hydra does not offer', {}, { prompt: 'select_account' }, 'invalid_request'],
    ['a response type in capitals', {}, { response_type: 'CODE' }, 'unsupported_response_type'],
    ['a response type doubled', {}, { response_type: 'code code' }, 'unsupported_response_type'],
  ] as const
  for (const [name, fields, query, error] of faults) {
    it(name, async () => {
      const done = await authorize(at, await makeClient(at, fields), { query })
      expect(done.status).toBe(303)
      expect(done.location.startsWith(CALLBACK)).toBe(true)
      expect(errorOf(done.location)).toBe(error)
    })
  }
})

describe('the answer', () => {
  it('of each response type holds what it names, in the fragment unless it is a code alone', async () => {
    const client = await makeClient(at)
    const parts = { code: 'code', id_token: 'id_token', token: 'access_token' }
    for (const type of RESPONSE_TYPES) {
      const { location } = await authorize(at, client, { query: { response_type: type } })
      expect(location.includes('#'), type).toBe(type !== 'code')
      for (const [part, name] of Object.entries(parts)) {
        expect(param(location, name) !== '', `${name} of ${type}`).toBe(type.split(' ').includes(part))
      }
      const idToken = param(location, 'id_token')
      if (idToken) {
        const claims = claimsOf(idToken)
        expect('at_hash' in claims, type).toBe(type.includes(' token'))
        expect('c_hash' in claims, type).toBe(type.includes('code'))
        expect(claims['nonce']).toBe('nonce-of-the-test')
      }
    }
  })

  it('takes the mode that was asked for', async () => {
    const client = await makeClient(at)
    const fragment = await authorize(at, client, { query: { response_mode: 'fragment' } })
    expect(fragment.location).toMatch(/#code=/)
    const form = await authorize(at, client, {
      query: { response_mode: 'form_post', state: '"><script>alert(1)</script>' },
    })
    expect(form.status).toBe(200)
    expect(form.text).toContain(`action="${CALLBACK}"`)
    expect(form.text).not.toContain('<script>')
  })

  it('grants what the consent says, be it less or more than was asked', async () => {
    const client = await makeClient(at)
    const done = await authorize(at, client, {
      consent: { grant_scope: ['openid', 'extra'], grant_access_token_audience: ['https://not.asked'] },
    })
    expect(param(done.location, 'scope')).toBe('openid extra')
    const { body } = await exchange(at, client, done)
    expect(body['scope']).toBe('openid extra')
    expect(body).not.toHaveProperty('refresh_token')
  })
})

describe('login and consent', () => {
  it('are refused in the words of the application', async () => {
    const client = await makeClient(at)
    const jar = new Map()
    const start = await call(authorizeUrl(at, client), { jar })
    const no = { error: 'access_denied', error_description: 'Not today', error_hint: 'Come back' }
    const login = await call(requestUrl(at.adminUrl, 'login/reject', start), { json: no })
    const denied = await call(String(login.body['redirect_to']), { jar })
    expect(errorOf(denied.location)).toBe('access_denied')
    expect(param(denied.location, 'error_description')).toBe('Not today Come back')

    const page = await toConsent(at, client, { jar })
    const consent = await call(requestUrl(at.adminUrl, 'consent/reject', page), { json: {} })
    expect(errorOf((await call(String(consent.body['redirect_to']), { jar })).location)).toBe(
      'consent request denied',
    )
  })

  it('go on only in the browser that began, and a consent only once', async () => {
    const client = await makeClient(at)
    const jar = new Map()
    const start = await call(authorizeUrl(at, client), { jar })
    const to = await acceptLogin(at, start, { subject: 'ada' })
    expect(errorOf((await call(to, { jar: new Map() })).location)).toBe('request_forbidden')
    const page = await call(to, { jar })
    const back = await acceptConsent(at, page)
    expect(param((await call(back, { jar })).location, 'code')).not.toBe('')
    expect(errorOf((await call(back, { jar })).location)).toBe('access_denied')

    const second = await acceptConsent(at, await toConsent(at, client))
    expect(errorOf((await call(second, { jar: new Map() })).location)).toBe('request_forbidden')
  })

  it('of one client end when the same browser begins another of it', async () => {
    const client = await makeClient(at)
    const jar = new Map()
    const [first, second] = [
      await call(authorizeUrl(at, client), { jar }),
      await call(authorizeUrl(at, client), { jar }),
    ]
    const late = await call(await acceptLogin(at, first, { subject: 'ada' }), { jar })
    expect(errorOf(late.location)).toBe('request_forbidden')
    const page = await call(await acceptLogin(at, second, { subject: 'ada' }), { jar })
    expect(param(page.location, 'consent_challenge')).not.toBe('')
  })

  it('refuse challenges and verifiers that the server did not make, or made for another purpose', async () => {
    const client = await makeClient(at)
    const start = await call(authorizeUrl(at, client))
    const login = param(start.location, 'login_challenge')
    expect(login.length).toBeGreaterThan(1000)
    const cut = `${login.slice(0, -4)}AAAA`
    for (const [path, challenge] of [
      ['login', cut],
      ['login', 'garbage'],
      ['consent', login],
    ] as const) {
      const url = `${at.adminUrl}/admin/oauth2/auth/requests/${path}?${path}_challenge=${challenge}`
      expect((await call(url)).status).toBe(404)
      expect((await call(url.replace('?', '/accept?'), { json: { subject: 'eve' } })).status).toBe(404)
    }
    for (const verifier of ['login_verifier', 'consent_verifier']) {
      const answer = await call(authorizeUrl(at, client, { [verifier]: login }))
      expect(errorOf(answer.location), verifier).toBe('access_denied')
    }
  })

  it('are skipped for the same person, client and scopes, and not beyond', async () => {
    const [client, other] = [await makeClient(at), await makeClient(at)]
    const [jar, subject] = [new Map(), randomUUID()]
    await authorize(at, client, { jar, subject })
    const skips = async (to = client, query = {}) => {
      const start = await call(authorizeUrl(at, to, query), { jar })
      const login = (await call(requestUrl(at.adminUrl, 'login', start))).body
      const page = await call(await acceptLogin(at, start, { subject }), { jar })
      const consent = (await call(requestUrl(at.adminUrl, 'consent', page))).body
      return [login['skip'], login['subject'], consent['skip']]
    }
    expect(await skips()).toEqual([true, subject, true])
    expect(await skips(client, { scope: 'openid write' })).toEqual([true, subject, false])
    expect(await skips(other)).toEqual([true, subject, false])
    expect(await skips(client, { prompt: 'consent' })).toEqual([true, subject, false])
    expect(await skips(client, { prompt: 'login' })).toEqual([false, '', true])
    expect(await skips(client, { max_age: '1000' })).toEqual([true, subject, true])

    const silent = await authorize(at, client, { jar, subject, query: { prompt: 'none' } })
    expect(param(silent.location, 'code')).not.toBe('')
    const unknown = await toConsent(at, other, { jar, subject, query: { prompt: 'none' } })
    expect(errorOf(unknown.location)).toBe('consent_required')
  })

  it('are never skipped for a public client whose redirect URI others can claim', async () => {
    const redirect_uri = 'com.example.app:/callback'
    const client = await makeClient(at, { token_endpoint_auth_method: 'none', redirect_uris: [redirect_uri] })
    const visit = { jar: new Map(), subject: randomUUID(), query: { redirect_uri, ...makePkce().query } }
    const done = await authorize(at, client, visit)
    expect(done.location).toMatch(/^com\.example\.app:\/callback\?code=/)
    const page = await toConsent(at, client, visit)
    expect((await call(requestUrl(at.adminUrl, 'consent', page))).body['skip']).toBe(false)
  })

  it('ask again when somebody else signs in, or the ID token hint names another', async () => {
    const client = await makeClient(at)
    const [jar, subject] = [new Map(), randomUUID()]
    const { id_token = '' } = await tokensFor(at, client, { jar, subject })
    const start = await call(authorizeUrl(at, client), { jar })
    const to = await acceptLogin(at, start, { subject: 'eve' })
    expect(param(to, 'prompt')).toBe('login')
    expect(param(to, 'login_verifier')).toBe('')

    const same = await authorize(at, client, { jar, subject, query: { id_token_hint: id_token } })
    expect(param(same.location, 'code')).not.toBe('')
    const foreign = await tokensFor(at, client, { subject: 'eve' })
    const wrong = await call(authorizeUrl(at, client, { id_token_hint: foreign['id_token'] ?? '' }), { jar })
    expect(errorOf(wrong.location)).toBe('login_required')
  })

  it('count each scope once', async () => {
    const client = await makeClient(at)
    const done = await authorize(at, client, { consent: { grant_scope: ['read', 'openid', 'read'] } })
    expect(param(done.location, 'scope')).toBe('read openid')
  })

  it('show the application what was asked, and pass on what the login told', async () => {
    const client = await makeClient(at, { metadata: { tier: 'gold' } })
    const query = { login_hint: 'ada@example.com', ui_locales: 'de en', display: 'page', acr_values: '2' }
    const start = await call(authorizeUrl(at, client, query))
    const oidc_context = {
      login_hint: 'ada@example.com',
      ui_locales: ['de', 'en'],
      display: 'page',
      acr_values: ['2'],
    }
    const { body } = await call(requestUrl(at.adminUrl, 'login', start))
    expect(body).toMatchObject({ oidc_context, client: { metadata: { tier: 'gold' } }, skip: false })
    expect(body['client']).not.toHaveProperty('client_secret')
    const page = await toConsent(at, client, {
      query,
      login: { context: { from: 'login' }, amr: ['pwd', 'otp'] },
    })
    const consent = await call(requestUrl(at.adminUrl, 'consent', page))
    expect(consent.body).toMatchObject({
      oidc_context,
      context: { from: 'login' },
      amr: ['pwd', 'otp'],
      acr: '1',
    })
  })
})
