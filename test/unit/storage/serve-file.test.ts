// A file as an answer, from a store that does not have what its row says.

import { expect, it } from 'vitest'
import { hasFile } from '../../../src/features/storage/object-row.ts'
import { serveFile } from '../../../src/features/storage/objects/serve-file.ts'

const ROW = {
  ...{ id: '1', bucket_id: 'docs', name: 'a.txt', version: 'v', user_metadata: null, owner_id: null },
  ...{ created_at: '', updated_at: '', last_accessed_at: '' },
  metadata: {
    ...{ eTag: '"e"', size: 5, contentLength: 5, mimetype: 'text/plain', cacheControl: 'no-cache' },
    ...{ lastModified: '2026-01-31T12:00:00.000Z', httpStatusCode: 200 as const },
  },
}

const OPTIONS = { download: undefined, isPublic: false }

function serve(stored: string | null, headers: Record<string, string> = {}) {
  const found = stored === null ? null : { body: new Blob([stored]).stream(), size: stored.length }
  const blobs = {
    // As R2 does: it refuses a range that begins behind its end.
    async get(_key: string, range?: { offset: number }) {
      if (found !== null && (range?.offset ?? 0) >= found.size)
        throw new Error('The range cannot be satisfied')
      return found
    },
    head: async () => (found === null ? null : { size: found.size, etag: '"e"' }),
  }
  return serveFile({ blobs }, ROW, { method: 'GET', headers: new Headers(headers) }, OPTIONS)
}

it('gives out no bytes of another size as the file, and says what is lost', async () => {
  expect(await new Response((await serve('right')).body).text()).toBe('right')
  for (const stored of [null, 'shrt', 'longer'])
    for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=4-' }])
      await expect(serve(stored, headers)).rejects.toMatchObject({
        code: 'object_not_found',
        detail: expect.stringContaining('docs/v'),
      })
})

it('takes a row whose metadata a trigger has spoiled for one without a file', () => {
  const spoiled = (changes: object) => hasFile({ ...ROW, metadata: { ...ROW.metadata, ...changes } })
  expect(spoiled({})).toBe(true)
  for (const changes of [{ mimetype: undefined }, { cacheControl: null }, { size: '5' }])
    expect(spoiled(changes)).toBe(false)
})
