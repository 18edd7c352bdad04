// GET bridge/login between an OAuth2 server and an identity provider that give set answers.

import { describe, expect, it } from 'vitest'
import { keepDeviceCode } from '../../../src/features/oauth/bridge/device-code.ts'
import { continueLogin } from '../../../src/features/oauth/bridge/login.ts'
import {
  ADA,
  BOB,
  bridge,
  location,
  nextCookies,
  REQUEST_URL,
  SIGNED_IN,
  sent,
  sessionOf,
} from './bridge-support.ts'

const PATH = '/admin/oauth2/auth/requests/login'

it('accepts the signed-in person: logout notifications work and the identity provider can be told', async () => {
  const { deps, oauth, identityPublic } = bridge()
  const answer = await continueLogin(deps, 'the challenge', SIGNED_IN)
  expect(answer.status).toBe(303)
  expect(answer.headers['location']).toBe('https://oauth.example/next?login')
  expect(oauth.log()).toEqual([
    `GET ${PATH}?login_challenge=the+challenge`,
    `PUT ${PATH}/accept?login_challenge=the+challenge`,
  ])
  expect(sent(oauth.calls, 'PUT')).toEqual({
    subject: ADA,
    remember: true,
    remember_for: 3_600,
    acr: 'aal1',
    amr: ['password'],
    identity_provider_session_id: 'session-1',
  })
  expect(Object.fromEntries(identityPublic.calls[0]?.headers ?? [])).toEqual({
    accept: 'application/json',
    cookie: SIGNED_IN,
  })
})

it('leaves it to the server how long it remembers a session without an end', async () => {
  const { deps, oauth } = bridge({ whoami: sessionOf(ADA, { expires_at: undefined }) })
  await continueLogin(deps, 'c', SIGNED_IN)
  expect(sent(oauth.calls, 'PUT')).toMatchObject({ remember_for: 0 })
})

it('sends nobody to sign in, and back here with the same challenge', async () => {
  const { deps, oauth } = bridge()
  const url = location(await continueLogin(deps, 'a+b/c=', null))
  expect(url.origin + url.pathname).toBe('http://identity.example/self-service/login/browser')
  expect([...url.searchParams]).toEqual([
    ['return_to', 'http://quoin.example/api/oauthsrv/bridge/login?login_challenge=a%2Bb%2Fc%3D'],
    ['client_name', 'Web Shop'],
  ])
  expect(oauth.log()).toHaveLength(1)
})

it('accepts after the sign-in, and forgets the flow', async () => {
  const { deps } = bridge()
  const away = await continueLogin(deps, 'c', null)
  const back = await continueLogin(deps, 'c', nextCookies(away, SIGNED_IN))
  expect(location(back).href).toBe('https://oauth.example/next?login')
  expect(back.cookies).toEqual([expect.stringMatching(/^quoin_flows=; .*Max-Age=0/)])
})

// prompt=login answered from an old session would tell the application that somebody has just signed in.
it('asks for the password again with prompt=login, until there is a newer sign-in', async () => {
  const login = { request_url: `${REQUEST_URL}&prompt=login` }
  const { deps } = bridge({ login })
  const away = await continueLogin(deps, 'c', SIGNED_IN)
  expect(location(away).searchParams.get('refresh')).toBe('true')
  const cookies = nextCookies(away, SIGNED_IN)
  const unchanged = await continueLogin(deps, 'c', cookies)
  expect(location(unchanged).searchParams.get('refresh')).toBe('true')
  const fresh = bridge({ login, whoami: sessionOf(ADA, { authenticated_at: '2026-05-01T12:00:09Z' }) })
  const accepted = await continueLogin(fresh.deps, 'c', cookies)
  expect(location(accepted).href).toBe('https://oauth.example/next?login')
  // The time of another flow is no proof for this one.
  const other = await continueLogin(fresh.deps, 'another challenge', cookies)
  expect(location(other).searchParams.get('refresh')).toBe('true')
})

