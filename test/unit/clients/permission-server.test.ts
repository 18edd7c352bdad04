// What answers of the permission server mean: its own words, a gateway's, and what makes no sense.

import { describe, expect, it } from 'vitest'
import type { Upstream, UpstreamAnswer } from '../../../src/clients/http.ts'
import { readCursor, writeCursor } from '../../../src/clients/page-cursor.ts'
import {
  processCheckTuple,
  processListTuples,
  processWriteTuples,
} from '../../../src/clients/permission-server.ts'
import { TupleListQuery } from '../../../src/features/permissions/schemas.ts'

const upstream: Upstream = { name: 'permission_server', variable: 'X', baseUrl: 'http://p', fetch }

function answer(status: number, json?: unknown): UpstreamAnswer {
  return { status, headers: new Headers(), text: json === undefined ? '<html>' : JSON.stringify(json), json }
}

const refusal = (code: number) => ({ error: { code, status: '', message: 'in general', reason: 'exactly' } })

describe('a check', () => {
  it('is denied by 403 with a body of its own, as by 200', () => {
    for (const status of [200, 403])
      expect(processCheckTuple(upstream, answer(status, { allowed: false }))).toEqual({
        outcome: 'checked',
        allowed: false,
      })
  })

  // A gateway that says no must not read as the permission server's.
  it.each([
    [403, undefined, 'upstream_misconfigured'],
    [403, { allowed: true }, 'upstream_misconfigured'],
    [403, refusal(403), 'upstream_misconfigured'],
    [200, { code: 404, message: 'not found' }, 'upstream_invalid_answer'],
    [200, { allowed: 'true' }, 'upstream_invalid_answer'],
    [400, undefined, 'upstream_invalid_answer'],
    [503, refusal(503), 'upstream_unavailable'],
  ])('with %d and %j is no answer', (status, json, code) => {
    expect(() => processCheckTuple(upstream, answer(status, json))).toThrow(expect.objectContaining({ code }))
  })

  it('that cannot be made says why', () => {
    expect(processCheckTuple(upstream, answer(400, refusal(400)))).toEqual({
      outcome: 'refused',
      reason: 'exactly',
    })
  })
})

describe('a list', () => {
  const page = (tuples: unknown) => answer(200, { relation_tuples: tuples, next_page_token: '' })
  const names = { namespace: 'a', object: 'b', relation: 'c' }

  it('is a page, with or without tuples', () => {
    const read = (tuples: unknown) => processListTuples(upstream, page(tuples), {})
    expect(read(null)).toEqual({ outcome: 'page', tuples: [], nextPageToken: undefined })
    const tuples = [
      { ...names, subject_id: 'd' },
      { ...names, subject_set: names },
    ]
    expect(read(tuples)).toMatchObject({ tuples })
  })

  // Keto's tokens hold the last row: 764 characters with common names, and 2 300 with a relation of 64 times `<`.
  it.each([0, 150, 764, 2_300, 4_096])(
    'goes on with a page token of %d characters, and a cursor does',
    length => {
      const token = 'aZ0-_'.repeat(1_000).slice(0, length)
      const body = { relation_tuples: [], next_page_token: token }
      const read = processListTuples(upstream, answer(200, body), {})
      expect(read).toEqual({ outcome: 'page', tuples: [], nextPageToken: token || undefined })
      const cursor = writeCursor(token || undefined)
      if (cursor === null) return
      expect(readCursor(TupleListQuery.parse({ cursor }).cursor)).toBe(token)
      expect(cursor.length).toBeLessThan(8 * 1024)
    },
  )

  it.each([
    [names],
    [{ ...names, subject_id: 'd', subject_set: names }],
    [{ ...names, subject_set: { namespace: 'a' } }],
    [{ ...names, subject_id: 7 }],
    [null],
  ])('with %j in it is no answer', odd => {
    expect(() => processListTuples(upstream, page([odd]), {})).toThrow(
      expect.objectContaining({ code: 'upstream_invalid_answer' }),
    )
  })

  it('is refused for its token, or for a namespace, in the server’s own words alone', () => {
    expect(processListTuples(upstream, answer(400, refusal(400)), { token: 'x' })).toEqual({
      outcome: 'refused_token',
    })
    expect(processListTuples(upstream, answer(404, refusal(404)), {})).toEqual({
      outcome: 'unknown_namespace',
    })
    expect(() => processListTuples(upstream, answer(404), {})).toThrow('does not understand')
  })
})

it('a write is done by 204 alone', () => {
  expect(processWriteTuples(upstream, answer(204))).toEqual({ outcome: 'written' })
  expect(() => processWriteTuples(upstream, answer(200, {}))).toThrow('does not understand')
  expect(() => processWriteTuples(upstream, answer(404))).toThrow('does not understand')
})
