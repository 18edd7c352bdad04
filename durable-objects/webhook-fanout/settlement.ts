// Writes down what an attempt came to and what follows from it, in one transaction: nothing in here waits.

import type {
  DeadLetterReason,
  DeadLetterRecord,
  DeliveryRecord,
} from '../../src/features/webhooks/delivery/delivery-log.ts'
import { eventIdOf } from '../../src/features/webhooks/delivery/event-identity.ts'
import { afterAttempt, type FanoutState } from '../../src/features/webhooks/delivery/fanout-state.ts'
import { isFailing, judgeAttempt, type Verdict } from '../../src/features/webhooks/delivery/retry-schedule.ts'
import type { AttemptResult } from '../../src/features/webhooks/delivery/send-attempt.ts'
import type { DueEvent } from './due-event.ts'
import type { FanoutStorage } from './storage.ts'

/** An attempt that is over. */
export interface Finished {
  event: DueEvent
  /** Of the webhook as the attempt was made. */
  version: number
  webhookId: string
  result: AttemptResult
  finishedAtMs: number
  /** The event has arrived by a replay meanwhile. */
  hasArrived: boolean
}

/** What a log entry says beside the answer. */
export type SentFacts = Pick<
  DeliveryRecord,
  'event_id' | 'event_type' | 'webhook_message_id' | 'replay_of' | 'request_id' | 'payload_error' | 'attempt'
>

/** Logs the attempt, lets its event go on, wait or end, and answers the webhook's state after it. */
export function settleAttempt(storage: FanoutStorage, state: FanoutState, finished: Finished): FanoutState {
  const { event, version, webhookId, result, finishedAtMs } = finished
  const nowMs = Date.now()
  const record = logRecord(state.webhook.id, result, finishedAtMs, {
    event_id: eventIdOf(event.position),
    // Only changes of rows are stored as due: tests and replays are sent without.
    event_type: event.eventType as DeliveryRecord['event_type'],
    webhook_message_id: webhookId,
    replay_of: event.replayOf,
    request_id: event.requestId,
    payload_error: event.payloadError,
    attempt: event.attempts + 1,
  })
  storage.reports.addOfEvent('delivery', record, event.position)
  const isOutdated = version < state.webhook.version
  const standing = { attempts: event.attempts, failCount: state.failCount, isOutdated }
  const verdict = judgeAttempt(result, standing, Math.random())
  if (finished.hasArrived) endDelivered(storage, event, nowMs)
  else follow(storage, state, event, verdict, nowMs)
  // What waited for its next attempt waited for the receiver: it is back.
  if (verdict.outcome === 'delivered' && isFailing(state.failCount)) storage.makeDueNow(nowMs)
  return afterAttempt(state, verdict, nowMs)
}

function follow(
  storage: FanoutStorage,
  state: FanoutState,
  event: DueEvent,
  verdict: Verdict,
  nowMs: number,
): void {
  switch (verdict.outcome) {
    case 'delivered':
      endDelivered(storage, event, nowMs)
      break
    case 'retry':
      storage.postpone(event.position, verdict.attempts, nowMs, verdict.delayMs)
      break
    case 'gone':
      storage.postpone(event.position, event.attempts, nowMs, 0)
      break
    case 'outdated':
      storage.postpone(event.position, 0, nowMs, 0)
      break
    case 'dead':
      giveUp(storage, state.webhook.id, event, 'attempts_exhausted')
      break
  }
}

/** The event has arrived: it is not sent again, and what waited for it goes on. */
export function endDelivered(storage: FanoutStorage, event: DueEvent, nowMs: number): void {
  storage.finish(event.position, nowMs)
  if (event.isInPieces) storage.pieces.drop(event.position)
  if (event.replayOf !== null) storage.reports.add('resolved', { id: event.replayOf }, null)
}

/** The event is a dead letter and lets go of its key. One that was a dead letter before simply is one again. */
export function giveUp(
  storage: FanoutStorage,
  webhookId: string,
  event: DueEvent,
  reason: DeadLetterReason,
): void {
  if (event.replayOf === null) {
    const letter: DeadLetterRecord = {
      id: crypto.randomUUID(),
      webhook_id: webhookId,
      event_id: eventIdOf(event.position),
      reason,
      request_id: event.requestId,
      payload_error: event.payloadError,
      created_at: new Date().toISOString(),
    }
    storage.reports.addOfEvent('dead_letter', letter, event.position)
  } else storage.pieces.drop(event.position)
  storage.finish(event.position, Date.now())
}

/** The log entry of an attempt, under a new id. */
export function logRecord(
  webhookId: string,
  result: AttemptResult,
  atMs: number,
  sent: SentFacts,
): DeliveryRecord {
  return {
    id: crypto.randomUUID(),
    webhook_id: webhookId,
    ...sent,
    status_code: result.statusCode,
    response_body: result.responseBody,
    error: result.error,
    latency_ms: Math.max(0, Math.round(result.latencyMs)),
    created_at: new Date(atMs).toISOString(),
  }
}
