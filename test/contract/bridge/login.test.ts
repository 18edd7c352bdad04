// GET bridge/login and bridge/status against the local servers: whose session counts, and for which request.

import { describe, expect, inject, it } from 'vitest'
import { makePerson, registerClient } from '../../support/applications.ts'
import { UserAgent } from '../../support/user-agent.ts'
import {
  authorizationUrl,
  BRIDGE,
  browserUntil,
  callBridge,
  challengeOf,
  cookiesOf,
  signInAt,
} from './caller.ts'

const { base_url, identity_public_url, oauth_public_url, session_cookie_user, identity_admin_url } =
  inject('stack')
const login = (challenge: string, headers: Record<string, string> = {}) =>
  callBridge(`login?${new URLSearchParams({ login_challenge: challenge })}`, { headers })
const newChallenge = async (more?: Record<string, string>) =>
  challengeOf(browserUntil('login'), authorizationUrl(await registerClient(), more), 'login')

it('says in exactly five fields that it is ready', async () => {
  expect((await callBridge('status')).json).toEqual({
    oauth_server_configured: true,
    identity_configured: true,
    bridge_ready: true,
    login_url: `${base_url}/api/oauthsrv/bridge/login`,
    consent_url: `${base_url}/api/oauthsrv/bridge/consent`,
  })
})

it('sends nobody to the identity provider with the way back, and a session back to the server', async () => {
  const challenge = await newChallenge()
  const away = await login(challenge)
  expect(away.status).toBe(303)
  const url = new URL(away.headers.get('location') ?? '')
  expect(url.href.startsWith(`${identity_public_url}/self-service/login/browser?`)).toBe(true)
  const back = new URL(url.searchParams.get('return_to') ?? '')
  expect(back.href.split('?')[0]).toBe(`${BRIDGE}/login`)
  expect(back.searchParams.get('login_challenge')).toBe(challenge)
  const accepted = await login(challenge, { cookie: session_cookie_user ?? '' })
  expect(accepted.status).toBe(303)
  expect(accepted.headers.get('location')?.startsWith(`${oauth_public_url}/oauth2/auth?`)).toBe(true)
  expect(accepted.headers.get('cache-control')).toBe('no-store')
})

// What came back from whoami is never kept here: a session that has just ended must not sign in.
it('takes no session that has ended', async () => {
  const [browser, person] = [new UserAgent([]), await makePerson()]
  await signInAt(browser, person)
  const cookie = cookiesOf(browser)
  const challenge = await newChallenge()
  expect((await login(challenge, { cookie })).headers.get('location')).toContain(oauth_public_url)
  await fetch(`${identity_admin_url}/admin/identities/${person.id}/sessions`, { method: 'DELETE' })
  expect((await login(challenge, { cookie })).headers.get('location')).toContain(identity_public_url)
})

it('takes no other credential than the cookie', async () => {
  const challenge = await newChallenge()
  const token = session_cookie_user?.split('=').slice(1).join('=') ?? ''
  for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-session-token': token }])
    expect((await login(challenge, headers)).headers.get('location')).toContain(identity_public_url)
})

describe('a fresh sign-in', () => {
  it.each([{ prompt: 'login' }, { max_age: '0' }])('is asked for with %j', async more => {
    const [browser, person] = [new UserAgent([]), await makePerson()]
    await signInAt(browser, person)
    const challenge = await newChallenge(more)
    const away = await login(challenge, { cookie: cookiesOf(browser) })
    const url = new URL(away.headers.get('location') ?? '')
    expect(url.searchParams.get('refresh')).toBe('true')
    const flows = away.headers.getSetCookie().map(line => line.split(';', 1)[0])
    // Coming back without having signed in changes nothing, and writing the cookie oneself neither.
    for (const marks of [flows.join('; '), 'quoin_flows=W10.AAAA']) {
      const again = await login(challenge, { cookie: `${cookiesOf(browser)}; ${marks}` })
      expect(again.headers.get('location')).toContain('refresh=true')
    }
    const later = new UserAgent([])
    await signInAt(later, person)
    const done = await login(challenge, { cookie: `${cookiesOf(later)}; ${flows.join('; ')}` })
    expect(done.headers.get('location')).toContain(`${oauth_public_url}/oauth2/auth?`)
  })

  it('is not asked for while the last one is young enough', async () => {
    const [browser, person] = [new UserAgent([]), await makePerson()]
    await signInAt(browser, person)
    const accepted = await login(await newChallenge({ max_age: '3600' }), { cookie: cookiesOf(browser) })
    expect(accepted.headers.get('location')).toContain(oauth_public_url)
  })
})

// Without a cookie of ours the browser would go round for ever.
it('stops a browser whose session does not reach us', async () => {
  const challenge = await newChallenge()
  let cookie = ''
  for (let trip = 0; trip < 2; trip++) {
    const away = await login(challenge, { cookie })
    expect(away.status).toBe(303)
    cookie = away.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  }
  const stopped = await login(challenge, { cookie, accept: 'text/html' })
  expect(stopped.status).toBe(400)
  expect(stopped.text).toContain('cookie domain')
  expect(stopped.text).toContain(`href="${oauth_public_url}/oauth2/auth?`)
  expect((await login(challenge, { cookie })).json).toMatchObject({ code: 'sign_in_loop' })
})

describe('a challenge that is no good', () => {
  const cut = 'cut-short'

  it.each(['login', 'consent', 'logout'])('of %s is a page for people and JSON for scripts', async kind => {
    const path = `${kind}?${kind}_challenge=${cut}`
    expect(await callBridge(path)).toMatchObject({ status: 404, json: { code: 'challenge_not_found' } })
    const page = await callBridge(path, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(page.status).toBe(404)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none';.*frame-ancestors 'none'$/,
    )
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).not.toContain(cut)
  })

  it('is missing, empty, too long or given twice', async () => {
    for (const query of [
      '',
      '?login_challenge=',
      `?login_challenge=${'x'.repeat(16_385)}`,
      '?login_challenge=a&login_challenge=b',
    ])
      expect(await callBridge(`login${query}`)).toMatchObject({
        status: 400,
        json: { code: 'validation_failed' },
      })
  })

  // A consent challenge is no login challenge, though both are sealed by the same server.
  it('is one of another kind', async () => {
    const challenge = await newChallenge()
    expect((await callBridge(`consent?consent_challenge=${challenge}`)).status).toBe(404)
  })
})
