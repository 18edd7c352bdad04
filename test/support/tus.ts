// A client of TUS 1.0, as far as tests of resumable uploads need one.

export const CHUNK = { 'content-type': 'application/offset+octet-stream' }

/** Where uploads go: to which Worker and bucket, and as whom. */
export interface TusTarget {
  readonly endpoint: string
  readonly credential: Readonly<Record<string, string>>
  readonly bucket: string
}

/** An upload that was begun, or refused. */
export interface Begun {
  readonly created: Response
  readonly location: string
  readonly name: string
  readonly credential: TusTarget['credential']
}

export interface BeginOptions {
  readonly length: number | null
  readonly name?: string
  readonly body?: BodyInit
  readonly headers?: Record<string, string>
}

/** Begins an upload of a text that is cached for a minute. */
export async function begin(
  { endpoint, credential, bucket }: TusTarget,
  { length, name = `${crypto.randomUUID()}.txt`, body, headers }: BeginOptions,
): Promise<Begun> {
  const fields = { bucketName: bucket, objectName: name, contentType: 'text/plain', cacheControl: '60' }
  const metadata = Object.entries(fields).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  )
  const created = await send(credential, endpoint, 'POST', {
    headers: {
      ...(length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
      'upload-metadata': metadata.join(','),
      ...(body !== undefined && CHUNK),
      ...headers,
    },
    body,
  })
  return { created, location: created.headers.get('location') ?? '', name, credential }
}

/** Sends bytes at an offset. */
export function patch(
  { location, credential }: Begun,
  body: BodyInit,
  offset: number,
  headers: Record<string, string> = {},
): Promise<Response> {
  return send(credential, location, 'PATCH', {
    headers: { ...CHUNK, 'upload-offset': String(offset), ...headers },
    body,
  })
}

export function send(
  credential: TusTarget['credential'],
  url: string,
  method: string,
  { headers, body }: { headers?: object; body?: BodyInit | undefined } = {},
): Promise<Response> {
  return fetch(url, {
    method,
    headers: { ...credential, 'tus-resumable': '1.0.0', ...headers },
    body: body ?? null,
  })
}
