// An API key as Quoin itself holds it: the caller's record and what must not leave the service. Pure.

import type { ApiKey } from './schemas.ts'

/** A row of `quoin.api_keys` with its project's status, as Postgres' JSON has it. */
export interface KeyRow extends ApiKey {
  /** Grows with every change of who the key is or what it may do; decides which of two readings is newer. */
  version: number
  key_hash: string
  /** Hash of the key that the last rotation replaced. */
  previous_key_hash: string | null
  /** Until then the replaced key is accepted; null: it died with the rotation. */
  previous_expires_at: string | null
  project_status: 'active' | 'paused'
}

/** The record as callers see it: no hash, times as ISO 8601 UTC with milliseconds. */
export function toApiKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    role: row.role,
    prefix: row.prefix,
    last_four: row.last_four,
    rate_limit_per_minute: row.rate_limit_per_minute,
    rate_limit_per_address: row.rate_limit_per_address,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: toIso(row.expires_at),
    last_used_at: toIso(row.last_used_at),
    revoked_at: toIso(row.revoked_at),
  }
}

/** When the key that this one replaced dies, in milliseconds since 1970; 0: it is dead. */
export function predecessorRetiresAtMs(row: KeyRow): number {
  return row.previous_expires_at === null ? 0 : Date.parse(row.previous_expires_at)
}

/**
 * What Postgres has and JavaScript cannot say (`infinity`, years from 10000) stays as it is: one row must not spoil a
 * list.
 */
function toIso(timestamp: string | null): string | null {
  if (timestamp === null) return null
  const timeMs = Date.parse(timestamp)
  return Number.isNaN(timeMs) ? timestamp : new Date(timeMs).toISOString()
}
