// Resumable uploads whose surroundings change under way: policies, credentials, project and bucket. The next request is
// told clearly. What is refused for good leaves nothing; what may go on later has lost nothing.

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { StoredApiKey } from '../../cli/support/api-key.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner, type TestClient } from '../support/postgres.ts'
import { type Begun, begin, patch, send, type TusTarget } from '../support/tus.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const ISSUER = 'https://issuer.invalid'
const RESUMABLE = '/storage/v1/upload/resumable'
const PREFIX = `changed-${crypto.randomUUID()}`
const POLICY = `"policy ${PREFIX}"`
const ALLOWS = 'null'

let owner: TestClient
let quoin: TestWorker
let issuerKey: CryptoKey
/** Others for each test. */
let project: string
let key: StoredApiKey
let bucket: string

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  issuerKey = pair.privateKey
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }]
  quoin = await startTestWorker({
    vars: {
      ANON_STATEMENT_TIMEOUT_MS: '500',
      OAUTH_PUBLIC_URL: ISSUER,
      OAUTH_ADMIN_URL: '',
      STORAGE_SIGNING_KEYS: Buffer.alloc(32, 7).toString('base64'),
    },
    outbound: ({ url }) => (url.startsWith(ISSUER) ? Response.json({ keys }) : undefined),
  })
  owner = await connectOwner()
  await policyThat(ALLOWS)
  await owner.query(`grant execute on function public.${POLICY} to anon`)
  await owner.query(`create policy ${POLICY} on storage.objects for insert to anon
    with check (bucket_id like '${PREFIX}%' and public.${POLICY}())`)
  const { rows } = await owner.query(
    "insert into quoin.projects (name) values ('changed uploads') returning id",
  )
  project = rows[0].id
})
beforeEach(async () => {
  bucket = `${PREFIX}-${crypto.randomUUID()}`
  await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket])
  const { rows } = await owner.query(
    "insert into quoin.projects (name) values ('changed uploads') returning id",
  )
  project = rows[0].id
  key = await makeKey('anon', { projectId: project })
})
afterEach(() => policyThat(ALLOWS))
afterAll(async () => {
  await owner.query(`drop policy if exists ${POLICY} on storage.objects`)
  await owner.query(`drop function if exists public.${POLICY}`)
  for (const table of ['storage.objects', 'quoin.storage_claims', 'quoin.lost_versions'])
    await owner.query(`delete from ${table} where bucket_id like $1`, [`${PREFIX}%`])
  await owner.query('delete from storage.buckets where id like $1', [`${PREFIX}%`])
  await owner.end()
  await quoin?.close()
})

async function policyThat(statement: string): Promise<void> {
  await owner.query(`create or replace function public.${POLICY}() returns boolean language plpgsql as
    $f$ begin ${statement}; return true; end $f$`)
}

const target = (credential: TusTarget['credential'] = { apikey: key.key }, path = RESUMABLE): TusTarget => ({
  endpoint: quoin.url + path,
  credential,
  bucket,
})

/** An upload of three bytes of which two are there. */
async function half(at = target()): Promise<Begun> {
  const upload = await begin(at, { length: 3, body: 'ab' })
  expect([upload.created.status, await upload.created.text()]).toEqual([201, ''])
  const id = upload.location.slice(upload.location.lastIndexOf('/'))
  return { ...upload, location: at.endpoint + id }
}
const end = (upload: Begun, credential = upload.credential) => patch({ ...upload, credential }, 'c', 2)
const ask = (upload: Begun, credential = upload.credential) => send(credential, upload.location, 'HEAD')

/** An answer that refuses, as clients of TUS are told. */
async function expectRefusal(answer: Response, status: number, words: RegExp): Promise<void> {
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(words)])
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(answer.headers.get('tus-resumable')).toBe('1.0.0')
}

const count = async (table: string) =>
  (await owner.query(`select from ${table} where bucket_id = $1`, [bucket])).rows.length

/** As if nobody had begun anything. */
async function expectNothingLeft(): Promise<void> {
  expect(await count('storage.objects'), 'objects').toBe(0)
  expect(await count('quoin.storage_claims'), 'records of writes').toBe(0)
  expect(await quoin.worker.blobKeys(bucket), 'blobs').toEqual([])
}

