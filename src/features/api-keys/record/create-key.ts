// Makes an API key: stored as its hash, shown once. The audit log gets the record, never the key.

import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { KeyLimiters } from '../limit/key-limiter.ts'
import { refusePastExpiry } from './expiry.ts'
import { describeKey, generateKey, hashKey } from './key-format.ts'
import { type KeyRow, toApiKey } from './key-row.ts'
import { insertKey, type KeyDatabase } from './key-store.ts'
import { type ProjectScope, projectOf, reaches } from './project-scope.ts'
import type { ApiKeyIn, ApiKeyWithSecret } from './schemas.ts'

export interface CreateKeyDeps {
  platform: KeyDatabase
  limiters: KeyLimiters
  now: () => Date
}

/**
 * Creates a key and answers it with its secret. It goes to the project that the input names, else to that of the scope,
 * else to the oldest.
 * Throws `validation_failed` for a project outside of the scope and for an `expires_at` that is over.
 */
export async function createKey(
  deps: CreateKeyDeps,
  caller: Caller,
  scope: ProjectScope,
  input: ApiKeyIn,
): Promise<ApiKeyWithSecret> {
  refusePastExpiry(input.expires_at, deps.now())
  if (input.project_id !== undefined && !reaches(scope, input.project_id)) throw unknownProject()
  const change = { targetKind: 'api_key', targetId: null }
  return await audited(deps, caller, change, async () => {
    const key = generateKey(input.role)
    const row = await storeKey(deps, input, input.project_id ?? projectOf(scope), key)
    await tellLimiter(deps.limiters, row)
    const record = toApiKey(row)
    return { result: { ...record, key }, targetId: record.id, after: record }
  })
}

async function storeKey(
  { platform }: CreateKeyDeps,
  input: ApiKeyIn,
  projectId: string | null,
  key: string,
): Promise<KeyRow> {
  const row = await insertKey(platform, {
    projectId,
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
    hint: 'A key makes keys of its own project: leave project_id out. GET /api/projects lists them for administrators.',
  })
}
