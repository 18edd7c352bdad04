// Resumable uploads as clients of TUS make them, over public HTTP.

import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import {
  type BeginOptions,
  type Begun,
  begin as beginAt,
  CHUNK,
  patch,
  send as sendAs,
} from '../../support/tus.ts'

const MIB = 1024 * 1024
const { base_url: baseUrl } = inject('stack')
const endpoint = `${baseUrl}/storage/v1/upload/resumable`
const bucket = `tus-${randomBytes(6).toString('hex')}`
let service: Record<string, string>
let anon: Record<string, string>

beforeAll(async () => {
  const keys = await Promise.all([makeKey('service_role'), makeKey('anon')])
  ;[service = {}, anon = {}] = keys.map(({ key }) => ({ apikey: key }))
  await using owner = await connectOwner()
  await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket])
  await owner.query('insert into storage.buckets (id, name, file_size_limit) values ($1, $1, 10)', [
    `${bucket}-small`,
  ])
})

describe('an upload', () => {
  it('takes chunks of any size, and becomes an object with the last of them', async () => {
    const bytes = randomBytes(40)
    const upload = await begin({ length: 40 })
    expect(upload.location.startsWith(`${endpoint}/`)).toBe(true)
    expect((await patch(upload, bytes.subarray(0, 10), 0)).headers.get('upload-offset')).toBe('10')
    expect(await offsetOf(upload)).toBe(10)
    expect((await patch(upload, bytes.subarray(10), 10)).status).toBe(204)
    expect(await storedAs(upload)).toMatchObject({
      size: 40,
      eTag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      mimetype: 'text/plain',
      cacheControl: 'max-age=60',
    })
  })

  it('begins with the bytes that come with it', async () => {
    const upload = await begin({ length: 5, body: 'abc' })
    expect(upload.created.headers.get('upload-offset')).toBe('3')
    expect((await patch(upload, 'de', 3)).status).toBe(204)
    expect(await storedAs(upload)).toMatchObject({ size: 5 })
  })

  it('may be empty', async () => {
    const upload = await begin({ length: 0 })
    expect(upload.created.status).toBe(201)
    expect(await storedAs(upload)).toMatchObject({ size: 0 })
  })

  it('may say its length with the last chunk, or behind it', async () => {
    const [withLast, behind] = [await begin({ length: null }), await begin({ length: null })]
    expect(await headOf(withLast)).toMatchObject({ 'upload-defer-length': '1', 'upload-offset': '0' })
    expect((await patch(withLast, 'abc', 0, { 'upload-length': '3' })).status).toBe(204)
    expect((await patch(behind, 'abc', 0)).status).toBe(204)
    expect((await patch(behind, '', 3, { 'upload-length': '3' })).status).toBe(204)
    for (const upload of [withLast, behind]) expect(await storedAs(upload)).toMatchObject({ size: 3 })
  })

  it('answers its last chunk again when it comes again, and an empty one', async () => {
    const upload = await begin({ length: 6 })
    await patch(upload, 'abc', 0)
    for (const [body, offset] of [
      ['def', 3],
      ['def', 3],
      ['', 6],
    ] as const) {
      const answer = await patch(upload, body, offset)
      expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, '6'])
    }
    expect(await headOf(upload)).toMatchObject({ 'upload-offset': '6', 'upload-length': '6' })
    expect((await patch(upload, 'abc', 0)).status).toBe(409)
  })

  it('goes on where a connection broke, with whole parts behind it', async () => {
    const bytes = randomBytes(20 * MIB)
    const upload = await begin({ length: bytes.length })
    await sendAndHangUp(upload, bytes, 15 * MIB)
    const offset = await offsetOf(upload)
    expect(offset).toBeGreaterThanOrEqual(12 * MIB)
    expect(offset).toBeLessThanOrEqual(15 * MIB)
    const rest = await patch(upload, bytes.subarray(offset), offset)
    expect([rest.status, await rest.text()]).toEqual([204, ''])
    expect(await storedAs(upload)).toMatchObject({ size: bytes.length })
    const stored = await fetch(`${baseUrl}/v1/storage/objects/${bucket}/${upload.name}`, { headers: service })
    expect(Buffer.compare(Buffer.from(await stored.arrayBuffer()), bytes)).toBe(0)
  })

  it('ends with DELETE', async () => {
    const upload = await begin({ length: 5, body: 'abc' })
    expect((await send(upload.location, 'DELETE')).status).toBe(204)
    expect((await send(upload.location, 'HEAD')).status).toBe(404)
    expect((await patch(upload, 'de', 3)).status).toBe(404)
    await using owner = await connectOwner()
    const { rows } = await owner.query('select from quoin.storage_claims where name = $1', [upload.name])
    expect(rows).toEqual([])
  })

  it('takes PATCH and DELETE as POST', async () => {
    const upload = await begin({ length: 5 })
    const headers = { 'x-http-method-override': 'PATCH', 'upload-offset': '0', ...CHUNK }
    expect((await send(upload.location, 'POST', { headers, body: 'abc' })).status).toBe(204)
    const ended = await send(upload.location, 'POST', { headers: { 'x-http-method-override': 'DELETE' } })
    expect(ended.status).toBe(204)
  })
})

