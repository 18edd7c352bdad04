// Reads request bodies: bounded in bytes, strict in encoding. What a field may hold is the route's schema's affair.

import { DomainError } from '../errors.ts'
import { deadline } from '../lib/deadline.ts'
import { JSON_DEPTH_MAX, JsonProblem, JsonScanner, placeOf } from '../lib/json-scan.ts'
import { isBlank } from '../lib/utf8.ts'

/** Largest body of a route that says nothing else. */
export const BODY_BYTES_MAX = 1024 * 1024

/**
 * JSON values of a body whose route says nothing else: each costs the schema that reads it much more than its bytes.
 */
export const BODY_VALUES_MAX = 50_000

/**
 * The body as it came, at most `bytesMax` bytes. Throws `payload_too_large`, `unsupported_media_type` for a compressed
 * body, and `invalid_body` when the client hangs up in it.
 */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = declaredLength(request, bytesMax)
  // Asked for, `body` makes a stream.
  if (declared <= bytesMax) return new Uint8Array(await whole(request.arrayBuffer()))
  if (request.body === null) return new Uint8Array()
  return await readBounded(request.body, bytesMax)
}

/** What the body says of its length, NaN for nothing. Refuses what is compressed, or says that it is too large. */
function declaredLength(request: Request, bytesMax: number, tooLarge = payloadTooLarge): number {
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
  if (declared > bytesMax) throw tooLarge(bytesMax)
  return declared
}

/** What was read, or `invalid_body`: a client that hangs up is no failure of ours, and none for the log. */
async function whole<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (cause) {
    throw new DomainError('invalid_body', 'The body broke off.', { hint: 'Send it again, whole.', cause })
  }
}

/** How much is looked at once: what the decoder makes of it is garbage at once, and never as large as the body. */
const CHECKED_BYTES = 64 * 1024
const STRICT = { fatal: true, ignoreBOM: true }
const strictDecoder = new TextDecoder('utf-8', STRICT)

/**
 * The bytes without a byte order mark. Throws `invalid_body` for what is no UTF-8: replacing it silently would store
 * something else than what was sent.
 */
