// Ends an API key for good: its limiter first, which refuses from that moment on, then the database.

import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { KeyLimiters } from '../limit/key-limiter.ts'
import { keyNotFound, parseKeyId } from './key-id.ts'
import { type KeyRow, toApiKey } from './key-row.ts'
import { findKeyById, type KeyDatabase, revokeKeyRow } from './key-store.ts'
import type { ProjectScope } from './project-scope.ts'
import type { ApiKey } from './schemas.ts'

export interface RevokeKeyDeps {
  platform: KeyDatabase
  limiters: KeyLimiters
  /** Closes sockets of what has ended. Never throws. */
  recheckSockets: (whose: { projectId: string }) => Promise<void>
}

/**
 * Revokes the key, and the one it replaced where that still works. Safe to repeat: the time of the first revocation
 * stays. Throws `invalid_parameter`, `not_found`, and `admission_unavailable` when the limiter cannot be told.
 */
export async function revokeKey(
  deps: RevokeKeyDeps,
  caller: Caller,
  scope: ProjectScope,
  idText: string,
): Promise<ApiKey> {
  const id = parseKeyId(idText)
  const row = await findKeyById(deps.platform, id, scope)
  if (row === undefined) throw keyNotFound(id)
  const change = { targetKind: 'api_key', targetId: id, before: toApiKey(row) }
  return await audited(deps, caller, change, async () => {
    const told = await tellLimiters(deps.limiters, row, new Set())
    const revoked = await revokeKeyRow(deps.platform, id)
    if (revoked === undefined) throw keyNotFound(id)
    // A rotation that came in between has made another key: the row now says which, and no rotation can follow.
    await tellLimiters(deps.limiters, revoked, told)
    await deps.recheckSockets({ projectId: row.project_id })
    const record = toApiKey(revoked)
    return { result: record, after: record }
  })
}

async function tellLimiters(limiters: KeyLimiters, row: KeyRow, told: Set<string>): Promise<Set<string>> {
  const hashes = [row.key_hash, row.previous_key_hash]
    .filter(hash => hash !== null)
    .filter(hash => !told.has(hash))
  try {
    await Promise.all(hashes.map(hash => limiters.byHash(hash).revoke()))
  } catch (cause) {
    throw new DomainError('admission_unavailable', 'The key could not be revoked just now.', {
      hint: 'Try again in a moment; it is safe to repeat.',
      cause,
      retryAfterSeconds: 1,
    })
  }
  return new Set([...told, ...hashes])
}