it('becomes an object at HEAD, as the one who sends its parts, when the database was away at its end', async () => {
  const name = `${crypto.randomUUID()}.txt`
  const sql = policyWithSwitch(`away-${name}`)
  await using owner = await connectOwner()
  await owner.query(sql.make)
  try {
    const upload = await begin({ length: 3, name, headers: anon })
    expect(upload.created.status).toBe(201)
    await owner.query(sql.goAway)
    expect((await patch(upload, 'abc', 0, anon)).status).toBe(500)
    // Whoever gets another answer begins anew.
    expect((await send(upload.location, 'HEAD', { headers: anon })).status).toBe(423)
    await owner.query(sql.comeBack)
    const head = await send(upload.location, 'HEAD', { headers: anon })
    expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '3'])
    expect(await storedAs(upload)).toMatchObject({ size: 3 })
  } finally {
    await owner.query(sql.drop)
  }
})

/** A policy for a caller who begins uploads and sends their parts, and a switch that makes it fail as a server does. */
function policyWithSwitch(name: string) {
  const switched = `public."${name}"`
  const fail = (
    state: string,
  ) => `create or replace function ${switched}() returns boolean language plpgsql as $$
    begin ${state} return true; end $$`
  const check = `bucket_id = '${bucket}' and ${switched}()
    and storage.allow_any_operation(array['tus.upload.create', 'tus.upload.part'])`
  return {
    make: `${fail('')}; grant execute on function ${switched}() to anon;
      create policy "${name}" on storage.objects for insert to anon with check (${check})`,
    goAway: fail(`raise exception 'disk' using errcode = '58030';`),
    comeBack: fail(''),
    drop: `drop policy "${name}" on storage.objects; drop function ${switched}()`,
  }
}

