// What waits in a webhook's object, in figures, for whoever looks. Reads what storage.ts keeps, and changes nothing.

import type { WaitingEvents } from '../../src/features/webhooks/delivery/fanout-contract.ts'
import type { FanoutState } from '../../src/features/webhooks/delivery/fanout-state.ts'
import { isFailing } from '../../src/features/webhooks/delivery/retry-schedule.ts'
import type { SqlExec } from './sql-rows.ts'
import type { FanoutStorage } from './storage.ts'

/** A webhook that was paused for a week may have millions. */
const COUNTED_MAX = 100_000

/** Of an object that had no event yet. */
export const NOTHING_WAITS: WaitingEvents = { count: 0, oldest_at_ms: null, next_attempt_at_ms: null }

// Positions grow with time, so that the oldest change is at the front.
const WAITING = `select (select count(*) from (select 1 from events limit ${COUNTED_MAX})) as count,
  (select occurred_at_ms from events order by position limit 1) as oldest_at_ms`

export function waitingEvents(
  sql: SqlExec,
  storage: FanoutStorage,
  state: FanoutState,
  nowMs: number,
): WaitingEvents {
  const [row] = Array.from(sql.exec(WAITING))
  const count = Number(row?.['count'] ?? 0)
  if (count === 0) return NOTHING_WAITS
  const dueAtMs = isFailing(state.failCount) ? state.probeAtMs : (storage.firstDueAtMs() ?? nowMs)
  return {
    count,
    oldest_at_ms: Number(row?.['oldest_at_ms']),
    next_attempt_at_ms: state.webhook.active ? Math.max(nowMs, dueAtMs) : null,
  }
}