describe('somebody else than the server remembers', () => {
  const login = { skip: true, subject: ADA, session_id: 'sid of Ada' }
  const FORGET = 'DELETE /admin/oauth2/auth/sessions/login?sid=sid+of+Ada'

  // The server's own way is `prompt=login`: a second password, and in a device flow no end.
  it('starts over once the server was told to forget, and accepts nothing before', async () => {
    const { deps, oauth } = bridge({ login, whoami: sessionOf(BOB) })
    const answer = await continueLogin(deps, 'c', SIGNED_IN)
    expect(location(answer).href).toBe(REQUEST_URL)
    expect(oauth.log()).toEqual([`GET ${PATH}?login_challenge=c`, FORGET])
    const asked = bridge({ whoami: sessionOf(BOB) })
    const accepted = await continueLogin(asked.deps, 'd', nextCookies(answer, SIGNED_IN))
    expect(sent(asked.oauth.calls, 'PUT')).toMatchObject({ subject: BOB })
    expect(accepted.cookies).toEqual([expect.stringMatching(/^quoin_flows=; .*Max-Age=0/)])
  })

  it('starts a device again with the code that was typed in', async () => {
    const { deps } = bridge({
      login: { ...login, request_url: 'https://oauth.example/oauth2/device/verify?client_id=app' },
      whoami: sessionOf(BOB),
    })
    const start = 'https://oauth.example/oauth2/device/verify'
    const typed = (await keepDeviceCode(deps, null, 'ABCDEFGH')).split(';', 1)[0]
    const cookies = `${SIGNED_IN}; ${typed}`
    expect(location(await continueLogin(deps, 'c', cookies)).href).toBe(`${start}?user_code=ABCDEFGH`)
    expect(location(await continueLogin(deps, 'c', SIGNED_IN)).href).toBe(start)
  })

  // Each start has another challenge: counted by challenge, a browser would go round for ever.
  it('is a loop when the server remembers all the same', async () => {
    const { deps } = bridge({ login, whoami: sessionOf(BOB) })
    const first = await continueLogin(deps, 'c', SIGNED_IN)
    const second = await continueLogin(deps, 'd', nextCookies(first, SIGNED_IN))
    await expect(continueLogin(deps, 'e', nextCookies(second, SIGNED_IN))).rejects.toMatchObject({
      code: 'sign_in_loop',
      detail: expect.stringContaining('remembers another account'),
      restartUrl: REQUEST_URL,
    })
  })

  // For devices every flow begins at one address: two that were left must not shut out the next one.
  it('is no loop after two minutes', async () => {
    const { deps } = bridge({ login, whoami: sessionOf(BOB) })
    const first = await continueLogin(deps, 'c', SIGNED_IN)
    const second = await continueLogin(deps, 'd', nextCookies(first, SIGNED_IN))
    const later = { ...deps, now: () => new Date(deps.now().getTime() + 120_000) }
    const third = await continueLogin(later, 'e', nextCookies(second, SIGNED_IN))
    expect(location(third).href).toBe(REQUEST_URL)
  })

  it('is left to the server where it says neither the session nor the address', async () => {
    for (const more of [{ session_id: '' }, { request_url: '' }]) {
      const { deps, oauth } = bridge({ login: { ...login, ...more }, whoami: sessionOf(BOB) })
      expect(location(await continueLogin(deps, 'c', SIGNED_IN)).href).toBe(
        'https://oauth.example/next?login',
      )
      expect(sent(oauth.calls, 'PUT')).toMatchObject({ subject: BOB })
    }
  })
})

describe('prompt=none', () => {
  const login = { request_url: `${REQUEST_URL}&prompt=none`, skip: true, subject: ADA }

  it('tells the application that nobody is signed in, without a page', async () => {
    const { deps, oauth } = bridge({ login })
    expect(location(await continueLogin(deps, 'c', null)).href).toBe('https://oauth.example/next?login')
    expect(sent(oauth.calls, `PUT ${PATH}/reject`)).toMatchObject({ error: 'login_required' })
  })

  it('does not silently turn one person into another', async () => {
    const { deps, oauth } = bridge({ login, whoami: sessionOf(BOB) })
    await continueLogin(deps, 'c', SIGNED_IN)
    expect(sent(oauth.calls, `PUT ${PATH}/reject`)).toMatchObject({ error: 'login_required' })
  })
})

