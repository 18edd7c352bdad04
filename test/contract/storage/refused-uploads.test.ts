// Uploads that are refused while most of them is still to come: the client hears why, and not of a broken connection.

import { randomBytes } from 'node:crypto'
import { beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

const { base_url: baseUrl, session_cookie_admin } = inject('stack')
const cookie = session_cookie_admin ?? ''
const bucket = `refused-${randomBytes(6).toString('hex')}`
/** More than all buffers on the way hold. */
const BYTES = new Uint8Array(20_000_000)
let service: Record<string, string>
let anon: Record<string, string>
let upload = ''

beforeAll(async () => {
  const keys = await Promise.all([makeKey('service_role'), makeKey('anon')])
  ;[service = {}, anon = {}] = keys.map(({ key }) => ({ apikey: key, authorization: `Bearer ${key}` }))
  await using owner = await connectOwner()
  const limits = [bucket, 15_000_000, ['text/plain', 'application/octet-stream']]
  await owner.query(
    'insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values ($1, $1, $2, $3)',
    limits,
  )
  expect((await supabase(service, 'taken', 'a')).status).toBe(200)
  const metadata = `bucketName ${btoa(bucket)},objectName ${btoa('resumable')}`
  const headers = { 'upload-length': '14000000', 'upload-metadata': metadata }
  upload = (await resumable('POST', '', headers, null)).headers.get('location') ?? ''
})

const supabase = (who: Record<string, string>, name: string, body: BodyInit) =>
  fetch(`${baseUrl}/storage/v1/object/${bucket}/${name}`, {
    method: 'POST',
    headers: who,
    body,
    duplex: 'half',
  } as RequestInit)

const resumable = (method: string, id: string, headers: Record<string, string>, body: BodyInit | null) =>
  fetch(id || `${baseUrl}/storage/v1/upload/resumable`, {
    method,
    headers: {
      ...service,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      ...headers,
    },
    body,
  })

function form(type = 'text/plain'): FormData {
  const data = new FormData()
  data.append('cacheControl', '60')
  data.append('', new Blob([BYTES], { type }), 'a.txt')
  return data
}

const chunked = () => new Blob([BYTES]).stream()

/** What is refused, with what. Supabase's clients read the status in the body. */
const REFUSED: [what: string, status: number, send: () => Promise<Response>][] = [
  ['a body whose name is taken', 409, () => supabase(service, 'taken', BYTES)],
  ['a body that a policy refuses', 403, () => supabase(anon, 'b', BYTES)],
  ['a chunked body that is too large', 413, () => supabase(service, 'b', chunked())],
  ['a form whose name is taken', 409, () => supabase(service, 'taken', form())],
  ['a form that a policy refuses', 403, () => supabase(anon, 'b', form())],
  ['a form that is too large', 413, () => supabase(service, 'b', form())],
  ['a form of a forbidden type', 415, () => supabase(service, 'b', form('image/png'))],
  ['a form of a stranger', 403, () => supabase({ authorization: 'Bearer svc_pk_unknown' }, 'b', form())],
  [
    'a body of the dashboard',
    413,
    () =>
      fetch(`${baseUrl}/api/storage/objects/${bucket}/b`, {
        method: 'PUT',
        headers: { cookie },
        body: BYTES,
      }),
  ],
  ['a part at a wrong offset', 409, () => resumable('PATCH', upload, { 'upload-offset': '5' }, BYTES)],
  ['a part beyond the length', 413, () => resumable('PATCH', upload, { 'upload-offset': '0' }, BYTES)],
]

it.each(REFUSED)('tells why: %s', async (_, expected, send) => {
  for (let i = 0; i < 2; i++) {
    const answer = await send()
    const text = await answer.text()
    const { statusCode = answer.status } = text.startsWith('{') ? JSON.parse(text) : {}
    expect(Number(statusCode), text).toBe(expected)
  }
})
