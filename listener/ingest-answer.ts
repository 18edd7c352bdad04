/**
 * Owns what an answer of the ingest route means. Pure.
 */

import { readRetryAfterMs } from '../src/lib/retry-after.ts'

/**
 * `accepted`: on the queue. `refused`: something in this body is wrong, another may be taken. `unavailable`: later.
 * `unauthorized`: the signature is not known, which during a rotation passes. `misconfigured`: nothing will be taken
 * until somebody changes something.
 */
export type IngestOutcome =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly askedMs: number }
  | { readonly outcome: 'unauthorized'; readonly reason: string }
  | { readonly outcome: 'misconfigured'; readonly reason: string }

const REFUSING_STATUSES = new Set([400, 413, 422])
const PASSING_STATUSES = new Set([408, 425, 429])

/**
 * Anything but 202 is no promise: a 200 may be the page of some proxy. `body` is the answer's beginning. The pause that
 * is asked for may be of any length.
 */
export function readIngestAnswer(
  status: number,
  retryAfter: string | null,
  body: string,
  nowMs: number,
): IngestOutcome {
  if (status === 202) return { outcome: 'accepted' }
  const reason = `${status} ${codeOf(body)}`.trim()
  if (REFUSING_STATUSES.has(status)) return { outcome: 'refused', reason }
  if (PASSING_STATUSES.has(status) || status >= 500) {
    return { outcome: 'unavailable', reason, askedMs: readRetryAfterMs(retryAfter, nowMs) ?? 0 }
  }
  return { outcome: status === 401 ? 'unauthorized' : 'misconfigured', reason }
}

/** The Worker's error code; the rest of an answer could repeat what was sent, and is not logged. */
function codeOf(body: string): string {
  return /"code"\s*:\s*"([a-z0-9_]{1,60})"/i.exec(body)?.[1] ?? ''
}
