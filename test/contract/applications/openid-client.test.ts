// openid-client, unmodified, as the application: its users sign in at the identity provider and consent at the bridge.

import * as oidc from 'openid-client'
import { describe, expect, inject, it } from 'vitest'
import {
  authorize,
  CALLBACK,
  connectDevice,
  DEVICE_CODE,
  newBrowser,
  type RegisteredClient,
  registerClient,
} from '../../support/applications.ts'

const stack = inject('stack')

async function configure(client: RegisteredClient): Promise<oidc.Configuration> {
  const isPublic = client.client_secret === undefined
  return oidc.discovery(
    new URL(stack.oauth_public_url ?? ''),
    client.client_id,
    undefined,
    isPublic ? oidc.None() : oidc.ClientSecretBasic(client.client_secret),
    { execute: [oidc.allowInsecureRequests] },
  )
}

/** An authorization request with everything that protects it. */
async function makeRequest(config: oidc.Configuration, more: Record<string, string> = {}) {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid offline_access profile email read',
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  })
  return {
    url,
    checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
    state,
    nonce,
  }
}

async function signIn(client: RegisteredClient, more: Record<string, string> = {}) {
  const config = await configure(client)
  const request = await makeRequest(config, more)
  const browser = await newBrowser()
  const { url } = await authorize(browser, request.url)
  return {
    config,
    person: browser.person,
    tokens: await oidc.authorizationCodeGrant(config, url, request.checks),
  }
}

describe('openid-client', () => {
  it.each([
    ['a confidential client', {}],
    [
      'a public client',
      {
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
  ])('signs a user in with code and PKCE: %s', async (_, fields) => {
    const { config, person, tokens } = await signIn(await registerClient(fields))
    expect(tokens.claims()).toMatchObject({
      sub: person.id,
      email: person.email,
      iss: config.serverMetadata().issuer,
    })
    expect(tokens.token_type).toBe('bearer')
    expect(new Set(tokens.scope?.split(' '))).toEqual(
      new Set(['openid', 'offline_access', 'profile', 'email', 'read']),
    )
    expect(tokens.refresh_token).toEqual(expect.any(String))
  })

  it('reads userinfo by the granted scopes', async () => {
    const { config, person, tokens } = await signIn(await registerClient())
    const info = await oidc.fetchUserInfo(config, tokens.access_token, person.id)
    expect(info).toMatchObject({ sub: person.id, email: person.email })
  })

  it('rotates refresh tokens, and loses everything of the grant when an old one comes again', async () => {
    const { config, person, tokens } = await signIn(await registerClient())
    const second = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(second.refresh_token).not.toBe(tokens.refresh_token)
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(oidc.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(oidc.fetchUserInfo(config, second.access_token, person.id)).rejects.toMatchObject({
      status: 401,
    })
  })

  it('gets a token of its own with client credentials', async () => {
    const client = await registerClient()
    const tokens = await oidc.clientCredentialsGrant(await configure(client), { scope: 'read' })
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'read', expires_in: expect.any(Number) })
    expect(tokens.refresh_token).toBeUndefined()
  })

  it('introspects and revokes', async () => {
    const client = await registerClient()
    const { config, person, tokens } = await signIn(client)
    const metadata = config.serverMetadata()
    const admin = new oidc.Configuration(
      { issuer: metadata.issuer, introspection_endpoint: `${stack.oauth_admin_url}/admin/oauth2/introspect` },
      client.client_id,
      undefined,
      oidc.None(),
    )
    oidc.allowInsecureRequests(admin)
    expect(await oidc.tokenIntrospection(admin, tokens.access_token)).toMatchObject({
      active: true,
      sub: person.id,
      client_id: client.client_id,
    })
    await oidc.tokenRevocation(config, tokens.access_token)
    expect(await oidc.tokenIntrospection(admin, tokens.access_token)).toEqual({ active: false })
  })

  it('gets an ID token by the implicit flow', async () => {
    const config = await configure(await registerClient())
    oidc.useIdTokenResponseType(config)
    const nonce = oidc.randomNonce()
    const state = oidc.randomState()
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid email',
      nonce,
      state,
    })
    const browser = await newBrowser()
    const { person } = browser
    const end = await authorize(browser, url)
    const claims = await oidc.implicitAuthentication(config, end.url, nonce, { expectedState: state })
    expect(claims).toMatchObject({ sub: person.id, nonce, email: person.email })
  })

  it('signs a user in by the hybrid flow "code id_token"', async () => {
    const config = await configure(await registerClient())
    oidc.useCodeIdTokenResponseType(config)
    const request = await makeRequest(config)
    const browser = await newBrowser()
    const { person } = browser
    const end = await authorize(browser, request.url)
    const tokens = await oidc.authorizationCodeGrant(config, end.url, request.checks)
    expect(tokens.claims()).toMatchObject({ sub: person.id })
  })

  it('signs a user in on a device without a browser', async () => {
    const client = await registerClient({
      token_endpoint_auth_method: 'none',
      grant_types: [DEVICE_CODE, 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    })
    const config = await configure(client)
    const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid offline_access email' })
    expect(device).toMatchObject({
      user_code: expect.any(String),
      verification_uri: expect.stringContaining(stack.oauth_public_url ?? ''),
    })
    await expect(
      oidc.genericGrantRequest(config, DEVICE_CODE, { device_code: device.device_code }),
    ).rejects.toMatchObject({ error: 'authorization_pending' })

    const browser = await newBrowser()
    const { person } = browser
    const end = await connectDevice(browser, device)
    expect(end.url.pathname).toBe('/api/oauthsrv/bridge/device/success')
    const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 })
    expect(tokens.claims()).toMatchObject({ sub: person.id, email: person.email })
  })
})
