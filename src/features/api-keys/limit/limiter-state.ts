// What a key's limiter knows, apart from its window, and what follows from it. Pure: no clock, no storage.

import { type KeyRow, toApiKey } from '../record/key-row.ts'
import type { ApiKey } from '../record/schemas.ts'
import type { Retirement } from './key-limiter.ts'

/** Housekeeping (last_used_at, usage, expired buckets) happens at most so often. */
const HOUSEKEEPING_MS = 60_000

/** The facts that survive an eviction. An object that stores none knows nothing of its key. */
export interface LimiterFacts {
  row?: KeyRow
  /** Final: no later reading of the database undoes it. */
  isRevoked?: true
  /** Final too: the key was replaced. */
  retirement?: Retirement
  /** When the row was read or told. */
  knownAtMs?: number
  /** Hash of the key whose window was taken over, so that it is taken over once. */
  adoptedFrom?: string
}

/** The facts made ready for the hot path. */
export interface KnownKey {
  key: ApiKey
  version: number
  limit: number
  /** Requests a minute of one client address; undefined: no limit of its own. */
  limitPerAddress: number | undefined
  /** Milliseconds since 1970; Infinity when the key does not expire. */
  expiresAtMs: number
  isRevoked: boolean
  isProjectPaused: boolean
}

/** What a request with this key gets before its window is looked at. */
export type Standing = 'unread' | 'refused' | 'retiring' | 'project_paused' | 'valid'

/** The facts after reading a row: of two readings the higher version holds; of equal ones the later. */
export function withRow(facts: LimiterFacts, row: KeyRow, nowMs: number): LimiterFacts {
  if (facts.row !== undefined && facts.row.version > row.version) return { ...facts, knownAtMs: nowMs }
  return { ...facts, row, knownAtMs: nowMs }
}

/** Reads what the hot path needs out of a row, once. */
export function toKnownKey(row: KeyRow, limitDefault: number): KnownKey {
  return {
    key: toApiKey(row),
    version: row.version,
    limit: row.rate_limit_per_minute ?? limitDefault,
    limitPerAddress: row.rate_limit_per_address ?? undefined,
    expiresAtMs: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
    isRevoked: row.revoked_at !== null,
    isProjectPaused: row.project_status === 'paused',
  }
}

/** Decides from the facts alone; `known` is `toKnownKey` of their row. A retired key is `retiring` until its time. */
export function standingOf(facts: LimiterFacts, known: KnownKey | undefined, nowMs: number): Standing {
  if (facts.isRevoked) return 'refused'
  if (facts.retirement) return nowMs < facts.retirement.retiresAtMs ? 'retiring' : 'refused'
  if (known === undefined) return 'unread'
  if (known.isRevoked || nowMs >= known.expiresAtMs) return 'refused'
  return known.isProjectPaused ? 'project_paused' : 'valid'
}

/** True once nothing that the object holds can matter again: its key was replaced and its time is over. */
export function isOver(facts: LimiterFacts, nowMs: number): boolean {
  return !facts.isRevoked && facts.retirement !== undefined && nowMs >= facts.retirement.retiresAtMs
}

/**
 * The next minute of this key's own grid, in milliseconds since 1970, always after `nowMs`. It is the same moment
 * however often it is asked for. So an object that is evicted and woken in between does not put its alarm off. It is
 * another moment for each key, so that they do not all reach the database at once.
 */
export function nextHousekeepingMs(keyHash: string, nowMs: number): number {
  const offsetMs = Number.parseInt(keyHash.slice(0, 8), 16) % HOUSEKEEPING_MS
  const minute = Math.floor((nowMs - offsetMs) / HOUSEKEEPING_MS) + 1
  return minute * HOUSEKEEPING_MS + offsetMs
}

/** By then every lot of a minute has come back. */
const SETTLED_AFTER_MS = 5_000

/** The last minute, since 1970, of which nothing more will be counted or taken back. */
export function lastFinalMinute(nowMs: number): number {
  return Math.floor((nowMs - SETTLED_AFTER_MS) / 60_000) - 1
}
