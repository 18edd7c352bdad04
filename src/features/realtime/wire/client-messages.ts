// What clients push on a channel that they joined: broadcasts and presence. Joins are in `join-request.ts`, tokens in
// `access-token.ts`.

import {
  type BroadcastPayload,
  broadcastFrame,
  type ClientFrame,
  type FrameHead,
  messageFrame,
  payloadLength,
  type Vsn,
} from './frames.ts'
import { isObject } from './is-object.ts'
import { MessageError } from './message-error.ts'

/** What is sent to the others: as bytes came, or word by word as text came. */
export type BroadcastPush =
  | { readonly form: 'bytes'; readonly event: string; readonly payload: BroadcastPayload }
  /** `json` is the whole payload of the push; null: it names no event. */
  | { readonly form: 'text'; readonly event: string | null; readonly json: string }

export type PresencePush =
  | { readonly event: 'track'; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly event: 'untrack' }

const NOT_STORED = 'messages over sockets are not stored for replay; those of realtime.send() in SQL are'

/** A heartbeat belongs to no channel, and is answered alone. */
export function isHeartbeat(frame: FrameHead): boolean {
  return frame.topic === 'phoenix' && frame.event === 'heartbeat'
}

/** The broadcast that was pushed; undefined: the frame is something else. Throws `MessageError`. */
export function readBroadcast(frame: ClientFrame): BroadcastPush | undefined {
  if (frame.kind === 'broadcast') {
    // Whoever asks for it counts on it.
    if (frame.metadata['persist']) throw new MessageError('UnableToPersistMessage', NOT_STORED)
    return { form: 'bytes', event: frame.event, payload: frame.payload }
  }
  if (frame.event !== 'broadcast') return undefined
  if (!isObject(frame.payload)) {
    throw new MessageError('InvalidBroadcastPayload', 'expected an object with type, event and payload')
  }
  const { event } = frame.payload
  return { form: 'text', event: typeof event === 'string' ? event : null, json: frame.payloadJson }
}

/**
 * The frame of a pushed broadcast for one client; undefined: it cannot be said to it. Text goes on as it came, to both
 * versions, as supabase/realtime has it: clients of Flutter put their fields beside `event`, not into `payload`.
 */
export function pushedBroadcastFrame(
  vsn: Vsn,
  topic: string,
  push: BroadcastPush,
): string | Uint8Array | undefined {
  if (push.form === 'bytes') return broadcastFrame(vsn, topic, push.event, push.payload)
  return messageFrame(vsn, { joinRef: null, ref: null, topic, event: 'broadcast' }, push.json)
}

/** Bytes or characters of what the push carries. */
export function lengthOf(push: BroadcastPush): number {
  return push.form === 'text' ? push.json.length : payloadLength(push.payload)
}

/** The push of a `presence` message. Throws `MessageError`. */
export function readPresence(payload: unknown): PresencePush {
  const push = isObject(payload) ? payload : {}
  const event = typeof push['event'] === 'string' ? push['event'].toLowerCase() : undefined
  if (event === 'untrack') return { event }
  if (event !== 'track') {
    throw new MessageError('UnknownPresenceEvent', 'the event of a presence message is track or untrack')
  }
  const tracked = push['payload'] ?? {}
  if (!isObject(tracked)) {
    throw new MessageError('InvalidPresencePayload', 'Presence track payload must be a map')
  }
  return { event, payload: tracked }
}
