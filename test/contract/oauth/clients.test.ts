// The administration of OAuth2 clients over HTTP, with the tokens that come of it. Bad input is in
// oauth-clients-input.test.ts; who may call is in the tests of the route table.

import { afterAll, describe, expect, inject, it } from 'vitest'
import { CreatedOAuthClient, OAuthClient } from '../../../src/features/oauth/clients/schemas.ts'
import { connectOwner } from '../../support/postgres.ts'
import {
  type Answer,
  call,
  clients,
  deleteMadeClients,
  machineToken,
  makeClient,
  remember,
  storedClient,
} from './caller.ts'

const { service_role_key, anon_key, oauth_public_url } = inject('stack')
const CALLBACK = 'https://app.example.com/callback'
const SECRET = /^[0-9A-Za-z]{43}$/

afterAll(deleteMadeClients)

const idsOf = ({ json }: Answer) =>
  (json as unknown as { client_id: string }[]).map(client => client.client_id)

describe('POST /api/oauthsrv/clients', () => {
  it('answers 201 with the whole record and, this once, a secret that works', async () => {
    const fields = {
      client_name: 'Web shop',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code'],
      redirect_uris: [CALLBACK, 'com.example.app:/cb', 'http://127.0.0.1:5555/cb'],
      post_logout_redirect_uris: ['https://app.example.com/bye'],
      scope: 'openid read',
      token_endpoint_auth_method: 'client_secret_basic',
      audience: ['https://api.example.com'],
      metadata: { skip_consent: true, tier: 'gold' },
      skip_consent: false,
      skip_logout_consent: true,
      access_token_ttl: 120,
      refresh_token_ttl: 7200,
      id_token_ttl: 300,
      access_token_strategy: 'jwt',
      frontchannel_logout_uri: 'https://app.example.com/front',
      frontchannel_logout_session_required: true,
      backchannel_logout_uri: 'https://app.example.com/back',
      backchannel_logout_session_required: false,
      client_uri: 'https://app.example.com',
      logo_uri: 'https://app.example.com/logo.png',
      tos_uri: 'https://app.example.com/tos',
      policy_uri: 'https://app.example.com/privacy',
      owner: 'team-a',
      contacts: ['ops@example.com'],
    }
    const answer = await clients('POST', '', fields)
    expect(answer.status).toBe(201)
    remember(answer)
    const { client_secret, ...record } = CreatedOAuthClient.strict().parse(answer.json)
    expect(record).toEqual({
      ...fields,
      client_id: expect.any(String),
      subject_type: 'public',
      sector_identifier_uri: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    })
    expect(client_secret).toMatch(SECRET)
    const token = await machineToken(record.client_id, client_secret ?? '')
    expect(token.status).toBe(200)
    expect(token.json['expires_in']).toBeLessThanOrEqual(120)
    expect(String(token.json['access_token']).split('.')).toHaveLength(3)
    expect((await clients('GET', `/${record.client_id}`)).json).toEqual(record)
  })

  it('fills in what is left out', async () => {
    const answer = await clients('POST', '', { redirect_uris: [CALLBACK] })
    expect(answer.status).toBe(201)
    const id = remember(answer)
    const record = OAuthClient.parse((await clients('GET', `/${id}`)).json)
    expect(record).toMatchObject({
      client_name: '',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      subject_type: 'public',
      audience: [],
      contacts: [],
      post_logout_redirect_uris: [],
      metadata: {},
      access_token_ttl: null,
      access_token_strategy: null,
    })
  })

  it('gives a public client no secret', async () => {
    const answer = await clients('POST', '', {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
    })
    expect(answer.status).toBe(201)
    remember(answer)
    expect(answer.json).not.toHaveProperty('client_secret')
  })
})

