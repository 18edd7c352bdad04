// Flows that stop where the bridge decides: the challenges that a test sends itself, as a script or a custom screen
// does.

import { inject } from 'vitest'
import { CALLBACK, type Person, type RegisteredClient } from '../../support/applications.ts'
import { UserAgent } from '../../support/user-agent.ts'

const { base_url, oauth_public_url, identity_public_url } = inject('stack')

export const BRIDGE = `${base_url}/api/oauthsrv/bridge`

/** An address of its own for each file: their consent decisions are counted per address. */
const ADDRESS = `10.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}.1`

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body, undefined for a page. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared, field by field.
  json: any
}

/** Calls the bridge without following where it sends. */
export async function callBridge(path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { 'cf-connecting-ip': ADDRESS, ...init.headers }
  const response = await fetch(`${BRIDGE}/${path}`, { redirect: 'manual', ...init, headers })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  const json = isJson ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, json }
}

export function postJson(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return callBridge(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Where an application sends the browser to sign somebody in. */
export function authorizationUrl(client: RegisteredClient, more: Record<string, string> = {}): string {
  const url = new URL(`${oauth_public_url}/oauth2/auth`)
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email read',
    state: crypto.randomUUID(),
    nonce: crypto.randomUUID(),
    ...more,
  }).toString()
  return url.href
}

/** A browser that stops at the bridge's page of this kind, and at the application. */
export function browserUntil(stop: 'login' | 'consent' | 'logout' | 'device'): UserAgent {
  return new UserAgent([`${BRIDGE}/${stop}?`, CALLBACK])
}

/** Opens the address and answers the challenge that the browser was sent with. */
export async function challengeOf(
  browser: UserAgent,
  address: string,
  kind: 'login' | 'consent' | 'logout' | 'device',
): Promise<string> {
  const { url, html } = await browser.open(address)
  const challenge = url.searchParams.get(`${kind}_challenge`)
  if (challenge === null)
    throw new Error(`no ${kind} challenge at ${url.href.slice(0, 300)} ${html.slice(0, 500)}`)
  return challenge
}

/** Signs the person in at the identity provider; the session is the browser's from then on. */
export async function signInAt(browser: UserAgent, { email, password }: Person): Promise<void> {
  const page = await browser.open(`${identity_public_url}/self-service/login/browser`)
  const form = page.forms.find(({ fields }) => fields.some(([name]) => name === 'password'))
  if (form === undefined) throw new Error(`no login form at ${page.url.href}`)
  await browser.submit(page, form, { fields: { identifier: email, password, method: 'password' } })
}

export const cookiesOf = (browser: UserAgent): string =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
