// One request to the OAuth2 server's registry, and the few things its tests do again and again.

import { randomUUID } from 'node:crypto'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown
}

interface Ask {
  readonly json?: unknown
  /** A body as it is. */
  readonly raw?: string
  readonly headers?: Record<string, string>
  readonly bearer?: string
}

/** Redirects are not followed. */
export async function ask(
  method: string,
  url: string,
  { json, raw, headers, bearer }: Ask = {},
): Promise<Reply> {
  const body = json === undefined ? raw : JSON.stringify(json)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A member of a JSON object; undefined when there is none. */
export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

/** As `member`, as a text. */
export function textOf(body: unknown, name: string): string {
  return String(member(body, name))
}

/** A name that no other test uses. */
export function ownName(label: string): string {
  return `${label}-${randomUUID()}`
}

/** The target of a relation of a Link header; undefined when it is not there. */
export function linkTo({ headers }: Reply, rel: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1]
}

export const NOT_FOUND = { error: 'Unable to locate the resource', error_description: '' }
export const UNRECOGNIZABLE = { error: 'error', error_description: 'The error is unrecognizable' }
