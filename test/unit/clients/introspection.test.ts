// What introspection, and whatever may stand in front of it, can answer.

import { describe, expect, it } from 'vitest'
import type { Upstream, UpstreamAnswer } from '../../../src/clients/http.ts'
import { introspectToken, processIntrospection } from '../../../src/clients/oauth-server/introspection.ts'

const ACTIVE = {
  active: true,
  scope: 'openid read',
  client_id: 'app',
  sub: 'alice',
  exp: 1_893_456_000,
  iat: 1_893_452_400,
  nbf: 1_893_452_400,
  aud: ['https://api.example.com'],
  iss: 'http://127.0.0.1:4444',
  token_type: 'Bearer',
  token_use: 'access_token',
  ext: { tenant: 'acme' },
}

const SERVER: Upstream = {
  name: 'oauth_server',
  baseUrl: 'http://oauth.test',
  variable: 'OAUTH_ADMIN_URL',
  token: 'gateway-token',
  fetch: async () => Response.json({ active: false }),
}

function answer(status: number, body: unknown): UpstreamAnswer {
  const isText = typeof body === 'string'
  const text = isText ? body : JSON.stringify(body)
  return { status, headers: new Headers(), text, json: isText ? undefined : body }
}

describe('introspectToken', () => {
  it('sends the token as a form, never in the address, with the gateway’s token', async () => {
    let asked: Request | undefined
    const server: Upstream = {
      ...SERVER,
      fetch: async (input, init) => {
        asked = new Request(input, init)
        return Response.json(ACTIVE)
      },
    }
    expect(await introspectToken(server, 'ory_at_a+b.c')).toMatchObject(ACTIVE)
    expect(asked?.url).toBe('http://oauth.test/admin/oauth2/introspect')
    expect(asked?.headers.get('authorization')).toBe('Bearer gateway-token')
    expect(await asked?.text()).toBe('token=ory_at_a%2Bb.c')
  })

  it('is undefined for a token that is not active', () => {
    expect(processIntrospection(SERVER, answer(200, { active: false }))).toBeUndefined()
    expect(processIntrospection(SERVER, answer(200, { active: false, client_id: 'app' }))).toBeUndefined()
  })

  it('reads what is absent or null as empty, and one audience as a list of it', () => {
    const bare = { active: true, client_id: 'app', aud: null, ext: null }
    expect(processIntrospection(SERVER, answer(200, bare))).toMatchObject({ sub: '', scope: '', aud: [] })
    expect(processIntrospection(SERVER, answer(200, { ...bare, aud: 'data' }))).toMatchObject({
      aud: ['data'],
    })
  })

  it.each([
    ['a page in place of JSON', answer(200, '<html>'), 'upstream_invalid_answer'],
    ['null', answer(200, null), 'upstream_invalid_answer'],
    ['no word on active', answer(200, { client_id: 'app' }), 'upstream_invalid_answer'],
    ['active as text', answer(200, { ...ACTIVE, active: 'true' }), 'upstream_invalid_answer'],
    ['active of no client', answer(200, { ...ACTIVE, client_id: '' }), 'upstream_invalid_answer'],
    ['a subject that is no text', answer(200, { ...ACTIVE, sub: 7 }), 'upstream_invalid_answer'],
    ['a 404, as of a wrong address', answer(404, '404 page not found'), 'upstream_invalid_answer'],
    ['a refusal of the form', answer(400, { error: 'invalid_request' }), 'upstream_invalid_answer'],
    ["a gateway's 401", answer(401, { error: 'request_unauthorized' }), 'upstream_misconfigured'],
    ["a gateway's 403", answer(403, '<html>'), 'upstream_misconfigured'],
    ['a 500', answer(500, { error: 'error' }), 'upstream_unavailable'],
  ])('tells %s from an answer', (_, odd, code) => {
    expect(() => processIntrospection(SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })
})
