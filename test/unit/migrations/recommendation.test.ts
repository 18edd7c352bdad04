// The words of detect-schema: the next step, and what it does not stand on.

import { expect, it } from 'vitest'
import { recommend } from '../../../src/features/migrations/detect-schema/recommendation.ts'

const NOTHING_ELSE = { untold: [], others: 0 }
const table = (name: string, exists: boolean) => ({ type: 'table' as const, name, exists })

it('says that nothing was found, and where to look then', () => {
  expect(recommend([], NOTHING_ELSE)).toBe('Nothing was found: the text holds no statement.')
  expect(recommend([], { untold: [], others: 2 })).toBe(
    'Nothing was found that could be looked for: no table, index, function or type is created. ' +
      'Look by hand whether the migration was run. 2 other statements were not compared with the database.',
  )
})

it('says to mark as applied where all exist, on condition where there is more', () => {
  expect(recommend([table('a', true)], NOTHING_ELSE)).toBe(
    'The one object exists: mark the migration as applied.',
  )
  expect(recommend([table('a', true), table('b', true)], { untold: [], others: 1 })).toBe(
    'All 2 objects exist: mark the migration as applied, if what else it does is in the database too. ' +
      '1 other statement was not compared with the database.',
  )
  expect(
    recommend([table('a', true)], { untold: [{ line: 7, reason: 'too large to be read' }], others: 0 }),
  ).toBe(
    'The one object exists: mark the migration as applied, if what else it does is in the database too. ' +
      'Not looked for: line 7 (too large to be read).',
  )
})

it('says to run it where none exists', () => {
  expect(recommend([table('a', false)], NOTHING_ELSE)).toBe(
    'The one object does not exist: run the migration.',
  )
  expect(recommend([table('a', false), table('b', false)], NOTHING_ELSE)).toBe(
    'None of the 2 objects exists: run the migration.',
  )
})

it('names what is missing where some exist, at most twenty', () => {
  expect(recommend([table('a', true), table('b', false)], NOTHING_ELSE)).toBe(
    '1 of 2 objects exist; missing: table b. Look by hand: a run may fail on what exists, and marking the ' +
      'migration as applied leaves out what is missing.',
  )
  const many = Array.from({ length: 30 }, (_, i) => table(`t${i}`, i === 0))
  expect(recommend(many, NOTHING_ELSE)).toContain('table t20 and 9 more. Look by hand')
})
