// The ways by which a file goes up and down.

import pg from 'pg'
import { storeApiKey } from '../cli/support/api-key.ts'
import type { StackFacts } from '../cli/support/dev-file.ts'

/** One of them. Both reject when an answer is an error. */
export interface Way {
  readonly name: string
  upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Times>
  download(name: string): Promise<Times>
}

/** Milliseconds since the request was sent. */
export interface Times {
  firstByteMs: number
  wholeMs: number
}

const BUCKET = 'bench'
const TYPE = 'application/octet-stream'
/** What Supabase's clients send at once. */
const CHUNK_BYTES = 6 * 1024 * 1024

/** Makes the bucket, and a service_role key whose limit no run comes near. */
export async function seedBucket({ database_url }: StackFacts): Promise<string> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    await client.query('insert into storage.buckets (id, name) values ($1, $1)', [BUCKET])
    const limits = { rateLimitPerMinute: 1_000_000 }
    return (await storeApiKey(client, { name: 'bench', role: 'service_role', ...limits })).key
  } finally {
    await client.end()
  }
}

export function bareWay(url: string): Way {
  return {
    name: 'bare Worker',
    upload: (name, body) => ask(`${url}/${name}`, { method: 'PUT', body }),
    download: name => ask(`${url}/${name}`),
  }
}

/** The three ways into Quoin; down all are one. */
export function quoinWays(url: string, key: string): Record<'v1' | 'form' | 'tus', Way> {
  const auth = { apikey: key, authorization: `Bearer ${key}` }
  const place = (name: string) => `${url}/v1/storage/objects/${BUCKET}/${name}`
  const download: Way['download'] = name => ask(place(name), { headers: auth })
  return {
    v1: {
      name: '/v1/storage',
      upload: (name, body) =>
        ask(place(name), { method: 'PUT', headers: { ...auth, 'content-type': TYPE }, body }),
      download,
    },
    form: {
      name: '/storage/v1, a form',
      upload: (name, bytes) => {
        const body = new FormData()
        body.append('cacheControl', '3600')
        body.append('', new Blob([bytes]), name)
        const headers = { ...auth, 'x-upsert': 'true' }
        return ask(`${url}/storage/v1/object/${BUCKET}/${name}`, { method: 'POST', headers, body })
      },
      download,
    },
    tus: {
      name: '/storage/v1, resumable',
      upload: (name, bytes) => uploadInChunks(url, auth, name, bytes),
      download,
    },
  }
}

async function uploadInChunks(
  url: string,
  auth: Record<string, string>,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Times> {
  const startedMs = performance.now()
  const headers = { ...auth, 'tus-resumable': '1.0.0', 'x-upsert': 'true' }
  const described = Object.entries({ bucketName: BUCKET, objectName: name, contentType: TYPE })
  const metadata = described
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',')
  const begun = await fetch(`${url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.byteLength), 'upload-metadata': metadata },
  })
  const { pathname } = new URL(begun.headers.get('location') ?? '', url)
  let last: Times = { firstByteMs: 0, wholeMs: 0 }
  for (let offset = 0; offset < bytes.byteLength; offset += CHUNK_BYTES)
    last = await ask(`${url}${pathname}`, {
      method: 'PATCH',
      headers: {
        ...headers,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes.subarray(offset, offset + CHUNK_BYTES),
    })
  return { ...last, wholeMs: performance.now() - startedMs }
}

/** Sends it and reads the answer to its end. */
async function ask(url: string, init: RequestInit = {}): Promise<Times> {
  const startedMs = performance.now()
  const response = await fetch(url, init)
  const firstByteMs = performance.now() - startedMs
  if (!response.ok)
    throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`)
  for await (const _ of response.body ?? []);
  return { firstByteMs, wholeMs: performance.now() - startedMs }
}
