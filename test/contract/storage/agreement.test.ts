// Two hundred writes at once, on a few names, while the store fails and answers of the database are lost: rows, blobs,
// notes and claims must agree behind them, and nothing may be gone that somebody was told is there.

import { createHash, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { DataDatabase, PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { DomainError } from '../../../src/errors.ts'
import type { StorageDeps } from '../../../src/features/storage/as-caller.ts'
import { makeBlobStore } from '../../../src/features/storage/blobs/blob-store.ts'
import { emptyBucket } from '../../../src/features/storage/buckets/empty-bucket.ts'
import { listBuckets } from '../../../src/features/storage/buckets/list-buckets.ts'
import { blobKey, type ObjectPlace } from '../../../src/features/storage/names.ts'
import type { BlobMetadata } from '../../../src/features/storage/object-row.ts'
import { copyObject } from '../../../src/features/storage/objects/copy-object.ts'
import { deleteObjects } from '../../../src/features/storage/objects/delete-objects.ts'
import { moveObject } from '../../../src/features/storage/objects/move-object.ts'
import { uploadObject } from '../../../src/features/storage/objects/upload-object.ts'
import type { StorageCall } from '../../../src/features/storage/storage-call.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { FailingBucket, type MemoryBlob } from './failing-bucket.ts'

const SEED = Number(process.env['STORAGE_SEED'] ?? randomInt(2 ** 31))
const OPERATIONS = 200
const stack = inject('stack')
const prefix = `agree-${crypto.randomUUID()}`
/** Nothing is deleted in the last, nor moved away: what is written there stays, or is replaced. */
const BUCKETS = [`${prefix}-1`, `${prefix}-2`, `${prefix}-kept`] as const
const [FIRST, SECOND, KEPT] = BUCKETS
const NAMES = ['a', 'a/b', 'ü b', 'c', 'd']

// What workerd has and Node has not.
class FixedLength extends TransformStream {
  constructor(_bytes: number) {
    super()
  }
}

const blobs = new Map<string, MemoryBlob>()
let owner: TestClient

beforeAll(async () => {
  vi.stubGlobal('FixedLengthStream', FixedLength)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  owner = await connectOwner()
  for (const id of BUCKETS) await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [id])
})
afterAll(async () => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  for (const table of ['storage.objects', 'quoin.lost_versions', 'quoin.storage_claims'])
    await owner.query(`delete from ${table} where bucket_id = any ($1)`, [BUCKETS])
  await owner.query('delete from storage.buckets where id = any ($1)', [BUCKETS])
  await owner.end()
})

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Operation {
  readonly what: string
  readonly places: readonly [ObjectPlace, ObjectPlace]
  readonly bucket: FailingBucket
  isAnswerLost: boolean
  outcome: Outcome
}

/** What it promised, where it wrote a file: bytes of this ETag are under this key. Or why it failed. */
type Outcome = { key?: string; eTag?: string } | { error: unknown }

function depsWith(fetchWire: (url: string, init: RequestInit) => Promise<Response>, bucket: FailingBucket) {
  const gatewayUrl = stack.sql_gateway_url ?? undefined
  const wireTo = (connectionString: string) =>
    new SqlWire({ connectionString, gatewayUrl }, { fetch: fetchWire })
  return {
    data: new DataDatabase(wireTo(stack.data_database_url), { wipesPlans: true }),
    platform: new PlatformDatabase(wireTo(stack.database_url)),
    blobs: makeBlobStore(bucket),
    publicRows: { forget() {} },
    config: { dbExtraSearchPath: [], storageUploadMaxBytes: 1_000, storageObjectMaxBytes: 1_000 },
  } satisfies StorageDeps
}

function callOf(id: string): StorageCall {
  const request = { requestId: id, method: 'POST', path: '/', headers: new Headers() }
  return {
    ...request,
    role: 'service_role',
    claims: null,
    share: `${id}/a`,
    timeoutMs: 20_000,
    operation: 'storage.test',
  }
}

/** One write, with its own dice for what it does and what happens to it. */
async function perform(index: number): Promise<Operation> {
  const random = randomOf(SEED + index * 7_919)
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
  const pickPlace = (buckets: readonly string[]) => ({ bucketId: pick(buckets), name: pick(NAMES) })
  const what = pick([
    'create',
    'create',
    'replace',
    'replace',
    'replace',
    'move',
    'move',
    'copy',
    'copy',
    'delete',
    'empty',
  ])
  const places = [pickPlace([FIRST, SECOND]), pickPlace(BUCKETS)] as const
  const bucket = new FailingBucket(blobs, call => {
    const fails = random() < (call === 'put' ? 0.2 : 0.1)
    return fails ? pick(['before', 'middle', 'after'] as const) : undefined
  })
  const operation: Operation = { what, places, bucket, isAnswerLost: false, outcome: {} }
  const loses = async (url: string, init: RequestInit) => {
    const fate = random()
    if (fate < 0.02) operation.isAnswerLost = true
    if (fate < 0.01) throw new Error('the request is lost')
    const response = await fetch(url, init)
    if (fate < 0.02) throw new Error('the answer is lost')
    return response
  }
  const deps = depsWith(loses, bucket)
  const body = { text: `${index} `.repeat(1 + Math.floor(random() * 50)), breaksOff: random() < 0.05 }
  try {
    const asked = { what, places, body, hasLength: random() < 0.5 }
    operation.outcome = await run(deps, callOf(`${prefix}-${index}`), asked, bucket)
  } catch (error) {
    operation.outcome = { error }
  }
  return operation
}

