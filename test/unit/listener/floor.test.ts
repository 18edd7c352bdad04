import { expect, it } from 'vitest'
import { Floor } from '../../../listener/floor.ts'

const NOTHING = {
  xmin: 20n,
  mark: undefined,
  readUpTo: undefined,
  highestId: undefined,
  lowestOpenId: undefined,
}

function settledAtTen(): Floor {
  const floor = new Floor()
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n, highestId: 10n, lowestOpenId: 5n })
  floor.raise({ ...NOTHING, highestId: 10n, lowestOpenId: 5n })
  return floor
}

it('stays below what is not confirmed', () => {
  const floor = settledAtTen()
  expect(floor.value).toBe(4n)
  floor.raise({ ...NOTHING, lowestOpenId: 8n })
  expect(floor.value).toBe(7n)
})

// Chunks that were given back are not known, and a look that had no room for them says nothing about them.
it('stays below what a look did not reach', () => {
  const floor = settledAtTen()
  floor.raise({ ...NOTHING, readUpTo: 4n, lowestOpenId: 12n })
  expect(floor.value).toBe(4n)
})

it('stays below ids that a transaction under way may still bring', () => {
  const floor = new Floor()
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n, highestId: 10n })
  floor.raise({ ...NOTHING, xmin: 14n })
  expect(floor.value).toBe(0n)
  floor.raise({ ...NOTHING, xmin: 15n })
  expect(floor.value).toBe(10n)
})
