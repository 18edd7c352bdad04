// Changes what a key is called and what it may do. The database first, then its limiter: isolates that hold permits of
// the key go on with the old limits for a second at most.

import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { KeyLimiters } from '../limit/key-limiter.ts'
import { refusePastExpiry } from './expiry.ts'
import { changedMeanwhile, keyNotFound, parseKeyId } from './key-id.ts'
import { type KeyRow, toApiKey } from './key-row.ts'
import { findKeyById, type KeyDatabase, type KeyUpdate, updateKeyRow } from './key-store.ts'
import type { ProjectScope } from './project-scope.ts'
import type { ApiKey, ApiKeyPatch } from './schemas.ts'

export interface UpdateKeyDeps {
  platform: KeyDatabase
  limiters: KeyLimiters
  /** Closes sockets of what has ended. Never throws. */
  recheckSockets: (whose: { projectId: string }) => Promise<void>
  now: () => Date
}

/**
 * Changes the fields that were sent and answers the record. Throws `not_found`, `validation_failed` for an `expires_at`
 * that is over, and `conflict` for a key that is revoked or was changed by somebody else at the same time. Throws
 * `admission_unavailable` when the limiter cannot be told: the change is stored by then, and safe to repeat.
 */
export async function updateKey(
  deps: UpdateKeyDeps,
  caller: Caller,
  scope: ProjectScope,
  idText: string,
  patch: ApiKeyPatch,
): Promise<ApiKey> {
  const id = parseKeyId(idText)
  refusePastExpiry(patch.expires_at, deps.now())
  const row = await findKeyById(deps.platform, id, scope)
  if (row === undefined) throw keyNotFound(id)
  refuseRevokedKey(row)
  const change = { targetKind: 'api_key', targetId: id, before: toApiKey(row) }
  const updated = await audited(deps, caller, change, async () => {
    const result = await updateKeyRow(deps.platform, withPatch(row, patch))
    if (result === undefined) throw changedMeanwhile()
    return { result, after: toApiKey(result) }
  })
  await tellLimiter(deps.limiters, updated)
  await deps.recheckSockets({ projectId: row.project_id })
  return toApiKey(updated)
}

/** A field that was left out stays; null is a value. */
function withPatch(row: KeyRow, patch: ApiKeyPatch): KeyUpdate {
  const orNow = <T>(sent: T | undefined, now: T) => (sent === undefined ? now : sent)
  return {
    id: row.id,
    version: row.version,
    name: orNow(patch.name, row.name),
    rate_limit_per_minute: orNow(patch.rate_limit_per_minute, row.rate_limit_per_minute),
    rate_limit_per_address: orNow(patch.rate_limit_per_address, row.rate_limit_per_address),
    expires_at: orNow(patch.expires_at, row.expires_at),
  }
}

async function tellLimiter(limiters: KeyLimiters, row: KeyRow): Promise<void> {
  try {
    await limiters.byHash(row.key_hash).learn(row)
  } catch (cause) {
    throw new DomainError(
      'admission_unavailable',
      'The change is stored, but does not hold everywhere yet.',
      {
        hint: 'It will within a minute. To have it hold at once, send the request again.',
        cause,
        retryAfterSeconds: 1,
      },
    )
  }
}

function refuseRevokedKey(row: KeyRow): void {
  if (row.revoked_at === null) return
  throw new DomainError('conflict', 'The key is revoked and cannot be changed.', {
    hint: 'Create a new key, with POST /v1/keys or in the dashboard.',
  })
}
