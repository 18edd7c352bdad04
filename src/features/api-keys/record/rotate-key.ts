// Puts a new key in the place of an old one. The database first: of two rotations at once it lets one through, and when
// it does not answer nothing has changed. Then the new key's limiter takes the old one's window over.

import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { KeyLimiters } from '../limit/key-limiter.ts'
import { describeKey, generateKey, hashKey } from './key-format.ts'
import { changedMeanwhile, keyNotFound, parseKeyId } from './key-id.ts'
import { type KeyRow, toApiKey } from './key-row.ts'
import { findKeyById, type KeyDatabase, rotateKeyRow } from './key-store.ts'
import type { ProjectScope } from './project-scope.ts'
import type { ApiKeyRotation, ApiKeyWithSecret } from './schemas.ts'

export interface RotateKeyDeps {
  platform: KeyDatabase
  limiters: KeyLimiters
  /** Closes sockets of what has ended. Never throws. */
  recheckSockets: (whose: { projectId: string }) => Promise<void>
  now: () => Date
}

/**
 * Answers the record with its new secret. The old key dies at once, or after `overlap_seconds`; one that an earlier
 * rotation left alive dies now. Throws `not_found`, and `conflict` for a key that is revoked, expired, or was changed
 * by somebody else at the same time.
 */
export async function rotateKey(
  deps: RotateKeyDeps,
  caller: Caller,
  scope: ProjectScope,
  idText: string,
  rotation: ApiKeyRotation,
): Promise<ApiKeyWithSecret> {
  const id = parseKeyId(idText)
  const row = await findKeyById(deps.platform, id, scope)
  if (row === undefined) throw keyNotFound(id)
  const change = { targetKind: 'api_key', targetId: id, before: toApiKey(row) }
  return await audited(deps, caller, change, async () => {
    const key = generateKey(row.role)
    const rotated = await replaceKey(deps, row, key, rotation)
    await handOver(deps.limiters, rotated)
    await deps.recheckSockets({ projectId: row.project_id })
    const record = toApiKey(rotated)
    return { result: { ...record, key }, after: record }
  })
}

async function replaceKey(
  { platform, now }: RotateKeyDeps,
  row: KeyRow,
  key: string,
  { overlap_seconds: overlapSeconds }: ApiKeyRotation,
): Promise<KeyRow> {
  const time = now()
  refuseDeadKey(row, time)
  const rotated = await rotateKeyRow(platform, {
    id: row.id,
    version: row.version,
    keyHash: await hashKey(key),
    lastFour: describeKey(key).lastFour,
    previousExpiresAt:
      overlapSeconds === 0 ? null : new Date(time.getTime() + overlapSeconds * 1_000).toISOString(),
  })
  if (rotated === undefined) throw changedMeanwhile()
  return rotated
}

async function handOver(limiters: KeyLimiters, row: KeyRow): Promise<void> {
  try {
    await limiters.byHash(row.key_hash).learn(row)
  } catch {
    // The rotation holds, and its secret must be shown: the new limiter reads the row on first use and takes the
    // window over before it admits anything; the old one learns of it at its next reading, within a minute.
  }
}

function refuseDeadKey(row: KeyRow, now: Date): void {
  const isExpired = row.expires_at !== null && Date.parse(row.expires_at) <= now.getTime()
  if (row.revoked_at === null && !isExpired) return
  throw new DomainError(
    'conflict',
    `The key is ${isExpired ? 'expired' : 'revoked'} and cannot be rotated.`,
    {
      hint: 'Create a new key, with POST /v1/keys or in the dashboard.',
    },
  )
}
