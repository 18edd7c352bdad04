import { expect, it } from 'vitest'
import { readIngestAnswer } from '../../../listener/ingest-answer.ts'

const NOW = Date.parse('2026-10-21T07:27:00Z')

it.each([
  [202, 'accepted'],
  [200, 'misconfigured'],
  [302, 'misconfigured'],
  [400, 'refused'],
  [401, 'unauthorized'],
  [404, 'misconfigured'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'unavailable'],
  [500, 'unavailable'],
  [503, 'unavailable'],
])('reads %i as %s', (status, outcome) => {
  expect(readIngestAnswer(status, null, '', NOW)).toMatchObject({ outcome })
})

it('says the code of an error, and nothing else of its body', () => {
  const body = '{"error":"the row {secret} is bad","code":"invalid_body","detail":"secret"}'
  expect(readIngestAnswer(400, null, body, NOW)).toEqual({ outcome: 'refused', reason: '400 invalid_body' })
})

it('passes on the pause that a server asks for', () => {
  const askedMs = (retryAfter: string | null) => readIngestAnswer(503, retryAfter, '', NOW)
  expect(askedMs('7')).toMatchObject({ askedMs: 7_000 })
  // Something between the Worker and the listener may write a date.
  expect(askedMs('Wed, 21 Oct 2026 07:28:00 GMT')).toMatchObject({ askedMs: 60_000 })
  expect(askedMs('9999999')).toMatchObject({ askedMs: 9_999_999_000 })
  expect(askedMs(null)).toMatchObject({ askedMs: 0 })
})
