// The span of time that metrics are asked of, and the steps it is cut into. Pure.

import { DomainError } from '../../errors.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
/** Counts of minutes are kept so long; older ones are there by the hour. */
export const MINUTES_KEPT_SECONDS = 2 * DAY
export const POINTS_MAX = 1_500
export const STEP_SECONDS_MAX = 31 * DAY
const SECONDS_MAX = Date.UTC(9000, 0) / 1_000
/** Points that a chart can show; the step is chosen so that there are no more. */
const POINTS_WANTED = 200
const STEPS = [60, 300, 900, HOUR, 6 * HOUR, DAY, 7 * DAY, 28 * DAY]

/** In seconds since 1970; `from` and `to` are multiples of `stepSeconds`, and `to` is exclusive. */
export interface Span {
  from: number
  to: number
  stepSeconds: number
}

export interface SpanQuery {
  /** ISO 8601. */
  from?: string | undefined
  to?: string | undefined
  /** Seconds. */
  step?: number | undefined
}

/**
 * The span, widened to whole steps: the last day unless said. Throws `invalid_parameter` for dates that are reversed,
 * a step of minutes where only hours are left, and for more steps than an answer holds.
 */
export function spanOf(query: SpanQuery, now: Date): Span {
  const toSeconds = query.to === undefined ? now.getTime() / 1_000 : secondsOf('to', query.to)
  const fromSeconds = query.from === undefined ? toSeconds - DAY : secondsOf('from', query.from)
  if (fromSeconds >= toSeconds) {
    throw new DomainError('invalid_parameter', 'query.from: is not before query.to.', {
      hint: 'Name an earlier from, or a later to; to is now where it is left out.',
    })
  }
  const isOld = fromSeconds < now.getTime() / 1_000 - MINUTES_KEPT_SECONDS
  const stepSeconds = query.step ?? defaultStep(toSeconds - fromSeconds, isOld)
  if (isOld && stepSeconds % HOUR !== 0) {
    throw new DomainError(
      'invalid_parameter',
      'query.step: is no whole hour, and query.from is over two days ago.',
      {
        hint: 'Minutes are counted for two days. Name a multiple of 3600, or a later from.',
      },
    )
  }
  const from = Math.floor(fromSeconds / stepSeconds) * stepSeconds
  const to = Math.ceil(toSeconds / stepSeconds) * stepSeconds
  const points = (to - from) / stepSeconds
  if (points > POINTS_MAX) {
    throw new DomainError('invalid_parameter', `query.step: cuts the time into ${points} steps.`, {
      detail: `An answer holds at most ${POINTS_MAX}.`,
      hint: hintFor(to - from),
    })
  }
  return { from, to, stepSeconds }
}

/** The begin of each step, in seconds since 1970. */
export function stepsOf({ from, to, stepSeconds }: Span): number[] {
  return Array.from({ length: (to - from) / stepSeconds }, (_, i) => from + i * stepSeconds)
}

function defaultStep(seconds: number, isOld: boolean): number {
  const min = isOld ? HOUR : 0
  return STEPS.find(step => step >= min && seconds / step <= POINTS_WANTED) ?? STEPS.at(-1) ?? DAY
}

function hintFor(seconds: number): string {
  const step = Math.ceil(seconds / POINTS_MAX / 60) * 60
  return step > STEP_SECONDS_MAX
    ? 'Ask for a shorter time.'
    : `Name a step of at least ${step} seconds, or a shorter time.`
}

/** Widened to whole steps it must still be a time that Postgres and JavaScript can write. */
function secondsOf(name: string, time: string): number {
  const seconds = Date.parse(time) / 1_000
  if (seconds >= 0 && seconds < SECONDS_MAX) return seconds
  throw new DomainError('invalid_parameter', `query.${name}: is not between the years 1970 and 9000.`)
}