describe('GET /api/oauthsrv/clients', () => {
  it('is a plain array of every client, without secrets', async () => {
    const [first, second] = [await makeClient(), await makeClient()]
    const answer = await clients('GET')
    expect(answer.status).toBe(200)
    expect(idsOf(answer)).toEqual(expect.arrayContaining([first.id, second.id]))
    expect(answer.headers.get('link')).toBeNull()
    for (const secret of [first.secret, second.secret, 'client_secret"'])
      expect(answer.text).not.toContain(secret)
  })

  it('is one page with page_size, and its next links lead through all of them', async () => {
    const made = [await makeClient(), await makeClient(), await makeClient()].map(client => client.id)
    const seen: string[] = []
    let path: string | undefined = '/api/oauthsrv/clients?page_size=2'
    for (let pages = 0; path !== undefined && pages < 500; pages++) {
      const answer: Answer = await call('GET', path)
      expect(answer.status).toBe(200)
      const ids = idsOf(answer)
      expect(ids.length).toBeLessThanOrEqual(2)
      seen.push(...ids)
      path = answer.headers.get('link')?.match(/<([^>]*)>; rel="next"/)?.[1]
    }
    expect(seen).toEqual(expect.arrayContaining(made))
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('GET /api/oauthsrv/clients/:id', () => {
  it('answers the record without the secret', async () => {
    const { id, secret } = await makeClient()
    const answer = await clients('GET', `/${id}`)
    expect(answer.status).toBe(200)
    OAuthClient.strict().parse(answer.json)
    expect(answer.text).not.toContain(secret)
  })
})

describe('PUT /api/oauthsrv/clients/:id', () => {
  it('changes what is sent, and keeps everything else and the secret', async () => {
    const { id, secret } = await makeClient({
      audience: ['https://api.example.com'],
      metadata: { tier: 'gold' },
      access_token_ttl: 120,
      logo_uri: 'https://app.example.com/logo.png',
    })
    const before = (await clients('GET', `/${id}`)).json
    const answer = await clients('PUT', `/${id}`, { client_name: 'New name', logo_uri: null })
    expect(answer.status).toBe(200)
    const expected = { ...before, client_name: 'New name', logo_uri: null, updated_at: expect.any(String) }
    expect(answer.json).toEqual(expected)
    expect((await clients('GET', `/${id}`)).json).toEqual(expected)
    expect((await machineToken(id, secret)).status).toBe(200)
  })

  it('takes the record back as it was read', async () => {
    const { id, secret } = await makeClient({ access_token_ttl: 120 })
    const record = (await clients('GET', `/${id}`)).json
    const answer = await clients('PUT', `/${id}`, record)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ ...record, updated_at: expect.any(String) })
    expect((await machineToken(id, secret)).status).toBe(200)
  })

  it('says where a secret is to be had when the answer of the creation comes back', async () => {
    const created = await clients('POST', '', { redirect_uris: [CALLBACK] })
    expect(created.status).toBe(201)
    const id = remember(created)
    const answer = await clients('PUT', `/${id}`, created.json)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({
      code: 'validation_failed',
      error: expect.stringContaining('client_secret'),
      hint: expect.stringContaining(`/api/oauthsrv/clients/${id}/secret`),
    })
  })

  // Patched, the id would make the server write this record over the other client.
  it('never writes over another client', async () => {
    const [one, other] = [await makeClient(), await makeClient()]
    const stored = (await storedClient(other.id)).json
    const answer = await clients('PUT', `/${one.id}`, { client_id: other.id, client_name: 'taken over' })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ code: 'validation_failed' })
    expect((await storedClient(other.id)).json).toEqual(stored)
    expect((await machineToken(other.id, other.secret)).status).toBe(200)
  })

  it('refuses a change that was made from an older record', async () => {
    const { id } = await makeClient()
    const answer = await clients('PUT', `/${id}`, {
      client_name: 'late',
      updated_at: '2020-01-01T00:00:00.000Z',
    })
    expect([answer.status, answer.json['code']]).toEqual([409, 'conflict'])
  })
})

