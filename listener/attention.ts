/**
 * Owns when the listener looks, and when it may stop looking because NOTIFY will wake it. Pure: told what each look
 * found and what time it is.
 *
 * A trigger that found the flag down sends no NOTIFY, and its transaction may commit long after the flag was raised. So
 * the listener rests only when every transaction that was under way with the flag up has ended, and it has looked since.
 */

/**
 * `busy`: the flag is down, looks follow each other. `settling`: the flag is up, old transactions may still commit
 * unannounced. `resting`: nothing is asked until something wakes it.
 */
export type Attention =
  | { readonly phase: 'busy'; readonly quietSinceMs: number; readonly pauseMs: number }
  | { readonly phase: 'settling'; readonly settledAt: bigint | undefined; readonly pauseMs: number }
  | { readonly phase: 'resting' }

export interface Look {
  /** True when chunks came or went. */
  readonly foundChange: boolean
  /** The oldest transaction under way in the look's snapshot. */
  readonly xmin: bigint
  /** A transaction number drawn during the look, if one was asked for: every transaction that began before has a lower one. */
  readonly mark: bigint | undefined
}

/** The pause after a look that found something; each that finds nothing doubles it up to the next. */
export const PAUSE_MS_MIN = 5
export const PAUSE_MS_MAX = 50
const SETTLING_PAUSE_MS_MAX = 250
export const QUIET_MS = 5_000
/**
 * While a request is under way, changes gather this long for the next: each request costs the Worker about as much as the
 * changes in it, and many small ones make all of them wait.
 */
export const GATHER_MS = 15

export function wakeUp(nowMs: number): Attention {
  return { phase: 'busy', quietSinceMs: nowMs, pauseMs: 0 }
}

/** True when the flag (`quoin.listener_idle`) has to be up before the next look. */
export function wantsNotify({ phase }: Attention): boolean {
  return phase !== 'busy'
}

/** True when the next look has to draw a transaction number. */
export function wantsMark(attention: Attention): boolean {
  return attention.phase === 'settling' && attention.settledAt === undefined
}

export function afterLook(attention: Attention, look: Look, nowMs: number): Attention {
  if (look.foundChange) return { phase: 'busy', quietSinceMs: nowMs, pauseMs: PAUSE_MS_MIN }
  switch (attention.phase) {
    case 'busy':
      return afterQuietLook(attention, nowMs)
    case 'settling': {
      // Drawn with the flag up: only transactions with lower numbers may have seen it down.
      const settledAt = attention.settledAt ?? look.mark
      if (settledAt !== undefined && look.xmin >= settledAt) return { phase: 'resting' }
      return { ...attention, settledAt, pauseMs: longer(attention.pauseMs, SETTLING_PAUSE_MS_MAX) }
    }
    case 'resting':
      return attention
  }
}

export interface LookTimes {
  readonly lookedAtMs: number
  /** When the last request began that is still under way; undefined: none is. */
  readonly requestAtMs: number | undefined
  /** How long a resting listener goes without a look. */
  readonly idleLookMs: number
}

/** When the next look is due. */
export function lookDueMs(attention: Attention, { lookedAtMs, requestAtMs, idleLookMs }: LookTimes): number {
  const pauseMs = attention.phase === 'resting' ? idleLookMs : attention.pauseMs
  const dueMs = lookedAtMs + pauseMs
  return requestAtMs === undefined ? dueMs : Math.max(dueMs, requestAtMs + GATHER_MS)
}

function afterQuietLook(attention: Extract<Attention, { phase: 'busy' }>, nowMs: number): Attention {
  if (nowMs - attention.quietSinceMs >= QUIET_MS) {
    return { phase: 'settling', settledAt: undefined, pauseMs: 0 }
  }
  return { ...attention, pauseMs: longer(attention.pauseMs, PAUSE_MS_MAX) }
}

function longer(pauseMs: number, maxMs: number): number {
  return Math.min(maxMs, Math.max(PAUSE_MS_MIN, pauseMs * 2))
}
