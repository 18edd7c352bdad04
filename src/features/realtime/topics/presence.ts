// Who is present in one topic, and what is to be said when that changes. Pure: the hub keeps the records, and rebuilds
// this from them when it wakes up. Source of the shapes: Phoenix.Presence, Phoenix.Tracker.

import { MessageError } from '../wire/message-error.ts'

/** In characters of JSON, for one socket: it is sent to every member, at each change. */
export const PRESENCE_LENGTH_MAX = 8_192
/** In characters of JSON, for all: whoever joins gets the whole. */
export const TOPIC_PRESENCE_LENGTH_MAX = 4_194_304

export type PresencePayload = Readonly<Record<string, unknown>>

/** One socket under one key. `phxRefPrev` is the ref of what it replaced. */
export interface PresenceRecord {
  readonly socketId: string
  readonly key: string
  readonly payload: PresencePayload
  readonly phxRef: string
  readonly phxRefPrev?: string
}

export interface PresenceMeta extends PresencePayload {
  readonly phx_ref: string
  readonly phx_ref_prev?: string
}

/** By key; it has no prototype, so that any key is one. */
export type PresenceState = Readonly<Record<string, { readonly metas: readonly PresenceMeta[] }>>

export interface PresenceDiff {
  readonly joins: PresenceState
  readonly leaves: PresenceState
}

export interface TopicPresence {
  /**
   * The socket is present under `key`. What it was there before leaves in the same diff. Null: nothing has changed.
   * Throws `MessageError` where it is too large, and changes nothing then.
   */
  track(socketId: string, key: string, payload: PresencePayload, phxRef: string): PresenceDiff | null
  /** Null: it was not present. */
  untrack(socketId: string, key: string): PresenceDiff | null
  /** The socket is gone from the topic. Null: it was not present. */
  leaveAll(socketId: string): PresenceDiff | null
  /** What the socket is present with under `key`. */
  recordOf(socketId: string, key: string): PresenceRecord | undefined
  state(): PresenceState
  /** How many keys are present. */
  keyCount(): number
  /** What `fromRecords` makes the same of. */
  records(): PresenceRecord[]
}

/** The presence of a topic, as it was when its records were kept. None: nobody is there. */
export function fromRecords(records: Iterable<PresenceRecord> = []): TopicPresence {
  const present = new Present()
  for (const record of records) present.put(record)
  return {
    track: (socketId, key, payload, phxRef) => track(present, { socketId, key, payload, phxRef }),
    untrack: (socketId, key) => diffOf([], present.take(socketId, key)),
    leaveAll: socketId => diffOf([], present.takeAll(socketId)),
    recordOf: (socketId, key) => present.get(socketId, key),
    state: () => group(present.all()),
    keyCount: () => new Set(present.all().map(record => record.key)).size,
    records: () => present.all(),
  }
}

function track(present: Present, record: PresenceRecord): PresenceDiff | null {
  const length = lengthOf(record)
  if (length > PRESENCE_LENGTH_MAX) {
    throw new MessageError(
      'PresencePayloadTooLarge',
      `Track message size exceeded: it has ${length} characters of JSON, ${PRESENCE_LENGTH_MAX} are allowed`,
    )
  }
  const before = present.get(record.socketId, record.key)
  if (before !== undefined && JSON.stringify(before.payload) === JSON.stringify(record.payload)) return null
  const freed = before === undefined ? 0 : lengthOf(before)
  if (present.length - freed + length > TOPIC_PRESENCE_LENGTH_MAX) {
    throw new MessageError(
      'TopicPresenceTooLarge',
      'The topic has no room for more presence; track less, or another topic',
    )
  }
  const after = before === undefined ? record : { ...record, phxRefPrev: before.phxRef }
  present.put(after)
  return diffOf([after], before === undefined ? [] : [before])
}

/** The records, by socket and key, in the order in which they came. */
class Present {
  /** Of all of them, in characters of JSON. */
  length = 0
  readonly #bySocket = new Map<string, Map<string, PresenceRecord>>()

  get(socketId: string, key: string): PresenceRecord | undefined {
    return this.#bySocket.get(socketId)?.get(key)
  }

  put(record: PresenceRecord): void {
    this.take(record.socketId, record.key)
    const ofSocket = this.#bySocket.get(record.socketId) ?? new Map<string, PresenceRecord>()
    this.#bySocket.set(record.socketId, ofSocket.set(record.key, record))
    this.length += lengthOf(record)
  }

  take(socketId: string, key: string): PresenceRecord[] {
    const ofSocket = this.#bySocket.get(socketId)
    const record = ofSocket?.get(key)
    if (ofSocket === undefined || record === undefined) return []
    ofSocket.delete(key)
    if (ofSocket.size === 0) this.#bySocket.delete(socketId)
    this.length -= lengthOf(record)
    return [record]
  }

  takeAll(socketId: string): PresenceRecord[] {
    const keys = [...(this.#bySocket.get(socketId)?.keys() ?? [])]
    return keys.flatMap(key => this.take(socketId, key))
  }

  all(): PresenceRecord[] {
    return [...this.#bySocket.values()].flatMap(ofSocket => [...ofSocket.values()])
  }
}

function lengthOf(record: PresenceRecord): number {
  return record.key.length + JSON.stringify(record.payload).length
}

function diffOf(joined: readonly PresenceRecord[], left: readonly PresenceRecord[]): PresenceDiff | null {
  return joined.length + left.length === 0 ? null : { joins: group(joined), leaves: group(left) }
}

function group(records: readonly PresenceRecord[]): PresenceState {
  const state: Record<string, { metas: PresenceMeta[] }> = Object.create(null)
  for (const record of records) {
    state[record.key] ??= { metas: [] }
    state[record.key]?.metas.push(metaOf(record))
  }
  return state
}

/** Refs are the server's: a payload cannot name its own. */
function metaOf({ payload, phxRef, phxRefPrev }: PresenceRecord): PresenceMeta {
  const { phx_ref: _, phx_ref_prev: __, ...own } = payload
  return { ...own, ...(phxRefPrev === undefined ? {} : { phx_ref_prev: phxRefPrev }), phx_ref: phxRef }
}
