// Frames of Phoenix, versions 1.0.0 and 2.0.0, as supabase/realtime and its clients write them. Pure: what a message
// means is for `client-messages.ts` to say.

import { JSON_DEPTH_MAX } from '../../../lib/json-scan.ts'
import { encodeUtf8 } from '../../../lib/utf8.ts'
import { elementTexts, isDeeperThan, memberTexts } from '../json-pieces.ts'
import { isObject } from './is-object.ts'

export type Vsn = '1.0.0' | '2.0.0'

/** What a client knows its message by. Clients send texts; scripts send numbers, and get back what they sent. */
export type Ref = string | number | null

/** What a broadcast carries: JSON as it was sent, or bytes. */
export type BroadcastPayload =
  | { readonly encoding: 'json'; readonly json: string }
  | { readonly encoding: 'binary'; readonly bytes: Uint8Array }

/** In bytes, or characters. */
export function payloadLength(payload: BroadcastPayload): number {
  return payload.encoding === 'json' ? payload.json.length : payload.bytes.length
}

/** To whom and about what: everything of a message but its payload. */
export interface FrameHead {
  readonly joinRef: Ref
  readonly ref: Ref
  /** With `realtime:` in front. */
  readonly topic: string
  readonly event: string
}

export interface MessageFrame extends FrameHead {
  readonly kind: 'message'
  readonly payload: unknown
  /** The same as it was written: numbers keep their digits. */
  readonly payloadJson: string
}

/** A broadcast that came in bytes. `event` is the user's. */
export interface BroadcastPushFrame extends FrameHead {
  readonly kind: 'broadcast'
  readonly metadata: Readonly<Record<string, unknown>>
  readonly payload: BroadcastPayload
}

export type ClientFrame = MessageFrame | BroadcastPushFrame

/** Why these bytes or this text are no frame, in a sentence. It holds nothing of what was sent. */
export class FrameError extends Error {}

/** A ref longer than this cannot be in a binary frame either. */
const REF_LENGTH_MAX = 255
/** A frame's own array or object, around the payload. */
const FRAME_DEPTH = 1
const BROADCAST_PUSH = 3
const BROADCAST = 4
const JSON_ENCODING = 1
/** Kind, five lengths, encoding. */
const PUSH_HEADER_BYTES = 7
/** Kind, three lengths, encoding. */
const BROADCAST_HEADER_BYTES = 5
const BYTE_MAX = 255
/** A byte order mark is a character of the text like any other. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads what a client sent: text, or bytes of version 2.0.0. Throws `FrameError`, and nothing else. */
export function readFrame(vsn: Vsn, data: string | ArrayBuffer | Uint8Array): ClientFrame {
  if (typeof data === 'string') return vsn === '1.0.0' ? readObject(data) : readArray(data)
  if (vsn === '1.0.0') {
    throw new FrameError('Version 1.0.0 has no binary frames: send text, or connect with vsn=2.0.0.')
  }
  return readBinary(data instanceof Uint8Array ? data : new Uint8Array(data))
}

/**
 * Whether a push belongs to an older join of its topic: its leave ends nothing. Many clients name no join in a push,
 * or named none when they joined: that is never stale.
 */
export function isStale(push: Ref, join: Ref): boolean {
  return push !== null && join !== null && String(push) !== String(join)
}

/** A message to a client, whose payload is JSON text already. Version 1.0.0 has no `join_ref` on the way out. */
export function messageFrame(vsn: Vsn, head: FrameHead, payloadJson: string): string {
  const ref = JSON.stringify(head.ref)
  const topic = JSON.stringify(head.topic)
  const event = JSON.stringify(head.event)
  return vsn === '1.0.0'
    ? `{"topic":${topic},"event":${event},"payload":${payloadJson},"ref":${ref}}`
    : `[${JSON.stringify(head.joinRef)},${ref},${topic},${event},${payloadJson}]`
}

/**
 * A broadcast to a client; undefined where it cannot be said to this client: bytes to version 1.0.0, and bytes with a
 * name above 255. JSON with such a name goes as text, which clients of 2.0.0 read as well.
 */
export function broadcastFrame(
  vsn: Vsn,
  topic: string,
  event: string,
  payload: BroadcastPayload,
  meta?: object,
): string | Uint8Array | undefined {
  const metaJson = meta === undefined ? '' : JSON.stringify(meta)
  const bytes = vsn === '2.0.0' ? binaryBroadcast(topic, event, metaJson, payload) : undefined
  if (bytes !== undefined || payload.encoding === 'binary') return bytes
  const rest = metaJson === '' ? '' : `,"meta":${metaJson}`
  const json = `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${payload.json}${rest}}`
  return messageFrame(vsn, { joinRef: null, ref: null, topic, event: 'broadcast' }, json)
}

