/**
 * Owns when the listener looks into the outbox, and when it rests because NOTIFY will wake it. Pure: told what each
 * look found and what time it is.
 *
 * A trigger that found the listener busy sends no NOTIFY, however late it commits. The look right after the rest began,
 * and one now and then, find what came without one.
 */

export interface Attention {
  /** True: triggers are to send NOTIFY. */
  readonly isResting: boolean
  readonly quietSinceMs: number
  /** From the last look to the next. */
  readonly pauseMs: number
}

/** The pause after a look that found something; each that finds nothing doubles it up to the next. */
export const PAUSE_MS_MIN = 5
export const PAUSE_MS_MAX = 50
export const QUIET_MS = 2_000
/**
 * While a request is under way, changes gather this long for the next: each request costs the Worker about as much as
 * the changes in it, and many small ones make all of them wait.
 */
export const GATHER_MS = 15
/** The longest pause at rest where no NOTIFY comes. */
export const UNNOTIFIED_PAUSE_MS = 100

/** Busy, and a look is due now. */
export function wakeUp(nowMs: number): Attention {
  return { isResting: false, quietSinceMs: nowMs, pauseMs: 0 }
}

/** From look to look at rest; Infinity: only NOTIFY ends it. `fallbackLookMs` 0 turns the fallback off. */
export function restingPauseMs(fallbackLookMs: number, isNotified: boolean): number {
  const pauseMs = fallbackLookMs === 0 ? Number.POSITIVE_INFINITY : fallbackLookMs
  return isNotified ? pauseMs : Math.min(pauseMs, UNNOTIFIED_PAUSE_MS)
}

export interface LookOutcome {
  /** True when chunks came or went. */
  readonly foundChange: boolean
  /** True while chunks wait or are unconfirmed: confirmations come without a NOTIFY. */
  readonly hasChunks: boolean
}

export function afterLook(
  attention: Attention,
  { foundChange, hasChunks }: LookOutcome,
  restPauseMs: number,
  nowMs: number,
): Attention {
  if (foundChange) return { ...wakeUp(nowMs), pauseMs: PAUSE_MS_MIN }
  if (attention.isResting) return { ...attention, pauseMs: restPauseMs }
  const quietSinceMs = hasChunks ? nowMs : attention.quietSinceMs
  if (nowMs - quietSinceMs >= QUIET_MS) return { isResting: true, quietSinceMs, pauseMs: 0 }
  const pauseMs = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, attention.pauseMs * 2))
  return { isResting: false, quietSinceMs, pauseMs }
}

/** When the next look is due. `requestAtMs`: when the last request began, if one is under way. */
export function lookDueMs(
  { pauseMs }: Attention,
  lookedAtMs: number,
  requestAtMs: number | undefined,
): number {
  const dueMs = lookedAtMs + pauseMs
  return requestAtMs === undefined ? dueMs : Math.max(dueMs, requestAtMs + GATHER_MS)
}
