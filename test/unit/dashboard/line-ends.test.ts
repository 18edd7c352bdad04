// Line ends of a text that is edited: none is another one for a letter that was typed.

import { expect, it } from 'vitest'
import {
  asTyped,
  hasOneLineEnd,
  withLineEndsOf,
} from '../../../dashboard/src/views/database/tables/line-ends.ts'

it('gives back the line ends that the value had', () => {
  for (const original of ['l1\r\nl2\r\n', 'l1\nl2\n', 'l1', '']) {
    expect(hasOneLineEnd(original)).toBe(true)
    expect(withLineEndsOf(original, asTyped(original))).toBe(original)
  }
  expect(withLineEndsOf('l1\r\nl2\r\n', 'l1z\nl2\n')).toBe('l1z\r\nl2\r\n')
  expect(withLineEndsOf('l1\nl2\n', 'l1z\nl2\n')).toBe('l1z\nl2\n')
})

it('takes lines that are pasted from Windows as a field would', () => {
  expect(withLineEndsOf('l1', 'l1\r\nl2')).toBe('l1\nl2')
  expect(withLineEndsOf('l1\r\n', 'l1\r\nl2\n')).toBe('l1\r\nl2\r\n')
})

it('sees where an edit could not keep them', () => {
  for (const text of ['a\r\nb\n', 'a\nb\r\n', 'a\rb', 'a\r\n\rb', 'a\r'])
    expect(hasOneLineEnd(text)).toBe(false)
})
