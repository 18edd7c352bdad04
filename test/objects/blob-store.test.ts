// The store of blobs, run inside workerd over the runtime's own R2, which a test lets fail where it wants to.

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { DomainError } from '../../src/errors.ts'
import { type BlobStore, makeBlobStore } from '../../src/features/storage/blobs/blob-store.ts'
import type { Bucket, PartsUpload } from '../../src/features/storage/blobs/bucket.ts'
import { HeldBytes } from '../../src/features/storage/blobs/held-bytes.ts'
import { deadline } from '../../src/lib/deadline.ts'

const bucket: Bucket = (env as { STORAGE: R2Bucket }).STORAGE
const store = makeBlobStore(bucket)
const MIB = 1024 * 1024
const DATABASE = 'epoch'
const CONTENT = Uint8Array.from({ length: 20 * MIB }, (_, at) => at * 31 + (at >> 8) * 7 + (at >> 16))

describe('a body of known length', () => {
  it.each([0, 1, 100_000, 20 * MIB])('is stored as it came: %i bytes', async size => {
    const key = newKey()
    const blob = await store.put(key, bodyOf(size), { length: size, database: DATABASE })
    expect(blob).toEqual({ size, etag: expect.stringMatching(/^".+"$/) })
    expect(await store.head(key)).toEqual(blob)
    await expectStored(store, key, size)
  })

  it.each([
    ['less', 99_999],
    ['more', 100_001],
  ])('is refused with %s bytes than were said', async (_, size) => {
    const key = newKey()
    await expectFailure(store.put(key, bodyOf(size), { length: 100_000, database: DATABASE }), 'invalid_body')
    expect(await store.head(key)).toBeNull()
  })

  it('is refused as bytes of another length', async () => {
    const key = newKey()
    const put = store.put(key, new Uint8Array(3), { length: 2, database: DATABASE })
    await expectFailure(put, 'invalid_body')
    expect(await store.head(key)).toBeNull()
  })
})

it('stores bytes, and nothing at all as an empty blob', async () => {
  const key = newKey()
  await store.put(key, contentOf(10), { length: undefined, database: DATABASE })
  await expectStored(store, key, 10)
  await store.put(key, null, { length: undefined, database: DATABASE })
  await expectStored(store, key, 0)
})

describe('a body of unknown length', () => {
  it.each([
    [0, 0],
    [1, 0],
    [8 * MIB, 0],
    [8 * MIB + 1, 2],
    [16 * MIB, 2],
    [20 * MIB, 3],
  ])('is stored as it came: %i bytes in %i parts', async (size, parts) => {
    const key = newKey()
    const { watched, calls } = watch()
    await makeBlobStore(watched).put(key, bodyOf(size), { length: undefined, database: DATABASE })
    expect(calls.filter(call => call === 'uploadPart')).toHaveLength(parts)
    await expectStored(store, key, size)
  })
})

describe('a body of a likely length', () => {
  it.each([
    ['has that length', 20 * MIB, 20 * MIB, 1],
    ['is empty, as it should be', 0, 0, 1],
    ['is a megabyte shorter', 2 * MIB, MIB, 2],
    ['is much shorter', 20 * MIB, 12 * MIB, 2],
    ['is empty', MIB, 0, 2],
    ['is two bytes longer', 20 * MIB - 2, 20 * MIB, 2],
    ['is longer than nothing', 0, 2, 2],
  ])('is stored as it came, and never held, when it %s', async (_, likelyLength, size, puts) => {
    const key = newKey()
    const { watched, calls } = watch()
    const held = new HeldBytes(0)
    const blobs = makeBlobStore(watched, { held, rewriteAfterMs: 0 })
    const blob = await blobs.put(key, bodyOf(size), { length: undefined, likelyLength, database: DATABASE })
    expect(blob).toEqual(await store.head(key))
    expect(calls.filter(call => call === 'put' || call === 'rewrite')).toHaveLength(puts)
    await expectStored(store, key, size)
    expect((await bucket.head(key))?.customMetadata).toEqual({ database: DATABASE })
  })

  it('is refused when it is much longer', async () => {
    const key = newKey()
    const likely = { length: undefined, likelyLength: MIB, database: DATABASE }
    await expectFailure(store.put(key, bodyOf(2 * MIB), likely), 'invalid_body')
    expect(await store.head(key)).toBeNull()
  })

  it('is stored by nobody when it fails behind that length', async () => {
    const { watched, calls } = watch()
    const key = newKey()
    const body = bodyOf(MIB, new DomainError('invalid_signature', 'changed'))
    const likely = { length: undefined, likelyLength: MIB - 2, database: DATABASE }
    await expectFailure(makeBlobStore(watched).put(key, body, likely), 'invalid_signature')
    expect(calls).toEqual(['put'])
    expect(await store.head(key)).toBeNull()
  })

  it('is written again no sooner than R2 takes it', async () => {
    let takesAtMs = 0
    const slow: Bucket = {
      ...watch().watched,
      put: async (key, body, options) => {
        if (Date.now() < takesAtMs) throw new Error('Reduce your concurrent request rate (10058)')
        const stored = await bucket.put(key, body, options)
        takesAtMs = Date.now() + 1_000
        return stored
      },
    }
    const likely = { length: undefined, likelyLength: 3, database: DATABASE }
    expect(await makeBlobStore(slow).put(newKey(), bodyOf(2), likely)).toMatchObject({ size: 2 })
  })

  it.each<Failing>([
    { rewrite: 'before' },
    { rewrite: 'after' },
    { rewrite: 'silent' },
    { get: 'before' },
    { get: 'silent' },
    { get: 'broken' },
    { get: 'gone' },
  ])('leaves nothing when its correction fails: %j', async failing => {
    for (const size of [2 * MIB, 4 * MIB]) {
      const key = newKey()
      const { watched, calls } = watch(failing)
      const blobs = makeBlobStore(watched, { rewriteAfterMs: 0, timeoutMs: 300 })
      const likely = { length: undefined, likelyLength: size === 2 * MIB ? 3 * MIB : size - 2 }
      await expectFailure(
        blobs.put(key, bodyOf(size), { ...likely, database: DATABASE }),
        'storage_unavailable',
      )
      expect(calls).toContain('rewrite')
      expect(await store.head(key)).toBeNull()
    }
  })
})

