// Makes an API key: stored as its hash, shown once. The audit log gets the record, never the key.

import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { KeyLimiters } from '../limit/key-limiter.ts'
import { refusePastExpiry } from './expiry.ts'
import { describeKey, generateKey, hashKey } from './key-format.ts'
import { type KeyRow, toApiKey } from './key-row.ts'
import { insertKey, type KeyDatabase } from './key-store.ts'
import type { ApiKeyIn, ApiKeyWithSecret } from './schemas.ts'

export interface CreateKeyDeps {
  platform: KeyDatabase
  limiters: KeyLimiters
  now: () => Date
}

/**
 * Creates a key and answers it with its secret. `callerProjectId` is the project it gets when the input names none;
 * null is the oldest.
 * Throws `validation_failed` for a project that does not exist and for an `expires_at` that is over.
 */
export async function createKey(
  deps: CreateKeyDeps,
  caller: Caller,
  input: ApiKeyIn,
  callerProjectId: string | null,
): Promise<ApiKeyWithSecret> {
  refusePastExpiry(input.expires_at, deps.now())
  const change = { targetKind: 'api_key', targetId: null }
  return await audited(deps, caller, change, async () => {
    const key = generateKey(input.role)
    const row = await storeKey(deps, input, callerProjectId, key)
    await tellLimiter(deps.limiters, row)
    const record = toApiKey(row)
    return { result: { ...record, key }, targetId: record.id, after: record }
  })
}

async function storeKey(
  { platform }: CreateKeyDeps,
  input: ApiKeyIn,
  callerProjectId: string | null,
  key: string,
): Promise<KeyRow> {
  const row = await insertKey(platform, {
    projectId: input.project_id ?? callerProjectId,
    name: input.name,
    role: input.role,
    ...describeKey(key),
    keyHash: await hashKey(key),
    rateLimitPerMinute: input.rate_limit_per_minute ?? null,
    rateLimitPerAddress: input.rate_limit_per_address ?? null,
    expiresAt: input.expires_at ?? null,
  })
  if (row === undefined) throw unknownProject()
  return row
}

async function tellLimiter(limiters: KeyLimiters, row: KeyRow): Promise<void> {
  try {
    await limiters.byHash(row.key_hash).learn(row)
  } catch {
    // The key exists and is about to be shown: a limiter that could not be told reads the row on first use.
  }
}

function unknownProject(): DomainError {
  return new DomainError('validation_failed', 'body.project_id: no project has this id.', {
    hint: 'Leave project_id out for the project of the calling key; with a session it is the oldest one.',
  })
}
