// Calls /v1/db as an application does, with keys of its own that no other test uses up, on tables of its own.

import { inject } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

/** An answer's status, headers and body; `body` is parsed when it is JSON, else the text. */
export interface DbAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  body: any
  text: string
}

export interface DbCall {
  method?: string
  headers?: Record<string, string>
  /** Sent as JSON, unless it is a string or bytes: then as it is. */
  body?: unknown
}

export type DbCaller = (path: string, call?: DbCall) => Promise<DbAnswer>

/** A caller of `/v1/db/...` with a fresh key of the role. */
export async function makeDbCaller(role: 'anon' | 'service_role' = 'service_role'): Promise<DbCaller> {
  const { key } = await makeKey(role, { rateLimitPerMinute: 100_000 })
  return (path, call) => callDb(`${inject('stack').base_url}/v1/db/${path}`, { apikey: key }, call)
}

/** One request; used for PostgREST too, so that both are asked alike. */
export async function callDb(
  url: string,
  credentials: Record<string, string>,
  { method = 'GET', headers = {}, body }: DbCall = {},
): Promise<DbAnswer> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const sent = isRaw ? (body as string | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body)
  const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { ...type, ...credentials, ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  const isJson = /^[^;]*json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
    text,
  }
}

/** Runs SQL as the owner: how a suite makes its tables and drops them. */
export async function asOwner(sql: string): Promise<void> {
  await using owner = await connectOwner()
  await owner.query(sql)
}

/** A prefix for the names of one suite, so that suites and runs never meet. */
export function freshPrefix(): string {
  return `t${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`
}
