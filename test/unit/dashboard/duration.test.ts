import { expect, it } from 'vitest'
import { inWords } from '../../../dashboard/src/parts/duration.ts'

it.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [3_600, '1 hour'],
  [5_400, '1 hour 30 minutes'],
  [2_592_000, '30 days'],
  [90_061, '1 day 1 hour'],
  [59.6, '1 minute'],
])('says %d seconds as %s', (seconds, words) => {
  expect(inWords(seconds)).toBe(words)
})
