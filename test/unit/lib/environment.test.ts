// What the Node programs take for a whole number, a yes or no and a host of this machine.

import { describe, expect, it } from 'vitest'
import {
  ConfigError,
  isLoopback,
  readBoolean,
  readInteger,
  readIntegers,
} from '../../../src/lib/environment.ts'

describe('a whole number', () => {
  const read = (text: string | undefined) => readInteger({ ROWS_MAX: text }, 'ROWS_MAX', 7, 5, 20)

  it.each([
    [undefined, 7],
    ['', 7],
    ['5', 5],
    ['20', 20],
    ['008', 8],
  ])('given as %j is %i', (text, value) => {
    expect(read(text)).toBe(value)
  })

  it.each(['4', '21', '-7', '+7', '7.0', '1e1', '0x10', ' 7', '7 rows', 'NaN'])('is not %j', text => {
    expect(() => read(text)).toThrow(new ConfigError('ROWS_MAX must be a whole number from 5 to 20'))
  })

  it('is read for each of many, and the one that is wrong is named', () => {
    const bounds = { rows: ['ROWS_MAX', 7, 5, 20], waitMs: ['WAIT_MS', 100, 0, 1_000] } as const
    expect(readIntegers({ WAIT_MS: '0' }, bounds)).toEqual({ rows: 7, waitMs: 0 })
    expect(() => readIntegers({ WAIT_MS: '1001' }, bounds)).toThrow(/^WAIT_MS must be/)
  })
})

describe('a yes or no', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['false', false],
    ['true', true],
  ])('given as %j is %s', (text, value) => {
    expect(readBoolean({ IS_ON: text }, 'IS_ON')).toBe(value)
  })

  it.each(['1', 'yes', 'TRUE', ' true'])('is not %j', text => {
    expect(() => readBoolean({ IS_ON: text }, 'IS_ON')).toThrow(
      new ConfigError('IS_ON must be true or false'),
    )
  })
})

// What is taken for this machine may be reached without TLS: a name that only looks like it must not be.
describe('this machine', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('is %s', host => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each(['', '0.0.0.0', '::', '127.0.0.1.example.com', '1127.0.0.1', 'localhost.example.com', '10.0.0.1'])(
    'is not %j',
    host => {
      expect(isLoopback(host)).toBe(false)
    },
  )
})
