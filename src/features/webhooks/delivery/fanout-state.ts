// What a WebhookFanout knows of its webhook, and how rows and attempts change that. Pure: the object stores what these
// functions answer, and nothing when they answer the same state again.

import { isFailing, probeDelayMs, type Verdict } from './retry-schedule.ts'
import type { WebhookRow, WebhookState } from './webhook-row.ts'

export interface FanoutState {
  webhook: WebhookRow
  /** Failed attempts in a row. */
  failCount: number
  /** While failing: when the next event may be tried. */
  probeAtMs: number
  /** Probes since the webhook is failing, or since something may have mended its receiver. */
  probes: number
  /** A receiver has paused the webhook, and the database does not know yet. */
  owesPause: boolean
  /** `fail_count` or `state` have changed since they were last written. */
  owesHealth: boolean
}

/** The state after reading or being told a row. An older row than the known one changes nothing. */
export function withRow(state: FanoutState | undefined, webhook: WebhookRow): FanoutState {
  if (state === undefined) {
    return {
      webhook,
      failCount: webhook.fail_count,
      probeAtMs: 0,
      probes: 0,
      owesPause: false,
      owesHealth: false,
    }
  }
  if (webhook.version <= state.webhook.version) return state
  const isResumed = webhook.active && !state.webhook.active
  // A change may be what mends the receiver.
  return { ...probedNow(state), webhook, owesPause: false, owesHealth: state.owesHealth || isResumed }
}

/** The state in which a failing webhook is tried at once, and soon again. */
export function probedNow(state: FanoutState): FanoutState {
  return { ...state, probeAtMs: 0, probes: 0 }
}

/** The state as a failing webhook's event is tried. A crash before its end counts as a failure. */
export function beforeProbe(state: FanoutState, nowMs: number): FanoutState {
  const probes = state.probes + 1
  return { ...state, probes, probeAtMs: nowMs + probeDelayMs(probes) }
}

/** The state after one attempt of one event. */
export function afterAttempt(state: FanoutState, verdict: Verdict, nowMs: number): FanoutState {
  if (verdict.outcome === 'outdated') return state
  if (verdict.outcome === 'delivered') {
    return state.failCount === 0 ? state : { ...probedNow(state), failCount: 0, owesHealth: true }
  }
  const failCount = state.failCount + 1
  const failed = {
    ...state,
    failCount,
    owesHealth: true,
    probeAtMs: isFailing(failCount) ? nowMs + probeDelayMs(state.probes) : 0,
  }
  if (verdict.outcome !== 'gone') return failed
  return { ...failed, webhook: { ...state.webhook, active: false }, owesPause: true }
}

/** The webhook's health as its row has it. */
export function healthOf({ failCount, webhook, owesPause }: FanoutState): WebhookState {
  if (owesPause || (!webhook.active && webhook.state === 'paused_by_receiver')) return 'paused_by_receiver'
  return isFailing(failCount) ? 'failing' : 'healthy'
}

/** What there is to wait for; undefined: nothing of the kind. */
export interface Waiting {
  nowMs: number
  state: FanoutState
  /** When the first event is due, be it under way already. */
  firstDueAtMs: number | undefined
  /** Something for Postgres is left. */
  owesReports: boolean
  /** When reports may be written again after Postgres has not taken them. */
  reportAgainAtMs: number
  /** When the webhook's row is to be read again. */
  readAgainAtMs: number
  /** When dead letters may be taken back; undefined when none are owed. */
  takeBackAtMs: number | undefined
  /** When old things are to be forgotten; undefined when there are none. */
  forgetAtMs: number | undefined
}

/** An alarm is never further off while something could be done now: what a crash has stopped goes on by it. */
export const ALARM_AHEAD_MS = 2_000

/** When the alarm is to go off; undefined: there is nothing to do. */
export function nextAlarm(waiting: Waiting): number | undefined {
  const { nowMs, state, firstDueAtMs, takeBackAtMs, forgetAtMs } = waiting
  const moments: number[] = []
  const owes = waiting.owesReports || state.owesHealth || state.owesPause
  if (owes) moments.push(Math.max(waiting.reportAgainAtMs, nowMs + ALARM_AHEAD_MS))
  if (firstDueAtMs !== undefined) {
    moments.push(Math.max(waiting.readAgainAtMs, nowMs + ALARM_AHEAD_MS))
    const dueAtMs = isFailing(state.failCount) ? state.probeAtMs : firstDueAtMs
    if (state.webhook.active) moments.push(dueAtMs <= nowMs ? nowMs + ALARM_AHEAD_MS : dueAtMs)
  }
  if (takeBackAtMs !== undefined) moments.push(Math.max(takeBackAtMs, nowMs))
  if (forgetAtMs !== undefined) moments.push(Math.max(forgetAtMs, nowMs + ALARM_AHEAD_MS))
  return moments.length === 0 ? undefined : Math.min(...moments)
}
