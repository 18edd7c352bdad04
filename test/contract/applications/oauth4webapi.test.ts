// oauth4webapi, unmodified, as the application, step by step; and the response types that put tokens into the fragment.

import { createHash } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { beforeAll, describe, expect, inject, it } from 'vitest'
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
const INSECURE = { [oauth.allowInsecureRequests]: true }

let server: oauth.AuthorizationServer
beforeAll(async () => {
  const issuer = new URL(stack.oauth_public_url ?? '')
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE))
})

interface Flow {
  responseType: string
  scope?: string
  more?: Record<string, string>
}

/** Signs a user in; answers the callback's parameters, wherever the response type puts them. */
async function run(client: RegisteredClient, { responseType, scope = 'openid email read', more }: Flow) {
  const [state, nonce, verifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
    oauth.generateRandomCodeVerifier(),
  ]
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: responseType,
    scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).toString()
  const browser = await newBrowser()
  const end = await authorize(browser, url)
  const isFragment = responseType !== 'code'
  const parameters = new URLSearchParams(isFragment ? end.url.hash.slice(1) : end.url.search)
  return { person: browser.person, parameters, state, nonce, verifier }
}

async function exchange(client: RegisteredClient, flow: Awaited<ReturnType<typeof run>>) {
  const auth =
    client.client_secret === undefined ? oauth.None() : oauth.ClientSecretBasic(client.client_secret)
  const valid = oauth.validateAuthResponse(server, client, withoutTokens(flow.parameters), flow.state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    valid,
    CALLBACK,
    flow.verifier,
    INSECURE,
  )
  return oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: flow.nonce,
    requireIdToken: true,
  })
}

/** The library's check of a plain code response refuses the tokens of a hybrid one, which we check ourselves. */
function withoutTokens(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name]) => !/token|expires_in/.test(name)))
}

async function verifyIdToken(token: string, client: RegisteredClient) {
  const keys = createRemoteJWKSet(new URL(server.jwks_uri ?? ''))
  const { payload } = await jwtVerify(token, keys, { issuer: server.issuer, audience: client.client_id })
  return payload
}

/** `at_hash` and `c_hash` of RS256: the left half of the SHA-256 (OpenID Connect Core section 3.3.2.11). */
const leftHalf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')

describe('oauth4webapi', () => {
  it('signs a user in with a code, refreshes, asks for userinfo, introspects and revokes', async () => {
    const client = await registerClient()
    const auth = oauth.ClientSecretBasic(client.client_secret ?? '')
    const flow = await run(client, { responseType: 'code', scope: 'openid email offline_access' })
    const { person } = flow
    const tokens = await exchange(client, flow)
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: person.id })

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? '', INSECURE),
    )
    const info = await oauth.processUserInfoResponse(
      server,
      client,
      person.id,
      await oauth.userInfoRequest(server, client, refreshed.access_token, INSECURE),
    )
    expect(info).toMatchObject({ email: person.email })

    const admin = { ...server, introspection_endpoint: `${stack.oauth_admin_url}/admin/oauth2/introspect` }
    const introspect = async (token: string) =>
      oauth.processIntrospectionResponse(
        admin,
        client,
        await oauth.introspectionRequest(admin, client, oauth.None(), token, INSECURE),
      )
    expect(await introspect(refreshed.access_token)).toMatchObject({
      active: true,
      token_use: 'access_token',
    })
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, auth, refreshed.refresh_token ?? '', INSECURE),
    )
    expect(await introspect(refreshed.access_token)).toMatchObject({ active: false })
  })

  it('authenticates with client_secret_post too', async () => {
    const client = await registerClient({ token_endpoint_auth_method: 'client_secret_post' })
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(client.client_secret ?? ''),
      { scope: 'write' },
      INSECURE,
    )
    const tokens = await oauth.processClientCredentialsResponse(server, client, response)
    expect(tokens.scope).toBe('write')
  })
})

describe('oauth4webapi, with a refresh token that was used before', () => {
  it('loses everything of the grant', async () => {
    const client = await registerClient()
    const auth = oauth.ClientSecretBasic(client.client_secret ?? '')
    const first = await exchange(
      client,
      await run(client, { responseType: 'code', scope: 'openid offline_access' }),
    )
    const refresh = async (token: string | undefined) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, auth, token ?? '', INSECURE),
      )
    const second = await refresh(first.refresh_token)
    for (const token of [first.refresh_token, second.refresh_token])
      await expect(refresh(token)).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})

describe('oauth4webapi, as a public client', () => {
  const PUBLIC = { token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK] }

  it('signs a user in with PKCE and no secret', async () => {
    const client = await registerClient({
      ...PUBLIC,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
    const flow = await run(client, { responseType: 'code' })
    const tokens = await exchange(client, flow)
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: flow.person.id })
  })

  it('signs a user in on a device', async () => {
    const client = await registerClient({
      ...PUBLIC,
      redirect_uris: [],
      grant_types: [DEVICE_CODE, 'refresh_token'],
      response_types: [],
    })
    const device = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(
        server,
        client,
        oauth.None(),
        { scope: 'openid email' },
        INSECURE,
      ),
    )
    const poll = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device.device_code, INSECURE),
      )
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' })
    const browser = await newBrowser()
    await connectDevice(browser, device)
    const { email, id: sub } = browser.person
    expect(oauth.getValidatedIdTokenClaims(await poll())).toMatchObject({ sub, email })
  })
})

describe('tokens in the fragment', () => {
  it('token: an access token that works, and no ID token', async () => {
    const { parameters } = await run(await registerClient(), { responseType: 'token', scope: 'read' })
    expect(Object.fromEntries(parameters)).toMatchObject({ token_type: 'bearer', scope: 'read' })
    expect(Number(parameters.get('expires_in'))).toBeGreaterThan(3_500)
    expect(parameters.has('id_token')).toBe(false)
    expect(parameters.get('access_token')).toEqual(expect.any(String))
  })

  it('id_token token: the ID token is bound to the access token', async () => {
    const client = await registerClient()
    const { parameters, nonce } = await run(client, { responseType: 'id_token token' })
    const claims = await verifyIdToken(parameters.get('id_token') ?? '', client)
    expect(claims).toMatchObject({ nonce, at_hash: leftHalf(parameters.get('access_token') ?? '') })
  })

  it.each([
    ['code id_token', true, false],
    ['code token', false, true],
    ['code id_token token', true, true],
  ])(
    '%s: what comes at once is bound to the code, and the code is good',
    async (responseType, hasIdToken, hasToken) => {
      const client = await registerClient()
      const flow = await run(client, { responseType })
      expect(flow.parameters.has('id_token')).toBe(hasIdToken)
      expect(flow.parameters.has('access_token')).toBe(hasToken)
      if (hasIdToken) {
        const claims = await verifyIdToken(flow.parameters.get('id_token') ?? '', client)
        expect(claims).toMatchObject({
          nonce: flow.nonce,
          c_hash: leftHalf(flow.parameters.get('code') ?? ''),
        })
        if (hasToken) expect(claims['at_hash']).toBe(leftHalf(flow.parameters.get('access_token') ?? ''))
      }
      const tokens = await exchange(client, flow)
      expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: flow.person.id })
    },
  )

  it('refuses a scope that the client may not ask for', async () => {
    const { parameters } = await run(await registerClient(), { responseType: 'code', scope: 'openid admin' })
    expect(parameters.get('error')).toBe('invalid_scope')
  })
})
