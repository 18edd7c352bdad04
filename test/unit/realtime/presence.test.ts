// What clients see of presence: Phoenix' own `Presence` applies our states and diffs.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fromRecords,
  PRESENCE_LENGTH_MAX,
  type PresenceDiff,
  type PresenceState,
  TOPIC_PRESENCE_LENGTH_MAX,
} from '../../../src/features/realtime/topics/presence.ts'
import { phoenixPresence as phoenix } from './supabase.ts'

/** Over the wire, as a client gets it. */
const sent = <T>(value: T): object => JSON.parse(JSON.stringify(value))

/** A client's picture, whose metas are in no order that counts. */
function picture(state: object): Record<string, unknown[]> {
  const byRef = (a: { phx_ref: string }, b: { phx_ref: string }) => a.phx_ref.localeCompare(b.phx_ref)
  return Object.fromEntries(
    Object.entries(state as PresenceState).map(([key, { metas }]) => [key, [...metas].sort(byRef)]),
  )
}

describe('one topic', () => {
  test('tells who comes, changes and goes', () => {
    const topic = fromRecords()
    expect(topic.track('s1', 'ada', { at: 1 }, 'r1')).toEqual({
      joins: { ada: { metas: [{ at: 1, phx_ref: 'r1' }] } },
      leaves: {},
    })
    expect(topic.track('s1', 'ada', { at: 2 }, 'r2')).toEqual({
      joins: { ada: { metas: [{ at: 2, phx_ref: 'r2', phx_ref_prev: 'r1' }] } },
      leaves: { ada: { metas: [{ at: 1, phx_ref: 'r1' }] } },
    })
    expect(topic.untrack('s1', 'ada')).toEqual({
      joins: {},
      leaves: { ada: { metas: [{ at: 2, phx_ref: 'r2', phx_ref_prev: 'r1' }] } },
    })
    expect([topic.state(), topic.keyCount()]).toEqual([{}, 0])
  })

  test('says nothing where nothing changes', () => {
    const topic = fromRecords()
    topic.track('s1', 'ada', { at: 1 }, 'r1')
    expect(topic.track('s1', 'ada', { at: 1 }, 'r2')).toBeNull()
    expect(topic.untrack('s1', 'bob')).toBeNull()
    expect(topic.untrack('s2', 'ada')).toBeNull()
    expect(topic.leaveAll('s2')).toBeNull()
    expect(topic.state()).toEqual({ ada: { metas: [{ at: 1, phx_ref: 'r1' }] } })
  })

  test('has two sockets under one key, and one leaves', () => {
    const topic = fromRecords()
    topic.track('s1', 'ada', { on: 'phone' }, 'r1')
    topic.track('s2', 'ada', { on: 'desk' }, 'r2')
    topic.track('s1', 'bob', {}, 'r3')
    expect(topic.keyCount()).toBe(2)
    expect(topic.leaveAll('s1')).toEqual({
      joins: {},
      leaves: { ada: { metas: [{ on: 'phone', phx_ref: 'r1' }] }, bob: { metas: [{ phx_ref: 'r3' }] } },
    })
    expect(topic.state()).toEqual({ ada: { metas: [{ on: 'desk', phx_ref: 'r2' }] } })
  })

  test('lets no payload name its own refs', () => {
    const topic = fromRecords()
    const diff = topic.track('s1', 'ada', { phx_ref: 'forged', phx_ref_prev: 'r9', at: 1 }, 'r1')
    expect(diff?.joins).toEqual({ ada: { metas: [{ at: 1, phx_ref: 'r1' }] } })
  })

  test('knows keys that objects have by birth', () => {
    const topic = fromRecords()
    for (const key of ['__proto__', 'constructor', 'toString']) topic.track('s1', key, {}, key)
    const seen = phoenix.syncState({}, sent(topic.state()))
    expect(Object.getOwnPropertyNames(seen)).toEqual(['__proto__', 'constructor', 'toString'])
  })

  test('refuses what is too large, and keeps what was there', () => {
    const topic = fromRecords()
    topic.track('s1', 'ada', { at: 1 }, 'r1')
    const large = { text: 'x'.repeat(PRESENCE_LENGTH_MAX) }
    expect(() => topic.track('s1', 'ada', large, 'r2')).toThrow(
      /^PresencePayloadTooLarge: Track message size exceeded/,
    )
    expect(topic.state()).toEqual({ ada: { metas: [{ at: 1, phx_ref: 'r1' }] } })
  })

  test('is full at some time, and has room again when someone leaves', () => {
    const topic = fromRecords()
    const payload = { text: 'x'.repeat(PRESENCE_LENGTH_MAX - 20) }
    const length = 'key'.length + JSON.stringify(payload).length
    const count = Math.floor(TOPIC_PRESENCE_LENGTH_MAX / length)
    for (let i = 0; i < count; i++) topic.track(`s${i}`, 'key', payload, `r${i}`)
    expect(() => topic.track('late', 'key', payload, 'late')).toThrow(/^TopicPresenceTooLarge: /)
    // Who is there may still change what it says.
    expect(topic.track('s0', 'key', { text: 'y'.repeat(PRESENCE_LENGTH_MAX - 20) }, 'r')).not.toBeNull()
    topic.leaveAll('s1')
    expect(topic.track('late', 'key', payload, 'late')).not.toBeNull()
  })
})

const key = fc.constantFrom('ada', 'bob', '__proto__')
const socket = fc.constantFrom('s1', 's2', 's3')
const act = fc.oneof(
  fc.record({ do: fc.constant('track' as const), socket, key, at: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ do: fc.constant('untrack' as const), socket, key }),
  fc.record({ do: fc.constant('leave' as const), socket }),
  fc.record({ do: fc.constant('sleep' as const) }),
)

test('whoever has the state of any moment, and the diffs behind it, sees who is there', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), fc.nat(40), (acts, joinsAt) => {
      let topic = fromRecords()
      let seen: object | undefined
      acts.forEach((one, i) => {
        if (i === joinsAt) seen = phoenix.syncState({}, sent(topic.state()))
        let diff: PresenceDiff | null = null
        if (one.do === 'track') diff = topic.track(one.socket, one.key, { at: one.at }, `r${i}`)
        else if (one.do === 'untrack') diff = topic.untrack(one.socket, one.key)
        else if (one.do === 'leave') diff = topic.leaveAll(one.socket)
        else topic = fromRecords(JSON.parse(JSON.stringify(topic.records())))
        if (diff !== null && seen !== undefined) seen = phoenix.syncDiff(seen, sent(diff))
      })
      if (seen !== undefined) expect(picture(seen)).toEqual(picture(sent(topic.state())))
    }),
    { numRuns: 1_000 },
  )
})

test('a member that changes is never seen to be gone', () => {
  const topic = fromRecords()
  topic.track('s1', 'ada', { at: 1 }, 'r1')
  const before = phoenix.syncState({}, sent(topic.state()))
  const after = phoenix.syncDiff(before, sent(topic.track('s1', 'ada', { at: 2 }, 'r2')))
  expect(after).toEqual({ ada: { metas: [{ at: 2, phx_ref: 'r2', phx_ref_prev: 'r1' }] } })
})
