// What the tests of windows and lots measure them with.

import type { Bucket, WindowJournal } from '../../../../src/features/api-keys/limit/window.ts'
import type { ApiKey } from '../../../../src/features/api-keys/record/schemas.ts'

/** A journal in memory: what would survive an eviction. */
export class StoredBuckets implements WindowJournal {
  readonly counts = new Map<number, number>()
  writes = 0

  write(endMs: number, count: number): void {
    this.counts.set(endMs, count)
    this.writes += 1
  }

  all(): Bucket[] {
    return Array.from(this.counts, ([endMs, count]) => ({ endMs, count }))
  }

  total(): number {
    return this.all().reduce((sum, bucket) => sum + bucket.count, 0)
  }
}

/** The most requests in any span of 60 seconds, both ends included. */
export function busiestSpan(admittedMs: readonly number[]): number {
  const times = [...admittedMs].sort((a, b) => a - b)
  let first = 0
  let most = 0
  times.forEach((time, index) => {
    while (time - (times[first] ?? time) > 60_000) first += 1
    most = Math.max(most, index - first + 1)
  })
  return most
}

/** A key whose record does not matter. */
export const ANY_KEY: ApiKey = {
  id: '00000000-0000-4000-8000-000000000001',
  project_id: '00000000-0000-4000-8000-000000000002',
  name: 'any',
  role: 'anon',
  prefix: 'svc_pk_',
  last_four: 'abcd',
  rate_limit_per_minute: null,
  rate_limit_per_address: null,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}
