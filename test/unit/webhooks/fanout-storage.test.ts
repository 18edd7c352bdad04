// What a WebhookFanout promises about order and repeats, held against an obvious model. The storage runs on Node's own
// SQLite here; test/objects runs it on the runtime's.

import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DueEvent } from '../../../durable-objects/due-event.ts'
import { FanoutStorage } from '../../../durable-objects/fanout-storage.ts'
import { positionOf } from '../../../src/features/webhooks/delivery/event-identity.ts'
import type { FanoutEvent } from '../../../src/features/webhooks/delivery/fanout-contract.ts'

const NOW = 1_800_000_000_000
const FAR = Number.MAX_SAFE_INTEGER

function makeStorage(): FanoutStorage {
  const database = new DatabaseSync(':memory:')
  return new FanoutStorage({ exec: (query, ...bindings) => database.prepare(query).all(...bindings) })
}

function eventAt(chunk: number, index: number, key: string | null): FanoutEvent {
  return {
    position: positionOf(String(chunk), index),
    key,
    event_type: 'UPDATE',
    occurred_at_ms: NOW - 1_000,
    request_id: null,
    payload: `{"n":${chunk}}`,
    bytes: 8,
    payload_error: null,
  }
}

const positionsOf = (events: readonly DueEvent[]) => events.map(event => event.position)

/** What may be sent: no earlier event has the same key, or no key where either has none. */
function sendable(waiting: readonly FanoutEvent[]): number[] {
  return waiting
    .filter(event =>
      waiting.every(
        earlier =>
          earlier.position >= event.position ||
          (earlier.key !== event.key && earlier.key !== null && event.key !== null),
      ),
    )
    .map(event => event.position)
    .toSorted((a, b) => a - b)
}

const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 1, arbitrary: fc.constant(null) },
)
const command = fc.oneof(
  // A chunk may come before one with a lower number.
  fc.record({
    kind: fc.constant('store' as const),
    swap: fc.boolean(),
    keys: fc.array(key, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('finish' as const), pick: fc.nat(10) }),
  fc.record({ kind: fc.constant('postpone' as const), pick: fc.nat(10) }),
  // What arrived by a replay, whether its turn has come or not.
  fc.record({ kind: fc.constant('arrive' as const), pick: fc.nat(20) }),
  fc.record({ kind: fc.constant('repeat' as const) }),
)

describe('the order of keys', () => {
  it('offers exactly the first event of each key, whatever came when', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), commands => {
        const storage = makeStorage()
        let waiting: FanoutEvent[] = []
        const had: FanoutEvent[][] = []
        let chunk = 10
        for (const step of commands) {
          if (step.kind === 'store') {
            chunk += 2
            const number = step.swap ? chunk - 3 : chunk
            const events = step.keys.map((key, index) => eventAt(number, index, key))
            storage.add(events, NOW)
            had.push(events)
            waiting.push(...events)
          } else if (step.kind === 'repeat') {
            for (const events of had) expect(storage.add(events, NOW)).toBe(0)
          } else if (step.kind === 'arrive') {
            const event = waiting[step.pick % Math.max(1, waiting.length)]
            if (event === undefined) continue
            storage.finish(event, NOW)
            waiting = waiting.filter(other => other !== event)
          } else {
            const ready = sendable(waiting)
            const position = ready[step.pick % Math.max(1, ready.length)]
            const event = waiting.find(event => event.position === position)
            if (event === undefined) continue
            if (step.kind === 'postpone') storage.postpone(event.position, 1, NOW, 5_000)
            else {
              storage.finish(event, NOW)
              waiting = waiting.filter(other => other !== event)
            }
          }
          const offered = positionsOf(storage.startable(FAR, 1_000)).toSorted((a, b) => a - b)
          expect(offered).toEqual(sendable(waiting))
        }
      }),
      { numRuns: 300 },
    )
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
    expect(storage.rouseFailed(NOW, NOW + 5)).toBe(2)
    const due = storage.startable(NOW + 5, 10)
    expect(positionsOf(due)).toEqual([3, 4, 1].map(index => positionOf('1', index)))
    expect(due.map(event => event.attempts)).toEqual([0, 0, 0])
    expect(storage.rouseFailed(NOW + 1, NOW + 5)).toBe(0)
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
    storage.finish(eventAt(3, 0, 'letter 3'), NOW)
    storage.finish(eventAt(2, 0, null), NOW)
    expect(positionsOf(storage.startable(NOW, 10))).toEqual([positionOf('4', 0), positionOf('6', 0)])
    storage.finish(eventAt(4, 0, 'a'), NOW)
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
    storage.finish(event, NOW)
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
    storage.finish(event, NOW)
    expect(storage.add([{ ...event, occurred_at_ms: NOW }], NOW)).toBe(1)
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
      storage.pieces.put({ position: event.position, number, text }, NOW)
    }
    storage.add([event], NOW)
    expect(storage.body(event.position)).toBe('hello')
    expect(storage.body(positionOf('9', 9))).toBeUndefined()
  })

  it('gives reports in batches of bounded size, one at least, until they are dropped', () => {
    const storage = makeStorage()
    for (const payload of ['x'.repeat(50), 'y', 'z']) storage.reports.add('delivery', {}, payload)
    expect(storage.reports.batch(10, 20).map(report => report.payload)).toEqual(['x'.repeat(50)])
    expect(storage.reports.batch(10, 1_000)).toHaveLength(3)
    storage.reports.drop(storage.reports.batch(2, 1_000))
    expect(storage.reports.batch(10, 1_000).map(report => report.payload)).toEqual(['z'])
  })

  it('names what is older than a moment, oldest first, also behind what was taken back', () => {
    const storage = makeStorage()
    storage.add([eventAt(1, 0, 'a'), eventAt(1, 1, 'b')], NOW)
    expect(storage.addAgain(eventAt(0, 5, 'dead letter'), 'letter', NOW + 100)).toBe(true)
    expect(storage.addAgain(eventAt(0, 5, 'dead letter'), 'letter', NOW + 100)).toBe(false)
    expect(positionsOf(storage.storedBefore(NOW + 1, 10))).toEqual([positionOf('1', 0), positionOf('1', 1)])
  })
})
