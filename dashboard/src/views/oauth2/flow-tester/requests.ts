// The requests of the flows, as RFC 6749, RFC 7636, RFC 8628 and OpenID Connect Core want them. Pure.

import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'
import { formText, type HttpRequest, type Pair } from './http-exchange.ts'
import type { RunSecrets } from './pkce.ts'

/** A client as it shows who it is at the token endpoint. */
export interface ClientAccess {
  id: string
  method: 'none' | 'client_secret_basic' | 'client_secret_post'
  secret: string
}

export interface Asked {
  scope: string
  audience: string
}

export interface AuthorizationAsked extends Asked {
  /** Empty: the server's choice. */
  prompt: string
}

/** Where the browser is sent (RFC 6749 section 4.1.1). */
export function authorizationRequest(
  server: string,
  clientId: string,
  redirectUri: string,
  { scope, audience, prompt }: AuthorizationAsked,
  { challenge, state, nonce }: RunSecrets,
): HttpRequest {
  const query = given([
    { name: 'response_type', value: 'code' },
    { name: 'client_id', value: clientId },
    { name: 'redirect_uri', value: redirectUri },
    { name: 'scope', value: scope },
    { name: 'audience', value: audience },
    { name: 'prompt', value: prompt },
    { name: 'state', value: state },
    { name: 'nonce', value: nonce },
    { name: 'code_challenge', value: challenge },
    { name: 'code_challenge_method', value: 'S256' },
  ])
  return { method: 'GET', url: `${server}/oauth2/auth?${formText(query)}`, headers: [] }
}

/** RFC 6749 section 4.1.3 with the verifier of RFC 7636 section 4.5. */
export function codeRequest(
  server: string,
  client: ClientAccess,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): HttpRequest {
  return tokenRequest(server, client, [
    { name: 'grant_type', value: 'authorization_code' },
    { name: 'code', value: code },
    { name: 'redirect_uri', value: redirectUri },
    { name: 'code_verifier', value: verifier },
  ])
}

export function refreshRequest(server: string, client: ClientAccess, refreshToken: string): HttpRequest {
  return tokenRequest(server, client, [
    { name: 'grant_type', value: 'refresh_token' },
    { name: 'refresh_token', value: refreshToken },
  ])
}

export function clientCredentialsRequest(server: string, client: ClientAccess, asked: Asked): HttpRequest {
  return tokenRequest(server, client, [
    { name: 'grant_type', value: 'client_credentials' },
    { name: 'scope', value: asked.scope },
    { name: 'audience', value: asked.audience },
  ])
}

/** How a device begins (RFC 8628 section 3.1); it names itself in the form even where a header does. */
export function deviceRequest(server: string, client: ClientAccess, asked: Asked): HttpRequest {
  const request = clientRequest(`${server}/oauth2/device/auth`, client, [
    { name: 'scope', value: asked.scope },
    { name: 'audience', value: asked.audience },
  ])
  if (client.method !== 'client_secret_basic') return request
  return { ...request, form: [{ name: 'client_id', value: client.id }, ...(request.form ?? [])] }
}

export function devicePollRequest(server: string, client: ClientAccess, deviceCode: string): HttpRequest {
  return tokenRequest(server, client, [
    { name: 'grant_type', value: DEVICE_GRANT },
    { name: 'device_code', value: deviceCode },
  ])
}

export function userinfoRequest(server: string, accessToken: string): HttpRequest {
  return {
    method: 'GET',
    url: `${server}/userinfo`,
    headers: [{ name: 'Authorization', value: `Bearer ${accessToken}` }],
  }
}

/** RFC 7009 section 2.1. */
export function revocationRequest(server: string, client: ClientAccess, token: string): HttpRequest {
  return clientRequest(`${server}/oauth2/revoke`, client, [{ name: 'token', value: token }])
}

/** Through Quoin, with this browser's session: the OAuth2 server's own endpoint is not for browsers. */
export function introspectionRequest(quoin: string, token: string): HttpRequest {
  return {
    method: 'POST',
    url: `${quoin}/api/oauthsrv/introspect`,
    headers: [
      // No page may read the cookie that it sends: a terminal needs it filled in.
      { name: 'Cookie', value: 'YOUR_SESSION_COOKIE' },
      { name: 'Content-Type', value: 'application/json' },
    ],
    json: { token },
  }
}

function tokenRequest(server: string, client: ClientAccess, form: readonly Pair[]): HttpRequest {
  return clientRequest(`${server}/oauth2/token`, client, form)
}

/** With the client's id, and its secret where it is registered to send it (RFC 6749 section 2.3.1). */
function clientRequest(url: string, client: ClientAccess, fields: readonly Pair[]): HttpRequest {
  const { id, method, secret } = client
  const form = given(fields)
  if (method === 'client_secret_basic')
    return {
      method: 'POST',
      url,
      headers: [{ name: 'Authorization', value: basic(id, secret), isSecret: true }],
      form,
    }
  const own: Pair[] = [{ name: 'client_id', value: id }]
  if (method === 'client_secret_post') own.push({ name: 'client_secret', value: secret, isSecret: true })
  return { method: 'POST', url, headers: [], form: [...form, ...own] }
}

/** Both parts as in a form, and so ASCII. */
function basic(id: string, secret: string): string {
  const encode = (value: string) => formText([{ name: '', value }]).slice(1)
  return `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`
}

function given(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(({ value }) => value !== '')
}