describe('is refused', () => {
  it('at another offset, with the words of Supabase', async () => {
    const upload = await begin({ length: 10, body: 'abc' })
    const answer = await patch(upload, 'x', 0)
    expect(answer.status).toBe(409)
    expect(await answer.text()).toContain('Upload-Offset conflict')
    expect(await offsetOf(upload)).toBe(3)
  })

  it.each([
    ['a bucket that is not there', { bucket: 'nowhere', length: 1 }, 404, 'Bucket not found'],
    ['more than the bucket takes', { bucket: `${bucket}-small`, length: 11 }, 413, 'Maximum size exceeded'],
    ['a part of another', { length: 1, headers: { 'upload-concat': 'partial' } }, 400, 'Upload-Concat'],
  ])('for %s', async (_, options, status, words) => {
    const { created } = await begin(options)
    expect(created.status).toBe(status)
    expect(created.headers.get('tus-resumable')).toBe('1.0.0')
    const text = await created.text()
    expect(text).toContain(words)
    // It is one already.
    expect(text).not.toContain('POST /storage/v1/upload/resumable')
  })

  it('for more bytes than were said, or than the bucket takes of an unknown length', async () => {
    expect((await patch(await begin({ length: 3 }), 'abcd', 0)).status).toBe(413)
    const unknown = await begin({ bucket: `${bucket}-small`, length: null })
    expect((await patch(unknown, 'x'.repeat(11), 0)).status).toBe(413)
  })

  it('without the version of TUS, and without its type', async () => {
    const answer = await fetch(endpoint, { method: 'POST', headers: { ...service, 'upload-length': '1' } })
    expect([answer.status, answer.headers.get('tus-version')]).toEqual([412, '1.0.0'])
    const upload = await begin({ length: 3 })
    expect((await patch(upload, 'abc', 0, { 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('where policies refuse the object, before a byte is sent', async () => {
    expect((await begin({ length: 3, headers: anon })).created.status).toBe(401)
  })

  it('to anybody else, like an unknown one', async () => {
    const upload = await begin({ length: 3 })
    for (const method of ['HEAD', 'DELETE'])
      expect((await send(upload.location, method, { headers: anon })).status).toBe(404)
    expect((await patch(upload, 'abc', 0, anon)).status).toBe(404)
    expect((await send(`${endpoint}/${'x'.repeat(40)}`, 'HEAD')).status).toBe(404)
  })

  it('where the name is taken, unless it replaces', async () => {
    const first = await begin({ length: 3, body: 'abc' })
    const again = { name: first.name, length: 4, body: 'abcd' }
    expect((await begin(again)).created.status).toBe(409)
    const replacing = await begin({ ...again, headers: { 'x-upsert': 'true' } })
    expect(replacing.created.status).toBe(201)
    expect(await storedAs(replacing)).toMatchObject({ size: 4 })
  })

  it('with the last chunk where the name was taken meanwhile', async () => {
    const late = await begin({ length: 3 })
    await begin({ name: late.name, length: 3, body: 'abc' })
    expect((await patch(late, 'xyz', 0)).status).toBe(409)
    expect((await send(late.location, 'HEAD')).status).toBe(404)
  })
})

it('go on beside many others, which share the memory that holds their parts', async () => {
  const bytes = randomBytes(6 * MIB)
  const uploads = await Promise.all(Array.from({ length: 12 }, () => begin({ length: bytes.length })))
  const answers = await Promise.all(uploads.map(upload => patch(upload, bytes, 0)))
  expect(answers.map(({ status }) => status)).toEqual(uploads.map(() => 204))
})

it('are a hundred at once for a key, however many begin together', async () => {
  const { key, id } = await makeKey('service_role')
  const headers = { apikey: key }
  await using owner = await connectOwner()
  await owner.query(
    `insert into quoin.storage_claims (id, bucket_id, name, version, metadata, opened_by)
      select gen_random_uuid(), $1, 'n' || i, gen_random_uuid(), '{}', 'key:' || $2 from generate_series(1, 98) i`,
    [bucket, id],
  )
  const begun = await Promise.all(Array.from({ length: 5 }, () => begin({ length: 3, headers })))
  const statuses = begun.map(({ created }) => created.status)
  expect(statuses.filter(status => status === 201).length).toBeLessThanOrEqual(2)
  expect(new Set(statuses)).toContain(429)
  expect((await begin({ length: 3, headers: service })).created.status).toBe(201)
  const { rows } = await owner.query('select count(*)::int from quoin.storage_claims where opened_by = $1', [
    `key:${id}`,
  ])
  expect(rows[0].count).toBeLessThanOrEqual(100)
})

it('says what of TUS is served', async () => {
  for (const url of [endpoint, `${endpoint}/sign`, `${endpoint}/x`]) {
    const answer = await fetch(url, { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('tus-version')).toBe('1.0.0')
    expect(answer.headers.get('tus-extension')).toContain('creation-defer-length')
  }
})

function begin({ bucket: at = bucket, ...options }: BeginOptions & { bucket?: string }): Promise<Begun> {
  return beginAt({ endpoint, credential: service, bucket: at }, options)
}

function send(
  url: string,
  method: string,
  request?: { headers?: object; body?: BodyInit },
): Promise<Response> {
  return sendAs(service, url, method, request)
}

async function headOf({ location }: Begun): Promise<Record<string, string>> {
  const answer = await send(location, 'HEAD')
  expect(answer.status).toBe(200)
  return Object.fromEntries(answer.headers)
}

async function offsetOf(upload: Begun): Promise<number> {
  return Number((await headOf(upload))['upload-offset'])
}

async function storedAs({ name }: Begun): Promise<unknown> {
  await using owner = await connectOwner()
  const { rows } = await owner.query('select metadata from storage.objects where name = $1', [name])
  return rows[0]?.metadata
}

/** Says that all of it comes, sends as much, and closes the connection. */
async function sendAndHangUp({ location }: Begun, bytes: Uint8Array, sent: number): Promise<void> {
  const headers = { ...service, ...CHUNK, 'tus-resumable': '1.0.0', 'upload-offset': '0' }
  const sending = request(location, {
    method: 'PATCH',
    headers: { ...headers, 'content-length': bytes.length },
  })
  sending.on('error', () => undefined)
  await new Promise(resolve => sending.write(bytes.subarray(0, sent), resolve))
  const closed = new Promise(resolve => sending.once('close', resolve))
  sending.destroy()
  await closed
}
