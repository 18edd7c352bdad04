import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { DomainError } from '../../../src/errors.ts'
import { answerOf, type ErrorContext, errorResponse } from '../../../src/http/error-response.ts'

const context = { requestId: 'r1', isAnonymous: false, route: 'GET /v1/things' }
const postgres = (code: string) => new PostgresError({ code, message: 'm', detail: 'd', hint: null })

const logged = vi.spyOn(console, 'error')
beforeEach(() => logged.mockImplementation(() => {}))
afterEach(() => logged.mockClear())

const respond = (err: unknown, context: ErrorContext) => errorResponse(answerOf(err, context))

describe('errorResponse', () => {
  it.each([
    ['23503', 409],
    ['23505', 409],
    ['23502', 400],
    ['22P02', 400],
    ['42P01', 404],
    ['42883', 404],
    ['42703', 400],
    ['40001', 409],
    ['40P01', 409],
    ['55P03', 409],
    ['57014', 504],
    ['08P01', 400],
    ['PT408', 400],
    ['PT421', 400],
    ['PT425', 400],
    ['08006', 503],
    ['53300', 503],
    ['P0001', 400],
    ['25006', 405],
    ['PT402', 402],
    ['PT299', 400],
    ['0A000', 400],
    ['20000', 400],
    ['24000', 400],
    ['2BP01', 400],
    ['2F005', 400],
    ['38000', 400],
    ['39000', 400],
    ['3B001', 400],
    ['3D000', 400],
    ['3F000', 400],
    ['QX001', 400],
    ['53400', 503],
    ['57P01', 503],
    ['21000', 500],
    ['42P17', 500],
    ['54001', 500],
    ['58030', 500],
    ['F0000', 500],
    ['HV000', 500],
    ['XX000', 500],
  ])('maps SQLSTATE %s to %i', (code, status) => {
    expect(respond(postgres(code), context).status).toBe(status)
  })

  it('tells an anonymous caller to sign in (401) and a known one that it may not (403)', () => {
    expect(respond(postgres('42501'), { ...context, isAnonymous: true }).status).toBe(401)
    expect(respond(postgres('42501'), context).status).toBe(403)
  })

  it('has the five fields of the specification, null where there is nothing to say', async () => {
    const body = await respond(new DomainError('not_found', 'no such key'), context).json()
    expect(body).toEqual({
      error: 'no such key',
      code: 'not_found',
      detail: null,
      hint: null,
      request_id: 'r1',
    })
  })

  // An unknown failure may carry a connection string or a row in its message.
  it('never shows the message of an unknown failure, and logs it with the request id', async () => {
    const response = respond(new Error('postgres://owner:secret@db'), context)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
    expect(logged.mock.calls[0]?.[0]).toContain('"route":"GET /v1/things","request_id":"r1"')
    expect(logged.mock.calls[0]?.[0]).not.toContain('secret')
  })

  // Which of three servers is down must not have to be read out of a stack.
  it('logs which server failed', () => {
    respond(new DomainError('upstream_unavailable', 'm', { detail: 'identity_provider' }), context)
    expect(logged.mock.lastCall?.[0]).toContain('"detail":"identity_provider"')
  })

  it('does not show what an internal error of Postgres says', async () => {
    const response = respond(postgres('XX000'), context)
    expect(await response.json()).toMatchObject({ code: 'internal_error', detail: null })
  })

  // A row that came twice, a policy that calls itself, JSON that is too deep: the caller's to mend, if it is named.
  it.each(['21000', '42P17', '54001', 'PT500'])(
    'shows what Postgres says with %s, though it is a 500',
    async code => {
      const response = respond(postgres(code), context)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ error: 'm', code, detail: 'd' })
    },
  )

  it('says its charset', () => {
    for (const err of [postgres('22P02'), new DomainError('not_found', 'm'), new Error('m')])
      expect(respond(err, context).headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('says how many rows there are beside a range behind them', () => {
    const behind = respond(new DomainError('invalid_range', 'm', { totalRows: 0 }), context)
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, '*/0'])
    expect(respond(new DomainError('invalid_range', 'm'), context).headers.get('content-range')).toBeNull()
  })

  it('says when to try again', () => {
    const response = respond(new DomainError('rate_limited', 'm', { retryAfterSeconds: 12.2 }), context)
    expect(response.headers.get('retry-after')).toBe('13')
  })
})
