// What a WebhookFanout knows of its webhook, and how rows and attempts change that. Pure: the object stores what these
// functions answer, and nothing when they answer the same state again.

import { isFailing, PROBE_INTERVAL_MS, type Verdict } from './retry-schedule.ts'
import type { WebhookRow, WebhookState } from './webhook-row.ts'

export interface FanoutState {
  webhook: WebhookRow
  /** Failed attempts in a row. */
  failCount: number
  /** While failing: when the next event may be tried. */
  probeAtMs: number
  /** A receiver has paused the webhook, and the database does not know yet. */
  owesPause: boolean
  /** `fail_count` or `state` have changed since they were last written. */
  owesHealth: boolean
}

/** The state after reading or being told a row. An older row than the known one changes nothing. */
export function withRow(state: FanoutState | undefined, webhook: WebhookRow): FanoutState {
  if (state === undefined) {
    return { webhook, failCount: webhook.fail_count, probeAtMs: 0, owesPause: false, owesHealth: false }
  }
  if (webhook.version <= state.webhook.version) return state
  const isResumed = webhook.active && !state.webhook.active
  // A change may be what mends the receiver: it is tried at once.
  return { ...state, webhook, probeAtMs: 0, owesPause: false, owesHealth: state.owesHealth || isResumed }
}

/** The state after one attempt of one event. */
export function afterAttempt(state: FanoutState, verdict: Verdict, nowMs: number): FanoutState {
  if (verdict.outcome === 'delivered') {
    return state.failCount === 0 ? state : { ...state, failCount: 0, probeAtMs: 0, owesHealth: true }
  }
  const failCount = state.failCount + 1
  const failed = {
    ...state,
    failCount,
    owesHealth: true,
    probeAtMs: isFailing(failCount) ? nowMs + PROBE_INTERVAL_MS : 0,
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
  /** When old things are to be forgotten; undefined when there are none. */
  forgetAtMs: number | undefined
}

/** An alarm is never further off while something could be done now: what a crash has stopped goes on by it. */
export const ALARM_AHEAD_MS = 2_000

/** When the alarm is to go off; undefined: there is nothing to do. */
export function nextAlarm(waiting: Waiting): number | undefined {
  const { nowMs, state, firstDueAtMs, forgetAtMs } = waiting
  const moments: number[] = []
  const owes = waiting.owesReports || state.owesHealth || state.owesPause
  if (owes) moments.push(Math.max(waiting.reportAgainAtMs, nowMs + ALARM_AHEAD_MS))
  if (firstDueAtMs !== undefined) {
    moments.push(Math.max(waiting.readAgainAtMs, nowMs + ALARM_AHEAD_MS))
    const dueAtMs = isFailing(state.failCount) ? state.probeAtMs : firstDueAtMs
    if (state.webhook.active) moments.push(dueAtMs <= nowMs ? nowMs + ALARM_AHEAD_MS : dueAtMs)
  }
  if (forgetAtMs !== undefined) moments.push(Math.max(forgetAtMs, nowMs + ALARM_AHEAD_MS))
  return moments.length === 0 ? undefined : Math.min(...moments)
}
