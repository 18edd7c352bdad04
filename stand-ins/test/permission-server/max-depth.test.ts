// `max-depth` as Go's ParseInt reads it with base 0.

import { expect, it } from 'vitest'
import { readMaxDepth } from '../../permission-server/max-depth.ts'

it.for([
  ['0', 0],
  ['-12', -12],
  ['+7', 7],
  ['1_000', 1000],
  ['010', 8],
  ['-0o17', -15],
  ['0X1f', 31],
  ['0b_101', 5],
] as const)('reads %s', ([text, value]) => {
  expect(readMaxDepth(new URLSearchParams({ 'max-depth': text }))).toBe(value)
})

it('is 0 when it is not there', () => {
  expect(readMaxDepth(new URLSearchParams())).toBe(0)
})

it.for(['', ' 1', '1.5', '1e3', '09', '_1', '1_', '0x', '--1', '１', '9223372036854775808'])(
  'refuses "%s"',
  text => {
    expect(() => readMaxDepth(new URLSearchParams({ 'max-depth': text }))).toThrow('max-depth')
  },
)
