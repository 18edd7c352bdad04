// What applications do with files through Supabase's own client, unmodified. Its own suite and the acceptance suite of
// Supabase's server have passed too; these cases are what they found, and what a day's work needs.

import { randomBytes } from 'node:crypto'
import { StorageClient } from '@supabase/storage-js'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

const { base_url: baseUrl } = inject('stack')
const bucket = `js-${randomBytes(6).toString('hex')}`
const other = `${bucket}-public`
const clientOf = ({ key }: { key: string }) =>
  new StorageClient(`${baseUrl}/storage/v1`, { apikey: key, authorization: `Bearer ${key}` })
let service: StorageClient
let anon: StorageClient
const files = () => service.from(bucket)

beforeAll(async () => {
  ;[service, anon] = (await Promise.all([makeKey('service_role'), makeKey('anon')])).map(clientOf) as [
    StorageClient,
    StorageClient,
  ]
  dataOf(await service.createBucket(bucket))
  dataOf(await service.createBucket(other, { public: true }))
})

/** What a call answers; throws what it was refused with. */
function dataOf<T>({ data, error }: { data: T | null; error: Error | null }): T {
  if (error !== null) throw error
  if (data === null) throw new Error('neither data nor an error came')
  return data
}

const textOf = async (name: string, from = files()) => await dataOf(await from.download(name)).text()

function formOf(text: string): FormData {
  const form = new FormData()
  form.append('', new Blob([text]), 'file.txt')
  return form
}

it.each([
  ['Blob', 'blob', () => new Blob(['blob'])],
  ['Blob without a byte', '', () => new Blob([])],
  ['FormData', 'form', () => formOf('form')],
  ['Uint8Array', 'bytes', () => new TextEncoder().encode('bytes')],
  ['text without a character', '', () => ''],
  ['ReadableStream', 'x'.repeat(1e6), () => new Blob(['x'.repeat(1e6)]).stream()],
])('stores a %s and gives the same back', async (kind, text, body) => {
  dataOf(await files().upload(`bodies/${kind}`, body()))
  expect(await textOf(`bodies/${kind}`)).toBe(text)
})

it.each([
  'größe und 😀 (1).txt',
  `quote'"[]{}^~$&+,;=@!.txt`,
  '日本語',
  '.hidden',
  `long-${'ü'.repeat(400)}`,
])('knows one name on every way: %s', async name => {
  const path = `names/${name}`
  dataOf(await files().upload(path, name))
  expect(await files().exists(path)).toMatchObject({ data: true })
  expect(dataOf(await files().info(path)).name).toBe(path)
  const { signedUrl } = dataOf(await files().createSignedUrl(path, 60))
  expect(await (await fetch(signedUrl)).text()).toBe(name)
  dataOf(await files().copy(path, path, { destinationBucket: other }))
  expect(await (await fetch(service.from(other).getPublicUrl(path).data.publicUrl)).text()).toBe(name)
  dataOf(await files().move(path, `moved/${name}`))
  expect(dataOf(await files().list('moved', { search: name })).map(entry => entry.name)).toEqual([name])
  expect(dataOf(await files().remove([`moved/${name}`, path])).map(row => row.name)).toEqual([
    `moved/${name}`,
  ])
})

it('keeps what is there, and replaces it when asked to', async () => {
  dataOf(await files().upload('taken', '1'))
  const taken = { error: { message: 'The resource already exists', statusCode: '409' } }
  expect(await files().upload('taken', '2')).toMatchObject(taken)
  dataOf(await files().upload('free', '3'))
  expect(await files().copy('free', 'taken')).toMatchObject(taken)
  expect(await files().move('free', 'taken')).toMatchObject(taken)
  dataOf(await files().upload('taken', '4', { upsert: true }))
  expect(await textOf('taken')).toBe('4')
})

