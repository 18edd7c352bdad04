// Calls of the client administration with a user's session, and the OAuth2 server itself where a test looks behind it.

import { inject } from 'vitest'

const { base_url, session_cookie_user, oauth_public_url, oauth_admin_url } = inject('stack')

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body; null for none. */
  json: Record<string, unknown>
}

/** An address of its own, so that no other file's calls count against its allowance. */
const address = `203.0.113.${Math.floor(Math.random() * 250)}`

/** Calls Quoin with the user's session, or with the headers given. */
export async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { cookie: session_cookie_user ?? '', 'cf-connecting-ip': address },
): Promise<Answer> {
  const response = await fetch(base_url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return answerOf(response)
}

/** The administration of clients, from its root. */
export function clients(method: string, path = '', body?: unknown): Promise<Answer> {
  return call(method, `/api/oauthsrv/clients${path}`, body)
}

/** What the OAuth2 server has stored of a client. */
export async function storedClient(id: string): Promise<Answer> {
  return answerOf(await fetch(`${oauth_admin_url}/admin/clients/${encodeURIComponent(id)}`))
}

/** A token for the client itself, asked for with this secret. */
export async function machineToken(id: string, secret: string, scope = 'read'): Promise<Answer> {
  const credentials = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString(
    'base64',
  )
  const response = await fetch(`${oauth_public_url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  })
  return answerOf(response)
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const json = (isJson && text !== '' ? JSON.parse(text) : null) as Record<string, unknown>
  return { status: response.status, headers: response.headers, text, json }
}

const made: string[] = []

/** A client that may get tokens for itself, deleted by `deleteMadeClients`. */
export async function makeClient(
  fields: Record<string, unknown> = {},
): Promise<{ id: string; secret: string }> {
  const answer = await clients('POST', '', {
    client_name: `contract ${crypto.randomUUID()}`,
    grant_types: ['client_credentials'],
    scope: 'read write',
    ...fields,
  })
  if (answer.status !== 201) throw new Error(`no client was made: ${answer.status} ${answer.text}`)
  const id = remember(answer)
  return { id, secret: String(answer.json['client_secret']) }
}

/** Notes a client that a test has made by itself; answers its id. */
export function remember({ json }: Answer): string {
  const id = String(json['client_id'])
  made.push(id)
  return id
}

/** Deletes what the tests of the file have made, as far as it is still there. */
export async function deleteMadeClients(): Promise<void> {
  for (const id of made.splice(0)) await clients('DELETE', `/${encodeURIComponent(id)}`)
}
