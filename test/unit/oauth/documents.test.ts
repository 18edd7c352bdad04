// Public documents and health: whoever asks gets the OAuth2 server's own documents or a clear error, and nobody makes
// Quoin ask for each request.

import { describe, expect, it } from 'vitest'
import {
  DiscoveryDocument,
  PublicKeySet,
  processDocument,
  processDynamicRegistration,
} from '../../../src/clients/oauth-server/documents.ts'
import { processReadiness } from '../../../src/clients/readiness.ts'
import { readOauthServerHealth } from '../../../src/features/oauth/documents/health.ts'
import { PublicDocuments } from '../../../src/features/oauth/documents/public-documents.ts'
import { answer, fakeServer, HTML, NO_SERVER, ODD_ANSWERS } from './fake-server.ts'

const DISCOVERY = {
  issuer: 'http://server.example',
  authorization_endpoint: 'http://server.example/oauth2/auth',
  token_endpoint: 'http://server.example/oauth2/token',
  jwks_uri: 'http://server.example/.well-known/jwks.json',
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  frontchannel_logout_supported: true,
}
const KEY = { kid: 'k1', kty: 'EC', alg: 'ES256', use: 'sig', crv: 'P-256', x: 'x', y: 'y' }

describe('documents', () => {
  it('pass on every field of discovery, known or not', () => {
    expect(processDocument(DiscoveryDocument, NO_SERVER, answer(200, DISCOVERY))).toEqual(DISCOVERY)
  })

  it('take null for no keys, and never pass a private member on', () => {
    const keys = (body: unknown) => processDocument(PublicKeySet, NO_SERVER, answer(200, body))
    expect(keys({ keys: null })).toEqual({ keys: [] })
    expect(keys({ keys: [{ ...KEY, d: 'private', k: 'private', new_private: 'x' }] })).toEqual({
      keys: [KEY],
    })
  })

  it.each(ODD_ANSWERS)('are an error of the server for %s', (_name, odd, code) => {
    for (const schema of [DiscoveryDocument, PublicKeySet])
      expect(() => processDocument(schema, NO_SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })
})

describe('PublicDocuments', () => {
  function make() {
    let nowMs = 0
    let isDown = false
    const { server, log } = fakeServer(({ path }) => {
      if (isDown) throw new TypeError('connection refused')
      return [200, path.endsWith('jwks.json') ? { keys: [KEY] } : DISCOVERY]
    })
    const documents = new PublicDocuments({ oauthPublic: server, now: () => new Date(nowMs) })
    const pass = (milliseconds: number) => {
      nowMs += milliseconds
    }
    const setDown = (value: boolean) => {
      isDown = value
    }
    return { documents, log, pass, setDown }
  }

  it('asks once a minute for discovery and once a second for keys', async () => {
    const { documents, log, pass } = make()
    for (const wait of [0, 999]) {
      pass(wait)
      await documents.discovery()
      await documents.publicKeys()
    }
    expect(log()).toEqual(['GET /.well-known/openid-configuration', 'GET /.well-known/jwks.json'])
    pass(1)
    await documents.discovery()
    await documents.publicKeys()
    expect(log().slice(2)).toEqual(['GET /.well-known/jwks.json'])
    pass(59_000)
    await documents.discovery()
    expect(log().slice(3)).toEqual(['GET /.well-known/openid-configuration'])
  })

  it('asks again after a change of keys', async () => {
    const { documents, log } = make()
    await documents.publicKeys()
    documents.forget()
    await documents.publicKeys()
    expect(log()).toHaveLength(2)
  })

  it('keeps no failure', async () => {
    const { documents, setDown } = make()
    setDown(true)
    await expect(documents.discovery()).rejects.toMatchObject({ code: 'upstream_unavailable' })
    setDown(false)
    await expect(documents.discovery()).resolves.toEqual(DISCOVERY)
  })
})

describe('health', () => {
  const UP = { status: 'ok' }

  it.each([
    ['ready', answer(200, UP), 'up'],
    ['not ready, in whatever form', answer(503, { error: 'error' }), 'down'],
    ['a page of another server', answer(200, HTML), 'misconfigured'],
    ['an unknown path', answer(404, '404 page not found'), 'misconfigured'],
    ["a gateway's 401", answer(401, HTML), 'misconfigured'],
  ])('calls %s what it is', (_name, given, state) => {
    expect(processReadiness(given)).toBe(state)
  })

  it.each([
    [401, 'enabled'],
    [404, 'disabled'],
    [500, 'unknown'],
    [200, 'unknown'],
  ])('reads from status %i that dynamic registration is %s', (status, state) => {
    expect(processDynamicRegistration(answer(status, HTML))).toBe(state)
  })

  it('asks both ports and says which of them is down', async () => {
    const up = fakeServer(({ path }) => (path === '/health/ready' ? [200, UP] : [404, '']))
    const down = fakeServer(() => {
      throw new TypeError('connection refused')
    })
    const upstreams = { oauthPublic: up.server, oauthAdmin: down.server }
    expect(await readOauthServerHealth({ upstreams })).toEqual({
      status: 'unavailable',
      public: { state: 'up', latency_ms: expect.any(Number) },
      admin: { state: 'down', latency_ms: null },
      dynamic_client_registration: 'disabled',
    })
    const both = { oauthPublic: up.server, oauthAdmin: up.server }
    expect(await readOauthServerHealth({ upstreams: both })).toMatchObject({ status: 'ok' })
  })

  it('says what is not configured', async () => {
    const nowhere = { ...NO_SERVER, baseUrl: undefined }
    const health = await readOauthServerHealth({ upstreams: { oauthPublic: nowhere, oauthAdmin: nowhere } })
    expect(health).toMatchObject({
      status: 'unavailable',
      public: { state: 'not_configured' },
      admin: { state: 'not_configured' },
      dynamic_client_registration: 'unknown',
    })
  })
})
