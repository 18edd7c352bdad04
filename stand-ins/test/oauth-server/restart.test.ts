// What our own OAuth2 server keeps when it is started again, and what its database and its time do to what it gave out.

import { createHash, randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalOAuthServer, startLocalOAuthServer } from '../../../test/support/oauth-server.ts'
import {
  authorize,
  authorizeUrl,
  call,
  claimsOf,
  exchange,
  introspect,
  makeClient,
  param,
  requestUrl,
  toConsent,
  token,
  tokensFor,
} from './visitor.ts'

let aheadMs = 0
let server: LocalOAuthServer
beforeAll(async () => {
  server = await startLocalOAuthServer({}, { now: () => Date.now() + aheadMs })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a restart', () => {
  it('keeps sessions, consents, codes, challenges, tokens and keys', async () => {
    const client = await makeClient(server)
    const [jar, subject] = [new Map<string, string>(), randomUUID()]
    const tokens = await tokensFor(server, client, { jar, subject })
    const done = await authorize(server, client, { jar, subject })
    const start = await call(authorizeUrl(server, client), { jar })

    const at = await server.restart()
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' }
    expect(await introspect(at, tokens['access_token'])).toMatchObject({ active: true, sub: subject })
    expect((await exchange(at, client, done)).status).toBe(200)
    const login = await call(requestUrl(at.adminUrl, 'login', start))
    expect(login.body).toMatchObject({ skip: true, subject })
    expect(
      param((await authorize(at, client, { jar, subject, query: { prompt: 'none' } })).location, 'code'),
    ).not.toBe('')
    const { status, body } = await token(at, client, refresh)
    expect(status).toBe(200)
    const keys = JSON.parse((await call(`${at.publicUrl}/.well-known/jwks.json`)).text).keys
    const kid = JSON.parse(Buffer.from(tokens['id_token']?.split('.')[0] ?? '', 'base64url').toString()).kid
    expect(keys.map((key: { kid: string }) => key.kid)).toContain(kid)
    expect(claimsOf(String(body['id_token']))['sub']).toBe(subject)
    // Reuse is still detected after another restart.
    const again = await server.restart()
    expect((await token(again, client, refresh)).body['error']).toBe('invalid_grant')
    expect(await introspect(again, String(body['access_token']))).toEqual({ active: false })
    server = { ...server, ...again }
  })
})

describe('time', () => {
  it('ends challenges and verifiers half an hour after they were made', async () => {
    const client = await makeClient(server)
    const [start, page] = [await call(authorizeUrl(server, client)), await toConsent(server, client)]
    aheadMs = 31 * 60_000
    for (const [path, at] of [
      ['login', start],
      ['consent', page],
    ] as const) {
      const url = requestUrl(server.adminUrl, path, at)
      expect(await call(url)).toMatchObject({ status: 401, body: { error: 'request_unauthorized' } })
      expect((await call(url.replace('?', '/accept?'), { json: { subject: 'ada' } })).status).toBe(401)
    }
    aheadMs = 0
  })
})

describe('a key', () => {
  it('of any algorithm signs ID tokens whose hashes go with it, and that are good as hints', async () => {
    const client = await makeClient(server)
    const set = `${server.adminUrl}/admin/keys/hydra.openid.id-token`
    for (const [alg, hash] of [
      ['ES384', 'sha384'],
      ['EdDSA', 'sha512'],
      ['PS256', 'sha256'],
    ] as const) {
      const kid = randomUUID()
      await call(set, { method: 'POST', json: { alg, use: 'sig', kid } })
      const [jar, subject] = [new Map<string, string>(), randomUUID()]
      const { id_token = '', access_token = '' } = await tokensFor(server, client, { jar, subject })
      const digest = createHash(hash).update(access_token).digest()
      const half = digest.subarray(0, digest.length / 2).toString('base64url')
      expect(claimsOf(id_token)['at_hash'], alg).toBe(half)
      const query = { prompt: 'none', id_token_hint: id_token }
      const silent = await authorize(server, client, { jar, subject, query })
      expect(param(silent.location, 'code'), alg).not.toBe('')
      await call(`${set}/${kid}`, { method: 'DELETE' })
    }
  })
})

describe('the database', () => {
  const rows = async (sql: string) => {
    const database = new Client({ connectionString: server.databaseUrl })
    await database.connect()
    return (await database.query(sql).finally(() => database.end())).rows
  }

  it('holds no value of a code, token or secret', async () => {
    const client = await makeClient(server)
    const done = await authorize(server, client)
    const { body } = await exchange(server, client, done)
    const values = [param(done.location, 'code'), body['access_token'], body['refresh_token']].map(String)
    const text = JSON.stringify([
      await rows('select * from tokens'),
      await rows('select * from consents'),
      await rows('select * from clients'),
    ])
    for (const value of values) {
      expect(value.length).toBeGreaterThan(20)
      expect(text).not.toContain(value)
    }
    expect(text).not.toContain('a-secret-of-the-tests')
  })

  it("shows ended tokens under the names that Hydra's database has, to be deleted", async () => {
    const client = await makeClient(server)
    const { refresh_token = '' } = await tokensFor(server, client)
    await token(server, client, { grant_type: 'refresh_token', refresh_token })
    const ended = `from hydra_oauth2_refresh where client_id = '${client.client_id}' and not active`
    expect(await rows(`select signature ${ended}`)).toHaveLength(1)
    expect(await rows(`delete ${ended} returning 1`)).toHaveLength(1)
    expect(
      await rows(`select 1 from hydra_oauth2_access where client_id = '${client.client_id}' and active`),
    ).toHaveLength(1)
  })

  it('forgets what hangs on a client with the client', async () => {
    const client = await makeClient(server)
    const { access_token } = await tokensFor(server, client)
    await call(`${server.adminUrl}/admin/clients/${client.client_id}`, { method: 'DELETE' })
    expect(await introspect(server, access_token)).toEqual({ active: false })
    expect(await rows(`select 1 from tokens where client_id = '${client.client_id}'`)).toEqual([])
  })
})
