import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CHANGES_PER_CHUNK_MAX } from '../../../src/features/row-changes/ingest/messages.ts'
import {
  BEFORE_ALL_EVENTS,
  BEHIND_ALL_EVENTS,
  chunkOf,
  eventIdOf,
  indexOf,
  positionOf,
  positionOfEvent,
  webhookIdOf,
} from '../../../src/features/webhooks/delivery/event-identity.ts'

const BIGINT_MAX = 9_223_372_036_854_775_807n
const chunkId = fc.oneof(
  fc.bigInt({ min: 1n, max: 2_000n }),
  fc.bigInt({ min: 1n, max: BIGINT_MAX }),
  // What a JavaScript number cannot tell apart.
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
)
const place = fc.tuple(chunkId, fc.nat(CHANGES_PER_CHUNK_MAX - 1))

const order = <Value>(one: Value, other: Value) => (one < other ? -1 : Number(one > other))

it('is a text in order of chunk and index, up to the largest bigint', () => {
  expect(order(positionOf('9223372036854775807', 0), positionOf('9007199254740993', 1_023))).toBe(1)
  expect(order(positionOf('9007199254740993', 0), positionOf('9007199254740992', 1_023))).toBe(1)
  fc.assert(
    fc.property(place, place, ([chunk, index], [otherChunk, otherIndex]) => {
      const [one, other] = [positionOf(String(chunk), index), positionOf(String(otherChunk), otherIndex)]
      expect(order(one, other)).toBe(order(chunk, otherChunk) || order(index, otherIndex))
      expect(order(chunkOf(one), chunkOf(other))).toBe(order(chunk, otherChunk))
      expect([order(BEFORE_ALL_EVENTS, one), order(BEHIND_ALL_EVENTS, one)]).toEqual([-1, 1])
    }),
  )
})

it('is called `<chunk id>.<index>`, and found by that name', () => {
  expect(eventIdOf(positionOf('1200', 40))).toBe('1200.40')
  fc.assert(
    fc.property(place, ([chunk, index]) => {
      const position = positionOf(String(chunk), index)
      expect(eventIdOf(position)).toBe(`${chunk}.${index}`)
      expect(positionOfEvent(`${chunk}.${index}`)).toBe(position)
      expect(indexOf(position)).toBe(index)
    }),
  )
})

it('is that of no event for a name of none', () => {
  for (const name of ['', '1', '1.', '.1']) expect(positionOfEvent(name)).toBe(BEFORE_ALL_EVENTS)
})

it.each([
  ['1', 1_024],
  ['1', -1],
  ['1', 0.5],
  ['1', Number.NaN],
  ['10000000000000000000', 0],
  ['-1', 0],
  ['1.5', 0],
  ['1e3', 0],
  [' ', 0],
  ['1\n', 0],
])('refuses what it could not tell apart: %s, %d', (chunk, index) => {
  expect(() => positionOf(chunk, index)).toThrow(RangeError)
})

it('has a webhook-id that differs by webhook, place and time, in the form that receivers know', () => {
  const [place, next] = [positionOf('120', 0), positionOf('120', 10)]
  const ids = [webhookIdOf('a', place, 1), webhookIdOf('b', place, 1), webhookIdOf('a', next, 1)]
  expect(ids).toEqual(['msg_a_120-0_1', 'msg_b_120-0_1', 'msg_a_120-10_1'])
  expect(webhookIdOf('00000000-0000-4000-8000-000000000001', place, 1_767_225_600_000)).toBe(
    'msg_00000000000040008000000000000001_120-0_mjuohs00',
  )
})
