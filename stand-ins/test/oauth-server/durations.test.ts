// Durations as Go reads and writes them; the cases were put to Go's own time package.

import { describe, expect, it } from 'vitest'
import { durationSeconds, formatDuration, parseDuration } from '../../oauth-server/wire/durations.ts'

const rewritten = (text: string) => {
  const nanoseconds = parseDuration(text)
  return nanoseconds === undefined ? undefined : formatDuration(nanoseconds)
}

describe('a duration', () => {
  it.for([
    ['0', '0s'],
    ['0s', '0s'],
    ['-0s', '0s'],
    ['3600s', '1h0m0s'],
    ['90m', '1h30m0s'],
    ['1.5h', '1h30m0s'],
    ['.5s', '500ms'],
    ['1.s', '1s'],
    ['+5m', '5m0s'],
    ['-1h0.5s', '-1h0m0.5s'],
    ['1h1m1s1ms1us1ns', '1h1m1.001001001s'],
    ['999999ns', '999.999µs'],
    ['1000000us', '1s'],
    ['59.999999999s', '59.999999999s'],
    ['100ms', '100ms'],
    ['1µs', '1µs'],
    ['1μs', '1µs'],
    ['0.1ns', '0s'],
    ['2540400h', '2540400h0m0s'],
    ['9223372036854775807ns', '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
  ] as const)('reads %s and writes it as %s', ([given, written]) => {
    expect(rewritten(given)).toBe(written)
  })

  it.for(['', '5', 'h', '.s', '.', '1 h', ' 1h', '1H', '1d', '--5m', '1h-5m', '1e3s', 'soon', '∞', '1h1'])(
    'refuses %j',
    given => {
      expect(parseDuration(given)).toBeUndefined()
    },
  )

  it('refuses what does not fit into 64 bits of nanoseconds', () => {
    expect(parseDuration('9223372036854775808ns')).toBeUndefined()
    expect(parseDuration('2562048h')).toBeUndefined()
  })

  it('is seconds with their fraction for a token, and no seconds for a text that is none', () => {
    expect(durationSeconds('1h0m0.25s')).toBe(3600.25)
    expect(durationSeconds('-5s')).toBe(-5)
    expect(() => durationSeconds('soon')).toThrow('soon')
  })
})
