// Refusals under /rest/v1 that no database is needed for: what PostgREST has a code for, and what it has none for.

import { describe, expect, test } from 'vitest'
import { PostgresError } from '../../../../src/db/postgres-error.ts'
import { DomainError, type ErrorCode, type ErrorFacts } from '../../../../src/errors.ts'
import { answerOf } from '../../../../src/http/error-response.ts'
import { POSTGREST_WIRE } from '../../../../src/http/wires/postgrest.ts'

const PATH = '/rest/v1/todos'
const CONTEXT = { requestId: 'r', isAnonymous: false, route: null }

function refusalOf(err: unknown, method = 'GET') {
  const request = new Request(`https://quoin.example${PATH}`, { method })
  const { status, headers, body } = POSTGREST_WIRE.refusal(answerOf(err, CONTEXT), { request, path: PATH })
  return { status, headers, body: JSON.parse(String(body)) }
}

const domain = (code: ErrorCode, facts?: ErrorFacts) => new DomainError(code, 'said', facts)

describe('what PostgREST has no word for', () => {
  test.each<[ErrorCode, number]>([
    ['rate_limited', 429],
    ['payload_too_large', 413],
    ['project_paused', 403],
    ['invalid_api_key', 401],
    ['admission_unavailable', 503],
  ])('%s keeps its code and its words', (code, status) => {
    const { status: actual, headers, body } = refusalOf(domain(code, { detail: 'more', hint: 'do' }))
    expect([actual, body]).toEqual([status, { code, message: 'said', details: 'more', hint: 'do' }])
    expect(headers['proxy-status']).toBe(`PostgREST; error=${code}`)
  })
})

test('a database that is down may be asked again by who reads, and by others only where nothing was done', () => {
  const down = refusalOf(domain('database_unavailable'))
  expect([down.status, down.body.code, down.headers['retry-after']]).toEqual([503, 'PGRST000', '1'])
  expect(refusalOf(domain('database_unavailable'), 'POST').headers['retry-after']).toBeUndefined()
  const before = refusalOf(domain('database_unavailable', { retryAfterSeconds: 3 }), 'POST')
  expect(before.headers['retry-after']).toBe('3')
})

test('what failed inside is not told', () => {
  const secret = refusalOf(new PostgresError({ code: 'XX000', message: 'select secret from hidden' }))
  expect([secret.status, secret.body.code]).toEqual([500, 'internal_error'])
  expect(JSON.stringify([secret, refusalOf(new TypeError('hidden'))])).not.toContain('hidden')
})

test("Postgres' hint is told and ours is not: clients compare it", () => {
  const fields = { code: '42P10', message: 'said', detail: 'more' }
  expect(refusalOf(new PostgresError({ ...fields, hint: 'theirs' })).body.hint).toBe('theirs')
  const explained = new PostgresError(fields)
  explained.hint = 'ours'
  explained.isHintOurs = true
  expect(refusalOf(explained).body).toEqual({ code: '42P10', message: 'said', details: 'more', hint: null })
})

test('a code that a function made up is no header of its own', () => {
  const raised = new PostgresError({ code: 'a\r\nSet-Cookie: b=1', message: 'said' })
  raised.answer = { status: 400, headers: {} }
  expect(refusalOf(raised).headers).not.toHaveProperty('proxy-status')
})
