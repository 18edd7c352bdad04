// RFC 9110: 10.2.3 says which forms there are, 5.6.7 how its dates are written.

import { expect, it } from 'vitest'
import { readRetryAfterMs } from '../../../src/lib/retry-after.ts'

const NOW = Date.parse('2026-11-06T08:49:30Z')
const LONGEST = Number.MAX_SAFE_INTEGER

it.each([
  ['seconds', '120', 120_000],
  ['no seconds', ' 0 ', 0],
  ['leading zeros', '0000000000120', 120_000],
  ['ten digits', '9999999999', 9_999_999_999_000],
  ['more digits than a number holds', '9'.repeat(400), LONGEST],
  ['an IMF-fixdate', 'Fri, 06 Nov 2026 08:49:37 GMT', 7_000],
  ['one of the past', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ['one with a day of one digit, as some write it', 'Fri, 6 Nov 2026 08:49:37 GMT', 7_000],
  ['one with a leap second', 'Fri, 06 Nov 2026 08:49:60 GMT', 30_000],
  ['an rfc850-date', 'Friday, 06-Nov-26 08:49:37 GMT', 7_000],
  ['one of the past century', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
  [
    'one that is 50 years ahead at most',
    'Friday, 06-Nov-76 08:49:30 GMT',
    Date.UTC(2076, 10, 6, 8, 49, 30) - NOW,
  ],
  ['an asctime-date', 'Fri Nov  6 08:49:37 2026', 7_000],
  ['one with a day of two digits', 'Mon Nov 16 08:49:30 2026', 10 * 86_400_000],
])('reads %s: %s', (_, value, expected) => {
  expect(readRetryAfterMs(value, NOW)).toBe(expected)
})

it.each([
  null,
  '',
  'soon',
  '-5',
  '+5',
  '1.5',
  '5 seconds',
  '2026-11-06T08:49:37Z',
  'Fri, 06 Nov 2026 08:49:37 CET',
  'Fri, 06 Nov 2026 24:49:37 GMT',
  'Fri, 06 Nov 2026 08:49:61 GMT',
  'Fri, 31 Feb 2026 08:49:37 GMT',
  'Fri, 06 Foo 2026 08:49:37 GMT',
])('reads nothing into %j', value => {
  expect(readRetryAfterMs(value, NOW)).toBeUndefined()
})
