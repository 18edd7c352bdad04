// Reads request bodies: bounded in bytes, strict in encoding. What a field may hold is the route's schema's affair.

import { DomainError } from '../errors.ts'

/** Largest body of a route that says nothing else (design section 3.7). */
export const BODY_BYTES_MAX = 1024 * 1024

/**
 * The body as text, at most `bytesMax` bytes of UTF-8. Throws `payload_too_large`, `unsupported_media_type` for a
 * compressed body, or `invalid_body` for bytes that are no UTF-8: replacing them silently would store something else
 * than what was sent.
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  return decodeText(await readBytes(request, bytesMax))
}

/** The body as it came, at most `bytesMax` bytes. Throws as `readText` does, for the encoding of its bytes aside. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') {
    throw new DomainError(
      'unsupported_media_type',
      `The body is encoded as ${encoding.slice(0, 50)}, which is not read.`,
      {
        hint: 'Send the body as it is, without Content-Encoding.',
      },
    )
  }
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared > bytesMax) throw payloadTooLarge(bytesMax)
  if (request.body === null) return new Uint8Array()
  if (declared <= bytesMax) return new Uint8Array(await request.arrayBuffer())
  return await readBounded(request.body, bytesMax)
}

/** The text of a body's bytes. Throws `invalid_body` for what is no UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (cause) {
    throw new DomainError('invalid_body', 'The body is not valid UTF-8.', {
      hint: 'Send text encoded as UTF-8.',
      cause,
    })
  }
}

/** A body without Content-Length (chunked) is counted while it arrives. */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > bytesMax) {
      await reader.cancel()
      throw payloadTooLarge(bytesMax)
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** Parses a JSON body. An empty body is `undefined`, so that a schema can make it optional. Throws `invalid_body`. */
export function parseJson(text: string, contentType: string | null): unknown {
  if (text.trim() === '') return undefined
  if (contentType !== null && !/^application\/([\w.+-]+\+)?json\b/i.test(contentType)) {
    throw new DomainError(
      'unsupported_media_type',
      `The route takes JSON, not ${contentType.slice(0, 100)}.`,
      {
        hint: 'Send Content-Type: application/json.',
      },
    )
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DomainError('invalid_body', 'The body is not valid JSON.', {
      detail: cause instanceof Error ? cause.message : undefined,
      hint: 'Check quotes, commas and brackets near the place named in detail.',
      cause,
    })
  }
}

function payloadTooLarge(bytesMax: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${bytesMax} bytes.`, {
    hint: 'Send less at once.',
  })
}