export function checkUtf8(bytes: Uint8Array): Uint8Array {
  try {
    if (bytes.length <= CHECKED_BYTES) strictDecoder.decode(bytes)
    else checkInSlices(bytes)
  } catch (cause) {
    throw new DomainError('invalid_body', 'The body is not valid UTF-8.', {
      hint: 'Send text encoded as UTF-8.',
      cause,
    })
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

function checkInSlices(bytes: Uint8Array): void {
  const decoder = new TextDecoder('utf-8', STRICT)
  for (let at = 0; at < bytes.length; at += CHECKED_BYTES) {
    decoder.decode(bytes.subarray(at, at + CHECKED_BYTES), { stream: true })
  }
  decoder.decode()
}

/** A body without Content-Length is taken in parts of this size, whatever chunks it was sent in. */
const PART_BYTES = 64 * 1024

/**
 * Answers once `min` bytes are there, or the end (Streams standard). The types of workerd do not know the option yet.
 */
interface PartReader {
  read(
    view: Uint8Array<ArrayBuffer>,
    options: { min: number },
  ): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel(): Promise<void>
}

/**
 * A body without Content-Length (chunked), counted while it arrives. The sender chooses its chunks: of one byte each, a
 * megabyte of them would cost the isolate a minute and gigabytes.
 */
async function readBounded(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  const reader: PartReader = body.getReader({ mode: 'byob' })
  for (;;) {
    const { done, value } = await whole(reader.read(new Uint8Array(PART_BYTES), { min: PART_BYTES }))
    if (value !== undefined) {
      parts.push(value)
      size += value.byteLength
    }
    if (size > bytesMax) {
      await reader.cancel()
      throw payloadTooLarge(bytesMax)
    }
    if (done) break
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.byteLength
  }
  return bytes
}

/** The types that Hono's validator reads as JSON. */
const JSON_TYPES = /^application\/([\w.-]+\+)?json\s*(;|$)/i

/**
 * The text of a JSON body of valid UTF-8; undefined for an empty one. It is looked over first, so that nothing is built
 * of what has too many values or is nested too deep. Throws `unsupported_media_type` for another type, `invalid_body`,
 * `payload_too_large`, and `validation_failed` for text that Postgres cannot hold.
 */
export function checkedJson(
  bytes: Uint8Array,
  contentType: string | null,
  valuesMax: number = BODY_VALUES_MAX,
): string | undefined {
  if (isBlank(bytes)) return undefined
  if (contentType !== null && !JSON_TYPES.test(contentType)) {
    throw new DomainError(
      'unsupported_media_type',
      `The route takes JSON, not ${contentType.slice(0, 100)}.`,
      {
        hint: 'Send Content-Type: application/json.',
      },
    )
  }
  try {
    const scanner = new JsonScanner(bytes, { depthMax: JSON_DEPTH_MAX, valuesMax })
    scanner.passValue()
    scanner.passEnd()
  } catch (err) {
    if (err instanceof JsonProblem) throw badJson(err, placeOf(bytes, err.at))
    throw err
  }
  return new TextDecoder().decode(bytes)
}

function badJson(problem: JsonProblem, place: string): DomainError {
  switch (problem.kind) {
    case 'syntax':
      return new DomainError('invalid_body', 'The body is not valid JSON.', {
        detail: `${problem.message}: ${place}.`,
        hint: 'Check quotes, commas and brackets near the place named in detail.',
      })
    case 'unstorable':
      // The first would fail deep inside, the second would be stored as something else than what was sent.
      return new DomainError(
        'validation_failed',
        `body: holds ${problem.message} (${place}), which Postgres cannot store.`,
        { hint: 'Remove it, or send binary data as base64 or hex text.' },
      )
    case 'depth':
      return new DomainError('invalid_body', `The body is ${problem.message}.`)
    case 'values':
      return new DomainError('payload_too_large', `The body has ${problem.message}.`, {
        hint: 'Send less at once.',
      })
  }
}

function payloadTooLarge(bytesMax: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${bytesMax} bytes.`, {
    hint: 'Send less at once.',
  })
}

function objectTooLarge(bytesMax: number): DomainError {
  return new DomainError('object_too_large', `The body is larger than ${bytesMax} bytes.`, {
    hint: 'Send a larger file by resumable upload, in parts: /storage/v1/upload/resumable.',
  })
}

/**
 * Of a body that is passed on, as much as is there: each part costs a turn of several streams. With 64 KiB an upload
 * takes a quarter more of the processor. Who sends slowly is waited for as for other bodies.
 */
const PASSED_BYTES_MAX = 256 * 1024

/** Of a refused body so much is taken, for so long: 100 MB is what Cloudflare's smaller plans let through. */
const DISCARDED_BYTES_MAX = 100 * 1024 * 1024
const DISCARDED_MS_MAX = 5_000

/** A body that is passed on, part by part as it is read and none ahead, whatever chunks it was sent in. */
export interface PassedBody {
  stream: ReadableStream<Uint8Array>
  /**
   * To be called before a refusal is answered: takes the rest of a body that was begun, and holds none of it. It ends
   * at once where the client is gone, and after 5 seconds or 100 MiB. Never throws.
   */
  discardRest(): Promise<void>
}

/**
 * The body as a stream that fails with `object_too_large` once more than `bytesMax` bytes came, and at its end with
 * what `confirm` throws. Null without a body. Throws at once what `readBytes` does of the headers.
 *
 * Behind an answer the runtime takes 64 KiB more of a body, then it breaks the connection (`canceledUploadGraceBytes`
 * of KJ). A client that still sends may see that alone. What nobody began is not taken here: `wrangler dev` does it,
 * unless the body is locked. So it is locked by the first read.
 */
export function passedBody(
  request: Request,
  bytesMax: number,
  confirm: () => Promise<void>,
): PassedBody | null {
  declaredLength(request, bytesMax, objectTooLarge)
  const { body } = request
  if (body === null) return null
  let begun: PartReader | undefined
  let reading: Promise<unknown> = Promise.resolve()
  // The runtime takes one read at a time, and one may be under way when the stream is cancelled.
  const next = () => {
    const reader: PartReader = begun ?? body.getReader({ mode: 'byob' })
    begun = reader
    const part = reading.then(() => whole(reader.read(new Uint8Array(PASSED_BYTES_MAX), { min: PART_BYTES })))
    reading = part
    return part
  }
  let size = 0
  const source: UnderlyingSource<Uint8Array<ArrayBuffer>> = {
    async pull(controller) {
      const { done, value } = await next()
      size += value?.byteLength ?? 0
      if (size > bytesMax) throw objectTooLarge(bytesMax)
      if (value !== undefined && value.byteLength > 0) controller.enqueue(value)
      if (!done) return
      await confirm()
      controller.close()
    },
  }
  return {
    stream: new ReadableStream(source, { highWaterMark: 0 }),
    async discardRest() {
      if (begun === undefined) return
      await deadline(DISCARDED_MS_MAX, discard(next)).catch(() => undefined)
      // A read that waits for a silent client ends with it.
      begun.cancel().catch(() => undefined)
    },
  }
}

async function discard(next: () => ReturnType<PartReader['read']>): Promise<void> {
  let size = 0
  while (size < DISCARDED_BYTES_MAX) {
    const { done, value } = await next()
    if (done) return
    size += value?.byteLength ?? 0
  }
}