it('hands no whole body to the store before that has ended well', async () => {
  const { watched, calls } = watch()
  let stored = false
  const put = makeBlobStore({
    ...watched,
    put: async (key, body, options) => {
      const blob = await watched.put(key, body, options)
      stored = true
      return blob
    },
  }).put(newKey(), bodyOf(MIB, new DomainError('invalid_signature', 'changed')), {
    length: MIB,
    database: DATABASE,
  })
  await expectFailure(put, 'invalid_signature')
  expect(calls).toContain('put')
  expect(stored).toBe(false)
})

describe.each([
  ['known length', { length: 20 * MIB }],
  ['unknown length', { length: undefined }],
  ['a likely length', { length: undefined, likelyLength: 20 * MIB }],
])('of a body of %s nothing stays', (_, known) => {
  it('when its client hangs up half-way', async () => {
    const body = bodyOf(12 * MIB, new TypeError('gone'))
    await expectNothingLeft(body, {}, 'invalid_body')
  })

  it('when it fails with an error of ours, which is handed on', async () => {
    const body = bodyOf(12 * MIB, new DomainError('payload_too_large', 'too large'))
    await expectNothingLeft(body, {}, 'payload_too_large')
  })

  it('when nothing more of it comes', async () => {
    const silent = new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(contentOf(9 * MIB)),
    })
    await expectNothingLeft(silent, { timeoutMs: 300 }, 'invalid_body')
  })

  it.each(['before', 'after'] as const)('when the store fails %s its work', async when => {
    const failing = { put: when, uploadPart: when }
    await expectNothingLeft(bodyOf(20 * MIB), { failing }, 'storage_unavailable')
  })

  it('when the store does not answer', async () => {
    const failing = { put: 'silent', uploadPart: 'silent' } as const
    await expectNothingLeft(bodyOf(20 * MIB), { failing, timeoutMs: 300 }, 'storage_unavailable')
  })

  async function expectNothingLeft(
    body: ReadableStream<Uint8Array>,
    { failing = {}, timeoutMs = 10_000 }: { failing?: Failing; timeoutMs?: number },
    code: string,
  ): Promise<void> {
    const key = newKey()
    const { watched, calls } = watch(failing)
    const put = makeBlobStore(watched, { timeoutMs }).put(key, body, { ...known, database: DATABASE })
    await expectFailure(put, code)
    expect(await store.head(key)).toBeNull()
    expect(calls.includes('abort')).toBe(calls.includes('createMultipartUpload'))
  }
})

it.each(['before', 'after'] as const)(
  'leaves nothing when the store fails %s putting parts together',
  async when => {
    const key = newKey()
    const { watched, calls } = watch({ complete: when })
    const put = makeBlobStore(watched).put(key, bodyOf(9 * MIB), { length: undefined, database: DATABASE })
    await expectFailure(put, 'storage_unavailable')
    expect(calls).toContain('abort')
    expect(await store.head(key)).toBeNull()
  },
)

it('cancels a body that it does not read to its end', async () => {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(contentOf(64 * 1024)),
    cancel: () => {
      cancelled = true
    },
  })
  await expectFailure(store.put(newKey(), body, { length: MIB, database: DATABASE }), 'invalid_body')
  expect(cancelled).toBe(true)
})

it('hands out a range, and null for what there is not', async () => {
  const key = newKey()
  await store.put(key, contentOf(1_000), { length: 1_000, database: DATABASE })
  const found = await store.get(key, { offset: 100, length: 50 })
  expect(await bytesOf(found)).toEqual(contentOf(1_000).subarray(100, 150))
  expect(await store.get(newKey())).toBeNull()
})