describe('DELETE /api/oauthsrv/clients/:id', () => {
  it('answers 204, and the client is gone at once, at the OAuth2 server too', async () => {
    const { id, secret } = await makeClient()
    const answer = await clients('DELETE', `/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await clients('GET', `/${id}`)).status).toBe(404)
    expect((await clients('DELETE', `/${id}`)).status).toBe(404)
    expect((await machineToken(id, secret)).status).toBe(401)
  })
})

describe('POST /api/oauthsrv/clients/:id/secret', () => {
  it('answers a new secret; the old one is refused at once', async () => {
    const { id, secret } = await makeClient()
    expect((await machineToken(id, secret)).status).toBe(200)
    const answer = await clients('POST', `/${id}/secret`)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ client_id: id, client_secret: expect.stringMatching(SECRET) })
    const refused = await machineToken(id, secret)
    expect([refused.status, refused.json['error']]).toEqual([401, 'invalid_client'])
    expect((await machineToken(id, String(answer.json['client_secret']))).status).toBe(200)
  })

  it('is 409 for a public client', async () => {
    const { id } = await makeClient({
      grant_types: ['authorization_code'],
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
    })
    const answer = await clients('POST', `/${id}/secret`)
    expect([answer.status, answer.json['code']]).toEqual([409, 'client_without_secret'])
  })
})

describe('PATCH /api/oauthsrv/clients/:id/token-config', () => {
  it('gives every grant the lifetime, and null takes it back', async () => {
    const { id } = await makeClient()
    const lifetimes = { access_token_ttl: 3600, refresh_token_ttl: 90, id_token_ttl: 5410 }
    const answer = await clients('PATCH', `/${id}/token-config`, lifetimes)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject(lifetimes)
    const { json: stored } = await storedClient(id)
    const byKind = Object.entries(stored).filter(([name]) => name.endsWith('_lifespan'))
    expect(byKind).toHaveLength(13)
    for (const [name, duration] of byKind) {
      if (name.includes('_access_token_')) expect([name, duration]).toEqual([name, '1h0m0s'])
      if (name.includes('_refresh_token_lifespan')) expect([name, duration]).toEqual([name, '1m30s'])
      if (name.includes('_id_token_')) expect([name, duration]).toEqual([name, '1h30m10s'])
    }
    const cleared = await clients('PATCH', `/${id}/token-config`, { access_token_ttl: null })
    expect(cleared.json).toMatchObject({ ...lifetimes, access_token_ttl: null })
    const { json: after } = await storedClient(id)
    expect(after['client_credentials_grant_access_token_lifespan']).toBeNull()
    expect(after['implicit_grant_id_token_lifespan']).toBe('1h30m10s')
  })

  it('shows in the tokens that are issued from then on', async () => {
    const { id, secret } = await makeClient()
    await clients('PATCH', `/${id}/token-config`, { access_token_ttl: 77, access_token_strategy: 'jwt' })
    const { json } = await machineToken(id, secret)
    const [, payload = ''] = String(json['access_token']).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; iat: number }
    expect(claims.exp - claims.iat).toBe(77)
    await clients('PATCH', `/${id}/token-config`, { access_token_strategy: null })
    const opaque = await machineToken(id, secret)
    expect(String(opaque.json['access_token'])).not.toContain('eyJ')
  })

  it('sets and clears the logout addresses and keeps what is not sent', async () => {
    const { id, secret } = await makeClient({ access_token_ttl: 120 })
    const uris = {
      frontchannel_logout_uri: 'https://app.example.com/front',
      backchannel_logout_uri: 'http://127.0.0.1:5555/back',
    }
    const answer = await clients('PATCH', `/${id}/token-config`, uris)
    expect(answer.json).toMatchObject({ ...uris, access_token_ttl: 120 })
    const cleared = await clients('PATCH', `/${id}/token-config`, { frontchannel_logout_uri: null })
    expect(cleared.json).toMatchObject({ ...uris, frontchannel_logout_uri: null })
    expect((await machineToken(id, secret)).status).toBe(200)
  })
})

describe('/v1/oauth2', () => {
  const withKey = (method: string, path: string, body?: unknown, apikey = service_role_key) =>
    call(method, `/v1/oauth2${path}`, body, { apikey })

  it('creates, lists and deletes the same clients', async () => {
    const created = await withKey('POST', '/clients', {
      client_name: 'by key',
      grant_types: ['client_credentials'],
      redirect_uris: [],
    })
    expect(created.status).toBe(201)
    const id = remember(created)
    expect(created.json['client_secret']).toMatch(SECRET)
    const list = await withKey('GET', '/clients')
    expect(idsOf(list)).toContain(id)
    expect(list.text).not.toContain(String(created.json['client_secret']))
    expect((await clients('GET', `/${id}`)).status).toBe(200)
    const page = await withKey('GET', '/clients?page_size=1')
    expect(page.headers.get('link')).toContain('</v1/oauth2/clients?page_size=1>; rel="first"')
    expect((await withKey('DELETE', `/clients/${id}`)).status).toBe(204)
    expect((await withKey('DELETE', `/clients/${id}`)).status).toBe(404)
  })

  it('gives the discovery document to any key', async () => {
    const own = await (await fetch(`${oauth_public_url}/.well-known/openid-configuration`)).json()
    for (const key of [anon_key, service_role_key]) {
      const answer = await withKey('GET', '/discovery', undefined, key)
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual(own)
    }
  })
})

describe('the audit log', () => {
  interface AuditRow {
    action: string
    actor_kind: string
    outcome: string
    before: Record<string, unknown> | null
    after: Record<string, unknown> | null
  }

  async function rowsOf(id: string): Promise<AuditRow[]> {
    await using owner = await connectOwner()
    const sql = `select action, actor_kind, outcome, before, after from quoin.audit_logs
      where target_kind = 'oauth_client' and target_id = $1 order by created_at, id`
    return (await owner.query<AuditRow>(sql, [id])).rows
  }

  it('has a row of every change, with the state before and after and without any secret', async () => {
    const { id, secret } = await makeClient({ client_name: 'first' })
    await clients('PUT', `/${id}`, { client_name: 'second' })
    await clients('PATCH', `/${id}/token-config`, { access_token_ttl: 60 })
    const rotated = await clients('POST', `/${id}/secret`)
    await call('DELETE', `/v1/oauth2/clients/${id}`, undefined, { apikey: service_role_key })
    const rows = await rowsOf(id)
    expect(rows).toMatchObject([
      {
        action: 'oauth_clients.create',
        actor_kind: 'session',
        before: null,
        after: { client_name: 'first' },
      },
      { action: 'oauth_clients.update', before: { client_name: 'first' }, after: { client_name: 'second' } },
      {
        action: 'oauth_clients.configure_tokens',
        before: { access_token_ttl: null },
        after: { access_token_ttl: 60 },
      },
      { action: 'oauth_clients.rotate_secret', after: { client_secret: '[secret]' } },
      {
        action: 'oauth_clients.delete',
        actor_kind: 'api_key',
        before: { access_token_ttl: 60 },
        after: null,
      },
    ])
    expect(rows.every(row => row.outcome === 'succeeded')).toBe(true)
    for (const text of [secret, String(rotated.json['client_secret'])])
      expect(JSON.stringify(rows)).not.toContain(text)
  })

  it('has a failed row of a change that the OAuth2 server refused, and the client is as it was', async () => {
    const { id } = await makeClient({ grant_types: ['authorization_code'], redirect_uris: [CALLBACK] })
    const before = (await storedClient(id)).json
    // Nothing listens there: the server cannot fetch the list of redirect URIs.
    const answer = await clients('PUT', `/${id}`, {
      sector_identifier_uri: 'https://127.0.0.1:1/sector.json',
    })
    expect([answer.status, answer.json['code']]).toEqual([422, 'oauth_client_refused'])
    expect((await storedClient(id)).json).toEqual(before)
    expect((await rowsOf(id)).map(row => row.outcome)).toEqual(['succeeded', 'failed'])
  })
})