it('says of a copy what it says of the file', async () => {
  const options = { metadata: { by: 'Ada 😀' }, cacheControl: '60', contentType: 'text/csv; charset=utf-8' }
  dataOf(await files().upload('said', new TextEncoder().encode('a,b'), options))
  dataOf(await files().copy('said', 'said', { destinationBucket: other }))
  expect(dataOf(await service.from(other).info('said'))).toMatchObject({
    metadata: { by: 'Ada 😀' },
    cacheControl: 'max-age=60',
    contentType: 'text/csv; charset=utf-8',
    size: 3,
  })
})

describe('a list', () => {
  it('tells a file from a folder of its name, and gives a page to who asks for more', async () => {
    for (const name of ['list/same', 'list/same/inner', 'list/b']) dataOf(await files().upload(name, name))
    const entries = dataOf(await files().list('list', { limit: 10_000 }))
    expect(entries.map(({ name, id }) => [name, id === null])).toEqual([
      ['b', false],
      ['same', false],
      ['same', true],
    ])
  })

  it('finds what begins as asked, in any case', async () => {
    for (const name of ['find/Same', 'find/SAME folder/x', 'find/other/same'])
      dataOf(await files().upload(name, name))
    const found = async (options: object) =>
      dataOf(await files().list('find', options)).map(({ name, id }) => [name, id === null])
    expect(await found({ search: 'sam' })).toEqual([
      ['SAME folder', true],
      ['Same', false],
    ])
    const byTime = { sortBy: { column: 'created_at', order: 'desc' } }
    expect(await found({ search: 'SAME F', ...byTime })).toEqual([['SAME folder', true]])
    expect(await found({ search: 'other/S' })).toEqual([['other/same', false]])
  })

  it('has folders by their own name, and goes on behind a page', async () => {
    for (const name of ['v2/a', 'v2/sub/x', 'v2/z']) dataOf(await files().upload(name, name))
    const query = { prefix: 'v2/', with_delimiter: true, limit: 2 }
    const { nextCursor = '', ...first } = dataOf(await files().listV2(query))
    expect(first).toMatchObject({ hasNext: true, folders: [{ key: 'sub', name: 'v2/sub/' }] })
    expect(dataOf(await files().listV2({ ...query, cursor: nextCursor }))).toMatchObject({
      hasNext: false,
      objects: [{ key: 'z', name: 'v2/z' }],
    })
  })
})

it('purges nothing, since nothing is kept under a name, for a service_role key alone', async () => {
  const done = { data: { message: 'success' }, error: null }
  expect(await files().purgeCache('any')).toEqual(done)
  expect(await service.purgeBucketCache(bucket, { transformations: true })).toEqual(done)
  expect(await anon.purgeBucketCache(bucket)).toMatchObject({ error: { statusCode: '403' } })
})

it('lets somebody without a right upload once, by a signed address', async () => {
  const { token } = dataOf(await files().createSignedUploadUrl('once'))
  dataOf(await anon.from(bucket).uploadToSignedUrl('once', token, 'theirs'))
  expect(await textOf('once')).toBe('theirs')
  expect(await anon.from(bucket).uploadToSignedUrl('once', token, 'again')).toMatchObject({
    error: { message: 'The resource already exists' },
  })
})

it('tells a policy how large the file of a form is', async () => {
  await using owner = await connectOwner()
  const policy = `"${bucket} small"`
  await owner.query(`create policy ${policy} on storage.objects for insert to anon
    with check (bucket_id = '${bucket}' and (metadata ->> 'size')::int between 1 and 10)`)
  try {
    dataOf(await anon.from(bucket).upload('small', new Blob(['small'])))
    const denied = { error: { statusCode: '403' } }
    expect(await anon.from(bucket).upload('none', new Blob([]))).toMatchObject(denied)
    expect(await anon.from(bucket).upload('large', new Blob(['x'.repeat(11)]))).toMatchObject(denied)
  } finally {
    await owner.query(`drop policy ${policy} on storage.objects`)
  }
})
