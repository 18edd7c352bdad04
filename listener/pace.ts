/**
 * Owns how soon the listener asks Postgres again. Pure: told what it found last and what time it is.
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

export interface PollTimes {
  readonly polledAtMs: number
  readonly pauseMs: number
  /** When the last request began that is still under way; undefined: none is. */
  readonly requestAtMs: number | undefined
}

/** When the listener asks Postgres next. */
export function nextPollMs({ polledAtMs, pauseMs, requestAtMs }: PollTimes): number {
  const dueMs = polledAtMs + pauseMs
  return requestAtMs === undefined ? dueMs : Math.max(dueMs, requestAtMs + GATHER_MS)
}
