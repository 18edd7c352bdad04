// Whether blobs are as rows say of them, for `npm run backup:verify`: a backup has the rows, and only the Worker sees
// the store.

import * as z from 'zod'
import { concurrently } from '../../lib/concurrently.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { blobKey } from './names.ts'

export const BLOBS_MAX = 100
/** As many as the platform has open at once for one request. */
const HEADS_AT_ONCE = 6

const KnownBlob = z.object({
  bucket_id: z.string().min(1).max(255),
  version: z.string().min(1).max(64),
  etag: z.string().max(255).describe('quoted, as the row has it in metadata'),
  size: z.int().min(0).describe('in bytes'),
})
type KnownBlob = z.infer<typeof KnownBlob>

export const BlobCheckRequest = z
  .object({ blobs: z.array(KnownBlob).min(1).max(BLOBS_MAX) })
  .meta({ id: 'BlobCheckRequest' })

const EXAMPLE: KnownBlob = {
  bucket_id: 'avatars',
  version: '0b8c2a1e-7d6f-4a53-9e43-1f0a6c1f7d11',
  etag: '"9a0364b9e99bb480dd25e1f0284c8555"',
  size: 7,
}
export const BLOB_CHECK_EXAMPLE = { blobs: [EXAMPLE] }

export const BlobCheck = z
  .object({
    checked: z.int(),
    missing: z.array(KnownBlob).describe('there is no such file'),
    different: z
      .array(KnownBlob.extend({ found: z.object({ etag: z.string(), size: z.int() }) }))
      .describe('there is one of another size or content'),
  })
  .meta({
    id: 'BlobCheck',
    examples: [
      {
        checked: 2,
        missing: [EXAMPLE],
        different: [{ ...EXAMPLE, found: { etag: '"5d41402abc4b2a76"', size: 5 } }],
      },
    ],
  })
export type BlobCheck = z.infer<typeof BlobCheck>

/** Looks for each blob in the store, by its head alone. Throws `storage_unavailable`. */
export async function checkBlobs(
  { blobs: store }: { blobs: Pick<BlobStore, 'head'> },
  { blobs }: z.infer<typeof BlobCheckRequest>,
): Promise<BlobCheck> {
  const answer: BlobCheck = { checked: blobs.length, missing: [], different: [] }
  await concurrently(blobs, HEADS_AT_ONCE, async blob => {
    const found = await store.head(blobKey(blob.bucket_id, blob.version))
    if (found === null) answer.missing.push(blob)
    else if (found.etag !== blob.etag || found.size !== blob.size)
      answer.different.push({ ...blob, found: { etag: found.etag, size: found.size } })
  })
  return answer
}
