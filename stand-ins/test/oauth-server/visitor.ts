// A browser and a login and consent application for the tests of the OAuth2 server, step by step over public HTTP: what
// a person would click, accepted or refused through the admin API.

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { RESPONSE_TYPES } from '../../../test/support/applications.ts'

/** Where the server is; see test/support/oauth-server.ts. */
export interface OAuthAddresses {
  readonly publicUrl: string
  readonly adminUrl: string
}

export const CALLBACK = 'http://127.0.0.1:5555/callback'
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const SECRET = 'a-secret-of-the-tests-1234'

type Json = Record<string, unknown>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; empty when it is none. */
  readonly body: Json
  /** Of the redirect; empty without one. */
  readonly location: string
}

interface Call {
  readonly method?: string
  readonly json?: unknown
  readonly form?: Record<string, string>
  readonly headers?: Record<string, string>
  readonly jar?: Map<string, string>
}

/** One request; redirects are not followed, cookies go into the jar. */
export async function call(url: string, { method, json, form, headers, jar }: Call = {}): Promise<Answer> {
  const cookie = [...(jar ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
  const response = await fetch(url, {
    method: method ?? (form ? 'POST' : json === undefined ? 'GET' : 'PUT'),
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...(cookie ? { cookie } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  for (const line of response.headers.getSetCookie()) keepCookie(jar, line)
  const text = await response.text()
  const location = response.headers.get('location') ?? ''
  return { status: response.status, headers: response.headers, text, body: jsonOf(text), location }
}

function keepCookie(jar: Map<string, string> | undefined, line: string): void {
  const [pair = ''] = line.split(';')
  const at = pair.indexOf('=')
  if (/max-age=0\b/i.test(line)) jar?.delete(pair.slice(0, at))
  else jar?.set(pair.slice(0, at), pair.slice(at + 1))
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export interface TestClient {
  readonly client_id: string
  readonly token_endpoint_auth_method: string
}

/** Registers a client that may do everything, with `fields` instead of some of it. */
export async function makeClient({ adminUrl }: OAuthAddresses, fields: Json = {}): Promise<TestClient> {
  const isPublic = fields['token_endpoint_auth_method'] === 'none'
  const { status, text, body } = await call(`${adminUrl}/admin/clients`, {
    method: 'POST',
    json: {
      client_name: `test ${randomUUID()}`,
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token', 'implicit', 'client_credentials', DEVICE_GRANT],
      response_types: RESPONSE_TYPES,
      scope: 'openid offline_access read write',
      token_endpoint_auth_method: 'client_secret_post',
      ...(isPublic ? {} : { client_secret: SECRET }),
      ...fields,
    },
  })
  if (status !== 201) throw new Error(`the client was not made: ${status} ${text}`)
  return {
    client_id: String(body['client_id']),
    token_endpoint_auth_method: String(body['token_endpoint_auth_method']),
  }
}

/** The address of an authorization request; empty values are left out. */
export function authorizeUrl(
  { publicUrl }: OAuthAddresses,
  client: TestClient,
  query: Record<string, string> = {},
) {
  const all = {
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid offline_access read',
    state: 'state-of-the-test',
    nonce: 'nonce-of-the-test',
    ...query,
  }
  return `${publicUrl}/oauth2/auth?${new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''))}`
}

export interface Visit {
  readonly jar?: Map<string, string>
  readonly query?: Record<string, string>
  readonly subject?: string
  readonly login?: Json
  readonly consent?: Json
}

/** A whole authorization of somebody who says yes to everything; the answer is the redirect to the client. */
export async function authorize(at: OAuthAddresses, client: TestClient, visit: Visit = {}): Promise<Answer> {
  const jar = visit.jar ?? new Map<string, string>()
  const consent = await toConsent(at, client, { ...visit, jar })
  if (!param(consent.location, 'consent_challenge')) return consent
  const to = await acceptConsent(at, consent, visit.consent)
  return call(to, { jar })
}

/** An authorization up to the redirect to the consent page. */
export async function toConsent(at: OAuthAddresses, client: TestClient, visit: Visit = {}): Promise<Answer> {
  const jar = visit.jar ?? new Map<string, string>()
  const start = await call(authorizeUrl(at, client, visit.query), { jar })
  if (!param(start.location, 'login_challenge')) return start
  const to = await acceptLogin(at, start, { subject: visit.subject ?? randomUUID(), ...visit.login })
  return call(to, { jar })
}

/** Accepts the login that a redirect asks for; gives the address that the browser goes on to. */
export async function acceptLogin(
  { adminUrl }: OAuthAddresses,
  redirect: Answer,
  login: Json,
): Promise<string> {
  const { body } = await call(requestUrl(adminUrl, 'login/accept', redirect), {
    json: { remember: true, remember_for: 3600, acr: '1', amr: ['pwd'], ...login },
  })
  return String(body['redirect_to'])
}

/** Accepts the consent that a redirect asks for; gives the address that the browser goes on to. */
export async function acceptConsent(
  { adminUrl }: OAuthAddresses,
  redirect: Answer,
  consent: Json = {},
): Promise<string> {
  const { body } = await call(requestUrl(adminUrl, 'consent/accept', redirect), {
    json: {
      grant_scope: ['openid', 'offline_access', 'read'],
      remember: true,
      session: { access_token: { tenant: 'acme' }, id_token: { email: 'ada@example.com' } },
      ...consent,
    },
  })
  return String(body['redirect_to'])
}

/** The admin address of the request whose challenge a redirect carries; `path` begins with login, consent or logout. */
export function requestUrl(adminUrl: string, path: string, redirect: Answer): string {
  const name = `${path.split('/')[0]}_challenge`
  const challenge = encodeURIComponent(param(redirect.location, name))
  return `${adminUrl}/admin/oauth2/auth/requests/${path}?${name}=${challenge}`
}

/** A parameter of an address, in its query or its fragment; empty when it is not there. */
export function param(url: string, name: string): string {
  const [query = '', fragment = ''] = url.replace(/^[^?#]*\??/, '').split('#')
  return new URLSearchParams(query).get(name) ?? new URLSearchParams(fragment).get(name) ?? ''
}

/** A request to the token endpoint by a client that authenticates as it registered (body or not at all). */
export function token(
  { publicUrl }: OAuthAddresses,
  client: TestClient,
  form: Record<string, string>,
): Promise<Answer> {
  const secret = client.token_endpoint_auth_method === 'none' ? {} : { client_secret: SECRET }
  return call(`${publicUrl}/oauth2/token`, { form: { client_id: client.client_id, ...secret, ...form } })
}

/** Exchanges the code of a finished authorization. */
export function exchange(
  at: OAuthAddresses,
  client: TestClient,
  done: Answer,
  more: Record<string, string> = {},
) {
  const code = param(done.location, 'code')
  return token(at, client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more })
}

/** The tokens of somebody who signs in and consents. */
export async function tokensFor(
  at: OAuthAddresses,
  client: TestClient,
  visit: Visit = {},
): Promise<Record<string, string>> {
  const { status, text, body } = await exchange(at, client, await authorize(at, client, visit))
  if (status !== 200) throw new Error(`no tokens: ${status} ${text}`)
  return body as Record<string, string>
}

export async function introspect(
  { adminUrl }: OAuthAddresses,
  value: string | undefined,
  more: Record<string, string> = {},
) {
  const form = { token: value ?? '', ...more }
  return (await call(`${adminUrl}/admin/oauth2/introspect`, { form })).body
}

/** The claims of a JWT, unverified. */
export function claimsOf(jwt: string | undefined): Json {
  return JSON.parse(Buffer.from(jwt?.split('.')[1] ?? '', 'base64url').toString())
}

export function makePkce() {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, query: { code_challenge: challenge, code_challenge_method: 'S256' } }
}