function binaryBroadcast(
  topic: string,
  event: string,
  metaJson: string,
  payload: BroadcastPayload,
): Uint8Array | undefined {
  // Half of a surrogate pair has no bytes; text can escape it.
  if (!event.isWellFormed()) return undefined
  const names = [encodeUtf8(topic), encodeUtf8(event), encodeUtf8(metaJson)]
  if (names.some(name => name.length > BYTE_MAX)) return undefined
  const body = payload.encoding === 'json' ? encodeUtf8(payload.json) : payload.bytes
  const size = names.reduce((sum, name) => sum + name.length, BROADCAST_HEADER_BYTES + body.length)
  const frame = new Uint8Array(size)
  frame.set([BROADCAST, ...names.map(name => name.length), payload.encoding === 'json' ? JSON_ENCODING : 0])
  let at = BROADCAST_HEADER_BYTES
  for (const part of [...names, body]) {
    frame.set(part, at)
    at += part.length
  }
  return frame
}

/** Version 1.0.0: an object. A missing `ref`, `join_ref` or payload is an empty one, as clients mean it. */
function readObject(text: string): MessageFrame {
  const frame = parseJson(text, FRAME_DEPTH, 'The frame')
  if (!isObject(frame)) {
    throw new FrameError(
      'A frame of version 1.0.0 is an object: {"topic", "event", "payload", "ref", "join_ref"}.',
    )
  }
  return {
    ...readHead(frame['join_ref'], frame['ref'], frame['topic'], frame['event']),
    kind: 'message',
    payload: frame['payload'] ?? {},
    payloadJson: frame['payload'] == null ? '{}' : (memberTexts(text).get('payload') ?? '{}'),
  }
}

/** Version 2.0.0: an array. What stands behind the five is for later versions. */
function readArray(text: string): MessageFrame {
  const frame = parseJson(text, FRAME_DEPTH, 'The frame')
  if (!Array.isArray(frame) || frame.length < 5) {
    throw new FrameError('A frame of version 2.0.0 is an array: [join_ref, ref, topic, event, payload].')
  }
  return {
    ...readHead(frame[0], frame[1], frame[2], frame[3]),
    kind: 'message',
    payload: frame[4] ?? {},
    payloadJson: frame[4] == null ? '{}' : (elementTexts(text)[4] ?? '{}'),
  }
}

function readHead(joinRef: unknown, ref: unknown, topic: unknown, event: unknown): FrameHead {
  if (typeof topic !== 'string') throw new FrameError('The topic of a frame is text.')
  if (typeof event !== 'string') throw new FrameError('The event of a frame is text.')
  return { joinRef: readRef(joinRef, 'join_ref'), ref: readRef(ref, 'ref'), topic, event }
}

function readRef(value: unknown, name: string): Ref {
  if (value === undefined || value === null || Number.isSafeInteger(value)) return (value ?? null) as Ref
  if (typeof value === 'string' && value.length <= REF_LENGTH_MAX) return value
  throw new FrameError(`${name} is text of up to ${REF_LENGTH_MAX} characters, a whole number, or null.`)
}

/** Kind 3, the only one that clients of supabase send. An empty ref is none. */
function readBinary(bytes: Uint8Array): BroadcastPushFrame {
  if (bytes[0] !== BROADCAST_PUSH) {
    throw new FrameError('The first byte of a binary frame is 3, a broadcast; send anything else as text.')
  }
  const lengths = bytes.subarray(1, PUSH_HEADER_BYTES - 1)
  const bodyStart = lengths.reduce((sum, length) => sum + length, PUSH_HEADER_BYTES)
  if (bytes.length < bodyStart) {
    throw new FrameError('The binary frame ends before the texts whose lengths it names.')
  }
  let at = PUSH_HEADER_BYTES
  const texts = Array.from(lengths, length => {
    at += length
    return decode(bytes.subarray(at - length, at), 'A text of the binary frame')
  })
  const [joinRef = '', ref = '', topic = '', event = '', metadata = ''] = texts
  const body = bytes.subarray(bodyStart)
  return {
    kind: 'broadcast',
    joinRef: joinRef === '' ? null : joinRef,
    ref: ref === '' ? null : ref,
    topic,
    event,
    metadata: readMetadata(metadata),
    payload: bytes[PUSH_HEADER_BYTES - 1] === 0 ? { encoding: 'binary', bytes: body } : readJsonPayload(body),
  }
}

function readMetadata(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {}
  const metadata = parseJson(text, 0, 'The metadata of the binary frame')
  if (!isObject(metadata))
    throw new FrameError('The metadata of the binary frame is a JSON object, or empty.')
  return metadata
}

function readJsonPayload(body: Uint8Array): BroadcastPayload {
  const json = decode(body, 'The payload')
  parseJson(json, 0, 'The payload')
  return { encoding: 'json', json }
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new FrameError(`${what} is not UTF-8.`)
  }
}

function parseJson(text: string, around: number, what: string): unknown {
  if (isDeeperThan(text, JSON_DEPTH_MAX + around)) {
    throw new FrameError(`${what} is nested deeper than ${JSON_DEPTH_MAX} levels.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new FrameError(`${what} is not JSON.`)
  }
}
