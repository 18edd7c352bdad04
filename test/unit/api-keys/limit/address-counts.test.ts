import { expect, it } from 'vitest'
import { AddressCounts } from '../../../../src/features/api-keys/limit/address-counts.ts'

const T0 = 1_800_000_000_000
const ADDRESS = '192.0.2.1'

it('counts an address for a minute from its first event on', () => {
  const counts = new AddressCounts()
  counts.add(ADDRESS, T0)
  counts.add(ADDRESS, T0 + 59_999)
  expect(counts.countOf(ADDRESS, T0 + 59_999)).toBe(2)
  expect(counts.countOf(ADDRESS, T0 + 60_000)).toBe(0)
})

it('shows what is left, and the seconds until all of it is back', () => {
  const counts = new AddressCounts()
  expect(counts.state(ADDRESS, 2, T0)).toEqual({ limit: 2, remaining: 2, resetSeconds: 0 })
  counts.add(ADDRESS, T0)
  counts.add(ADDRESS, T0)
  counts.add(ADDRESS, T0)
  expect(counts.state(ADDRESS, 2, T0 + 1)).toEqual({ limit: 2, remaining: 0, resetSeconds: 60 })
  expect(counts.state(ADDRESS, 2, T0 + 59_500)).toEqual({ limit: 2, remaining: 0, resetSeconds: 1 })
})

// Where nobody checks the address, a caller may send a text of any length as its own.
it('keeps only so much of an address as an address has', () => {
  const counts = new AddressCounts()
  counts.add('x'.repeat(100_000), T0)
  expect(counts.countOf('x'.repeat(45), T0)).toBe(1)
})