async function expectStored(upload: Begun): Promise<void> {
  const { rows } = await owner.query(
    "select name, metadata ->> 'size' as size from storage.objects where bucket_id = $1",
    [bucket],
  )
  expect(rows).toEqual([{ name: upload.name, size: '3' }])
  expect(await count('quoin.storage_claims'), 'records of writes').toBe(0)
  expect(await quoin.worker.blobKeys(bucket), 'blobs').toHaveLength(1)
}

const FOR_GOOD: readonly (readonly [does: string, statement: string, status: number, words: RegExp])[] = [
  [
    'raises',
    "raise exception 'no room' using errcode = 'QX001', hint = 'Ask Ada.'",
    400,
    /no room\. Ask Ada/,
  ],
  ['divides by zero', 'perform 1 / 0', 400, /division by zero/],
]
const SLEEPS = 'perform pg_sleep(60)'

describe('a policy that', () => {
  it.each([...FOR_GOOD, ['sleeps', SLEEPS, 504, /statement timeout/] as const])(
    '%s refuses an upload before it begins',
    async (_, statement, status, words) => {
      await policyThat(statement)
      await expectRefusal((await begin(target(), { length: 3 })).created, status, words)
      await expectNothingLeft()
    },
  )

  it.each(FOR_GOOD)('%s refuses the last bytes, and ends the upload', async (_, statement, status, words) => {
    const upload = await half()
    await policyThat(statement)
    await expectRefusal(await end(upload), status, words)
    expect((await ask(upload)).status).toBe(404)
    await expectNothingLeft()
  })

  it('sleeps lets the last bytes come again, and loses none', async () => {
    const upload = await half()
    await policyThat(SLEEPS)
    await expectRefusal(await end(upload), 504, /statement timeout/)
    expect((await ask(upload)).status).toBe(423)
    await policyThat(ALLOWS)
    expect((await end(upload)).status).toBe(204)
    await expectStored(upload)
  })

  it('sleeps lets the upload be cancelled', async () => {
    const upload = await half()
    await policyThat(SLEEPS)
    expect((await end(upload)).status).toBe(504)
    expect((await send(upload.credential, upload.location, 'DELETE')).status).toBe(204)
    expect((await ask(upload)).status).toBe(404)
    await expectNothingLeft()
  })
})

it.each<[what: string, sql: string, status: number, words: RegExp]>([
  ['its bucket is deleted', 'delete from storage.buckets where id = $1', 404, /Bucket not found/],
  [
    'its bucket takes less',
    'update storage.buckets set file_size_limit = 2 where id = $1',
    413,
    /Maximum size exceeded.*2 bytes/,
  ],
  [
    'its bucket takes another type',
    "update storage.buckets set allowed_mime_types = '{image/*}' where id = $1",
    415,
    /text\/plain is not supported/,
  ],
])('is refused with the last bytes when %s, and ends', async (_, sql, status, words) => {
  const upload = await half()
  await owner.query(sql, [bucket])
  await expectRefusal(await end(upload), status, words)
  expect((await ask(upload)).status).toBe(404)
  await expectNothingLeft()
})

it('goes on when its object was evicted between two requests', async () => {
  const upload = await half()
  const name = upload.location.slice(upload.location.lastIndexOf('/') + 1)
  await quoin.worker.evictDurableObject('ResumableUpload', { name })
  expect((await ask(upload)).headers.get('upload-offset')).toBe('2')
  expect((await end(upload)).status).toBe(204)
  await expectStored(upload)
})

