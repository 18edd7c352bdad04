// The device, logout and error endpoints as scripts see them, against the local servers.

import { describe, expect, inject, it } from 'vitest'
import {
  DEVICE_CODE,
  makePerson,
  PersonsBrowser,
  registerClient,
  SIGNED_OUT,
  tokensFor,
} from '../../support/applications.ts'
import { UserAgent } from '../../support/user-agent.ts'
import { browserUntil, callBridge, challengeOf, cookiesOf, postJson } from './caller.ts'

const { oauth_admin_url, oauth_public_url, identity_public_url } = inject('stack')

interface DeviceAuthorization {
  user_code: string
  verification_uri: string
  verification_uri_complete: string
}

async function startDevice(): Promise<DeviceAuthorization> {
  const { client_id, client_secret } = await registerClient({
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: [DEVICE_CODE],
    response_types: [],
    redirect_uris: [],
  })
  const body = new URLSearchParams({ client_id, client_secret: client_secret ?? '', scope: 'openid' })
  const response = await fetch(`${oauth_public_url}/oauth2/device/auth`, { method: 'POST', body })
  return (await response.json()) as DeviceAuthorization
}

describe('a device', () => {
  it('is connected by its code, with or without a dash, and by no other', async () => {
    const device = await startDevice()
    const challenge = await challengeOf(browserUntil('device'), device.verification_uri, 'device')
    for (const user_code of ['WRONGONE', '!', 'x'.repeat(64)])
      expect(await postJson('device', { challenge, user_code })).toMatchObject({
        status: 400,
        json: { code: 'user_code_invalid' },
      })
    const typed = device.user_code.replace(/^(.{4})/, ' $1-')
    const answer = await postJson('device', { challenge, user_code: typed })
    expect(answer.json.redirect_to).toContain(`${oauth_public_url}/oauth2/device/verify?`)
  })

  it('is asked for on a page with its code, which sends nothing by itself', async () => {
    const device = await startDevice()
    const page = await new UserAgent([]).open(device.verification_uri_complete)
    expect(page.status).toBe(200)
    const code = page.forms[0]?.fields.find(([name]) => name === 'user_code')?.[1]
    expect(code?.replace('-', '')).toBe(device.user_code)
    expect(page.html).not.toMatch(/http-equiv="?refresh|<script/)
  })

  it('ends on a page', async () => {
    expect((await callBridge('device/success?client_id=x')).text).toContain('Your device is connected')
  })
})

describe('a logout', () => {
  /** Somebody is signed in to an application, and the application sends the browser to sign out. */
  async function pendingLogout(patch: readonly object[] = []) {
    const client = await registerClient({
      post_logout_redirect_uris: [SIGNED_OUT],
      metadata: { skip_consent: true },
    })
    await fetch(`${oauth_admin_url}/admin/clients/${client.client_id}`, {
      method: 'PATCH',
      body: JSON.stringify(patch),
    })
    const browser = new PersonsBrowser(await makePerson())
    const { id_token = '' } = await tokensFor({ client, browser })
    const query = { id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT }
    const response = await fetch(`${oauth_public_url}/oauth2/sessions/logout?${new URLSearchParams(query)}`, {
      redirect: 'manual',
      headers: { cookie: cookiesOf(browser) },
    })
    const location = new URL(response.headers.get('location') ?? 'none:')
    return { browser, challenge: location.searchParams.get('logout_challenge') ?? '' }
  }

  const isSignedIn = async (browser: UserAgent) =>
    (await fetch(`${identity_public_url}/sessions/whoami`, { headers: { cookie: cookiesOf(browser) } })).ok

  it('is accepted in JSON, and leaves the identity provider’s session unless told otherwise', async () => {
    for (const ends of [false, true]) {
      const { browser, challenge } = await pendingLogout()
      const body = { challenge, end_identity_session: ends }
      const answer = await postJson('logout/accept', body, { cookie: cookiesOf(browser) })
      expect(answer.status).toBe(200)
      expect((await browser.open(answer.json.redirect_to)).url.href).toBe(SIGNED_OUT)
      expect(await isSignedIn(browser)).toBe(!ends)
    }
  })

  it('is taken back in JSON, and its challenge is then no good', async () => {
    const { challenge } = await pendingLogout()
    expect((await postJson('logout/reject', { challenge })).status).toBe(204)
    expect(await postJson('logout/accept', { challenge })).toMatchObject({
      status: 404,
      json: { code: 'challenge_not_found' },
    })
  })

  it('needs no screen for a client with skip_logout_consent, and leaves the identity provider’s session', async () => {
    const { browser, challenge } = await pendingLogout([
      { op: 'replace', path: '/skip_logout_consent', value: true },
    ])
    const page = await browser.open(
      `${inject('stack').base_url}/api/oauthsrv/bridge/logout?logout_challenge=${challenge}`,
    )
    expect(page.url.href).toBe(SIGNED_OUT)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('cannot be used twice', async () => {
    const { browser, challenge } = await pendingLogout()
    const { json } = await postJson('logout/accept', { challenge })
    await browser.open(json.redirect_to)
    const again = await postJson('logout/accept', { challenge })
    expect(again).toMatchObject({ status: 409, json: { code: 'challenge_used' } })
  })

  it('ends on a page', async () => {
    expect((await callBridge('logout/done')).text).toContain('You are signed out')
  })
})

it('shows an error of the server as text', async () => {
  const query = new URLSearchParams({
    error: '<b>',
    error_description: '"><a href="https://evil.example">x</a>',
  })
  const page = await callBridge(`error?${query}`)
  expect(page.status).toBe(400)
  expect(page.text).toContain('&lt;b&gt;')
  expect(page.text).not.toContain('<a ')
})

// Enter in the address bar of a form's answer asks for it with GET; addresses are cut short on their way.
it.each([
  ['consent/accept', 405, 'This page cannot be opened on its own'],
  ['logn?login_challenge=x', 404, 'Page not found'],
  ['login', 400, 'Something is missing here'],
])('answers a browser at %s by a page in words for people', async (path, status, title) => {
  const page = await callBridge(path, { headers: { accept: 'text/html,*/*;q=0.8' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect(page.text).toContain(title)
  expect(page.text).toContain(page.headers.get('x-request-id'))
  expect(page.text.split('<p class="reference">')[0]).not.toMatch(/login_challenge|Invalid|GET|JSON/)
  const script = await callBridge(path)
  expect([script.status, typeof script.json.code]).toEqual([status, 'string'])
})