it.each([
  'http://identity.example/self-service/login/browser?aal=aal2',
  'javascript:alert(1)',
  '/x',
  undefined,
])('goes to the identity provider for the second factor, and comes back (%s)', async redirect_browser_to => {
  const refusal = { error: { id: 'session_aal2_required', code: 403 }, redirect_browser_to }
  const { deps } = bridge({ answers: { 'identity /sessions/whoami': [403, refusal] } })
  const url = location(await continueLogin(deps, 'c', SIGNED_IN))
  expect(url.origin + url.pathname).toBe('http://identity.example/self-service/login/browser')
  expect(url.searchParams.get('aal')).toBe('aal2')
  expect(url.searchParams.get('return_to')).toContain('/bridge/login?login_challenge=c')
})

it('ends a redirect loop with an error that names the cookie domain and the way back', async () => {
  const { deps } = bridge({ whoami: null })
  const first = await continueLogin(deps, 'c', SIGNED_IN)
  const second = await continueLogin(deps, 'c', nextCookies(first, SIGNED_IN))
  expect(second.status).toBe(303)
  const cookies = nextCookies(second, SIGNED_IN)
  await expect(continueLogin(deps, 'c', cookies)).rejects.toMatchObject({
    code: 'sign_in_loop',
    detail: expect.stringContaining('cookie domain'),
    restartUrl: REQUEST_URL,
  })
  // Another tab's flow goes on.
  expect((await continueLogin(deps, 'another', cookies)).status).toBe(303)
})

describe('a challenge that is no good', () => {
  const expired = { error: 'request_unauthorized', error_description: 'expired' }
  const unknown = { error: 'Not Found', error_description: '' }

  it.each([
    [404, unknown, 'challenge_not_found'],
    [401, expired, 'challenge_expired'],
    [410, {}, 'challenge_used'],
  ])('is an error of its own for status %i', async (status, body, code) => {
    const { deps } = bridge({ answers: { [`GET ${PATH}`]: [status, body] } })
    await expect(continueLogin(deps, 'c', SIGNED_IN)).rejects.toMatchObject({ code })
  })

  // Who comes back from the sign-in page after half an hour has no other way to the application.
  it('knows where to start again, when the flow went through here', async () => {
    const away = await continueLogin(bridge().deps, 'c', null)
    const late = bridge({ answers: { [`GET ${PATH}`]: [401, expired] } })
    const error = continueLogin(late.deps, 'c', nextCookies(away, SIGNED_IN))
    await expect(error).rejects.toMatchObject({ code: 'challenge_expired', restartUrl: REQUEST_URL })
  })

  it('sends the browser on where the server says so', async () => {
    const used = { redirect_to: 'https://oauth.example/oauth2/auth?login_verifier=v' }
    const { deps } = bridge({ answers: { [`GET ${PATH}`]: [410, used] } })
    expect(location(await continueLogin(deps, 'c', SIGNED_IN)).href).toBe(used.redirect_to)
    const script = bridge({ answers: { [`GET ${PATH}`]: [410, { redirect_to: 'javascript:alert(1)' }] } })
    await expect(continueLogin(script.deps, 'c', null)).rejects.toMatchObject({ code: 'challenge_used' })
  })
})

it.each([
  ['identity /sessions/whoami', 500, '<html>', 'upstream_unavailable'],
  ['identity /sessions/whoami', 200, '<html>', 'upstream_invalid_answer'],
  [`GET ${PATH}`, 502, '<html>', 'upstream_unavailable'],
  [`GET ${PATH}`, 403, { message: 'no' }, 'upstream_misconfigured'],
  [`PUT ${PATH}/accept`, 400, { error: 'invalid_request' }, 'upstream_invalid_answer'],
])('accepts nobody when %s answers %i', async (call, status, body, code) => {
  const { deps } = bridge({ answers: { [call]: [status, body] } })
  await expect(continueLogin(deps, 'c', SIGNED_IN)).rejects.toMatchObject({ code })
})
