// Stores API keys over a plain connection of the owner: for the two keys of the local stack, the first key of a
// deployment, and tests. Everything else makes keys through `POST /v1/keys`.

import type { Client } from 'pg'
import { describeKey, generateKey, hashKey } from '../../src/features/api-keys/record/key-format.ts'
import { insertKeyStatement } from '../../src/features/api-keys/record/key-store.ts'
import type { ApiKeyRole } from '../../src/features/api-keys/record/schemas.ts'

export interface NewApiKey {
  readonly role: ApiKeyRole
  readonly name: string
  /** Undefined: a new one is made. */
  readonly key?: string
  readonly projectId?: string | null
  readonly rateLimitPerMinute?: number | null
  readonly rateLimitPerAddress?: number | null
  /** ISO 8601. */
  readonly expiresAt?: string | null
}

export interface StoredApiKey {
  readonly id: string
  readonly projectId: string
  readonly key: string
  readonly keyHash: string
}

/** Stores the key's hash; what it answers holds the key itself, which nobody can read again. */
export async function storeApiKey(client: Client, input: NewApiKey): Promise<StoredApiKey> {
  const key = input.key ?? generateKey(input.role)
  const keyHash = await hashKey(key)
  const { prefix, lastFour } = describeKey(key)
  const { sql, params } = insertKeyStatement({
    projectId: input.projectId ?? null,
    name: input.name,
    role: input.role,
    prefix,
    lastFour,
    keyHash,
    rateLimitPerMinute: input.rateLimitPerMinute ?? null,
    rateLimitPerAddress: input.rateLimitPerAddress ?? null,
    expiresAt: input.expiresAt ?? null,
  })
  const { rows } = await client.query<{ id: string; project_id: string }>(sql, [...params])
  const row = rows[0]
  if (row === undefined) throw new Error(`there is no project ${input.projectId}`)
  return { id: row.id, projectId: row.project_id, key, keyHash }
}

/** True while this key opens the door: stored, neither revoked nor expired nor rotated away. */
export async function isApiKeyUsable(client: Client, key: string): Promise<boolean> {
  const found = await client.query(
    `select 1 from quoin.api_keys
      where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
    [await hashKey(key)],
  )
  return found.rowCount === 1
}
