// A call to the storage engine: who makes it, and what policies may know of it, out of a route's request.

import type { DatabaseCaller } from '../../db/caller-session.ts'
import { shareName } from '../api-keys/limit/network.ts'
import { databaseCaller } from '../callers/database-caller.ts'
import { STATEMENT_TIMEOUT_MS } from '../data-api/limits.ts'
import type { Maker } from './signed/signed-urls.ts'

/** What a verb needs to know of the request. */
export interface StorageCall extends DatabaseCaller {
  /** How long each statement may take. */
  readonly timeoutMs: number
  /** `storage.operation()` of policies, by Supabase's names: `storage.object.upload`. */
  readonly operation: string
}

type Input = Parameters<typeof databaseCaller>[0] & {
  deps: { config: { readonly anonStatementTimeoutMs: number } }
}

/** The call; `operation` is what policies read, without Supabase's `storage.` in front. */
export function storageCall(input: Input, operation: string): StorageCall {
  const caller: DatabaseCaller = databaseCaller(input)
  const isServiceRole = caller.role === 'service_role'
  const timeoutMs = isServiceRole ? STATEMENT_TIMEOUT_MS : input.deps.config.anonStatementTimeoutMs
  return { ...caller, timeoutMs, operation: `storage.${operation}` }
}

/** `sub` of the signed-in person, who becomes the owner of what is made; null for a key alone, and for a session. */
export function ownerOf({ principal }: { principal: Principal }): string | null {
  return principal.kind === 'api_key' ? (principal.endUser?.subject ?? null) : null
}

/** Who makes a signed address: it rests while the project is paused. A session belongs to none. */
export function makerOf(caller: { principal: Principal }): Maker {
  const { principal } = caller
  return {
    owner: ownerOf(caller),
    projectId: principal.kind === 'api_key' ? principal.key.project_id : null,
  }
}

/**
 * The call of whoever has shown a signed token: policies were asked when it was made. All of them share connections by
 * their address.
 */
export function tokenCall(
  { caller, request, path }: Pick<Input, 'caller' | 'request' | 'path'>,
  operation: string,
): StorageCall {
  const { method, headers } = request
  const share = shareName('storage', caller.address)
  const call = { share, requestId: caller.requestId, method, path, headers }
  const timeoutMs = STATEMENT_TIMEOUT_MS
  return { ...call, role: 'service_role', claims: null, timeoutMs, operation: `storage.${operation}` }
}

type Principal =
  | { kind: 'session' }
  | { kind: 'api_key'; key: { project_id: string }; endUser: { subject: string } | null }
