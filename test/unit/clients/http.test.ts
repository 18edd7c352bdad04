// A write whose end nobody saw is told apart from one that was refused: trying the first again may do it twice.

import { describe, expect, it } from 'vitest'
import { callUpstream, invalidAnswer, type Upstream, unexpected } from '../../../src/clients/http.ts'

/** A server whose `fetch` is this; `performed` counts the requests that it took. */
function serverThat(fetchCall: (signal: AbortSignal) => Promise<Response>) {
  const seen = { performed: 0 }
  const server: Upstream = {
    name: 'oauth_server',
    baseUrl: 'http://server.test',
    variable: 'OAUTH_ADMIN_URL',
    fetch: (_input, init) => {
      seen.performed++
      return fetchCall(init?.signal ?? AbortSignal.abort())
    },
  }
  return { server, seen }
}

const neverAnswers = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
const cutsTheBody = () =>
  Promise.resolve(
    new Response(new ReadableStream({ pull: controller => controller.error(new Error('reset')) })),
  )
const refusesToConnect = () => Promise.reject(new TypeError('fetch failed'))

const NO_ANSWERS: [string, (signal: AbortSignal) => Promise<Response>][] = [
  ['never answers', neverAnswers],
  ['breaks off its answer', cutsTheBody],
  ['cuts the connection', refusesToConnect],
]

describe('a server that does the work and then', () => {
  it.each(NO_ANSWERS)(
    '%s leaves the outcome of a write open, and asks for a look first',
    async (_, fetchCall) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const { server, seen } = serverThat(fetchCall)
        await expect(callUpstream(server, { method, path: '/x', timeoutMs: 20 })).rejects.toMatchObject({
          code: 'upstream_unavailable',
          outcomeUnknown: true,
          hint: 'It may have been done all the same: look before you try again.',
          retryAfterSeconds: undefined,
        })
        expect(seen.performed).toBe(1)
      }
    },
  )

  it.each(NO_ANSWERS)('%s leaves nothing open where the call only reads', async (_, fetchCall) => {
    for (const call of [{ method: 'GET' }, { method: 'POST', onlyReads: true }] as const) {
      const { server } = serverThat(fetchCall)
      await expect(callUpstream(server, { ...call, path: '/x', timeoutMs: 20 })).rejects.toMatchObject({
        code: 'upstream_unavailable',
        outcomeUnknown: false,
        hint: 'Try again in a moment.',
        retryAfterSeconds: 5,
      })
    }
  })
})

it('is given up when the most is over that its deployment lets a call take', async () => {
  const { server } = serverThat(neverAnswers)
  const call = callUpstream({ ...server, timeoutMsMax: 20 }, { method: 'GET', path: '/x', timeoutMs: 60_000 })
  await expect(call).rejects.toMatchObject({ code: 'upstream_unavailable' })
})

// Another try would be answered the same for ever.
it('says of an answer that is too long to read that it is, and leaves a write open', async () => {
  const { server } = serverThat(async () => new Response('x'.repeat(8 * 1024 * 1024 + 1)))
  for (const method of ['GET', 'POST'] as const)
    await expect(callUpstream(server, { method, path: '/x' })).rejects.toMatchObject({
      code: 'upstream_answer_too_large',
      retryAfterSeconds: undefined,
      outcomeUnknown: method === 'POST',
    })
})

describe('an answer to a write', () => {
  const answerOf = async (method: 'GET' | 'POST', status: number) => {
    const { server } = serverThat(async () => new Response('<html>', { status }))
    return { server, answer: await callUpstream(server, { method, path: '/x' }) }
  }

  it.each([502, 504])('of a gateway that got none itself (%i) leaves it open', async status => {
    const { server, answer } = await answerOf('POST', status)
    expect(unexpected(server, answer)).toMatchObject({ code: 'upstream_unavailable', outcomeUnknown: true })
  })

  it('that is good, but not understood, leaves it open, and still names the variable', async () => {
    const { server, answer } = await answerOf('POST', 201)
    expect(invalidAnswer(server, answer)).toMatchObject({
      code: 'upstream_invalid_answer',
      outcomeUnknown: true,
      hint: expect.stringMatching(/^It may have been done all the same: .*OAUTH_ADMIN_URL/),
    })
  })

  it.each([302, 401, 403, 404, 500, 503])(
    'that is a refusal (%i) says that nothing was done',
    async status => {
      const { server, answer } = await answerOf('POST', status)
      expect(unexpected(server, answer)).toMatchObject({ outcomeUnknown: false })
    },
  )

  it.each([200, 502, 504])('is not open where the call only reads (%i)', async status => {
    const { server, answer } = await answerOf('GET', status)
    expect(unexpected(server, answer)).toMatchObject({ outcomeUnknown: false })
  })
})

it('is never sent without an address, so nothing is open', async () => {
  const { server, seen } = serverThat(neverAnswers)
  await expect(
    callUpstream({ ...server, baseUrl: undefined }, { method: 'POST', path: '/x' }),
  ).rejects.toMatchObject({ code: 'not_configured', outcomeUnknown: false })
  expect(seen.performed).toBe(0)
})
