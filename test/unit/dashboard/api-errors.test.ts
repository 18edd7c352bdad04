import { expect, it } from 'vitest'
import { errorOf, isPassing } from '../../../dashboard/src/api/errors.ts'

const answered = (status: number, code: string) =>
  errorOf(status, { error: 'e', code, detail: null, hint: null, request_id: 'r' })

// Reads that pass are repeated for as long as the page is open.
it.each([
  [503, 'database_unavailable', true],
  [502, 'upstream_unavailable', true],
  [504, '57014', false],
  [502, 'upstream_misconfigured', false],
  [400, '22P02', false],
])('%i %s: asked again by itself is %s', (status, code, expected) => {
  expect(isPassing(answered(status, code))).toBe(expected)
})
