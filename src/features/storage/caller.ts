// Who calls the storage engine: every route's request as the engine takes it.

import type { DatabaseCaller } from '../../db/caller-session.ts'
import { databaseCaller } from '../callers/database-caller.ts'
import { STATEMENT_TIMEOUT_MS } from '../data-api/limits.ts'
import type { StorageCall } from './call.ts'

type Input = Parameters<typeof databaseCaller>[0] & {
  deps: { config: { readonly anonStatementTimeoutMs: number } }
}

/** The call; `operation` is what policies read, without Supabase's `storage.` in front. */
export function storageCall(input: Input, operation: string): StorageCall {
  const caller: DatabaseCaller = databaseCaller(input)
  const timeoutMs = caller.role === 'anon' ? input.deps.config.anonStatementTimeoutMs : STATEMENT_TIMEOUT_MS
  return { ...caller, timeoutMs, operation: `storage.${operation}` }
}

/** `sub` of the signed-in person, who becomes the owner of what is made; null for a key alone, and for a session. */
export function ownerOf({ principal }: { principal: Principal }): string | null {
  return principal.kind === 'api_key' ? (principal.endUser?.subject ?? null) : null
}

type Principal = { kind: 'session' } | { kind: 'api_key'; endUser: { subject: string } | null }
