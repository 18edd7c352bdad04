// What reaches the log of an answer that was not expected. A server that repeats the request must not write our secrets
// there.

import { describe, expect, it } from 'vitest'
import { callUpstream, type UpstreamCall, unexpected } from '../../../src/clients/http.ts'
import { fakeServer } from '../oauth/fake-server.ts'

/** What the log is told when the server answers so. */
async function logged(call: Partial<UpstreamCall>, ...reply: [status: number, body?: unknown]) {
  const { server } = fakeServer(() => reply)
  const upstream = { ...server, token: 'the-bearer-token' }
  const answer = await callUpstream(upstream, { method: 'POST', path: '/x', ...call })
  return String(unexpected(upstream, answer).cause)
}

describe('the log of a refusal', () => {
  it('has the words of the OAuth2 server and of the identity provider', async () => {
    const refusal = { error: 'invalid_request', error_description: 'No such thing.', error_debug: 'select' }
    expect(await logged({}, 400, refusal)).toMatch(/^status 400, .*: invalid_request, No such thing\.$/)
    const kratos = { error: { code: 500, message: 'It broke.', reason: 'The pipe leaks.', debug: 'x' } }
    expect(await logged({}, 500, kratos)).toMatch(/^status 500, .*: It broke\., The pipe leaks\.$/)
  })

  it.each<[string, unknown]>([
    ['a page', '<html>POST /x the-secret-value</html>'],
    ['JSON of another form', { echo: 'the-secret-value' }],
    ['an error of another form', { error: ['the-secret-value'] }],
  ])('tells the kind and length of %s, and nothing of it', async (_, body) => {
    expect(await logged({}, 502, body)).toMatch(/^status 502, .+, \d+ characters$/)
  })

  it('is cut short', async () => {
    expect((await logged({}, 500, { error: 'x'.repeat(10_000) })).length).toBeLessThan(400)
  })

  it.each<[string, Partial<UpstreamCall>, string]>([
    ['the bearer token', {}, 'Bearer the-bearer-token'],
    ['a cookie', { headers: { cookie: 'a=1; session=the-secret-value' } }, 'session is the-secret-value'],
    ['a value of the query', { query: { challenge: 'the/secret+value' } }, 'the/secret+value'],
    ['its encoded form', { query: { challenge: 'the/secret+value' } }, '?challenge=the%2Fsecret%2Bvalue'],
    ['a value of the form', { form: { token: 'the-secret-value' } }, 'token=the-secret-value'],
    ['a value in the JSON', { json: [{ value: { x: 'the-secret-value' } }] }, '"the-secret-value"'],
    ['a value with quotes', { json: { x: 'the"secret-value' } }, '"the\\"secret-value"'],
  ])('does not hold %s', async (_, call, echo) => {
    const line = await logged(call, 500, { error: 'error', error_description: `You sent ${echo}` })
    expect(line).toContain('You sent')
    expect(line).toContain('***')
    expect(line).not.toMatch(/secret|the-bearer-token/)
  })
})
