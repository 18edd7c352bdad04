import { expect, it } from 'vitest'
import { numberOf } from '../../../dashboard/src/parts/number-text.ts'
import { secondsOf } from '../../../dashboard/src/views/oauth2/clients/record/lifetimes.ts'

it('lets the server refuse what is no number, in place of taking it for "the default"', () => {
  expect(JSON.stringify({ limit: numberOf('1o0') })).toBe('{"limit":"1o0"}')
  expect(JSON.stringify({ ttl: secondsOf({ amount: '1h', unit: 'hours' }) })).toBe('{"ttl":"1h"}')
  expect([numberOf(''), numberOf(' '), numberOf(' 50 '), numberOf('1e400')]).toEqual([
    null,
    null,
    50,
    '1e400',
  ])
})
