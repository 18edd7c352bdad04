// Which events of a WebhookFanout may be sent, as `ready_at_ms` in the table `events` of fanout-storage.ts says.
//
// Of all events that share a key only the first has a `ready_at_ms`; the others wait until it is finished. So the next to
// send are found by an index, however many wait behind one that fails. An event without a key (its table has no primary
// key, or it changed one) shares one with every other: it waits for all before it, and all after it wait for it. What was
// taken back (`replay_of`) has lost its place in the order: it waits for nobody, and nobody for it.

import type { FanoutEvent } from '../src/features/webhooks/delivery/fanout-contract.ts'
import { firstRow, type SqlExec, type SqlValue } from './sql-rows.ts'

/** Where an event stands in the order. */
export type Place = Pick<FanoutEvent, 'position' | 'key'>

const INDEXES = [
  'create index if not exists events_by_key on events (key, position)',
  'create index if not exists events_in_order on events (position) where replay_of is null',
]

export class KeyOrder {
  readonly #sql: SqlExec
  /** False: no event without a key is here, so that nobody needs to look for one. */
  #mayHaveBarriers = true
  #changes = 0

  constructor(sql: SqlExec) {
    this.#sql = sql
    for (const index of INDEXES) sql.exec(index)
  }

  /** Grows when an event that was ready may not be sent any more, or not yet. */
  get changes(): number {
    return this.#changes
  }

  /** The highest position in the order; -1: nothing has a place in it. */
  lastPosition(): number {
    return this.#positionIn('select max(position) as position from events where replay_of is null') ?? -1
  }

  /** True when an event of this place has to wait for another. */
  isBlocked({ position, key }: Place): boolean {
    const before = key === null ? this.#firstPosition() : this.#firstOfKey(key)
    const barrier = this.#firstBarrier()
    return (before !== undefined && before < position) || (barrier !== undefined && barrier < position)
  }

  /** An event has been stored, ready unless blocked, when `last` was the highest position: what came before it waits for it. */
  enter({ position, key }: Place, last: number): void {
    if (key === null) this.#mayHaveBarriers = true
    if (position < last) this.#stepBackBehind(position, key)
  }

  /** An event is gone, whether it was its turn or not: what waited for it alone becomes due. */
  leave({ key }: Pick<Place, 'key'>, nowMs: number): void {
    const barrier = this.#firstBarrier()
    if (key === null) this.#releaseBefore(barrier, nowMs)
    else {
      const next = this.#firstOfKey(key)
      if (next !== undefined && (barrier === undefined || next < barrier)) this.#makeReady(next, nowMs)
    }
    if (barrier !== undefined && this.#firstPosition() === barrier) this.#makeReady(barrier, nowMs)
  }

  /** What came before its turn is no longer the first of its key. */
  #stepBackBehind(position: number, key: string | null): void {
    this.#changes += 1
    this.#sql.exec(
      `update events set ready_at_ms = null where ready_at_ms is not null and replay_of is null and position > ?
        and (key = ? or key is null or ? is null)`,
      position,
      key,
      key,
    )
  }

  /** The first event of each key before the barrier is due. */
  #releaseBefore(barrier: number | undefined, nowMs: number): void {
    const before = barrier ?? Number.MAX_SAFE_INTEGER
    const first = this.#firstPosition()
    if (first === undefined || first >= before) return
    this.#sql.exec(
      `update events set ready_at_ms = ? where ready_at_ms is null and position in
        (select min(position) from events where position < ? and key is not null group by key)`,
      nowMs,
      before,
    )
  }

  #makeReady(position: number, nowMs: number): void {
    this.#sql.exec(
      'update events set ready_at_ms = ? where position = ? and ready_at_ms is null',
      nowMs,
      position,
    )
  }

  #firstPosition(): number | undefined {
    return this.#positionIn('select position from events where replay_of is null order by position limit 1')
  }

  #firstBarrier(): number | undefined {
    const barrier = this.#mayHaveBarriers ? this.#firstOfKey(null) : undefined
    this.#mayHaveBarriers = barrier !== undefined
    return barrier
  }

  #firstOfKey(key: string | null): number | undefined {
    // `is` also compares null, and uses the index either way.
    return this.#positionIn('select position from events where key is ? order by position limit 1', key)
  }

  #positionIn(query: string, ...bindings: SqlValue[]): number | undefined {
    const position = firstRow(this.#sql, query, ...bindings)?.['position']
    return typeof position === 'number' ? position : undefined
  }
}