interface Asked {
  what: string
  places: readonly [ObjectPlace, ObjectPlace]
  body: { text: string; breaksOff: boolean }
  hasLength: boolean
}

async function run(
  deps: StorageDeps,
  call: StorageCall,
  { what, places: [from, to], body, hasLength }: Asked,
  bucket: FailingBucket,
): Promise<Outcome> {
  const transfer = { from, to }
  switch (what) {
    case 'copy': {
      const copy = await copyObject(deps, call, transfer, { mode: 'replace', ownerId: null })
      return { key: blobKey(to.bucketId, copy.version), eTag: copy.metadata.eTag }
    }
    case 'move': {
      const row = await moveObject(deps, call, transfer)
      return { key: bucket.stored[0] ?? blobKey(to.bucketId, row.version), eTag: row.metadata.eTag }
    }
    case 'delete':
      await deleteObjects(deps, call, from.bucketId, [from.name, to.name])
      return {}
    case 'empty':
      await emptyBucket(deps, call, from.bucketId)
      return {}
    default: {
      const bytes = new TextEncoder().encode(body.text)
      const { version } = await uploadObject(deps, call, to, {
        body: streamOf(bytes, body.breaksOff),
        length: hasLength ? bytes.length : undefined,
        contentType: 'text/plain',
        cacheControl: 'no-cache',
        mode: what === 'create' ? 'create' : 'replace',
        userMetadata: null,
        ownerId: null,
      })
      return { key: blobKey(to.bucketId, version), eTag: md5(bytes) }
    }
  }
}

function streamOf(bytes: Uint8Array, breaksOff: boolean): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: controller => controller.enqueue(bytes.subarray(0, bytes.length >> 1)),
    pull(controller) {
      if (breaksOff) return controller.error(new Error('hung up'))
      controller.enqueue(bytes.subarray(bytes.length >> 1))
      controller.close()
    },
  })
}

const keyOf = ({ bucket_id, version }: { bucket_id: string; version: string }) => blobKey(bucket_id, version)

async function ask<Row extends object>(sql: string): Promise<Row[]> {
  return (await owner.query<Row>(`${sql} where bucket_id = any ($1)`, [BUCKETS])).rows
}

/** What anybody may be told of a write here; all else is a fault of ours. */
const EXPECTED = [
  'storage_unavailable',
  'database_unavailable',
  'object_exists',
  'object_not_found',
  'invalid_body',
]

it(`rows, blobs and counts agree after ${OPERATIONS} writes with faults; STORAGE_SEED=${SEED}`, async () => {
  const operations = await Promise.all(Array.from({ length: OPERATIONS }, (_, index) => perform(index)))

  const failures = operations.flatMap(({ what, outcome }) =>
    'error' in outcome ? [{ what, error: outcome.error }] : [],
  )
  const unexpected = failures.filter(
    ({ error }) => !(error instanceof DomainError && EXPECTED.includes(error.code)),
  )
  expect(unexpected.map(({ what, error }) => `${what}: ${error}`)).toEqual([])
  // Else nothing was tried.
  expect(OPERATIONS - failures.length).toBeGreaterThan(OPERATIONS / 4)

  type Named = { bucket_id: string; name: string; version: string }
  const rows = await ask<Named & { metadata: BlobMetadata }>(
    'select bucket_id, name, version, metadata from storage.objects',
  )
  const notes = await ask<Named>('select bucket_id, version from quoin.lost_versions')
  const claims = await ask<Named>('select bucket_id, name, version from quoin.storage_claims')

  const wrongRows = rows.filter(row => {
    const blob = blobs.get(keyOf(row))
    return (
      blob?.size !== row.metadata.size ||
      blob.httpEtag !== row.metadata.eTag ||
      md5(blob.bytes) !== blob.httpEtag
    )
  })
  expect(wrongRows, 'rows without their blob').toEqual([])
  const known = new Set([...rows, ...notes, ...claims].map(keyOf))
  expect(
    [...blobs.keys()].filter(key => !known.has(key)),
    'blobs that nothing names',
  ).toEqual([])
  const deleted = new Set(operations.flatMap(({ bucket }) => bucket.deleted))
  const stored = operations.flatMap(({ bucket }) => bucket.stored).filter(key => !deleted.has(key))
  expect(
    stored.filter(key => !blobs.has(key)),
    'young versions that cannot be read',
  ).toEqual([])
  const promised = operations.flatMap(({ what, outcome, places: [, to] }) =>
    'key' in outcome ? [{ what, to, key: outcome.key ?? '', eTag: outcome.eTag }] : [],
  )
  expect(
    [...rows.map(keyOf), ...promised.map(({ key }) => key)].filter(key => deleted.has(key)),
    'files that were deleted',
  ).toEqual([])

  const kept = new Set([...rows, ...notes].map(keyOf))
  const isThere = ({ key, eTag }: { key: string; eTag: string | undefined }) =>
    kept.has(key) && eTag !== undefined && blobs.get(key)?.httpEtag === eTag
  expect(
    promised.filter(promise => !isThere(promise)).map(({ what, key }) => `${what} ${key}`),
    'files that were promised, and that neither a row nor a note has',
  ).toEqual([])
  const stays = promised.filter(({ to }) => to.bucketId === KEPT).map(({ to }) => to.name)
  const there = rows.filter(({ bucket_id }) => bucket_id === KEPT).map(({ name }) => name)
  expect(
    stays.filter(name => !there.includes(name)),
    'files that nobody took away',
  ).toEqual([])

  for (const { what, outcome, bucket, isAnswerLost } of operations) {
    if ('error' in outcome && !isAnswerLost && !bucket.failedDelete) {
      const left = bucket.stored.filter(key => blobs.has(key))
      expect(left, `${what} that failed`).toEqual([])
    }
    if (isAnswerLost || bucket.failedDelete) continue
    // No claim of this one is left; those of others at the same place may be.
    expect(claims.map(keyOf).filter(key => bucket.stored.includes(key))).toEqual([])
  }
  const mayLeaveClaims = operations.filter(({ isAnswerLost, bucket }) => isAnswerLost || bucket.failedDelete)
  expect(claims.length).toBeLessThanOrEqual(mayLeaveClaims.length)

  const { data } = await listBuckets(depsWith(fetch, new FailingBucket(blobs)), callOf(prefix), {
    limit: 1_000,
  })
  for (const bucketId of BUCKETS) {
    const own = rows.filter(({ bucket_id }) => bucket_id === bucketId)
    const bytes = own.reduce((sum, { metadata }) => sum + metadata.size, 0)
    expect(data.find(({ id }) => id === bucketId)).toMatchObject({ objects: own.length, bytes })
  }
})

