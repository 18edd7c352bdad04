// The documents that anybody may read, and what paths get that no route has, on the Hydra wire.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, ownName } from './caller.ts'

let server: TestOAuthServer
beforeAll(async () => {
  server = await startTestOAuthServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const NO_STORE = expect.stringContaining('no-store')

it('answers a path that no route has as text: no client takes it for a row that is missing', async () => {
  const { status, headers } = await ask('GET', `${server.adminUrl}/admin/client`)
  expect(status).toBe(404)
  expect(headers.get('content-type')).toContain('text/plain')
})

describe('discovery', () => {
  it('names every endpoint at the issuer, which has no slash at its end', { timeout: 60_000 }, async () => {
    const { status, body } = await ask('GET', `${server.publicUrl}/.well-known/openid-configuration`)
    const issuer = server.publicUrl
    expect(status).toBe(200)
    expect(body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/auth`,
      token_endpoint: `${issuer}/oauth2/token`,
      device_authorization_endpoint: `${issuer}/oauth2/device/auth`,
      userinfo_endpoint: `${issuer}/userinfo`,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      end_session_endpoint: `${issuer}/oauth2/sessions/logout`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      subject_types_supported: ['public', 'pairwise'],
      code_challenge_methods_supported: ['plain', 'S256'],
      backchannel_logout_session_supported: true,
    })
    expect(body).not.toHaveProperty('registration_endpoint')
  })

  it('is at the path of RFC 8414 as well', { timeout: 60_000 }, async () => {
    const { body } = await ask('GET', `${server.publicUrl}/.well-known/oauth-authorization-server`)
    expect(body).toMatchObject({
      issuer: server.publicUrl,
      token_endpoint: `${server.publicUrl}/oauth2/token`,
    })
  })

  it('is on the public port alone, and is not to be stored', { timeout: 60_000 }, async () => {
    const { headers } = await ask('GET', `${server.publicUrl}/.well-known/openid-configuration`)
    expect(headers.get('cache-control')).toEqual(NO_STORE)
    expect((await ask('GET', `${server.adminUrl}/.well-known/openid-configuration`)).status).toBe(404)
  })
})

describe('health', () => {
  it('is good on both ports, with the admin prefix and without', async () => {
    for (const url of [server.publicUrl, server.adminUrl, `${server.adminUrl}/admin`])
      for (const kind of ['alive', 'ready'])
        expect(await ask('GET', `${url}/health/${kind}`)).toMatchObject({
          status: 200,
          body: { status: 'ok' },
        })
  })

  it('tells the version on the admin port alone', async () => {
    expect((await ask('GET', `${server.adminUrl}/version`)).body).toEqual({ version: expect.any(String) })
    expect((await ask('GET', `${server.publicUrl}/version`)).status).toBe(404)
  })
})

describe('the form of a path', () => {
  it('may leave out the admin prefix', async () => {
    const query = `owner=${ownName('nobody')}`
    for (const path of ['/admin/clients', '/clients']) {
      const { status, body, headers } = await ask('GET', `${server.adminUrl}${path}?${query}`)
      expect({ path, status, body }).toEqual({ path, status: 200, body: [] })
      expect(headers.get('link')).toMatch(/^<\/admin\/clients\?owner=/)
    }
  })

  it('answers HEAD where it answers GET, without a body', async () => {
    expect(await ask('HEAD', `${server.adminUrl}/admin/clients`)).toMatchObject({ status: 200, text: '' })
    expect(await ask('HEAD', `${server.adminUrl}/admin/clients/nobody`)).toMatchObject({
      status: 404,
      text: '',
    })
  })
})
