// What a WebhookFanout promises about order and repeats, held against an obvious model. The storage runs on Node's own
// SQLite here; test/objects runs it on the runtime's.

import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DueEvent } from '../../../durable-objects/webhook-fanout/due-event.ts'
import { FanoutStorage } from '../../../durable-objects/webhook-fanout/storage.ts'
import { eventIdOf, indexOf, positionOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent } from '../../../src/features/webhooks/delivery/fanout-contract.ts'

const NOW = 1_800_000_000_000
const FAR = Number.MAX_SAFE_INTEGER

function makeStorage(database = new DatabaseSync(':memory:')): FanoutStorage {
  return new FanoutStorage({ exec: (query, ...bindings) => database.prepare(query).all(...bindings) })
}

function eventAt(
  chunk: number | string,
  index: number,
  key: string | null,
  oldKey: string | null = null,
): FanoutEvent {
  return {
    position: positionOf(String(chunk), index),
    key,
    old_key: oldKey,
    event_type: 'UPDATE',
    occurred_at_ms: NOW - 1_000,
    request_id: null,
    payload: `{"n":${chunk}}`,
    bytes: 8,
    payload_error: null,
  }
}

const positionsOf = (events: readonly DueEvent[]) => events.map(event => event.position)

/** A key in common: an event has up to two, and one without any has all. */
function sharesKey(one: FanoutEvent, other: FanoutEvent): boolean {
  if (one.key === null || other.key === null) return true
  const keys = [one.key, one.old_key].filter(key => key !== null)
  return keys.some(key => key === other.key || key === other.old_key)
}

/** What may be sent: no earlier event shares a key. */
function sendable(waiting: readonly FanoutEvent[]): FanoutEvent[] {
  return waiting.filter(
    event => !waiting.some(earlier => earlier.position < event.position && sharesKey(earlier, event)),
  )
}

const oneKey = fc.constantFrom('a', 'b', 'c', 'd')
const keys = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(oneKey, fc.constant(null)) },
  { weight: 4, arbitrary: fc.tuple(oneKey, oneKey).filter(([key, oldKey]) => key !== oldKey) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(null), fc.constant(null)) },
)
const pick = fc.nat(20)
const ofChunk = fc.array(keys, { minLength: 1, maxLength: 4 })
const command = fc.oneof(
  // A chunk may come before one with a lower number.
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('store' as const), swap: fc.boolean(), keys: ofChunk }),
  },
  // Another chunk under a number that was had: the outbox was restored from a backup.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), pick, keys: ofChunk }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('finish' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('postpone' as const), pick }) },
  // What arrived by a replay or was kept too long, whether its turn has come or not.
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('take back' as const), swap: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('evict' as const) }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

/** The storage, and beside it the obvious way to know what may be sent. */
class Held {
  readonly #database = new DatabaseSync(':memory:')
  #storage = makeStorage(this.#database)
  #inOrder: FanoutEvent[] = []
  #takenBack: FanoutEvent[] = []
  readonly #had = new Map<number, FanoutEvent[]>()
  #chunk = 10

  run(step: Command): void {
    switch (step.kind) {
      case 'store':
        this.#store(this.#nextChunk(step.swap), step.keys)
        break
      case 'restore':
        if (this.#had.size > 0) this.#store([...this.#had.keys()][step.pick % this.#had.size] ?? 0, step.keys)
        break
      case 'finish':
        this.#end(this.#offered()[step.pick % Math.max(1, this.#offered().length)])
        break
      case 'end': {
        const all = [...this.#inOrder, ...this.#takenBack]
        this.#end(all[step.pick % Math.max(1, all.length)])
        break
      }
      case 'postpone': {
        const event = this.#offered()[step.pick % Math.max(1, this.#offered().length)]
        if (event !== undefined) this.#storage.postpone(event.position, 1, NOW, 5_000)
        break
      }
      case 'take back':
        this.#takeBack(eventAt(this.#nextChunk(step.swap), 0, `letter ${this.#chunk}`))
        break
      case 'repeat':
        for (const events of this.#had.values()) expect(this.#storage.add(events, NOW)).toBe(0)
        break
      case 'evict':
        this.#storage = makeStorage(this.#database)
    }
  }

  check(): void {
    const expected = this.#offered().map(event => event.position)
    const offered = positionsOf(this.#storage.startable(FAR, 1_000))
    expect(offered.toSorted()).toEqual(expected.toSorted())
  }

  #offered(): FanoutEvent[] {
    return [...sendable(this.#inOrder), ...this.#takenBack]
  }

  #nextChunk(swap: boolean): number {
    this.#chunk += 2
    return swap ? this.#chunk - 3 : this.#chunk
  }

  #store(chunk: number, keys: readonly (readonly [string | null, string | null])[]): void {
    const occurred_at_ms = (this.#had.get(chunk)?.[0]?.occurred_at_ms ?? NOW) + 1
    const events = keys.map(([key, old], index) => ({ ...eventAt(chunk, index, key, old), occurred_at_ms }))
    expect(this.#storage.add(events, NOW)).toBe(events.length)
    this.#had.set(chunk, events)
    const kept = this.#inOrder.filter(event => !events.some(({ position }) => position === event.position))
    this.#inOrder = [...kept, ...events]
  }

  #takeBack(event: FanoutEvent): void {
    expect(this.#storage.addAgain(event, 'letter', NOW)).toBe(true)
    this.#takenBack.push(event)
  }

  #end(event: FanoutEvent | undefined): void {
    if (event === undefined) return
    this.#storage.finish(event.position, NOW)
    this.#inOrder = this.#inOrder.filter(other => other !== event)
    this.#takenBack = this.#takenBack.filter(other => other !== event)
  }
}

describe('the order of keys', () => {
  it('offers exactly what shares no key with an earlier event, whatever came when', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: 'max' }), commands => {
        const held = new Held()
        for (const step of commands) {
          held.run(step)
          held.check()
        }
      }),
      { numRuns: 150 },
    )
  })

