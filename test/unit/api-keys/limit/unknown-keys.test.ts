import { expect, it } from 'vitest'
import { UnknownKeyGuard } from '../../../../src/features/api-keys/limit/unknown-keys.ts'

const T0 = 1_800_000_000_000
const HASH = 'f'.repeat(64)

function guardAfter(count: number, address: string): UnknownKeyGuard {
  const guard = new UnknownKeyGuard()
  for (let i = 0; i < count; i++) guard.record('unknown', `hash ${i}`, address, T0 + i)
  return guard
}

it('blocks an address after more than 20 unknown keys within a minute, and not before', () => {
  expect(guardAfter(20, '192.0.2.1').isBlocked(HASH, '192.0.2.1', T0 + 30)).toBe(false)
  expect(guardAfter(21, '192.0.2.1').isBlocked(HASH, '192.0.2.1', T0 + 30)).toBe(true)
})

it('does not block the neighbours of an address', () => {
  expect(guardAfter(21, '192.0.2.1').isBlocked(HASH, '192.0.2.2', T0 + 30)).toBe(false)
})

it('forgets after a minute', () => {
  const guard = guardAfter(21, '192.0.2.1')
  expect(guard.isBlocked(HASH, '192.0.2.1', T0 + 59_999)).toBe(true)
  expect(guard.isBlocked(HASH, '192.0.2.1', T0 + 60_000)).toBe(false)
  guard.record('unknown', HASH, '192.0.2.1', T0 + 60_000)
  expect(guard.isBlocked(HASH, '192.0.2.1', T0 + 60_001)).toBe(false)
})

it('looks a refused key up 20 times a minute, wherever it comes from, and blocks nothing beside it', () => {
  const guard = new UnknownKeyGuard()
  const isBlocked = () => guard.isBlocked(HASH, '192.0.2.9', T0 + 30)
  for (let i = 0; i < 20; i++) guard.record('refused', HASH, '192.0.2.1', T0 + i)
  expect(isBlocked()).toBe(false)
  guard.record('refused', HASH, '192.0.2.1', T0 + 20)
  expect(isBlocked()).toBe(true)
  expect(guard.isBlocked('e'.repeat(64), '192.0.2.1', T0 + 30)).toBe(false)
  expect(guard.isBlocked(HASH, '192.0.2.1', T0 + 60_000)).toBe(false)
})

// Stops the owner of one IPv6 network from taking a new address for every guess.
it.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::7', true],
  ['2001:db8::1', '2001:db8:0:0:1:2:3:4', true],
  ['::1', '::2', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
])('takes %s and %s for one network: %s', (one, other, isOne) => {
  expect(guardAfter(21, one).isBlocked(HASH, other, T0 + 30)).toBe(isOne)
})

it('remembers a bounded number of addresses and forgets the oldest first', () => {
  const guard = guardAfter(21, '192.0.2.1')
  for (let i = 0; i < 9_999; i++) guard.record('unknown', HASH, `10.0.${i >> 8}.${i & 255}`, T0 + 100)
  expect(guard.isBlocked(HASH, '192.0.2.1', T0 + 200)).toBe(true)
  guard.record('unknown', HASH, '10.9.9.9', T0 + 100)
  expect(guard.isBlocked(HASH, '192.0.2.1', T0 + 200)).toBe(false)
})
