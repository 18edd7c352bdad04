// PostgREST's words for what its grammar does not allow, as its own specification has them (version 14).

import { expect, test } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'

function words(search: string) {
  try {
    parseQueryString(search)
  } catch (err) {
    if (err instanceof DomainError)
      return [err.postgrest?.code, err.postgrest?.message, err.postgrest?.details]
  }
  return undefined
}

test.each([
  ['?id=0', 'filter (0)', 1, 'unexpected "0" expecting "not" or operator (eq, gt, ...)'],
  ['?id=foo.bar', 'filter (foo.bar)', 1, 'unexpected "f" expecting "not" or operator (eq, gt, ...)'],
  ['?id=not.foo.bar', 'filter (not.foo.bar)', 5, 'unexpected "f" expecting operator (eq, gt, ...)'],
  [
    '?or=()',
    'logic tree (())',
    4,
    'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
  ],
  [
    '?order=id.smth',
    'order (id.smth)',
    4,
    'unexpected "s" expecting "asc", "desc", "nullsfirst" or "nullslast"',
  ],
  [
    '?order=id.asc.nullslasttt',
    'order (id.asc.nullslasttt)',
    17,
    `unexpected 't' expecting "," or end of input`,
  ],
  ['?select=data->>--34', 'select parameter (data->>--34)', 9, 'unexpected "-" expecting digit'],
  [
    '?select=data->(a',
    'select parameter (data->(a)',
    7,
    'unexpected "(" expecting "-", digit or any non reserved character different from: .,>()',
  ],
  [
    '?columns=',
    'columns parameter ()',
    1,
    'unexpected end of input expecting field name (* or [a..z0..9_$])',
  ],
])('%s', (search, what, column, details) => {
  expect(words(search)).toEqual(['PGRST100', `"failed to parse ${what}" (line 1, column ${column})`, details])
})
