import { describe, expect, it } from 'vitest'
import { durationSeconds, formatDuration } from '../../oauth-server/wire/durations.ts'

describe('a duration', () => {
  it.for([
    ['0', '0s'],
    ['-0s', '0s'],
    ['3600s', '1h0m0s'],
    ['1.5h', '1h30m0s'],
    ['+5m', '5m0s'],
    ['-1h0.5s', '-1h0m0.5s'],
    ['1500us', '1.5ms'],
    ['2540400h', '2540400h0m0s'],
  ] as const)('reads %s and writes it as %s', ([given, written]) => {
    expect(formatDuration(durationSeconds(given) ?? Number.NaN)).toBe(written)
  })

  it.for(['', '5', 'h', '1 h', '1H', '1d', '--5m', '1h-5m', 'soon', '1h1', '2562048h'])(
    'refuses %j',
    given => {
      expect(durationSeconds(given)).toBeUndefined()
    },
  )
})