  it('lets an event that changed its key wait for both, and both wait for it', () => {
    const storage = makeStorage()
    const events = [
      eventAt(1, 0, 'a'),
      eventAt(1, 1, 'b'),
      eventAt(1, 2, 'b', 'a'),
      eventAt(1, 3, 'a'),
      eventAt(1, 4, 'b'),
      eventAt(1, 5, 'c'),
    ]
    storage.add(events, NOW)
    const ready = () => positionsOf(storage.startable(NOW, 10)).map(indexOf)
    const finish = (index: number) => storage.finish(positionOf('1', index), NOW)
    expect(ready()).toEqual([0, 1, 5])
    finish(0)
    expect(ready()).toEqual([1, 5])
    finish(1)
    expect(ready()).toEqual([2, 5])
    finish(2)
    expect(ready()).toEqual([3, 4, 5])
  })

  it('has a chain of changed keys go one by one, also where the middle comes last', () => {
    const storage = makeStorage()
    storage.add([eventAt(1, 0, 'a')], NOW)
    storage.add([eventAt(3, 0, 'c', 'b'), eventAt(3, 1, 'c')], NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('1', 0), positionOf('3', 0)])
    const before = storage.orderChanges
    storage.add([eventAt(2, 0, 'b', 'a')], NOW)
    expect(storage.orderChanges).toBeGreaterThan(before)
    for (const [chunk, index] of [
      [1, 0],
      [2, 0],
      [3, 0],
      [3, 1],
    ] as const) {
      const position = positionOf(String(chunk), index)
      expect(positionsOf(storage.startable(NOW, 10))).toEqual([position])
      storage.finish(position, NOW)
    }
  })

  // As a JavaScript number, both are the first.
  it('tells chunks of large numbers apart, and orders them', () => {
    const storage = makeStorage()
    const idsAt = (nowMs: number) => storage.startable(nowMs, 10).map(event => eventIdOf(event.position))
    expect(storage.add([eventAt('9007199254740993', 0, 'a')], NOW)).toBe(1)
    expect(storage.add([eventAt('9007199254740992', 0, 'a')], NOW)).toBe(1)
    storage.add([eventAt('9223372036854775807', 0, 'a'), eventAt(8, 0, 'b')], NOW)
    expect(idsAt(NOW)).toEqual(['8.0', '9007199254740992.0'])
    storage.finish(positionOf('9007199254740992', 0), NOW)
    expect(idsAt(NOW)).toEqual(['8.0', '9007199254740993.0'])
    storage.finish(positionOf('9007199254740993', 0), NOW)
    expect(idsAt(NOW)).toEqual(['8.0', '9223372036854775807.0'])
  })

  it('lets an event that waits for its next attempt hold its key, and no other', () => {
    const storage = makeStorage()
    storage.add([eventAt(1, 0, 'a'), eventAt(1, 1, 'a'), eventAt(1, 2, 'b')], NOW)
    storage.postpone(positionOf('1', 0), 1, NOW, 5_000)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('1', 2)])
    expect(positionsOf(storage.startable(NOW + 5_000, 10))).toContain(positionOf('1', 0))
    expect(positionsOf(storage.startable(NOW + 5_000, 10))).not.toContain(positionOf('1', 1))
  })

  it('rouses what has failed since a moment, with its attempts before it, and none that waits behind it', () => {
    const storage = makeStorage()
    storage.add(
      ['earlier', 'a', 'a', 'past', 'never tried'].map((key, index) => eventAt(1, index, key)),
      NOW,
    )
    storage.postpone(positionOf('1', 0), 3, NOW - 1, 9_000)
    storage.postpone(positionOf('1', 1), 8, NOW, 9_000)
    storage.postpone(positionOf('1', 3), 8, NOW, 0)
    expect(storage.makeFailedDueNow(NOW, NOW + 5)).toBe(2)
    const due = storage.startable(NOW + 5, 10)
    expect(positionsOf(due)).toEqual([3, 4, 1].map(index => positionOf('1', index)))
    expect(due.map(event => event.attempts)).toEqual([0, 0, 0])
    expect(storage.makeFailedDueNow(NOW + 1, NOW + 5)).toBe(0)
  })

  it('leaves what was taken back outside the order: it waits for nobody, and nobody for it', () => {
    const storage = makeStorage()
    storage.addAgain(eventAt(1, 0, 'letter 1'), 'letter 1', NOW)
    storage.postpone(positionOf('1', 0), 1, NOW, 60_000)
    storage.add([eventAt(2, 0, null)], NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('2', 0)])
    storage.postpone(positionOf('2', 0), 1, NOW, 60_000)
    storage.add([eventAt(4, 0, 'a')], NOW)
    storage.addAgain(eventAt(3, 0, 'letter 3'), 'letter 3', NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('3', 0)])
    storage.addAgain(eventAt(6, 0, 'letter 6'), 'letter 6', NOW)
    storage.add([eventAt(5, 0, null)], NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('3', 0), positionOf('6', 0)])
    storage.finish(positionOf('3', 0), NOW)
    storage.finish(positionOf('2', 0), NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('4', 0), positionOf('6', 0)])
    storage.finish(positionOf('4', 0), NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('5', 0), positionOf('6', 0)])
  })

  it('offers what is due longest first', () => {
    const storage = makeStorage()
    storage.add([eventAt(2, 0, 'b')], NOW)
    storage.add([eventAt(1, 0, 'a')], NOW + 1)
    expect(positionsOf(storage.startable(NOW + 1, 10))).toEqual([positionOf('2', 0), positionOf('1', 0)])
    expect(storage.firstDue()?.position).toBe(positionOf('2', 0))
  })
})

