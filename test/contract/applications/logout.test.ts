// Signing out: by the application (RP-initiated), and by an administrator. Applications hear of it through the browser
// (front channel) and directly (back channel).

import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { describe, expect, inject, it } from 'vitest'
import {
  codeFlow,
  dashboard,
  introspect,
  loginForm,
  newBrowser,
  registerClient,
  SIGNED_OUT,
  tokensFor,
} from '../../support/applications.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import type { Page, UserAgent } from '../../support/user-agent.ts'

const stack = inject('stack')
const ID_TOKEN_KEYS = 'hydra.openid.id-token'
const keys = createRemoteJWKSet(new URL(`${stack.oauth_public_url}/.well-known/jwks.json`))

function registerListening(receiver: Receiver) {
  return registerClient({
    backchannel_logout_uri: `${receiver.url}/back`,
    frontchannel_logout_uri: `${receiver.url}/front`,
    post_logout_redirect_uris: [SIGNED_OUT],
  })
}

/** Asks to sign out as an application does, and confirms where the bridge asks. */
async function signOut(browser: UserAgent, clientId: string, query: Record<string, string>): Promise<Page> {
  const issuer = new URL(stack.oauth_public_url ?? '')
  const config = await oidc.discovery(issuer, clientId, undefined, undefined, {
    execute: [oidc.allowInsecureRequests],
  })
  const page = await browser.open(oidc.buildEndSessionUrl(config, query))
  const confirm = page.forms.find(form => form.action.includes('/bridge/logout'))
  return confirm === undefined ? page : browser.submit(page, confirm, { button: confirm.buttons[0] })
}

async function expectLogoutToken(receiver: Receiver, clientId: string, sid: unknown): Promise<void> {
  const call = await receiver.waitFor(({ path }) => path === '/back')
  expect(call).toMatchObject({ method: 'POST' })
  const { payload } = await jwtVerify(new URLSearchParams(call.body).get('logout_token') ?? '', keys)
  expect(payload).toMatchObject({
    aud: [clientId],
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid,
    jti: expect.any(String),
  })
  expect(payload).not.toHaveProperty('nonce')
}

describe('signing out', () => {
  it('by the application tells every application of the session, and comes back with the state', async () => {
    await using receiver = await startReceiver()
    const client = await registerListening(receiver)
    const browser = await newBrowser()
    const { id_token = '' } = await tokensFor({ client, browser })
    const { sid } = decodeJwt(id_token)
    const end = await signOut(browser, client.client_id, {
      id_token_hint: id_token,
      post_logout_redirect_uri: SIGNED_OUT,
      state: 'where-we-were',
    })
    await expectLogoutToken(receiver, client.client_id, sid)
    expect(browser.frames.map(frame => frame.split('?')[0])).toContain(`${receiver.url}/front`)
    const frame = new URL(browser.frames[0] ?? '')
    expect(frame.searchParams.get('sid')).toBe(sid)
    expect(end.url.href).toBe(`${SIGNED_OUT}?state=where-we-were`)
  })

  it('ends the session at the OAuth2 server: the next request is not answered silently', async () => {
    const client = await registerClient({ post_logout_redirect_uris: [SIGNED_OUT] })
    const browser = await newBrowser()
    const { id_token = '' } = await tokensFor({ client, browser, decision: { remember: true } })
    await signOut(browser, client.client_id, {
      id_token_hint: id_token,
      post_logout_redirect_uri: SIGNED_OUT,
    })
    const { url } = await codeFlow({ client, browser, more: { prompt: 'none' } })
    expect(url.searchParams.get('error')).toBe('login_required')
  })

  it('by an administrator ends sessions and consents, and says what was sent to whom', async () => {
    await using receiver = await startReceiver()
    const client = await registerListening(receiver)
    const browser = await newBrowser()
    const tokens = await tokensFor({ client, browser, decision: { remember: true } })
    const answer = await dashboard('POST', '/logout', { subject: browser.person.id })
    await expectLogoutToken(receiver, client.client_id, decodeJwt(tokens.id_token ?? '')['sid'])
    expect(JSON.stringify(answer)).toContain(client.client_id)
    expect(await introspect(tokens.access_token)).toEqual({ active: false })
    expect(await dashboard('GET', `/consent/${browser.person.id}`)).toEqual([])
    // The identity provider's session is its own: whoever is still signed in there need not sign in again.
    const { url } = await codeFlow({ client, browser, more: { prompt: 'none' } })
    expect(url.searchParams.get('error')).toBe('login_required')
  })

  it('shows no sign-in form to somebody who is still signed in at the identity provider', async () => {
    const client = await registerClient()
    const browser = await newBrowser()
    await tokensFor({ client, browser })
    await dashboard('POST', '/logout', { subject: browser.person.id })
    const page = await browser.open((await authorizationUrl(client.client_id)).href)
    expect(loginForm(page)).toBeUndefined()
  })
})

// In this file because a rotation makes the server refuse older ID tokens as hints (as the real one does): side by side
// with the sign-outs above it would break them.
describe('a new signing key', () => {
  it('signs new tokens, and old ID tokens still verify', async () => {
    const client = await registerClient({ post_logout_redirect_uris: [SIGNED_OUT] })
    const browser = await newBrowser()
    const before = await tokensFor({ client, browser })
    const { kid } = await dashboard<{ kid: string }>('POST', '/keys', {
      set_id: ID_TOKEN_KEYS,
      algorithm: 'RS256',
      use: 'sig',
    })
    const after = await tokensFor({ client })
    expect(decodeProtectedHeader(after.id_token ?? '').kid).toBe(kid)
    expect(decodeProtectedHeader(before.id_token ?? '').kid).not.toBe(kid)
    const published = createRemoteJWKSet(new URL(`${stack.base_url}/api/oauthsrv/jwks`))
    for (const { id_token } of [before, after])
      await expect(
        jwtVerify(id_token ?? '', published, { audience: client.client_id }),
      ).resolves.toBeDefined()

    // An address that the client has not registered is refused, and the page has a way out.
    const mistyped = await signOut(browser, client.client_id, {
      id_token_hint: after.id_token ?? '',
      post_logout_redirect_uri: `${SIGNED_OUT}/elsewhere`,
    })
    expect(mistyped.status).toBe(400)
    expect(mistyped.html).toMatch(/href="[^"]+">\s*Sign out/)

    // The server takes the older one as no hint any more: the error page has the way out.
    const refused = await signOut(browser, client.client_id, {
      id_token_hint: before.id_token ?? '',
      post_logout_redirect_uri: SIGNED_OUT,
    })
    expect(refused.status).toBe(400)
    const [, address = ''] = /href="([^"]+)">\s*Sign out/.exec(refused.html) ?? []
    const asking = await browser.open(address)
    const [form] = asking.forms
    if (form === undefined) throw new Error(`no question: ${asking.html.slice(0, 2_000)}`)
    const done = await browser.submit(asking, form, { button: form.buttons[0] })
    expect(done.html).toContain('You are signed out')
    expect(loginForm(await browser.open((await authorizationUrl(client.client_id)).href))).toBeDefined()
  })
})

async function authorizationUrl(clientId: string): Promise<URL> {
  const url = new URL(`${stack.oauth_public_url}/oauth2/auth`)
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:5999/callback',
    response_type: 'code',
    scope: 'openid',
    state: crypto.randomUUID(),
  }).toString()
  return url
}
