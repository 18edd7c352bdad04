// Authorization requests as JWTs of the client (OpenID Connect Core 1.0 §6) on the Hydra wire. Public HTTP only;
// test/support/oauth-server.ts says which servers it runs against.

import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { authorizeUrl, CALLBACK, call, makeClient, param, requestUrl } from './visitor.ts'

let at: TestOAuthServer
let keys: Awaited<ReturnType<typeof generateKeyPair>>
let jwks: { keys: unknown[] }
beforeAll(async () => {
  at = await startTestOAuthServer()
  keys = await generateKeyPair('RS256')
  jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' }] }
})
afterAll(() => at[Symbol.asyncDispose]())

const sign = (claims: Record<string, unknown>, key = keys.privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key)
const begin = async (query: Record<string, string>, fields: Record<string, unknown> = { jwks }) =>
  call(authorizeUrl(at, await makeClient(at, fields), query))

it('wins over the query, and is shown to the application as what was asked', async () => {
  const request = await sign({
    scope: 'openid read',
    state: 'state-of-the-object',
    nonce: 'nonce-of-the-object',
  })
  const start = await begin({ request, scope: 'openid', state: 'short' })
  const { body } = await call(requestUrl(at.adminUrl, 'login', start))
  expect(body['requested_scope']).toEqual(['openid', 'read'])
})

it('decides where a refusal goes, with its own state', async () => {
  const request = await sign({ scope: 'openid admin', state: 'state-of-the-object', redirect_uri: CALLBACK })
  const { location } = await begin({ request, redirect_uri: 'http://127.0.0.1:5555/evil' })
  expect(location.startsWith(`${CALLBACK}?error=invalid_scope`)).toBe(true)
  expect(param(location, 'state')).toBe('state-of-the-object')
})

it('may be unsigned unless the client says otherwise', async () => {
  const request = new UnsecuredJWT({ prompt: 'none' }).encode()
  expect(param((await begin({ request })).location, 'error')).toBe('login_required')
  const strict = await begin({ request }, { jwks, request_object_signing_alg: 'RS256' })
  expect(param(strict.location, 'error')).toBe('invalid_request_object')
})

it('is not looked at without the scope openid', async () => {
  const start = await begin({ request: 'garbage', scope: 'read' })
  expect(param(start.location, 'login_challenge')).not.toBe('')
})

it('is refused on the error page when its client did not make it, or it is over', async () => {
  const stranger = await generateKeyPair('RS256')
  const seconds = Math.floor(Date.now() / 1000)
  const refused = [
    [
      { request: await sign({ state: 'state-of-the-object' }, stranger.privateKey) },
      'invalid_request_object',
    ],
    [{ request: await sign({ exp: seconds - 60 }) }, 'invalid_request_object'],
    [{ request: await sign({ nbf: seconds + 60 }) }, 'invalid_request_object'],
    [{ request: new UnsecuredJWT({ exp: seconds - 60 }).encode() }, 'invalid_request_object'],
    [{ request: 'garbage' }, 'invalid_request_object'],
    [{ request_uri: 'https://app.example/request' }, 'invalid_request_uri'],
    [{ request: 'garbage', request_uri: 'https://app.example/request' }, 'invalid_request'],
  ] as const
  for (const [query, error] of refused) {
    const { location } = await begin(query)
    expect(location.startsWith(CALLBACK), error).toBe(false)
    expect(param(location, 'error')).toBe(error)
  }
  expect(param((await begin({ request: await sign({}) }, {})).location, 'error')).toBe('invalid_request')
})
