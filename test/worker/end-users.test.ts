// Signed-in users: their access token's claims reach row-level security, and nothing that is not a good token does.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const TABLE = 'end_user_notes'

let issuer: Server
let issuerUrl: string
let privateKey: CryptoKey
const published: JWK[] = []
let keyReads = 0
let quoin: TestWorker
let anonKey: string
let serviceKey: string

beforeAll(async () => {
  privateKey = await publishKey('k1')
  issuer = createServer((_, res) => {
    keyReads++
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published }))
  })
  await new Promise<void>(resolve => issuer.listen(0, '127.0.0.1', resolve))
  issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  await using owner = await connectOwner()
  await owner.query(`create table public.${TABLE} (id int primary key, owner_id text default quoin.uid(), note text);
    alter table public.${TABLE} enable row level security;
    create policy own on public.${TABLE} to anon using (owner_id = quoin.uid()) with check (owner_id = quoin.uid());
    grant select, insert on public.${TABLE} to anon;
    insert into public.${TABLE} values (1, 'alice', 'a'), (2, 'bob', 'b'), (3, 'bob', 'c')`)
  quoin = await startTestWorker({ vars: { OAUTH_PUBLIC_URL: issuerUrl, OAUTH_ADMIN_URL: '' } })
  anonKey = (await makeKey('anon')).key
  serviceKey = (await makeKey('service_role')).key
})

afterAll(async () => {
  await quoin?.close()
  issuer?.close()
  await using owner = await connectOwner()
  await owner.query(`drop table if exists public.${TABLE}`)
})

async function publishKey(kid: string): Promise<CryptoKey> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  published.unshift({ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' })
  return pair.privateKey
}

function tokenOf(sub: string, more: JWTPayload = {}, kid = 'k1', key = privateKey): Promise<string> {
  return new SignJWT({ client_id: 'app', scp: ['notes'], ...more })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(issuerUrl)
    .setSubject(sub)
    .setExpirationTime(more.exp ?? '5m')
    .sign(key)
}

function read(key: string, token?: string, path = `/v1/db/${TABLE}?select=id&order=id`): Promise<Response> {
  return quoin.fetch(path, {
    headers: { apikey: key, ...(token ? { authorization: `Bearer ${token}` } : {}) },
  })
}

async function ids(response: Response): Promise<number[]> {
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: number }[]).map(row => row.id)
}

describe('row-level security with two users', () => {
  it('shows each user their own rows, nobody’s to a caller without a token, and all to service_role', async () => {
    expect(await ids(await read(anonKey, await tokenOf('alice')))).toEqual([1])
    expect(await ids(await read(anonKey, await tokenOf('bob')))).toEqual([2, 3])
    expect(await ids(await read(anonKey))).toEqual([])
    expect(await ids(await read(serviceKey))).toEqual([1, 2, 3])
    expect(await ids(await read(serviceKey, await tokenOf('alice')))).toEqual([1, 2, 3])
  })

  it('lets a user write as themselves only', async () => {
    const insert = async (row: object) =>
      quoin.fetch(`/v1/db/${TABLE}`, {
        method: 'POST',
        headers: {
          apikey: anonKey,
          authorization: `Bearer ${await tokenOf('carol')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(row),
      })
    expect(await (await insert({ id: 10, note: 'mine' })).json()).toEqual([
      { id: 10, owner_id: 'carol', note: 'mine' },
    ])
    const forged = await insert({ id: 11, owner_id: 'alice', note: 'hers' })
    expect(forged.status).toBe(403)
    expect(await forged.json()).toMatchObject({ code: '42501', hint: expect.stringContaining('policy') })
  })

  // The key alone decides the role: a token that claims service_role must stay anon.
  it('overwrites the claim "role" with the key’s', async () => {
    const token = await tokenOf('alice', { role: 'service_role' })
    expect(await ids(await read(anonKey, token))).toEqual([1])
  })

  it('keeps no user’s claims for the next call on the same connection', async () => {
    await read(anonKey, await tokenOf('bob'))
    expect(await ids(await read(anonKey))).toEqual([])
  })
})

describe('after a rotation of the signing key', () => {
  it('takes the first tokens of the new key, and those of the old one, for one more read of the keys', async () => {
    await read(anonKey, await tokenOf('alice'))
    const before = keyReads
    const fresh = await publishKey('k2')
    const tokens = await Promise.all(['alice', 'bob'].map(sub => tokenOf(sub, {}, 'k2', fresh)))
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => tokens.map(token => read(anonKey, token))).flat(),
    )
    for (const [i, response] of answers.entries()) expect(await ids(response)).toEqual(i % 2 ? [2, 3] : [1])
    expect(await ids(await read(anonKey, await tokenOf('alice')))).toEqual([1])
    // As the server refreshes what was signed in before: signed with the new key, naming the old one.
    expect(await ids(await read(anonKey, await tokenOf('alice', {}, 'k1', fresh)))).toEqual([1])
    expect(keyReads - before).toBe(1)
  })

  it('refuses a made-up key, and says that another token does not help', async () => {
    const { privateKey: stranger } = await generateKeyPair('ES256')
    const response = await read(anonKey, await tokenOf('alice', {}, 'made-up', stranger))
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ detail: expect.stringContaining('publishes no key') }),
    ])
  })
})

describe('a bad bearer token', () => {
  it.each([
    ['no JWT', async () => 'nonsense'],
    ['an expired one', () => tokenOf('alice', { exp: 1 })],
    ['an ID token', () => tokenOf('alice', { nonce: 'n' })],
    ['another API key', async () => (await makeKey('service_role')).key],
  ])('is 401 and never falls back to anonymous: %s', async (_, token) => {
    const response = await read(anonKey, await token())
    expect(response.status).toBe(401)
    expect((await response.json()) as object).toMatchObject({ code: expect.stringMatching(/^invalid_/) })
  })
})