it.each(['before', 'middle', 'after'] as const)('a store that fails %s a put leaves nothing', async when => {
  const place = { bucketId: FIRST, name: `${when}.txt` }
  const upload: Asked = {
    what: 'create',
    places: [place, place],
    body: { text: 'a file', breaksOff: false },
    hasLength: true,
  }
  const bucket = new FailingBucket(blobs, call => (call === 'put' ? when : undefined))
  const before = [...blobs.keys()]
  await expect(run(depsWith(fetch, bucket), callOf(prefix), upload, bucket)).rejects.toMatchObject({
    code: 'storage_unavailable',
    retryAfterSeconds: expect.any(Number),
  })
  expect([...blobs.keys()]).toEqual(before)
  const sql =
    'select name from storage.objects where name = $1 union all select name from quoin.storage_claims where name = $1'
  expect((await owner.query(sql, [place.name])).rows).toEqual([])
  const well = new FailingBucket(blobs)
  expect(await run(depsWith(fetch, well), callOf(prefix), upload, well)).toHaveProperty('key')
})

it.each([
  ['copied', copyOver, 'done'],
  ['moved', moveObject, 'object_not_found'],
] as const)(
  'a file that is replaced while it is %s keeps what replaced it',
  async (what, transfer, outcome) => {
    const [from, to] = [
      { bucketId: FIRST, name: what },
      { bucketId: SECOND, name: what },
    ]
    const upload = async (text: string) => {
      const bucket = new FailingBucket(blobs)
      const asked = {
        what: 'replace',
        places: [from, from],
        body: { text, breaksOff: false },
        hasLength: true,
      } as const
      return await run(depsWith(fetch, bucket), callOf(prefix), asked, bucket)
    }
    class SlowBucket extends FailingBucket {
      override async put(...args: Parameters<FailingBucket['put']>) {
        const blob = await super.put(...args)
        await upload('new')
        return blob
      }
    }
    await upload('old')
    const deps = depsWith(fetch, new SlowBucket(blobs))
    const told = await transfer(deps, callOf(prefix), { from, to }).then(
      () => 'done',
      ({ code }) => code,
    )
    expect(told).toBe(outcome)
    const rows = await ask<{ bucket_id: string; name: string; version: string }>(
      'select bucket_id, name, version from storage.objects',
    )
    const textAt = ({ bucketId }: ObjectPlace) => {
      const row = rows.find(({ bucket_id, name }) => bucket_id === bucketId && name === what)
      return (
        row &&
        Buffer.from(blobs.get(keyOf(row))?.bytes ?? [])
          .toString()
          .trim()
      )
    }
    expect([textAt(from), textAt(to)]).toEqual(['new', outcome === 'done' ? 'old' : undefined])
  },
)

function copyOver(deps: StorageDeps, call: StorageCall, transfer: { from: ObjectPlace; to: ObjectPlace }) {
  return copyObject(deps, call, transfer, { mode: 'replace', ownerId: null })
}

const md5 = (bytes: Uint8Array) => `"${createHash('md5').update(bytes).digest('hex')}"`
