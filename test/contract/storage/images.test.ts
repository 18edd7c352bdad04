// Images in another size, by each of the addresses that make them.

import { randomBytes } from 'node:crypto'
import { StorageClient } from '@supabase/storage-js'
import { beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { png } from '../../support/png.ts'

const { base_url: baseUrl } = inject('stack')
const bucket = `images-${randomBytes(6).toString('hex')}`
const NAME = 'folder/image.png'
const transform = { width: 2 }
let headers: { apikey: string; authorization: string }
let client: StorageClient

beforeAll(async () => {
  const { key } = await makeKey('service_role')
  headers = { apikey: key, authorization: `Bearer ${key}` }
  client = new StorageClient(`${baseUrl}/storage/v1`, headers)
  const { error } = await client.createBucket(bucket, { public: true })
  expect(error).toBeNull()
  expect(
    (await client.from(bucket).upload(NAME, new Blob([png(8, 4)], { type: 'image/png' }))).error,
  ).toBeNull()
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
