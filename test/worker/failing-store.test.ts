// R2 that fails before a call, in the middle of a body and behind a call, under the whole Worker: whoever asked is told
// to try again, nothing of it stays, and the next try goes well.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { StorageFault } from '../support/failing-storage.ts'
import { makeKey } from '../support/keys.ts'
import { connectOwner, type TestClient } from '../support/postgres.ts'
import { begin, patch, send } from '../support/tus.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const BUCKET = `failing-${crypto.randomUUID()}`
const OTHER = `${BUCKET}-2`
const MIB = 1024 * 1024
/** More than a part of an upload whose length nobody says, and of a resumable one. */
const LONG = new Uint8Array(8 * MIB + 1)

let owner: TestClient
let quoin: TestWorker
let service: { apikey: string }
/** What goes wrong next, once each. */
let faults: { fails: string; when: StorageFault }[] = []

beforeAll(async () => {
  quoin = await startTestWorker({
    storageFault: call => {
      const next = faults.find(({ fails }) => fails === call)
      faults = faults.filter(fault => fault !== next)
      return next?.when
    },
  })
  owner = await connectOwner()
  for (const id of [BUCKET, OTHER])
    await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [id])
  service = { apikey: (await makeKey('service_role', { rateLimitPerMinute: 10_000 })).key }
})
afterEach(async () => {
  faults = []
  for (const table of ['storage.objects', 'quoin.storage_claims', 'quoin.lost_versions'])
    await owner.query(`delete from ${table} where bucket_id like $1`, [`${BUCKET}%`])
})
afterAll(async () => {
  await owner.query('delete from storage.buckets where id like $1', [`${BUCKET}%`])
  await owner.end()
  await quoin?.close()
})

function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return quoin.fetch(path, { method, ...init, headers: { ...service, ...init.headers } })
}
const text = { 'content-type': 'text/plain' }
const json = { 'content-type': 'application/json' }
const upload = (name: string) =>
  call('POST', `/v1/storage/objects/${BUCKET}/${name}`, { headers: text, body: 'a file' })
const uploadForSupabase = (name: string) =>
  call('POST', `/storage/v1/object/${BUCKET}/${name}`, { headers: text, body: 'a file' })
const streamed = (name: string) =>
  call('POST', `/v1/storage/objects/${BUCKET}/${name}`, {
    headers: text,
    body: new Blob([LONG]).stream(),
    duplex: 'half',
  } as RequestInit)
const transfer = (verb: string) => (name: string) =>
  call('POST', `/v1/storage/${verb}`, {
    headers: json,
    body: JSON.stringify({ from: { bucket: BUCKET, name: 'there' }, to: { bucket: OTHER, name } }),
  })

const inTable = async (table: string) =>
  (await owner.query(`select version from ${table} where bucket_id like $1`, [`${BUCKET}%`])).rows

async function versionsOfBlobs(): Promise<string[]> {
  return (await quoin.worker.blobKeys(BUCKET)).map(key => key.slice(key.indexOf('/') + 1))
}

/** All that is there; blobs of the tests before are, too. */
async function standing() {
  return {
    objects: await inTable('storage.objects'),
    claims: await inTable('quoin.storage_claims'),
    blobs: await versionsOfBlobs(),
  }
}

type Way = readonly [
  what: string,
  fails: string,
  when: StorageFault,
  ask: (name: string) => Promise<Response>,
]

const WHENS = ['before', 'middle', 'after'] as const
const WAYS: readonly Way[] = [
  ...WHENS.map(when => ['an upload', 'put', when, upload] as const),
  ...WHENS.map(when => ['an upload of Supabase’s client', 'put', when, uploadForSupabase] as const),
  ['an upload in parts', 'uploadPart', 'before', streamed],
  ['an upload in parts', 'complete', 'after', streamed],
  ['a copy', 'get', 'before', transfer('copy')],
  ['a copy', 'get', 'middle', transfer('copy')],
  ['a copy', 'put', 'after', transfer('copy')],
  ['a move', 'get', 'middle', transfer('move')],
  ['a move', 'put', 'middle', transfer('move')],
]

it.each(WAYS)('%s leaves nothing, and goes well again: %s, %s', async (_, fails, when, ask) => {
  expect((await upload('there')).status).toBe(201)
  const before = await standing()
  faults = [{ fails, when }]
  const failed = await ask('new')
  const refusal = await failed.json()
  expect(failed.status, JSON.stringify(refusal)).toBe(503)
  expect(refusal).toMatchObject({ code: 'storage_unavailable', hint: 'Try again soon.' })
  expect(failed.headers.get('retry-after')).toBe('5')
  expect(await standing()).toEqual(before)
  expect((await ask('new')).ok).toBe(true)
})

it('what could not be deleted again is noted', async () => {
  faults = [
    { fails: 'put', when: 'after' },
    { fails: 'delete', when: 'before' },
    { fails: 'delete', when: 'before' },
  ]
  const before = await versionsOfBlobs()
  expect((await upload('new')).status).toBe(503)
  const left = (await versionsOfBlobs()).filter(version => !before.includes(version))
  expect(left).toHaveLength(1)
  expect(await inTable('storage.objects')).toEqual([])
  expect(await inTable('quoin.lost_versions')).toEqual(left.map(version => ({ version })))
})

describe('a download', () => {
  const download = () => call('GET', `/v1/storage/objects/${BUCKET}/there`)

  it('is told to come again, or breaks off: never is half a file a whole one', async () => {
    expect((await upload('there')).status).toBe(201)
    faults = [{ fails: 'get', when: 'before' }]
    expect((await download()).status).toBe(503)
    faults = [{ fails: 'get', when: 'middle' }]
    await expect(download().then(answer => answer.text())).rejects.toThrow()
    expect(await (await download()).text()).toBe('a file')
  })
})

it.each([
  ['put', 'before', 3],
  ['put', 'after', 3],
  ['createMultipartUpload', 'before', LONG.length],
  ['uploadPart', 'after', LONG.length],
  ['complete', 'after', LONG.length],
] as const)('a resumable upload goes on where the store failed: %s, %s', async (fails, when, length) => {
  const target = { endpoint: `${quoin.url}/storage/v1/upload/resumable`, credential: service, bucket: BUCKET }
  const begun = await begin(target, { length })
  const id = begun.location.slice(begun.location.lastIndexOf('/'))
  const going = { ...begun, location: target.endpoint + id }
  faults = [{ fails, when }]
  const failed = await patch(going, LONG.slice(0, length), 0)
  expect([failed.status, await failed.text()]).toEqual([503, expect.stringMatching(/store of files/)])
  expect(failed.headers.get('retry-after')).toBe('5')
  expect(await inTable('storage.objects')).toEqual([])
  const asked = await send(service, going.location, 'HEAD')
  const offset = Number(asked.headers.get('upload-offset'))
  expect((await patch(going, LONG.slice(offset, length), offset)).status).toBe(204)
  const [row] = (
    await owner.query(
      "select version, metadata ->> 'size' as size from storage.objects where bucket_id = $1",
      [BUCKET],
    )
  ).rows
  expect(row.size).toBe(String(length))
  expect(await versionsOfBlobs()).toContain(row.version)
  expect(await inTable('quoin.storage_claims')).toEqual([])
})
