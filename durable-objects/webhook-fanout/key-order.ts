// Which events of a WebhookFanout may be sent, as `ready_at_ms` in the table `events` of storage.ts says.
//
// Of all events that share a key only the first has a `ready_at_ms`; the others wait until it is finished. So the
// next to send are found by an index, however many wait behind one that fails. An event that changed its row's key
// has two, and is ready when it is the first of both. An event without a key (its table has no primary key) shares
// one with every other and is a barrier: it waits for all before it, and all after it wait for it. What was taken
// back (`replay_of`) has lost its place in the order: it waits for nobody, and nobody for it.

import { BEFORE_ALL_EVENTS, BEHIND_ALL_EVENTS } from '../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent } from '../../src/features/webhooks/delivery/fanout-contract.ts'
import { firstRow, type SqlExec, type SqlValue } from './sql-rows.ts'

type Keys = Pick<FanoutEvent, 'key' | 'old_key'>
type Place = Keys & Pick<FanoutEvent, 'position'>

const INDEXES = [
  'create index if not exists events_by_key on events (key, position)',
  'create index if not exists events_by_old_key on events (old_key, position) where old_key is not null',
  'create index if not exists events_in_order on events (position) where replay_of is null',
]

/** Of an event: no earlier one has any of its keys. Nulls are equal to nothing here, so barriers are not seen. */
const IS_FIRST_OF_KEYS = `not exists (select 1 from events earlier where earlier.position < events.position
  and (earlier.key in (events.key, events.old_key) or earlier.old_key in (events.key, events.old_key)))`

export class KeyOrder {
  readonly #sql: SqlExec
  /** False: no event without a key is here, so that nobody needs to look for one. */
  #mayHaveBarriers = true
  /** False: no event has two keys. */
  #mayHaveOldKeys = true
  #changes = 0

  constructor(sql: SqlExec) {
    this.#sql = sql
    for (const index of INDEXES) sql.exec(index)
  }

  /** Grows when an event that was ready may not be sent any more, or not yet. */
  get changes(): number {
    return this.#changes
  }

  /** The highest position in the order; `BEFORE_ALL_EVENTS`: nothing has a place in it. */
  lastPosition(): string {
    const sql = 'select max(position) as position from events where replay_of is null'
    return this.#positionIn(sql) ?? BEFORE_ALL_EVENTS
  }

  /** True when an event of this place has to wait for another. */
  isBlocked({ position, ...keys }: Place): boolean {
    const firsts = keys.key === null ? [this.#firstPosition()] : this.#firstOfKeys(keys)
    return [...firsts, this.#firstBarrier()].some(first => first !== undefined && first < position)
  }

  /**
   * An event has been stored, ready unless blocked, when `last` was the highest position: what has its place behind
   * it waits for it.
   */
  enter(place: Place, last: string): void {
    if (place.key === null) this.#mayHaveBarriers = true
    if (place.old_key !== null) this.#mayHaveOldKeys = true
    if (place.position < last) this.#stepBackBehind(place)
  }

  /** An event is gone, whether it was its turn or not: what waited for it alone becomes due. */
  leave(keys: Keys, nowMs: number): void {
    const barrier = this.#firstBarrier()
    if (keys.key === null) this.#releaseBefore(barrier, nowMs)
    else {
      for (const next of this.#firstOfKeys(keys))
        if (barrier === undefined || next < barrier) this.#makeReady(next, nowMs)
    }
    if (barrier !== undefined && this.#firstPosition() === barrier) this.#makeReady(barrier, nowMs)
  }

  /** What came before its turn is no longer the first of its keys. */
  #stepBackBehind({ position, key, old_key }: Place): void {
    this.#changes += 1
    this.#sql.exec(
      `update events set ready_at_ms = null where ready_at_ms is not null and replay_of is null and position > ?
        and (key is null or ? is null or key in (?, ?) or old_key in (?, ?))`,
      ...[position, key, key, old_key, key, old_key],
    )
  }

  /** Before the barrier, the first event of each key is due. */
  #releaseBefore(barrier: string | undefined, nowMs: number): void {
    const before = barrier ?? BEHIND_ALL_EVENTS
    const first = this.#firstPosition()
    if (first === undefined || first >= before) return
    this.#sql.exec(
      `update events set ready_at_ms = ? where ready_at_ms is null and position in
        (select min(position) from events where position < ? and key is not null group by key) and ${IS_FIRST_OF_KEYS}`,
      nowMs,
      before,
    )
  }

  /** The first of one key is due, unless it is not the first of its other key. */
  #makeReady(position: string, nowMs: number): void {
    const unlessBlocked = this.#mayHaveOldKeys ? `and ${IS_FIRST_OF_KEYS}` : ''
    this.#sql.exec(
      `update events set ready_at_ms = ? where position = ? and ready_at_ms is null ${unlessBlocked}`,
      nowMs,
      position,
    )
  }

  #firstPosition(): string | undefined {
    return this.#positionIn('select position from events where replay_of is null order by position limit 1')
  }

  #firstBarrier(): string | undefined {
    const barrier = this.#mayHaveBarriers ? this.#firstOfKey(null) : undefined
    this.#mayHaveBarriers = barrier !== undefined
    return barrier
  }

  /** Of each key the first event that has it now, and the first that had it before. */
  #firstOfKeys({ key, old_key }: Keys): string[] {
    const keys = [key, old_key].filter(one => one !== null)
    const now = keys.map(one => this.#firstOfKey(one))
    const before = this.#hasOldKeys() ? keys.map(one => this.#firstOfOldKey(one)) : []
    return [...now, ...before].filter(position => position !== undefined)
  }

  #hasOldKeys(): boolean {
    if (this.#mayHaveOldKeys) {
      const row = firstRow(this.#sql, 'select 1 from events where old_key is not null limit 1')
      this.#mayHaveOldKeys = row !== undefined
    }
    return this.#mayHaveOldKeys
  }

  #firstOfKey(key: string | null): string | undefined {
    // `is` also compares null, and uses the index either way.
    return this.#positionIn('select position from events where key is ? order by position limit 1', key)
  }

  #firstOfOldKey(key: string): string | undefined {
    return this.#positionIn('select position from events where old_key = ? order by position limit 1', key)
  }

  #positionIn(query: string, ...bindings: SqlValue[]): string | undefined {
    const position = firstRow(this.#sql, query, ...bindings)?.['position']
    return typeof position === 'string' ? position : undefined
  }
}
