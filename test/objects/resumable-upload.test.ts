// What the object of a resumable upload keeps whatever ends it, run inside workerd over the runtime's own R2.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { ResumableUpload } from '../../durable-objects/resumable-upload.ts'
import type { StoredUpload } from '../../durable-objects/upload-storage.ts'
import { PlatformDatabase } from '../../src/db/database.ts'
import { SqlWire } from '../../src/db/sql-wire.ts'
import { isolateHeld } from '../../src/features/storage/blobs/held-bytes.ts'
import { RESUMABLE_PART_BYTES as PART_BYTES } from '../../src/features/storage/blobs/part-sizes.ts'
import type { UploadPlan } from '../../src/features/storage/resumable/upload-contract.ts'
import { openClaim } from '../../src/features/storage/writes/claims.ts'

interface TestEnv {
  RESUMABLE_UPLOAD: DurableObjectNamespace<ResumableUpload>
  STORAGE: R2Bucket
  DATABASE_URL: string
  SQL_GATEWAY_URL: string
}

const { RESUMABLE_UPLOAD, STORAGE, DATABASE_URL, SQL_GATEWAY_URL } = env as unknown as TestEnv
const wire = new SqlWire({ connectionString: DATABASE_URL, gatewayUrl: SQL_GATEWAY_URL })
const platform = new PlatformDatabase(wire)
const bucketId = `tus-object-${crypto.randomUUID()}`
const caller = {
  identity: 'key:1',
  call: {
    role: 'service_role',
    claims: null,
    share: 'test/client',
    requestId: 'test',
    method: 'PATCH',
    path: '/',
    headers: new Headers(),
    timeoutMs: 10_000,
    operation: 'storage.tus.upload.part',
  },
} as const
const AT_START = { offset: 0, length: undefined, bytes: undefined }
const BEHIND = { outcome: 'stored', state: expect.objectContaining({ offset: 3, length: 3 }) }

beforeAll(async () => {
  await platform.texts('insert into storage.buckets (id, name) values ($1, $1) returning id', [bucketId])
})

it('finds the blob that the store made without being heard', async () => {
  const { upload, plan } = await begin(3)
  await STORAGE.put(plan.claim.key, 'abc')
  await upload.write(caller, AT_START, bodyOf('ab'))
  await change(upload, { isCompleting: true })
  // Put again it would be 'abX'.
  const last = { offset: 2, length: undefined, bytes: 1 }
  expect(await upload.write(caller, last, bodyOf('X'))).toEqual(BEHIND)
  expect(await (await STORAGE.get(plan.claim.key))?.text()).toBe('abc')
})

it('finds the row that was written without being heard, and leaves its blob alone', async () => {
  const { upload, plan } = await begin(3)
  expect(await upload.write(caller, AT_START, bodyOf('abc'))).toEqual(BEHIND)
  await change(upload, { isFinished: false })
  expect(await upload.read(caller)).toEqual(BEHIND)
  expect(await STORAGE.head(plan.claim.key)).not.toBeNull()
  expect(await rowsOf(plan)).toHaveLength(1)
})

it('makes one object, however many ask at once', async () => {
  const { upload, plan } = await begin(3)
  const last = { ...AT_START, bytes: 3 }
  const outcomes = await Promise.all([
    upload.write(caller, last, bodyOf('abc')),
    upload.write(caller, last, bodyOf('abc')),
    upload.read(caller),
  ])
  expect(outcomes.slice(0, 2)).toEqual([BEHIND, BEHIND])
  expect(await rowsOf(plan)).toHaveLength(1)
})

it('keeps what came of a body that went silent, and lets the next request on', async () => {
  const { upload } = await begin(10)
  const silent = new TransformStream<Uint8Array, Uint8Array>()
  const writing = upload.write(caller, AT_START, silent.readable)
  const writer = silent.writable.getWriter()
  await writer.write(new TextEncoder().encode('abcd'))
  expect(await upload.read(caller)).toMatchObject({ outcome: 'stored', state: { offset: 4 } })
  expect(await writing).toEqual({ outcome: 'broke_off' })
  await writer.abort().catch(() => undefined)
})

