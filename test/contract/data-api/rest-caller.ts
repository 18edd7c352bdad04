// Calls /rest/v1 as clients of PostgREST do, with a key that no other test uses up.

import { expect, inject } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { callDb, type DbCall } from './caller.ts'

export const REST_URL = `${inject('stack').base_url}/rest/v1`

/** What most of PostgREST's errors say besides code and message. */
export const NONE = { details: null, hint: null }

let apikey: string

/** Makes the key, once for a file. */
export async function makeRestKey(): Promise<void> {
  apikey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
}

export const rest = (path: string, call?: DbCall) => callDb(`${REST_URL}/${path}`, { apikey }, call)

/** Status and body of an error, whose code its header must have too. */
export async function refusal(path: string, call?: DbCall) {
  const { status, body, headers } = await rest(path, call)
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('proxy-status')).toBe(`PostgREST; error=${body.code}`)
  return { status, ...body }
}
