import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classKey, groupKey } from '../../../src/features/realtime/changes/class-key.ts'
import { roomFilter, subscription } from './changes-fixture.ts'

test('claims count whatever their order, and those that pass only where a policy reads them', () => {
  const key = (claims: object, read: readonly string[] = []) => classKey('anon', { ...claims }, read)
  const claims = { sub: 'a', org: { id: 1, exp: 5 }, exp: 1, iat: 2, nbf: 3, jti: 'x', auth_time: 4 }
  expect(key(claims)).toBe(key({ org: { exp: 5, id: 1 }, sub: 'a', exp: 9, role: 'admin' }))
  expect(key(claims)).not.toBe(key({ ...claims, org: { id: 1, exp: 6 } }))
  expect(key(claims, ['jti'])).not.toBe(key({ ...claims, jti: 'y' }, ['jti']))
  expect(key(claims, ['jti'])).toBe(key({ ...claims, exp: 9 }, ['jti']))
  expect(key({ sub: 'a' })).not.toBe(classKey('service_role', { sub: 'a' }, []))
  expect(key({ sub: 'a' })).not.toBe(classKey('authenticated', { sub: 'a' }, []))
  expect(key({ a: [1, 2] })).not.toBe(key({ a: [2, 1] }))
  expect(key(JSON.parse('{"__proto__":1}'))).not.toBe(key({}))
})

test('two callers are of one class exactly where their claims are the same JSON', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (a, b) => {
        const [left, right] = [
          { ...a, role: 1 },
          { ...b, role: 2 },
        ]
        const reversed = Object.fromEntries(Object.entries(left).reverse())
        expect(classKey('anon', reversed, ['exp'])).toBe(classKey('anon', left, ['exp']))
        const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
        expect(classKey('anon', left, []) === classKey('anon', right, [])).toBe(isSame)
      },
    ),
  )
})

const PASSING = ['exp', 'iat', 'nbf', 'jti', 'auth_time', 'role']

function sorted(value: unknown, isTop = true): unknown {
  if (Array.isArray(value)) return value.map(item => sorted(item, false))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !isTop || !PASSING.includes(name))
  return members.map(([name, member]) => [name, sorted(member, false), '{}']).sort()
}

test('a group is its class and its subscriptions', () => {
  const key = (...subscriptions: Parameters<typeof groupKey>[3][number][]) =>
    groupKey('anon', { sub: 'a' }, [], subscriptions)
  const keys = [
    key(subscription(1)),
    key(subscription(1), subscription(2)),
    key(subscription(1, { filter: roomFilter(1) })),
    key(subscription(1, { filter: roomFilter(2) })),
    key(subscription(1, { columns: ['id'] })),
    key(subscription(1, { event: 'INSERT' })),
    key(subscription(1, { tableId: 1 })),
    groupKey('anon', { sub: 'b' }, [], [subscription(1)]),
  ]
  expect(new Set(keys).size).toBe(keys.length)
  expect(key(subscription(1))).toBe(key({ ...subscription(1) }))
})
