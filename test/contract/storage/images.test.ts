// Images in another size, by each of the addresses that make them.

import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { StorageClient } from '@supabase/storage-js'
import { beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'

const { base_url: baseUrl } = inject('stack')
const bucket = `images-${randomBytes(6).toString('hex')}`
const NAME = 'folder/image.png'
const transform = { width: 2 }
let headers: { apikey: string; authorization: string }
let client: StorageClient

/** A grey PNG of these sides. */
function png(width: number, height: number): Blob {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const rows = deflateSync(Buffer.alloc((width + 1) * height))
  const parts = [chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]
  return new Blob([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts], { type: 'image/png' })
}

function chunk(type: string, data: Buffer): Buffer<ArrayBuffer> {
  const typed = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, checksum])
}

beforeAll(async () => {
  const { key } = await makeKey('service_role')
  headers = { apikey: key, authorization: `Bearer ${key}` }
  client = new StorageClient(`${baseUrl}/storage/v1`, headers)
  const { error } = await client.createBucket(bucket, { public: true })
  expect(error).toBeNull()
  expect((await client.from(bucket).upload(NAME, png(8, 4))).error).toBeNull()
})

it.each([
  ['with a key', () => fetch(`${baseUrl}/v1/storage/render/${bucket}/${NAME}?width=2`, { headers })],
  [
    'with a key, under the paths of Supabase',
    () => fetch(`${baseUrl}/storage/v1/render/image/authenticated/${bucket}/${NAME}?width=2`, { headers }),
  ],
  [
    'by the address of a public bucket',
    () => fetch(client.from(bucket).getPublicUrl(NAME, { transform }).data.publicUrl),
  ],
  [
    'by a signed address',
    async () => {
      const { data } = await client.from(bucket).createSignedUrl(NAME, 60, { transform })
      return await fetch(String(data?.signedUrl))
    },
  ],
])('makes an image of a quarter of its sides %s', async (_, ask) => {
  const answer = await ask()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect([answer.headers.get('etag'), answer.headers.get('accept-ranges')]).toEqual([null, null])
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([2, 1])
})
