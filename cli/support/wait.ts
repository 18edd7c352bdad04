// Waiting for a condition, always with a deadline. No condition is its own: it is given.

import { setTimeout as delay } from 'node:timers/promises'
import { StackError } from './output.ts'

const PROBE_INTERVAL_MS = 50

export interface Wait {
  /** What is waited for, as the message says it when it does not come. */
  readonly what: string
  readonly deadlineMs: number
  /** Default: 50. */
  readonly intervalMs?: number
  readonly stopped?: AbortSignal
}

/**
 * Calls `probe` until it answers something other than undefined, and answers that. A probe that throws counts as "not
 * yet". Throws a `StackError` that says `what` and the last reason when `deadlineMs` have passed, and the reason of
 * `stopped` as soon as that is aborted.
 */
export async function waitUntil<T>(wait: Wait, probe: () => Promise<T | undefined>): Promise<T> {
  const { what, deadlineMs, intervalMs = PROBE_INTERVAL_MS, stopped } = wait
  const endsAt = performance.now() + deadlineMs
  let reason = 'no answer'
  while (performance.now() < endsAt) {
    stopped?.throwIfAborted()
    try {
      const found = await probe()
      if (found !== undefined) return found
    } catch (err) {
      reason = errorText(err)
    }
    await delay(intervalMs)
  }
  stopped?.throwIfAborted()
  throw new StackError(`${what}: not within ${deadlineMs / 1000} s (last: ${reason})`)
}

/** The text of whatever was thrown, with the cause that fetch hides in `cause`. */
export function errorText(err: unknown): string {
  if (!(err instanceof Error)) return String(err)
  const cause = err.cause instanceof Error ? `: ${err.cause.message}` : ''
  return `${err.message || err.name}${cause}`
}
