// What the times of a token say of it now. Pure: the clock is given.

import type { Claims } from '../../../parts/jwt.ts'

export type Tone = 'good' | 'bad' | 'attention' | 'neutral'

export interface Lifetime {
  tone: Tone
  word: string
  /** The time that the word is about. */
  at?: Date
  more?: string
}

/** Later than the year 5138 in seconds; as milliseconds it is a day of our time. */
const SECONDS_MAX = 1e11
const SOON_SECONDS = 60

/** A claim's time; undefined where it is none. */
export function timeOf(value: unknown): Date | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) >= SECONDS_MAX) return undefined
  return new Date(value * 1_000)
}

/** Judges `exp` and `nbf` without leeway; a verifier may grant a minute (RFC 7519 section 4.1.4). */
export function lifetimeOf({ exp, nbf }: Claims, now: Date): Lifetime {
  const wrong = [exp, nbf].find(value => value !== undefined && timeOf(value) === undefined)
  if (wrong !== undefined)
    return {
      tone: 'bad',
      word: 'Its times are wrong',
      more:
        typeof wrong === 'number'
          ? 'exp and nbf are seconds since 1970. These look like milliseconds.'
          : 'exp and nbf must be numbers: seconds since 1970.',
    }
  const [ends, begins] = [timeOf(exp), timeOf(nbf)]
  if (begins !== undefined && begins > now) return { tone: 'attention', word: 'Not valid yet', at: begins }
  if (ends === undefined)
    return {
      tone: 'attention',
      word: 'Never expires',
      more: 'It has no exp: it is valid until its key is removed.',
    }
  if (ends <= now) return { tone: 'bad', word: 'Expired', at: ends }
  const isSoon = ends.getTime() - now.getTime() < SOON_SECONDS * 1_000
  return { tone: isSoon ? 'attention' : 'good', word: isSoon ? 'Expires very soon' : 'Not expired', at: ends }
}
