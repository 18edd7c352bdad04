// What realtime-js is told when something is refused: it shows `error` or `message`, and reads the status.

import { expect, it } from 'vitest'
import { DomainError, type ErrorCode } from '../../../../src/errors.ts'
import { answerOf } from '../../../../src/http/error-response.ts'
import { wireOf } from '../../../../src/http/wires/wires.ts'

it.each<[ErrorCode, number]>([
  ['invalid_api_key', 401],
  ['unauthorized_topic', 403],
  ['unsupported_media_type', 415],
  ['validation_failed', 422],
  ['upgrade_required', 426],
  ['rate_limited', 429],
])('says %s with the status %d, and the sentence twice', (code, status) => {
  const err = new DomainError(code, 'ours', { hint: 'do this' })
  const path = '/realtime/v1/websocket'
  const answer = answerOf(err, { requestId: 'r', isAnonymous: true, route: null })
  const refusal = wireOf(path)?.refusal(answer, { request: new Request('http://quoin.test'), path })
  expect(refusal?.status).toBe(status)
  expect(JSON.parse(String(refusal?.body))).toEqual({
    error: 'ours',
    message: 'ours',
    code,
    detail: null,
    hint: 'do this',
    request_id: 'r',
  })
})
