import { expect, it } from 'vitest'
import { Floor } from '../../../listener/floor.ts'

const NOTHING = { xmin: 20n, mark: undefined, numberedUpTo: undefined, openFrom: undefined }

function pendingAtTen(): Floor {
  const floor = new Floor()
  floor.raise({ ...NOTHING, xmin: 9n, mark: 15n, numberedUpTo: 10n })
  return floor
}

it('stays below positions that a transaction under way may still bring', () => {
  const floor = pendingAtTen()
  floor.raise({ ...NOTHING, xmin: 14n })
  expect(floor.value).toBe(0n)
  floor.raise({ ...NOTHING, xmin: 15n })
  expect(floor.value).toBe(10n)
})

it('stays below what was left without a number', () => {
  const floor = pendingAtTen()
  floor.raise({ ...NOTHING, openFrom: 10n })
  expect(floor.value).toBe(0n)
  floor.raise({ ...NOTHING, openFrom: 11n })
  expect(floor.value).toBe(10n)
})

// Later ones may have begun after the mark was drawn.
it('rises to what was numbered before the mark, and no further', () => {
  const floor = pendingAtTen()
  floor.raise({ ...NOTHING, xmin: 14n, numberedUpTo: 30n })
  floor.raise(NOTHING)
  expect(floor.value).toBe(10n)
})

it('asks for a mark while something was numbered above it, one at a time', () => {
  const floor = new Floor()
  expect(floor.wantsMark).toBe(false)
  floor.raise({ ...NOTHING, numberedUpTo: 10n })
  expect(floor.wantsMark).toBe(true)
  floor.raise({ ...NOTHING, mark: 15n })
  expect(floor.wantsMark).toBe(false)
  floor.raise(NOTHING)
  expect([floor.value, floor.wantsMark]).toEqual([10n, false])
})
