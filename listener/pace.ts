/**
 * Owns how soon the listener turns to Postgres again. Pure: told what it found last and what time it is.
 */

/** The pause after a look that found something; each time nothing is found doubles it, up to `LISTENER_POLL_MS`. */
export const PAUSE_MS_MIN = 5
/**
 * While a request is under way, changes gather this long for the next: each request costs the Worker about as much as the
 * changes in it, and many small ones make all of them wait.
 */
export const GATHER_MS = 15

/** The pause after this one, in milliseconds. */
export function nextPauseMs(pauseMs: number, foundChange: boolean, pauseMsMax: number): number {
  return foundChange ? PAUSE_MS_MIN : Math.min(pauseMsMax, pauseMs * 2)
}

export interface TurnTimes {
  /** When the listener last turned to Postgres. */
  readonly lastAtMs: number
  readonly pauseMs: number
  /** When the last request began that is still under way; undefined: none is. */
  readonly requestAtMs: number | undefined
}

/** When the listener turns to Postgres next. */
export function dueMs({ lastAtMs, pauseMs, requestAtMs }: TurnTimes): number {
  const atMs = lastAtMs + pauseMs
  return requestAtMs === undefined ? atMs : Math.max(atMs, requestAtMs + GATHER_MS)
}
