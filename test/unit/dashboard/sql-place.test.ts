// Where a mistake in a statement is, as the editor counts its lines.

import { expect, it } from 'vitest'
import { ApiError } from '../../../dashboard/src/api/errors.ts'
import { placedInText } from '../../../dashboard/src/views/database/sql/place.ts'

const mistake = (detail: string | null) =>
  new ApiError(400, { error: 'no', code: '42703', detail, hint: 'h', request_id: 'r' })
const placeIn = (detail: string | null, text: string, from: number, linesBefore: number) =>
  (placedInText(mistake(detail), text, from, linesBefore) as ApiError).detail

it('says the line of the text, not of what was sent', () => {
  expect(placeIn('Line 2, column 8.', 'select nowhere', 0, 1)).toBe('Line 1, column 8.')
  expect(placeIn('Line 1, column 8.', 'select nowhere', 0, 0)).toBe('Line 1, column 8.')
})

it('counts from the beginning of the text where a part of it was run', () => {
  const text = "select 'é😀'; select a\n, b"
  expect(placeIn('Line 1, column 8.', text, text.indexOf('select a'), 0)).toBe('Line 1, column 21.')
  expect(placeIn('Line 2, column 3.', text, text.indexOf('select a'), 0)).toBe('Line 2, column 3.')
  expect(placeIn('Line 2, column 1.', 'one;\ntwo;\nthree', 5, 1)).toBe('Line 2, column 1.')
})

it('leaves other details alone, and a place that nobody has typed out', () => {
  expect(placeIn('Key (id)=(1) already exists.', 'x', 0, 1)).toBe('Key (id)=(1) already exists.')
  expect(placeIn('Line 1, column 3.', 'x', 0, 1)).toBeNull()
  expect(placedInText(mistake('Line 2, column 1.'), 'x', 0, 1)).toMatchObject({
    hint: 'h',
    requestId: 'r',
    status: 400,
  })
})
