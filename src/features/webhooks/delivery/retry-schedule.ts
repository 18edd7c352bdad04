// When a failed delivery is tried again, and when a webhook counts as failing. Pure: time and chance
// are arguments.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Pause before each retry; after the last of them the event is a dead letter. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
]
/** A pause is longer by up to this part of itself, so that what failed together does not come back together. */
const JITTER = 0.2
/** What a receiver may ask for at most. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS

/** So many failed attempts in a row, and only probes are made: one event at a time, ever more seldom. */
export const FAILING_AFTER = 20
/** Pause before each probe (Decision 134); behind the last of them, it stays as long. */
const PROBE_DELAYS_MS: readonly number[] = [5 * SECOND_MS, 10 * SECOND_MS, 20 * SECOND_MS, 40 * SECOND_MS]
const PROBE_DELAY_MAX_MS = MINUTE_MS

/** What an attempt came to, as far as it decides what happens next. */
export interface AttemptFacts {
  isSuccess: boolean
  /** Null: no answer. */
  statusCode: number | null
  /** What Retry-After asked for, in milliseconds. */
  retryAfterMs: number | undefined
}

export interface Standing {
  /** Failed attempts of the event before this one. */
  attempts: number
  /** Failed attempts of the webhook in a row, before this one. */
  failCount: number
  /** The webhook was changed while the attempt was under way. */
  isOutdated: boolean
}

/** What becomes of the event, and of the webhook. */
export type Verdict =
  | { outcome: 'delivered' }
  | { outcome: 'retry'; delayMs: number; attempts: number }
  /** The receiver wants no more of it: the webhook is paused, and the event waits for its resumption. */
  | { outcome: 'gone' }
  | { outcome: 'dead' }
  /** It says nothing of the webhook as it is now: the event is tried again at once, with all attempts before it. */
  | { outcome: 'outdated' }

/** Decides after one attempt. `chance` is in [0, 1). */
export function judgeAttempt(facts: AttemptFacts, standing: Standing, chance: number): Verdict {
  if (facts.isSuccess) return { outcome: 'delivered' }
  if (standing.isOutdated) return { outcome: 'outdated' }
  if (facts.statusCode === 410) return { outcome: 'gone' }
  const askedMs = Math.min(facts.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)
  if (isFailing(standing.failCount)) {
    return { outcome: 'retry', delayMs: Math.max(PROBE_DELAY_MAX_MS, askedMs), attempts: standing.attempts }
  }
  const delayMs = RETRY_DELAYS_MS[standing.attempts]
  if (delayMs === undefined) return { outcome: 'dead' }
  const jittered = Math.round(delayMs * (1 + JITTER * chance))
  return { outcome: 'retry', delayMs: Math.max(jittered, askedMs), attempts: standing.attempts + 1 }
}

/** True after so many failures in a row that attempts of events stand still until one succeeds. */
export function isFailing(failCount: number): boolean {
  return failCount >= FAILING_AFTER
}

/** How long a failing webhook waits for its next probe, after so many. */
export function probeDelayMs(probes: number): number {
  return PROBE_DELAYS_MS[probes] ?? PROBE_DELAY_MAX_MS
}
