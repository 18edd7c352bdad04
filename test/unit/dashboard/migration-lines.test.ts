// Which lines of a migration's file run, as the dashboard shows them and hands them to detect-schema.

import { expect, it } from 'vitest'
import {
  appliedPart,
  appliedWords,
  isSql,
} from '../../../dashboard/src/views/database/migrations/sql-file.ts'

type Preview = Parameters<typeof appliedPart>[0]
const preview = (...applied_lines: Preview['applied_lines']): Preview => ({
  filename: 'x.sql',
  content: 'one\ntwo\nthree\nfour\n',
  lines: 4,
  applied_lines,
  tool: null,
})

it.each<[Preview['applied_lines'], string, string | undefined]>([
  [[{ first: 1, last: 4 }], 'one\ntwo\nthree\nfour', undefined],
  [[{ first: 2, last: 3 }], 'two\nthree', '2 to 3'],
  [
    [
      { first: 1, last: 1 },
      { first: 3, last: 4 },
    ],
    'one\nthree\nfour',
    '1, 3 to 4',
  ],
  [[], '', 'none: it is not certain which'],
])('of %j the text, and the words', (ranges, text, words) => {
  expect(appliedPart(preview(...ranges))).toBe(text)
  expect(appliedWords(preview(...ranges))).toBe(words)
})

it.each([
  ['0001_a.sql', true],
  ['0001_pair', true],
  ['0001_a.cjs', false],
])('%s is SQL: %s', (name, is) => {
  expect(isSql(name)).toBe(is)
})
