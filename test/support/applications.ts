// Applications that sign their users in through the stack: clients registered through Quoin, and what their user does
// in the browser on the way. The user signs in at the identity provider and decides at the bridge's consent screen.

import { inject } from 'vitest'
import { type Form, type Page, UserAgent } from './user-agent.ts'

/** Where applications are sent back to. Nothing listens there: `UserAgent` stops before it. */
export const CALLBACK = 'http://127.0.0.1:5999/callback'
/** Of an application on another host. */
export const OTHER_CALLBACK = 'http://localhost:5999/callback'
export const SIGNED_OUT = 'http://127.0.0.1:5999/signed-out'
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** All that the OAuth2 server has. */
export const RESPONSE_TYPES = [
  'code',
  'token',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
] as const

export type RegisteredClient = {
  client_id: string
  client_secret?: string
}

/** Calls the dashboard layer as the administrator; throws with the answer when it is no 2xx. */
export async function dashboard<T>(method: string, path: string, body?: unknown): Promise<T> {
  const { base_url, session_cookie_admin } = inject('stack')
  const response = await fetch(`${base_url}/api/oauthsrv${path}`, {
    method,
    headers: { cookie: session_cookie_admin ?? '', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Registers a client that may do everything unless `fields` say otherwise. */
export function registerClient(fields: Record<string, unknown> = {}): Promise<RegisteredClient> {
  return dashboard('POST', '/clients', {
    client_name: `test ${crypto.randomUUID()}`,
    grant_types: ['authorization_code', 'refresh_token', 'implicit', 'client_credentials', DEVICE_CODE],
    response_types: RESPONSE_TYPES,
    redirect_uris: [CALLBACK],
    scope: 'openid offline_access profile email read write',
    token_endpoint_auth_method: 'client_secret_basic',
    ...fields,
  })
}

/** The user's decision at the consent screen. */
export interface Decision {
  /** Scopes that stay checked; all when left out. */
  grant?: readonly string[]
  remember?: boolean
  deny?: boolean
}

/** Somebody with an account at the identity provider. */
export interface Person {
  id: string
  email: string
  password: string
}

/** What the deployment says of somebody; who registers cannot write it. No role: it would open the dashboard. */
const PUBLIC_METADATA = { plan: 'team', job: 'engineer', groups: ['staff', 'research'] }

/** Makes an account of the test's own: what it signs out or revokes is nobody else's. Without a role unless said. */
export async function makePerson(publicMetadata: object = PUBLIC_METADATA): Promise<Person> {
  const [email, password] = [`${crypto.randomUUID()}@example.com`, crypto.randomUUID()]
  const response = await fetch(`${inject('stack').identity_admin_url}/admin/identities`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      schema_id: 'default',
      traits: { email, name: { first: 'Ada', last: 'Lovelace' } },
      metadata_public: publicMetadata,
      credentials: { password: { config: { password } } },
    }),
  })
  if (response.status !== 201) throw new Error(`no identity: ${response.status} ${await response.text()}`)
  const { id } = (await response.json()) as { id: string }
  return { id, email, password }
}

/** A browser in front of which this person sits; nobody is signed in yet. */
export class PersonsBrowser extends UserAgent {
  readonly person: Person

  constructor(person: Person) {
    super([CALLBACK, OTHER_CALLBACK, SIGNED_OUT])
    this.person = person
  }
}

export async function newBrowser(): Promise<PersonsBrowser> {
  return new PersonsBrowser(await makePerson())
}

/** Opens an authorization request, signs in and decides where asked, and answers where the browser ends. */
export async function authorize(
  browser: PersonsBrowser,
  address: URL | string,
  decision: Decision = {},
): Promise<Page> {
  return passScreens(browser, await browser.open(address), decision)
}

/** Signs in and decides on whatever screens come, until one that is neither, or the application's callback. */
export async function passScreens(
  browser: PersonsBrowser,
  start: Page,
  decision: Decision = {},
): Promise<Page> {
  let page = start
  for (let screen = 0; screen < 5; screen++) {
    const [login, consent] = [loginForm(page), consentForm(page)]
    if (login) page = await signIn(browser, page, login)
    else if (consent) page = await decide(browser, page, consent, decision)
    else return page
  }
  throw new Error(`the same screens come again and again, the last at ${page.url.pathname}`)
}

/** What the person does with a device's code: opens its address, sends the code, signs in and consents. */
export async function connectDevice(
  browser: PersonsBrowser,
  device: { verification_uri_complete?: string; verification_uri: string; user_code: string },
): Promise<Page> {
  const screen = await browser.open(device.verification_uri_complete ?? device.verification_uri)
  const form = screen.forms.find(each => each.fields.some(([name]) => name === 'user_code'))
  if (form === undefined) throw new Error(`no form for the code:\n${screen.html}`)
  const next = await browser.submit(screen, form, { fields: { user_code: device.user_code } })
  return passScreens(browser, next)
}

function signIn(browser: PersonsBrowser, page: Page, form: Form): Promise<Page> {
  const { email, password } = browser.person
  return browser.submit(page, form, { fields: { identifier: email, password, method: 'password' } })
}

function decide(browser: PersonsBrowser, page: Page, accept: Form, decision: Decision): Promise<Page> {
  if (decision.deny) {
    const button = accept.buttons.find(({ action }) => action?.endsWith('/consent/reject'))
    if (button === undefined) throw new Error('the consent screen has no button that denies')
    return browser.submit(page, accept, { button })
  }
  const granted = decision.grant ?? accept.choices['grant_scope'] ?? []
  return browser.submit(page, accept, {
    fields: { grant_scope: granted, remember: decision.remember ? 'true' : null },
  })
}

export function loginForm(page: Page): Form | undefined {
  return page.forms.find(form => form.fields.some(([name]) => name === 'password'))
}

export function consentForm(page: Page): Form | undefined {
  return page.forms.find(form => form.action.endsWith('/consent/accept'))
}

/** The tokens that a whole code flow gives a confidential client, whatever the user decided. */
export interface Tokens {
  access_token: string
  refresh_token?: string
  id_token?: string
  expires_in: number
  scope: string
}

export interface CodeFlow {
  client: RegisteredClient
  browser?: PersonsBrowser
  scope?: string
  redirectUri?: string
  decision?: Decision
  /** More parameters of the authorization request. */
  more?: Record<string, string>
}

/** Signs the user in and answers the callback; its `error` or `code` is for the test to look at. */
export async function codeFlow(flow: CodeFlow): Promise<Page> {
  const { oauth_public_url } = inject('stack')
  const url = new URL(`${oauth_public_url}/oauth2/auth`)
  url.search = new URLSearchParams({
    client_id: flow.client.client_id,
    redirect_uri: flow.redirectUri ?? CALLBACK,
    response_type: 'code',
    scope: flow.scope ?? 'openid profile email read',
    state: crypto.randomUUID(),
    nonce: crypto.randomUUID(),
    ...flow.more,
  }).toString()
  return authorize(flow.browser ?? (await newBrowser()), url, flow.decision)
}

/** Runs a whole code flow and exchanges the code. */
export async function tokensFor(flow: CodeFlow): Promise<Tokens> {
  const { url } = await codeFlow(flow)
  const code = url.searchParams.get('code')
  if (code === null) throw new Error(`no code came back: ${url.href.slice(0, 500)}`)
  const response = await callTokenEndpoint(flow.client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: flow.redirectUri ?? CALLBACK,
  })
  if (!response.ok) throw new Error(`no tokens: ${response.status} ${await response.text()}`)
  return (await response.json()) as Tokens
}

/** The token endpoint as a client with client_secret_basic calls it. */
export function callTokenEndpoint(client: RegisteredClient, form: Record<string, string>): Promise<Response> {
  const credentials = [client.client_id, client.client_secret ?? ''].map(encodeURIComponent).join(':')
  return fetch(`${inject('stack').oauth_public_url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(credentials)}` },
    body: new URLSearchParams(form),
  })
}

/** What the OAuth2 server says of a token, in full. */
export async function introspect(token: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${inject('stack').oauth_admin_url}/admin/oauth2/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
  })
  return (await response.json()) as Record<string, unknown>
}