it('takes no notice of a stranger who knows its id', async () => {
  const { upload } = await begin(4)
  const slow = new TransformStream<Uint8Array, Uint8Array>()
  const writing = upload.write(caller, AT_START, slow.readable)
  const writer = slow.writable.getWriter()
  await writer.write(new TextEncoder().encode('ab'))
  const stranger = { ...caller, identity: 'key:2' }
  // Whoever waits for the sender ends one who is silent.
  expect(await upload.write(stranger, AT_START, bodyOf('x'))).toEqual({ outcome: 'unknown' })
  await writer.write(new TextEncoder().encode('cd'))
  await writer.close()
  expect(await writing).toMatchObject({ outcome: 'stored', state: { offset: 4 } })
})

it('names the length that was said to a body that brings more', async () => {
  const { upload } = await begin(3)
  expect(await upload.write(caller, AT_START, bodyOf('abcd'))).toEqual({ outcome: 'too_large', bytesMax: 3 })
})

it('waits for room where the isolate holds as much as it may', async () => {
  const { upload } = await begin(3)
  const others = isolateHeld.open()
  onTestFinished(() => others.close())
  others.grow(48 * 1024 * 1024 - 2)
  const writing = upload.write(caller, AT_START, bodyOf('abc'))
  // Answered behind the beginning of the write, which has found no room.
  await upload.read({ ...caller, identity: 'key:2' })
  others.close()
  expect(await writing).toEqual(BEHIND)
})

it('forgets an upload whose day is over, with its parts and its claim', async () => {
  const { upload, plan } = await begin(PART_BYTES + 10)
  await upload.write(caller, AT_START, bodyOf(new Uint8Array(PART_BYTES + 1)))
  const multipartId = await runInDurableObject(upload, (_, { storage }) => {
    return storage.kv.get<StoredUpload>('upload')?.multipartId ?? ''
  })
  const claims = () => platform.texts('select from quoin.storage_claims where id = $1::uuid', [plan.claim.id])
  expect(await claims()).toHaveLength(1)
  await runDurableObjectAlarm(upload)
  expect(await upload.read(caller)).toEqual({ outcome: 'unknown' })
  expect(await claims()).toHaveLength(0)
  const part = STORAGE.resumeMultipartUpload(plan.claim.key, multipartId).uploadPart(2, 'x')
  await expect(part).rejects.toThrow()
  expect(await runInDurableObject(upload, (_, { storage }) => storage.kv.get('upload'))).toBeUndefined()
})

it('takes no bytes from a row that was written without being heard, when its day is over', async () => {
  const { upload, plan } = await begin(3)
  await upload.write(caller, AT_START, bodyOf('abc'))
  await change(upload, { isFinished: false })
  await runDurableObjectAlarm(upload)
  expect(await upload.read(caller)).toEqual({ outcome: 'unknown' })
  expect(await STORAGE.head(plan.claim.key)).not.toBeNull()
  expect(await rowsOf(plan)).toHaveLength(1)
})

it('leaves no trace of an id that is no upload', async () => {
  const upload = RESUMABLE_UPLOAD.getByName(crypto.randomUUID())
  expect(await upload.read(caller)).toEqual({ outcome: 'unknown' })
  expect(await upload.write(caller, AT_START, bodyOf('abc'))).toEqual({ outcome: 'unknown' })
  const size = await runInDurableObject(upload, (_, { storage }) =>
    storage.sql.exec('pragma table_list').toArray(),
  )
  expect(size.filter(({ name }) => ['parts', 'tail'].includes(String(name)))).toEqual([])
})

async function begin(length: number) {
  const place = { bucketId, name: `${crypto.randomUUID()}.txt` }
  const described = { contentType: 'text/plain', cacheControl: 'no-cache' }
  const { claim, database } = await openClaim({ platform }, place, { size: length, ...described })
  const plan: UploadPlan = {
    ...described,
    claim,
    database,
    write: { mode: 'create', userMetadata: null, ownerId: null },
    identity: caller.identity,
    metadataHeader: '',
    length,
    bytesMax: 100 * PART_BYTES,
    expiresAtMs: Date.now() + 60_000,
  }
  const upload = RESUMABLE_UPLOAD.getByName(claim.id)
  await upload.begin(plan)
  return { upload, plan }
}

function change(upload: DurableObjectStub<ResumableUpload>, changes: Partial<StoredUpload>): Promise<void> {
  return runInDurableObject(upload, (_, { storage }) => {
    storage.kv.put('upload', { ...storage.kv.get<StoredUpload>('upload'), ...changes })
  })
}

function rowsOf({ claim }: UploadPlan) {
  return platform.texts('select id from storage.objects where bucket_id = $1 and version = $2', [
    bucketId,
    claim.version,
  ])
}

function bodyOf(bytes: string | Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> | null {
  return new Response(bytes).body
}
