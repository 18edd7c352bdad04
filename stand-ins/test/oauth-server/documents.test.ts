// The documents that anybody may read, and what paths get that no route has, on the Hydra wire.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestOAuthServer, type TestOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, ownName } from './caller.ts'

let server: TestOAuthServer
beforeAll(async () => {
  server = await startTestOAuthServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const mediaType = (headers: Headers) => headers.get('content-type')?.split(';')[0]
const NO_STORE = expect.stringContaining('no-store')

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

describe('a path that no route has', () => {
  it('is JSON, text or a page on the public port, as the caller accepts, and a page for who does not say', async () => {
    for (const [accept, type] of [
      ['application/json', 'application/json'],
      ['text/plain', 'text/plain'],
      ['text/html', 'text/html'],
      ['*/*', 'text/html'],
      ['image/png', 'text/html'],
      ['text/html;q=0.1, application/json;q=0.9', 'application/json'],
      ['application/json, text/plain, */*', 'application/json'],
      ['application/json;q=0', 'text/html'],
    ] as const) {
      const { status, headers } = await ask('GET', `${server.publicUrl}/nothing-here`, {
        headers: { accept },
      })
      expect({ accept, status, type: mediaType(headers) }).toEqual({ accept, status: 404, type })
    }
  })

  it('is plain text on the admin port, whatever the caller accepts', async () => {
    for (const accept of ['application/json', 'text/html'])
      for (const path of ['/nothing-here', '/admin/nothing-here', '/admin/clients/x/y', '/administrator']) {
        const reply = await ask('GET', server.adminUrl + path, { headers: { accept } })
        expect(reply, path).toMatchObject({ status: 404, text: '404 page not found\n' })
        expect(mediaType(reply.headers)).toBe('text/plain')
      }
  })

  it('is negotiated at the root of the admin port, as if it were the public one', async () => {
    for (const path of ['', '/', '/admin', '/admin/'])
      expect(await ask('GET', server.adminUrl + path)).toMatchObject({
        status: 404,
        body: { error: { code: 404 } },
      })
  })

  it('is a 404 for a wrong method on the public port, and a 405 with the right ones on the admin port', async () => {
    expect((await ask('DELETE', `${server.publicUrl}/.well-known/jwks.json`)).status).toBe(404)
    for (const [method, path, allow] of [
      ['DELETE', '/admin/clients', 'GET, HEAD, POST'],
      ['POST', '/admin/clients/x', 'DELETE, GET, HEAD, PATCH, PUT'],
      ['GET', '/admin/clients/x/lifespans', 'PUT'],
      ['OPTIONS', '/admin/keys/x', 'DELETE, GET, HEAD, POST, PUT'],
    ] as const) {
      const { status, text, headers } = await ask(method, server.adminUrl + path)
      expect({ path, status, text }).toEqual({ path, status: 405, text: 'Method Not Allowed\n' })
      expect(headers.get('allow')).toBe(allow)
    }
  })
})

describe('the form of a path', () => {
  it('may leave out the admin prefix and have one slash at its end', async () => {
    const query = `owner=${ownName('nobody')}`
    for (const path of ['/admin/clients', '/clients', '/clients/', '/admin/clients/']) {
      const { status, body, headers } = await ask('GET', `${server.adminUrl}${path}?${query}`)
      expect({ path, status, body }).toEqual({ path, status: 200, body: [] })
      expect(headers.get('link')).toMatch(/^<\/admin\/clients\?owner=/)
    }
    expect((await ask('GET', `${server.publicUrl}/health/alive/`)).status).toBe(200)
  })

  it('is put right by a redirect when there are empty segments in it', async () => {
    for (const [from, to] of [
      [`${server.publicUrl}/health//alive?x=1`, '/health/alive?x=1'],
      [`${server.adminUrl}/admin//clients`, '/admin/clients'],
    ] as const) {
      const { status, headers } = await ask('GET', from)
      expect({ status, to: headers.get('location') }).toEqual({ status: 307, to })
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
