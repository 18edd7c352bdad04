import { expect, it } from 'vitest'
import { Floor } from '../../../listener/floor.ts'

const NOTHING = { xmin: 20n, mark: undefined, readUpTo: undefined, knownIds: [] }

function settledAtTen(): Floor {
  const floor = new Floor()
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n, knownIds: [10n, 5n] })
  floor.raise({ ...NOTHING, knownIds: [10n, 5n] })
  return floor
}

it('stays below what is not confirmed', () => {
  const floor = settledAtTen()
  expect(floor.value).toBe(4n)
  floor.raise({ ...NOTHING, knownIds: [12n, 8n] })
  expect(floor.value).toBe(7n)
})

// Chunks that were given back are not known, and a look that had no room for them says nothing about them.
it('stays below what a look did not reach', () => {
  const floor = settledAtTen()
  floor.raise({ ...NOTHING, readUpTo: 4n, knownIds: [12n] })
  expect(floor.value).toBe(4n)
})

it('stays below ids that a transaction under way may still bring', () => {
  const floor = new Floor()
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n, knownIds: [10n] })
  floor.raise({ ...NOTHING, xmin: 14n })
  expect(floor.value).toBe(0n)
  floor.raise({ ...NOTHING, xmin: 15n })
  expect(floor.value).toBe(10n)
})

// Later ones may have begun after the mark was drawn.
it('rises to what was known when the mark was drawn, and no further', () => {
  const floor = new Floor()
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n, knownIds: [10n] })
  floor.raise({ ...NOTHING, xmin: 14n, knownIds: [30n] })
  floor.raise(NOTHING)
  expect(floor.value).toBe(10n)
})

it('asks for a mark while something was known above it, one at a time', () => {
  const floor = new Floor()
  expect(floor.wantsMark).toBe(false)
  floor.raise({ ...NOTHING, xmin: 9n, knownIds: [10n] })
  expect(floor.wantsMark).toBe(true)
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n })
  expect(floor.wantsMark).toBe(false)
  floor.raise(NOTHING)
  expect([floor.value, floor.wantsMark]).toEqual([10n, false])
})