it('lists in the order of keys behind one, with whose they are, and deletes', async () => {
  const prefix = `${newKey()}/`
  const keys = ['a', 'b', 'c'].map(name => prefix + name)
  for (const key of keys) await store.put(key, contentOf(3), { length: 3, database: DATABASE })
  const page = await store.list({ after: `${prefix}a`, limit: 2 })
  expect(page.blobs).toEqual(
    ['b', 'c'].map(name => ({
      key: prefix + name,
      size: 3,
      etag: expect.stringMatching(/^".+"$/),
      database: DATABASE,
      uploadedAt: expect.any(Date),
    })),
  )
  await store.delete([...keys, newKey()])
  expect(
    (await store.list({ after: prefix, limit: 1000 })).blobs.filter(({ key }) => key.startsWith(prefix)),
  ).toEqual([])
})

it('takes parts over several requests, and drops those of an upload that is gone without a failure', async () => {
  const key = newKey()
  const uploadId = await store.beginParts(key, { database: DATABASE })
  const content = contentOf(6 * MIB)
  const first = await store.putPart(key, uploadId, 1, content.subarray(0, 5 * MIB))
  const second = await store.putPart(key, uploadId, 2, content.subarray(5 * MIB))
  const parts = [
    { number: 1, etag: first.etag },
    { number: 2, etag: second.etag },
  ]
  expect((await store.completeParts(key, uploadId, parts)).size).toBe(6 * MIB)
  await expectStored(store, key, 6 * MIB)
  await store.abortParts(key, uploadId)
  expect(await store.head(key)).not.toBeNull()
})

it('says that the store is unavailable when it fails, with when to try again', async () => {
  const broken = makeBlobStore({ ...bucket, head: () => Promise.reject(new Error('10001')) })
  await expect(broken.head('key')).rejects.toMatchObject({
    code: 'storage_unavailable',
    retryAfterSeconds: 5,
  })
})

/**
 * `before`: fails at once. `after`: does its work and fails. `silent`: does nothing, and never answers. A `rewrite` is
 * the second `put`. What is got may break off, or be gone.
 */
type Failing = {
  [call in 'put' | 'rewrite' | 'uploadPart' | 'complete']?: 'before' | 'after' | 'silent'
} & { get?: 'before' | 'silent' | 'broken' | 'gone' }

/** The bucket, with a list of its calls, some of which fail. */
function watch(failing: Failing = {}): { watched: Bucket; calls: string[] } {
  const calls: string[] = []
  function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    calls.push(name)
    switch (failing[name as keyof Failing]) {
      case 'before':
        return Promise.reject(new Error(`${name} failed`))
      case 'after':
        return work().then(() => Promise.reject(new Error(`the answer of ${name} was lost`)))
      case 'silent':
        return new Promise(() => undefined)
      default:
        return work()
    }
  }
  const watchUpload = (upload: PartsUpload): PartsUpload => ({
    uploadId: upload.uploadId,
    uploadPart: (number, body) => run('uploadPart', () => upload.uploadPart(number, body)),
    complete: parts => run('complete', () => upload.complete(parts)),
    abort: () => run('abort', () => upload.abort()),
  })
  const watched: Bucket = {
    head: key => bucket.head(key),
    async get(key, options) {
      const found = await run('get', () => bucket.get(key, options))
      if (failing.get === 'gone') return null
      return failing.get === 'broken' ? { body: bodyOf(MIB, new Error('broke off')), size: MIB } : found
    },
    put: (key, body, options) =>
      run(calls.includes('put') ? 'rewrite' : 'put', () => bucket.put(key, body, options)),
    createMultipartUpload: async (key, options) =>
      watchUpload(await run('createMultipartUpload', () => bucket.createMultipartUpload(key, options))),
    resumeMultipartUpload: (key, uploadId) => watchUpload(bucket.resumeMultipartUpload(key, uploadId)),
    delete: keys => bucket.delete(keys),
    list: options => bucket.list(options),
  }
  return { watched, calls }
}

const newKey = () => `test/${crypto.randomUUID()}`

/** Bytes that tell where they are, to the same size the same. */
function contentOf(size: number): Uint8Array<ArrayBuffer> {
  return CONTENT.slice(0, size)
}

/** The content in chunks of uneven size; at its end it fails, if it is to. */
function bodyOf(size: number, failure?: Error): ReadableStream<Uint8Array> {
  const content = contentOf(size)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < size) {
        controller.enqueue(content.slice(at, at + 70_001))
        at += 70_001
      } else if (failure) controller.error(failure)
      else controller.close()
    },
  })
}

async function bytesOf(found: Awaited<ReturnType<BlobStore['get']>>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(found?.body).arrayBuffer())
}

async function expectStored(store: BlobStore, key: string, size: number): Promise<void> {
  const found = await bytesOf(await store.get(key))
  expect(found.byteLength).toBe(size)
  // `toEqual` would tell a difference by megabytes.
  expect(crypto.subtle.timingSafeEqual(found, contentOf(size))).toBe(true)
}

async function expectFailure(work: Promise<unknown>, code: string): Promise<void> {
  const err = await deadline(20_000, work).catch((err: unknown) => err)
  expect(err).toBeInstanceOf(DomainError)
  expect(err).toMatchObject({ code })
}
