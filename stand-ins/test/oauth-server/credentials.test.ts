// How a client names and proves itself on the Hydra wire, and how its requests are read: which of repeated or rival
// values count. Public HTTP only; test/support/oauth-server.ts says which servers it runs against.

import { UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { call, makeClient, SECRET, type TestClient } from './visitor.ts'

const CREDENTIALS = 'grant_type=client_credentials'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

let at: TestOAuthServer
let post: TestClient
let basic: TestClient
let anyone: TestClient
beforeAll(async () => {
  at = await startTestOAuthServer()
  post = await makeClient(at)
  basic = await makeClient(at, { token_endpoint_auth_method: 'client_secret_basic' })
  anyone = await makeClient(at, { token_endpoint_auth_method: 'none' })
})
afterAll(() => at[Symbol.asyncDispose]())

/** Asks with exactly this body; the answer as its error, or as the scope that was given. */
async function ask(body: string, authorization?: string): Promise<[status: number, answer: unknown]> {
  const response = await fetch(`${at.publicUrl}/oauth2/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body,
  })
  const answer = (await response.json()) as Record<string, unknown>
  return [response.status, answer['error'] ?? answer['scope']]
}
const basicOf = (client: TestClient, secret = SECRET) => `Basic ${btoa(`${client.client_id}:${secret}`)}`
const formOf = (client: TestClient, secret = SECRET) =>
  `client_id=${client.client_id}&client_secret=${encodeURIComponent(secret)}`

describe('the first of repeated parameters counts', () => {
  it.each([
    ['a client', () => `${CREDENTIALS}&${formOf(post)}&client_id=nobody`, 200, ''],
    [
      'a client that is nobody',
      () => `${CREDENTIALS}&client_id=nobody&${formOf(post)}`,
      401,
      'invalid_client',
    ],
    ['a secret', () => `${CREDENTIALS}&${formOf(post)}&client_secret=wrong`, 200, ''],
    ['a grant', () => `${CREDENTIALS}&grant_type=magic&${formOf(post)}`, 200, ''],
    ['scopes', () => `${CREDENTIALS}&scope=read&scope=admin&${formOf(post)}`, 200, 'read'],
    ['codes', () => `grant_type=authorization_code&code=a&code=b&${formOf(post)}`, 400, 'invalid_grant'],
  ])('of %s', async (_what, body, status, answer) => {
    expect(await ask(body())).toEqual([status, answer])
  })
})

it('scopes may have spaces to spare, and each counts once', async () => {
  expect(await ask(`${CREDENTIALS}&scope=+read++openid+read+&${formOf(post)}`)).toEqual([200, 'read openid'])
})

describe('credentials in a Basic header', () => {
  it('win over another client in the body', async () => {
    expect(await ask(`${CREDENTIALS}&client_id=nobody`, basicOf(basic))).toEqual([200, ''])
    expect(await ask(`${CREDENTIALS}&client_secret=wrong`, basicOf(basic))).toEqual([200, ''])
  })

  it('are no good beside those of the body, nor with the wrong or no secret', async () => {
    for (const [body, header] of [
      [formOf(basic), basicOf(basic)],
      [formOf(post), basicOf(post, '')],
      ['', basicOf(basic, '')],
      ['', basicOf(basic, 'wrong')],
      ['', basicOf(post)],
    ])
      expect(await ask(`${CREDENTIALS}&${body}`, header), header).toEqual([401, 'invalid_client'])
  })

  it('name a public client too, which may revoke so but has no tokens of its own', async () => {
    expect(await ask(CREDENTIALS, basicOf(anyone, ''))).toEqual([400, 'invalid_grant'])
    const headers = { authorization: basicOf(anyone, '') }
    const revoked = await call(`${at.publicUrl}/oauth2/revoke`, { form: { token: 'unknown' }, headers })
    expect([revoked.status, revoked.text]).toEqual([200, ''])
  })

  it('that cannot be read leave it to the body', async () => {
    for (const header of ['Basic !!!', 'Basic', 'Bearer x', `Basic ${btoa('no colon')}`])
      expect(await ask(`${CREDENTIALS}&${formOf(post)}`, header), header).toEqual([200, ''])
  })
})

describe('an assertion', () => {
  const shown = (assertion: string) =>
    `${CREDENTIALS}&client_assertion_type=${ASSERTION_TYPE}&client_assertion=${assertion}`

  it('that proves nothing is refused as a wrong secret is', async () => {
    const unsigned = new UnsecuredJWT({ sub: post.client_id, iss: post.client_id }).encode()
    for (const assertion of ['x.y.z', 'garbage', unsigned])
      expect(await ask(`${shown(assertion)}&client_id=${post.client_id}`)).toEqual([401, 'invalid_client'])
  })

  it('must be there, and of the one known type', async () => {
    expect(await ask(`${shown('')}&${formOf(post)}`)).toEqual([400, 'invalid_request'])
    const unknown = `${CREDENTIALS}&client_assertion_type=magic&client_assertion=x`
    expect(await ask(`${unknown}&${formOf(post)}`)).toEqual([400, 'invalid_request'])
  })

  it('without a type is not looked at', async () => {
    expect(await ask(`${CREDENTIALS}&client_assertion=x&${formOf(post)}`)).toEqual([200, ''])
  })
})

it('a grant that is unknown is refused before the client is looked at', async () => {
  expect(await ask(`grant_type=magic&${formOf(post, 'wrong')}`)).toEqual([400, 'invalid_request'])
  expect(await ask(`grant_type=&${formOf(post, 'wrong')}`)).toEqual([400, 'invalid_request'])
})

it('the JWT bearer grant is for clients that have it, and no assertion is trusted', async () => {
  const body = `grant_type=${JWT_BEARER}&assertion=x.y.z`
  expect(await ask(`${body}&${formOf(post)}`)).toEqual([400, 'unauthorized_client'])
  const trusted = await makeClient(at, { grant_types: [JWT_BEARER] })
  expect(await ask(`${body}&${formOf(trusted)}`)).toEqual([400, 'invalid_grant'])
  expect(await ask(`grant_type=${JWT_BEARER}&${formOf(trusted)}`)).toEqual([400, 'invalid_request'])
})