describe('nobody goes on', () => {
  const admin = (method: string, path: string, body?: unknown) =>
    quoin.fetch(path, {
      method,
      headers: { cookie: inject('stack').session_cookie_admin ?? '', 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })

  /** Both requests of a client, neither of which reaches the upload. */
  async function expectShut(upload: Begun, status: number, words: RegExp, who?: TusTarget['credential']) {
    await expectRefusal(await end(upload, who), status, words)
    expect((await ask(upload, who)).status).toBe(status)
    expect(await count('storage.objects'), 'objects').toBe(0)
  }

  it('with a key that was revoked', async () => {
    const upload = await half()
    expect((await admin('DELETE', `/api/keys/${key.id}`)).status).toBeLessThan(300)
    await expectShut(upload, 401, /key/)
  })

  it('with a key that was replaced, but with the one in its place', async () => {
    const upload = await half()
    const rotated = await admin('POST', `/api/keys/${key.id}/rotate`, { overlap_seconds: 0 })
    await expectShut(upload, 401, /key/)
    expect((await end(upload, { apikey: (await rotated.json()).key })).status).toBe(204)
    await expectStored(upload)
  })

  it('with a person’s token that has ended, but with a new one', async () => {
    const tokenOf = (expires: string, sub = 'ada') =>
      new SignJWT({ client_id: 'app', scp: [] })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setIssuer(ISSUER)
        .setSubject(sub)
        .setExpirationTime(expires)
        .sign(issuerKey)
    const withToken = (token: string) => ({ apikey: key.key, authorization: `Bearer ${token}` })
    const upload = await half(target(withToken(await tokenOf('5m'))))
    await expectShut(upload, 401, /token/, withToken(await tokenOf('-5m')))
    await expectShut(upload, 404, /Upload not found/, withToken(await tokenOf('5m', 'bob')))
    expect((await end(upload, withToken(await tokenOf('6m')))).status).toBe(204)
    await expectStored(upload)
  })

  /** An upload by a signed address, whose maker is of the project. */
  async function halfSigned(): Promise<Begun> {
    const name = `${crypto.randomUUID()}.txt`
    const signed = await quoin.fetch(`/storage/v1/object/upload/sign/${bucket}/${name}`, {
      method: 'POST',
      headers: { apikey: key.key },
    })
    const at = target({ 'x-signature': (await signed.json()).token }, `${RESUMABLE}/sign`)
    const upload = await begin(at, { length: 3, body: 'ab', name })
    const id = upload.location.slice(upload.location.lastIndexOf('/'))
    return { ...upload, location: at.endpoint + id }
  }

  it('by a signed address whose key is no longer taken', async () => {
    const upload = await halfSigned()
    // The stack's Worker has another key.
    const elsewhere = { ...upload, location: upload.location.replace(quoin.url, inject('stack').base_url) }
    await expectShut(elsewhere, 400, /signing key is no longer taken/)
    expect((await end(upload)).status).toBe(204)
    await expectStored(upload)
  })

  it('while the project is paused', async () => {
    const upload = await half()
    await admin('PATCH', `/api/projects/${project}`, { status: 'paused' })
    await expectShut(upload, 403, /paused/)
    await admin('PATCH', `/api/projects/${project}`, { status: 'active' })
    expect((await end(upload)).status).toBe(204)
    await expectStored(upload)
  })

  it('by a signed address while the project is paused', async () => {
    const upload = await halfSigned()
    await admin('PATCH', `/api/projects/${project}`, { status: 'paused' })
    await expectShut(upload, 403, /paused/)
  })

  it('by a signed address in one request, whose body comes slowly', async () => {
    const signed = await quoin.fetch(`/storage/v1/object/upload/sign/${bucket}/slow.txt`, {
      method: 'POST',
      headers: { apikey: key.key },
    })
    const { url } = (await signed.json()) as { url: string }
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const writer = body.writable.getWriter()
    const headers = { 'content-type': 'text/plain', 'content-length': '2' }
    const init = { method: 'PUT', headers, body: body.readable, duplex: 'half' } as const
    const sending = quoin.fetch(`/storage/v1${url}`, init)
    await writer.write(new TextEncoder().encode('a'))
    await expect.poll(() => claimsOf('slow.txt')).toBe(1)
    await admin('PATCH', `/api/projects/${project}`, { status: 'paused' })
    await writer.write(new TextEncoder().encode('b'))
    await writer.close()
    expect(await (await sending).text()).toContain('paused')
    expect(await claimsOf('slow.txt')).toBe(0)
  })
})

async function claimsOf(name: string): Promise<number> {
  const { rows } = await owner.query(
    'select count(*)::int from quoin.storage_claims where bucket_id = $1 and name = $2',
    [bucket, name],
  )
  return rows[0].count
}
