import { expect, it } from 'vitest'
import { readIngestAnswer } from '../../../listener/ingest-answer.ts'

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
  expect(readIngestAnswer(status, null, '')).toMatchObject({ outcome })
})

it('says the code of an error, and nothing else of its body', () => {
  const body = '{"error":"the row {secret} is bad","code":"invalid_body","detail":"secret"}'
  expect(readIngestAnswer(400, null, body)).toEqual({ outcome: 'refused', reason: '400 invalid_body' })
})

it('passes on the pause that a server asks for', () => {
  expect(readIngestAnswer(503, '7', '')).toMatchObject({ askedMs: 7_000 })
  expect(readIngestAnswer(503, 'Wed, 21 Oct 2026 07:28:00 GMT', '')).toMatchObject({ askedMs: 0 })
})
