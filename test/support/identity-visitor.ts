// A browser, an app or an admin at the identity provider, by fetch: keeps cookies if it has a jar, follows no
// redirects.

import { randomUUID } from 'node:crypto'
import type { IdentityProvider } from './identity-server.ts'

export const PASSWORD = 'plum-Kettle-42-drift'
export const NOBODY = '00000000-0000-4000-8000-000000000001'

type Jar = Map<string, string>

/** An answer; fields of its JSON that are missing read undefined, and a body that is no JSON is null. */
export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  body: any
  text: string
  location: string | null
}

interface Request {
  method?: string
  json?: unknown
  form?: Record<string, string>
  raw?: string
  headers?: Record<string, string>
  jar?: Jar
  accept?: string
}

export async function call(
  url: string,
  { method, json, form, raw, headers, jar, accept }: Request = {},
): Promise<Answer> {
  const body = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : raw
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      accept: accept ?? 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(jar === undefined || jar.size === 0 ? {} : { cookie: cookieHeader(jar) }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  if (jar !== undefined) keepCookies(jar, response.headers)
  return {
    status: response.status,
    headers: response.headers,
    body: parse(text),
    text,
    location: response.headers.get('location'),
  }
}

export function cookieHeader(jar: Jar): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

function keepCookies(jar: Jar, headers: Headers): void {
  for (const cookie of headers.getSetCookie()) {
    const [pair = '', ...attributes] = cookie.split(/;\s*/)
    const at = pair.indexOf('=')
    if (attributes.some(attribute => /^max-age=(0|-\d+)$/i.test(attribute))) jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function newAddress(): string {
  return `p-${randomUUID()}@example.com`
}

export interface Person {
  readonly id: string
  readonly email: string
}

/** An identity that signs in with PASSWORD. */
export async function makePerson(
  { adminUrl }: IdentityProvider,
  more: { traits?: object; [field: string]: unknown } = {},
): Promise<Person> {
  const email = newAddress()
  const { traits, ...fields } = more
  const credentials = { password: { config: { password: PASSWORD } } }
  const made = await call(`${adminUrl}/admin/identities`, {
    json: { schema_id: 'default', traits: { email, ...traits }, credentials, ...fields },
  })
  if (made.status !== 201) throw new Error(`no person: ${made.status} ${made.text}`)
  return { id: made.body.id, email }
}

/** The hidden token of a flow's form. */
export function csrfTokenOf(flow: {
  ui: { nodes: { attributes: { name: string; value?: string } }[] }
}): string {
  return flow.ui.nodes.find(node => node.attributes.name === 'csrf_token')?.attributes.value ?? ''
}

/** Begins a browser's flow; the jar holds its cookie. */
export async function startFlow(
  { publicUrl }: IdentityProvider,
  kind: 'login' | 'registration',
  jar: Jar,
  query = '',
) {
  const { body } = await call(`${publicUrl}/self-service/${kind}/browser${query}`, { jar })
  return body
}

/** Sends a browser's login form with the right token. */
export async function submitLogin(
  provider: IdentityProvider,
  fields: Record<string, unknown>,
  { jar = new Map(), query = '' }: { jar?: Jar; query?: string } = {},
): Promise<Answer & { flowId: string }> {
  const flow = await startFlow(provider, 'login', jar, query)
  const json = { method: 'password', csrf_token: csrfTokenOf(flow), ...fields }
  return { ...(await call(flow.ui.action, { jar, json })), flowId: flow.id }
}

/** Signs in as a browser. */
export async function signIn(provider: IdentityProvider, { email }: Person, jar: Jar = new Map()) {
  const { body, text } = await submitLogin(provider, { identifier: email, password: PASSWORD }, { jar })
  if (body?.session === undefined) throw new Error(`not signed in: ${text}`)
  return { jar, session: body.session }
}

/** Signs in as an app: no cookies, a token. */
export async function tokenFor({ publicUrl }: IdentityProvider, { email }: Person) {
  const flow = await call(`${publicUrl}/self-service/login/api`)
  const json = { method: 'password', identifier: email, password: PASSWORD }
  const { body, text } = await call(flow.body.ui.action, { json })
  if (body?.session_token === undefined) throw new Error(`no token: ${text}`)
  return { token: String(body.session_token), session: body.session }
}