describe('repeats', () => {
  it('drops an event that was delivered, as long as its chunk is remembered', () => {
    const storage = makeStorage()
    const event = eventAt(1, 0, 'a')
    storage.add([event], NOW)
    storage.finish(event.position, NOW)
    expect(storage.add([event], NOW + 1)).toBe(0)
    storage.forgetBefore(NOW + 1, 100)
    expect(storage.add([event], NOW + 2)).toBe(1)
  })

  it('goes on with a chunk whose beginning it has', () => {
    const storage = makeStorage()
    const events = [0, 1, 2, 3].map(index => eventAt(1, index, `k${index}`))
    expect(storage.add(events.slice(0, 2), NOW)).toBe(2)
    expect(storage.add(events, NOW)).toBe(2)
  })

  // A database restored to an earlier moment gives numbers out again.
  it('takes a chunk of another time under a number that it knows for another chunk', () => {
    const storage = makeStorage()
    const event = eventAt(1, 0, 'a')
    storage.add([event], NOW)
    storage.finish(event.position, NOW)
    expect(storage.add([{ ...event, occurred_at_ms: NOW }], NOW)).toBe(1)
  })

  it('lets what waited for an event go on when a chunk of another time takes its number', () => {
    const storage = makeStorage()
    storage.add([eventAt(1, 0, 'a'), eventAt(2, 0, 'a')], NOW)
    storage.add([{ ...eventAt(1, 0, 'b'), occurred_at_ms: NOW }], NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('1', 0), positionOf('2', 0)])
  })
})

describe('bodies and reports', () => {
  it('puts a body together again that came in pieces', () => {
    const storage = makeStorage()
    const event = { ...eventAt(1, 0, 'a'), payload: null, bytes: 2_000_000 }
    for (const [number, text] of [
      [1, 'lo'],
      [0, 'hel'],
      [1, 'lo'],
    ] as const) {
      storage.pieces.put(event.position, number, text, NOW)
    }
    storage.add([event], NOW)
    expect(storage.body(event.position)).toBe('hello')
    expect(storage.body(positionOf('9', 9))).toBeUndefined()
  })

  it('gives reports in batches of bounded size, one at least, until they are dropped', () => {
    const storage = makeStorage()
    for (const payload of ['x'.repeat(50), 'y', 'z']) storage.reports.add('delivery', {}, payload)
    const last = storage.reports.lastSequence()
    expect(storage.reports.batch(last, 10, 20).map(report => report.payload)).toEqual(['x'.repeat(50)])
    expect(storage.reports.batch(last, 10, 1_000)).toHaveLength(3)
    expect(storage.reports.batch(last - 1, 10, 1_000)).toHaveLength(2)
    storage.reports.drop(storage.reports.batch(last, 2, 1_000))
    expect(storage.reports.batch(last, 10, 1_000).map(report => report.payload)).toEqual(['z'])
  })

  it('names what is older than a moment, oldest first, also behind what was taken back', () => {
    const storage = makeStorage()
    storage.add([eventAt(1, 0, 'a'), eventAt(1, 1, 'b')], NOW)
    expect(storage.addAgain(eventAt(0, 5, 'dead letter'), 'letter', NOW + 100)).toBe(true)
    expect(storage.addAgain(eventAt(0, 5, 'dead letter'), 'letter', NOW + 100)).toBe(false)
    expect(positionsOf(storage.storedBefore(NOW + 1, 10))).toEqual([positionOf('1', 0), positionOf('1', 1)])
  })
})
