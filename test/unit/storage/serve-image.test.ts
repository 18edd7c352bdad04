import { expect, it, vi } from 'vitest'
import { serveImage } from '../../../src/features/storage/images/serve-image.ts'
import type { FileRow } from '../../../src/features/storage/object-row.ts'

const bytes = new Uint8Array([1, 2, 3])
const row = {
  bucket_id: 'b',
  name: 'a.png',
  version: 'v',
  metadata: {
    eTag: '"e"',
    size: 9,
    mimetype: 'image/png',
    cacheControl: 'no-cache',
    lastModified: '2026-11-27T00:00:00.000Z',
  },
} as FileRow

/** Asks for an image that is kept already, or is not and cannot be read. */
function serve({ isKept, method = 'GET' }: { isKept: boolean; method?: string }) {
  const count = vi.fn(async () => {})
  const unreadable = async () => Promise.reject(new Error('unreadable'))
  const deps = {
    images: { info: unreadable, input: () => expect.fail('an image is made') },
    blobs: { get: async () => ({ body: new Blob().stream(), size: 0 }) },
    imageCache: {
      find: async () => (isKept ? { bytes, contentType: 'image/webp' } : undefined),
      keep: async () => {},
    },
    addressGate: { count },
  }
  const asked = { request: { method, headers: new Headers() }, caller: { address: '192.0.2.1' } }
  const answer = serveImage(deps, row, { resize: 'cover' }, asked, { download: undefined, isPublic: true })
  return { answer, count }
}

it('counts an image that has to be made against the client address', async () => {
  const { answer, count } = serve({ isKept: false })
  await expect(answer).rejects.toMatchObject({ code: 'image_not_possible' })
  expect(count.mock.calls).toEqual([['render', '192.0.2.1']])
})

it('counts none that is kept, and answers with the headers of the image', async () => {
  const { answer, count } = serve({ isKept: true })
  const { status, headers, body } = await answer
  expect({ status, body }).toEqual({ status: 200, body: bytes })
  expect(headers).toMatchObject({ 'content-type': 'image/webp', 'content-length': '3', vary: 'accept' })
  expect(Object.keys(headers)).not.toContain('etag')
  expect(count).not.toHaveBeenCalled()
})

it('answers HEAD without the bytes', async () => {
  expect((await serve({ isKept: true, method: 'HEAD' }).answer).body).toBeNull()
})
