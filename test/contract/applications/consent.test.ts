// What the user decides, and when they are not asked: real flows, real tokens.

import { decodeJwt } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import {
  codeFlow,
  consentForm,
  dashboard,
  loginForm,
  newBrowser,
  type PersonsBrowser,
  registerClient,
  tokensFor,
} from '../../support/applications.ts'

const stack = inject('stack')
describe('the consent of a user', () => {
  it('may be less than what was asked for', async () => {
    const client = await registerClient()
    const tokens = await tokensFor({
      client,
      scope: 'openid email read write',
      decision: { grant: ['openid', 'read'] },
    })
    expect(tokens.scope.split(' ').toSorted()).toEqual(['openid', 'read'])
    expect(decodeJwt(tokens.id_token ?? '')).not.toHaveProperty('email')
  })

  it('may be refused, which the application is told', async () => {
    const { url } = await codeFlow({ client: await registerClient(), decision: { deny: true } })
    expect(url.searchParams.get('error')).toBe('access_denied')
    expect(url.searchParams.has('code')).toBe(false)
  })

  it('is asked for again when it was not to be remembered, and not when it was', async () => {
    const client = await registerClient()
    const browser = await newBrowser()
    await tokensFor({ client, browser })
    expect(consentForm(await openOnly(client, browser))).toBeDefined()
    await tokensFor({ client, browser, decision: { remember: true } })
    const page = await openOnly(client, browser)
    expect(page.url.searchParams.has('code')).toBe(true)
  })

  it('that is remembered still gives the claims of the identity', async () => {
    const client = await registerClient()
    const browser = await newBrowser()
    await tokensFor({ client, browser, decision: { remember: true } })
    const tokens = await tokensFor({ client, browser })
    expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ email: browser.person.email })
  })

  it('that was revoked is asked for again', async () => {
    const client = await registerClient()
    const browser = await newBrowser()
    await tokensFor({ client, browser, decision: { remember: true } })
    await dashboard('DELETE', `/consent/${browser.person.id}?client=${client.client_id}`)
    expect(consentForm(await openOnly(client, browser))).toBeDefined()
  })

  it('is not asked for by a client with skip_consent', async () => {
    const browser = await newBrowser()
    await tokensFor({ client: await registerClient(), browser })
    const client = await registerClient({ metadata: { skip_consent: true } })
    const page = await openOnly(client, browser)
    expect(page.url.searchParams.has('code')).toBe(true)
    const tokens = await tokensFor({ client, browser })
    const { person } = browser
    expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ sub: person.id, email: person.email })
  })
})

describe('the sign-in', () => {
  it('is asked for once, then the session counts for other applications too', async () => {
    const browser = await newBrowser()
    await tokensFor({ client: await registerClient(), browser })
    const page = await openOnly(await registerClient(), browser)
    expect(loginForm(page)).toBeUndefined()
    expect(consentForm(page)).toBeDefined()
  })

  it('is asked for again with prompt=login', async () => {
    const client = await registerClient()
    const browser = await newBrowser()
    const first = decodeJwt((await tokensFor({ client, browser })).id_token ?? '')
    const page = await openOnly(client, browser, { prompt: 'login' })
    expect(loginForm(page)).toBeDefined()
    const again = decodeJwt((await tokensFor({ client, browser, more: { prompt: 'login' } })).id_token ?? '')
    expect(Number(again['auth_time'])).toBeGreaterThanOrEqual(Number(first['auth_time']))
  })

  it('is not asked for with prompt=none, which fails without a session', async () => {
    const { url } = await codeFlow({ client: await registerClient(), more: { prompt: 'none' } })
    expect(url.searchParams.get('error')).toBe('login_required')
  })
})

/** Opens an authorization request and stops at the first screen. */
function openOnly(client: { client_id: string }, browser: PersonsBrowser, more: Record<string, string> = {}) {
  const url = new URL(`${stack.oauth_public_url}/oauth2/auth`)
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: 'http://127.0.0.1:5999/callback',
    response_type: 'code',
    scope: 'openid profile email read',
    state: crypto.randomUUID(),
    ...more,
  }).toString()
  return browser.open(url)
}
