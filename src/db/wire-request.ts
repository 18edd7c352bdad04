// The JSON of a batch's request. Large texts come as bytes and go as a stream of bytes: a string of them, or the whole
// request at once, would each cost as much again.

import { DomainError } from '../errors.ts'
import { encodeUtf8 } from '../lib/utf8.ts'
import type { Parameter, Statement, TextBytes } from './sql.ts'

/**
 * The largest request that holds bytes; the gateway takes as much by default. JSON texts double at most, so that only
 * other texts of megabytes of backslashes or control characters can be larger.
 */
export const REQUEST_BYTES_MAX = 32 * 1024 * 1024

/** Bytes up to here go as text: a string is cheaper than a stream. */
const TEXT_BYTES_MAX = 64 * 1024
/** How much of a text is escaped at once. */
const SLICE_BYTES = 64 * 1024
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** The body of a request. Throws `payload_too_large` beyond `REQUEST_BYTES_MAX`. */
export function requestBody(statements: readonly Statement[]): string | ReadableStream<Uint8Array> {
  if (bytesOf(statements) <= TEXT_BYTES_MAX) {
    const queries = statements.map(({ sql, params }) => ({ query: sql, params: params.map(textOf) }))
    return JSON.stringify({ queries })
  }
  const pieces = slices(piecesOf(statements))
  const size = pieces.reduce((sum, piece) => sum + sizeOf(piece), 0)
  if (size > REQUEST_BYTES_MAX) throw tooLarge()
  return streamed(pieces, size)
}

/** Of the parameters that are bytes. */
function bytesOf(statements: readonly Statement[]): number {
  let sum = 0
  for (const { params } of statements) {
    for (const param of params) if (isBytes(param)) for (const part of param.parts) sum += part.length
  }
  return sum
}

/** A character may begin in one part and end in the next. */
function textOf(param: Parameter): string | null {
  if (!isBytes(param)) return param
  let text = ''
  for (const part of param.parts) text += decoder.decode(part, { stream: true })
  return text + decoder.decode()
}

/** Bytes of JSON, or of a text that stands between quotes in it. */
interface Piece {
  bytes: Uint8Array
  isText: boolean
}

function piecesOf(statements: readonly Statement[]): Piece[] {
  const pieces: Piece[] = []
  let json = '{"queries":['
  const put = (param: Parameter) => {
    if (!isBytes(param)) {
      json += JSON.stringify(param)
      return
    }
    pieces.push({ bytes: encodeUtf8(`${json}"`), isText: false })
    for (const bytes of param.parts) pieces.push({ bytes, isText: true })
    json = '"'
  }
  for (const [index, { sql, params }] of statements.entries()) {
    json += `${index > 0 ? ',' : ''}{"query":${JSON.stringify(sql)},"params":[`
    for (const [at, param] of params.entries()) {
      if (at > 0) json += ','
      put(param)
    }
    json += ']}'
  }
  pieces.push({ bytes: encodeUtf8(`${json}]}`), isText: false })
  return pieces
}

/** Texts in slices, so that only one at a time is there a second time. */
function slices(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap(({ bytes, isText }) =>
    Array.from({ length: Math.ceil(bytes.length / SLICE_BYTES) }, (_, i) => ({
      bytes: bytes.subarray(i * SLICE_BYTES, (i + 1) * SLICE_BYTES),
      isText,
    })),
  )
}

function joined(pieces: readonly Piece[], size: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) at = write(piece, body, at)
  return body
}

/** workerd's. Node's types, which see this file too, do not have it. */
declare const FixedLengthStream: new (bytes: number) => ReadableWritablePair<Uint8Array, Uint8Array>

/** Of a length that the runtime knows, and says: our gateway keeps each chunk of another by itself. */
function streamed(pieces: readonly Piece[], size: number): ReadableStream<Uint8Array> {
  let next = 0
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const from = next
      let bytes = 0
      for (; next < pieces.length && bytes < SLICE_BYTES; next++) bytes += sizeOf(pieces[next] as Piece)
      if (next > from) controller.enqueue(joined(pieces.slice(from, next), bytes))
      else controller.close()
    },
  })
  return source.pipeThrough(new FixedLengthStream(size))
}

function write({ bytes, isText }: Piece, target: Uint8Array, at: number): number {
  if (isText) return writeEscaped(bytes, target, at)
  target.set(bytes, at)
  return at + bytes.length
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const UNICODE = 0x75
/** The letter of an escape for each byte that needs one, and 0 for the others. */
const ESCAPES = new Uint8Array(256).fill(UNICODE, 0, 0x20)
for (const [byte, letter] of [
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
] as const)
  ESCAPES[byte] = letter.charCodeAt(0)
/** How many bytes more each byte takes: `\n` one, `\u0001` five. */
const GROWTHS = ESCAPES.map(letter => (letter === 0 ? 0 : letter === UNICODE ? 5 : 1))

function sizeOf({ bytes, isText }: Piece): number {
  let size = bytes.length
  if (isText) for (let i = 0; i < bytes.length; i++) size += GROWTHS[bytes[i] as number] as number
  return size
}

/** Writes the text as JSON has it between its quotes; answers the place behind it. */
function writeEscaped(bytes: Uint8Array, target: Uint8Array, start: number): number {
  let at = start
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    const letter = ESCAPES[byte] as number
    if (letter === 0) {
      target[at++] = byte
      continue
    }
    target[at++] = BACKSLASH
    target[at++] = letter
    if (letter === UNICODE) at = writeHex(byte, target, at)
  }
  return at
}

/** The four digits of a control character. */
function writeHex(byte: number, target: Uint8Array, start: number): number {
  for (let digit = 0; digit < 4; digit++)
    target[start + digit] = HEX.charCodeAt((byte >> (12 - 4 * digit)) & 15)
  return start + 4
}

const HEX = '0123456789abcdef'

function isBytes(param: Parameter): param is TextBytes {
  return param !== null && typeof param !== 'string'
}

function tooLarge(): DomainError {
  return new DomainError('payload_too_large', 'The body is too large for the database once it is escaped.', {
    detail: `It would take more than ${REQUEST_BYTES_MAX} bytes: backslashes and control characters take two to six.`,
    hint: 'Send it in several parts.',
  })
}
