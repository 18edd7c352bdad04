// What every program takes for a whole number, a yes or no and a host of this machine, and how it says what is wrong.

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Variables as ListenerVariables } from '../../../listener/config.ts'
import { Variables as GatewayVariables } from '../../../sql-gateway/config.ts'
import { Variables as WorkerVariables } from '../../../src/config.ts'
import { ConfigError, Flag, isLoopback, readVariables, wholeNumber } from '../../../src/lib/environment.ts'

describe('a whole number', () => {
  const Rows = z.object({ ROWS_MAX: wholeNumber(5, 20).default(7) })
  const read = (value: unknown) => readVariables(Rows, { ROWS_MAX: value }).ROWS_MAX

  it.each([
    [undefined, 7],
    ['', 7],
    ['5', 5],
    ['20', 20],
    ['008', 8],
    [12, 12],
  ])('given as %j is %i', (value, number) => {
    expect(read(value)).toBe(number)
  })

  it.each(['4', '21', '-7', '+7', '7.0', '1e1', '0x10', '7 rows', 'NaN', 7.5, 4, true, null])(
    'is not %j',
    value => {
      expect(() => read(value)).toThrow(new ConfigError('ROWS_MAX must be a whole number from 5 to 20'))
    },
  )
})

describe('a yes or no', () => {
  const read = (text: string | undefined) => readVariables(z.object({ IS_ON: Flag }), { IS_ON: text }).IS_ON

  it.each([
    [undefined, false],
    ['', false],
    ['false', false],
    ['true', true],
  ])('given as %j is %s', (text, value) => {
    expect(read(text)).toBe(value)
  })

  it.each(['1', 'yes', 'TRUE', ' true'])('is not %j', text => {
    expect(() => read(text)).toThrow(new ConfigError('IS_ON must be the text "true" or "false"'))
  })
})

describe('variables', () => {
  it('that are missing or wrong are all named at once', () => {
    const variables = z.object({
      NAME: z.string(),
      WAIT_MS: wholeNumber(0, 1_000),
      ROWS_MAX: wholeNumber(1, 9),
    })
    expect(() => readVariables(variables, { WAIT_MS: '1001', ROWS_MAX: '1', OTHER: '' })).toThrow(
      new ConfigError(
        'NAME is not set, and must have a value; WAIT_MS must be a whole number from 0 to 1000',
      ),
    )
  })
})

// Some are secrets, and a start that fails is logged. The values are wrong for most, in one way or another.
describe.each([
  ['Worker', WorkerVariables],
  ['gateway', GatewayVariables],
  ['listener', ListenerVariables],
])('a wrong variable of the %s', (_program, variables: z.ZodObject) => {
  const VALUES = [
    'hunter2',
    'hunter2,,hunter2',
    'ftp://hunter2:hunter2@hunter2/hunter2',
    ['hunter2'],
    { hunter2: 1 },
  ]

  it.each(Object.keys(variables.shape))('%s is told by what it must be, never by its value', name => {
    for (const value of VALUES) {
      const { error } = z.safeParse(variables.shape[name], value)
      for (const { message } of error?.issues ?? []) {
        expect(message).not.toMatch(/hunter2/)
        if (typeof value === 'string') expect(message).toMatch(/must/)
      }
    }
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
