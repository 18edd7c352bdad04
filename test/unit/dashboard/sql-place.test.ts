// Where a mistake in a statement is, as the editor counts its lines.

import { expect, it } from 'vitest'
import { ApiError } from '../../../dashboard/src/api/errors.ts'
import { placedInText, placeOfError } from '../../../dashboard/src/views/database/sql/place.ts'

const mistake = (detail: string | null, more: object = {}) =>
  new ApiError(400, { error: 'no', code: '42703', detail, hint: 'h', request_id: 'r', ...more })
const mistakeAt = (line: number, column: number) =>
  mistake(`Line ${line}, column ${column}.`, { line, column })
const shown = (error: ApiError, text: string, from: number, linesBefore: number) =>
  (placedInText(error, text, from, linesBefore) as ApiError).detail

it('says the line of the text, not of what was sent', () => {
  expect(shown(mistakeAt(2, 8), 'select nowhere', 0, 1)).toBe('Line 1, column 8.')
  expect(shown(mistakeAt(1, 8), 'select nowhere', 0, 0)).toBe('Line 1, column 8.')
})

it('counts from the beginning of the text where a part of it was run', () => {
  const text = "select 'é😀'; select a\n, b"
  expect(shown(mistakeAt(1, 8), text, text.indexOf('select a'), 0)).toBe('Line 1, column 21.')
  expect(shown(mistakeAt(2, 3), text, text.indexOf('select a'), 0)).toBe('Line 2, column 3.')
  expect(shown(mistakeAt(2, 1), 'one;\ntwo;\nthree', 5, 1)).toBe('Line 2, column 1.')
})

it('leaves other details alone, and a place that nobody has typed out', () => {
  const detail = 'Key (id)=(1) already exists.'
  expect(shown(mistake(detail), 'x', 0, 1)).toBe(detail)
  expect(shown(mistake(detail, { line: 1, column: 1 }), 'x', 0, 0)).toBe(detail)
  expect(shown(mistakeAt(1, 3), 'x', 0, 1)).toBeNull()
  expect(placedInText(mistakeAt(2, 1), 'x', 0, 1)).toMatchObject({ hint: 'h', requestId: 'r', status: 400 })
})

it('does not say again which statement of a script it was', () => {
  const inScript = (detail: string, more = {}) => mistake(detail, { statement_index: 1, ...more })
  const place = { line: 1, column: 8 }
  expect(shown(inScript('statements[1]: Line 1, column 8.', place), 'a;\nselect b', 3, 0)).toBe(
    'Line 2, column 8.',
  )
  expect(shown(inScript('statements[1]: Key (id)=(1) already exists.'), 'x', 0, 0)).toBe(
    'Key (id)=(1) already exists.',
  )
  expect(shown(inScript('statements[1]'), 'x', 0, 0)).toBeNull()
})

// A function may raise any sentence: what is marked comes from the fields alone.
it('marks the word at the place, and nothing for a sentence that reads like one', () => {
  const text = 'select 1,\n  "no where", b'
  expect(placeOfError(mistakeAt(2, 3), text, 0)).toEqual({ from: 12, to: 22 })
  expect(placeOfError(mistakeAt(3, 3), text, 1)).toEqual({ from: 12, to: 22 })
  expect(placeOfError(mistakeAt(1, 10), 'select (1', 0)).toEqual({ from: 8, to: 9 })
  expect(placeOfError(mistake('Line 2, column 3.'), text, 0)).toBeUndefined()
})
