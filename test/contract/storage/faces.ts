// The two faces of storage as a caller meets them: the same questions under /v1/storage and under Supabase's paths.

import { inject } from 'vitest'

const { base_url: baseUrl } = inject('stack')

/** `done`, or the status that the answer says. */
export type Outcome = 'done' | number
export type Credential = Readonly<Record<string, string>>

export interface Face {
  upload(who: Credential, bucket: string, name: string, file: FileIn): Promise<Outcome>
  replace(who: Credential, bucket: string, name: string, file: FileIn): Promise<Outcome>
  download(who: Credential, bucket: string, name: string): Promise<Outcome>
  info(who: Credential, bucket: string, name: string): Promise<Outcome>
  /** 404 where it is not in the list. */
  list(who: Credential, bucket: string, name: string): Promise<Outcome>
  copy(who: Credential, bucket: string, name: string, to: string): Promise<Outcome>
  move(who: Credential, bucket: string, name: string, to: string): Promise<Outcome>
  remove(who: Credential, bucket: string, name: string): Promise<Outcome>
  /** Makes an address, and uses it without any key. */
  signDownload(who: Credential, bucket: string, name: string): Promise<Outcome>
  signUpload(who: Credential, bucket: string, name: string, file: FileIn): Promise<Outcome>
}

export interface FileIn {
  readonly body: string
  readonly type: string
}

export function send(method: string, path: string, headers: Credential, body?: unknown): Promise<Response> {
  return fetch(path.startsWith('http') ? path : baseUrl + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

export function sendFile(
  method: string,
  path: string,
  headers: Credential,
  { body, type }: FileIn,
): Promise<Response> {
  const url = path.startsWith('http') ? path : baseUrl + path
  return fetch(url, { method, headers: { ...headers, 'content-type': type }, body })
}

async function outcomeOf(answer: Promise<Response>): Promise<Outcome> {
  const response = await answer
  const text = await response.text()
  if (response.ok) return 'done'
  const status = Number((JSON.parse(text) as { statusCode?: string }).statusCode ?? response.status)
  // As under /v1/db, whom policies refuse and who has not signed in may do so: Supabase has one status for both.
  return status === 401 ? 403 : status
}

type Address = { url: string | null; error: string | null }

/** What one address was refused with, as a status. */
const REFUSED: Readonly<Record<string, number>> = { '42501': 403, object_not_found: 404 }

async function use(made: Promise<Response>, call: (url: string) => Promise<Response>): Promise<Outcome> {
  const { data } = (await (await made).json()) as { data: [Address] }
  const [{ url, error }] = data
  return url === null ? (REFUSED[error ?? ''] ?? 500) : await outcomeOf(call(url))
}

const OURS: Face = {
  upload: (who, bucket, name, file) =>
    outcomeOf(sendFile('POST', `/v1/storage/objects/${bucket}/${name}`, who, file)),
  replace: (who, bucket, name, file) =>
    outcomeOf(sendFile('PUT', `/v1/storage/objects/${bucket}/${name}`, who, file)),
  download: (who, bucket, name) => outcomeOf(send('GET', `/v1/storage/objects/${bucket}/${name}`, who)),
  info: (who, bucket, name) => outcomeOf(send('GET', `/v1/storage/info/${bucket}/${name}`, who)),
  async list(who, bucket, name) {
    const { data } = await (await send('GET', `/v1/storage/objects/${bucket}?prefix=${name}`, who)).json()
    return data.length === 1 ? 'done' : 404
  },
  copy: (who, bucket, name, to) =>
    outcomeOf(send('POST', '/v1/storage/copy', who, transfer(bucket, name, to))),
  move: (who, bucket, name, to) =>
    outcomeOf(send('POST', '/v1/storage/move', who, transfer(bucket, name, to))),
  remove: (who, bucket, name) => outcomeOf(send('DELETE', `/v1/storage/objects/${bucket}/${name}`, who)),
  signDownload: (who, bucket, name) =>
    use(send('POST', '/v1/storage/sign/download', who, { bucket, names: [name], expires_in: 60 }), url =>
      send('GET', url, {}),
    ),
  signUpload: (who, bucket, name, file) =>
    use(send('POST', '/v1/storage/sign/upload', who, { bucket, names: [name] }), url =>
      sendFile('PUT', url, {}, file),
    ),
}

const transfer = (bucket: string, name: string, to: string) => ({
  from: { bucket, name },
  to: { bucket, name: to },
})

const SUPABASE: Face = {
  upload: (who, bucket, name, file) =>
    outcomeOf(sendFile('POST', `/storage/v1/object/${bucket}/${name}`, who, file)),
  replace: (who, bucket, name, file) =>
    outcomeOf(sendFile('PUT', `/storage/v1/object/${bucket}/${name}`, who, file)),
  download: (who, bucket, name) =>
    outcomeOf(send('GET', `/storage/v1/object/authenticated/${bucket}/${name}`, who)),
  info: (who, bucket, name) => outcomeOf(send('GET', `/storage/v1/object/info/${bucket}/${name}`, who)),
  async list(who, bucket, name) {
    const [folder, search] = name.split('/')
    const rows = await (
      await send('POST', `/storage/v1/object/list/${bucket}`, who, { prefix: folder, search })
    ).json()
    return rows.length === 1 ? 'done' : 404
  },
  copy: (bucketOf, bucket, name, to) => supabaseTransfer('copy', bucketOf, bucket, name, to),
  move: (bucketOf, bucket, name, to) => supabaseTransfer('move', bucketOf, bucket, name, to),
  remove: (who, bucket, name) => outcomeOf(send('DELETE', `/storage/v1/object/${bucket}/${name}`, who)),
  async signDownload(who, bucket, name) {
    const made = await send('POST', `/storage/v1/object/sign/${bucket}/${name}`, who, { expiresIn: 60 })
    if (!made.ok) return await outcomeOf(Promise.resolve(made))
    return await outcomeOf(send('GET', `/storage/v1${(await made.json()).signedURL}`, {}))
  },
  async signUpload(who, bucket, name, file) {
    const made = await send('POST', `/storage/v1/object/upload/sign/${bucket}/${name}`, who)
    if (!made.ok) return await outcomeOf(Promise.resolve(made))
    return await outcomeOf(sendFile('PUT', `/storage/v1${(await made.json()).url}`, {}, file))
  },
}

function supabaseTransfer(
  verb: 'copy' | 'move',
  who: Credential,
  bucketId: string,
  sourceKey: string,
  destinationKey: string,
) {
  return outcomeOf(send('POST', `/storage/v1/object/${verb}`, who, { bucketId, sourceKey, destinationKey }))
}

export const FACES = [
  ['/v1/storage', OURS],
  ['/storage/v1', SUPABASE],
] as const
