/**
 * Owns the decision what is sent now: which waiting chunks may go, which go together, and how they fill messages and
 * requests. Pure: no I/O, no clock; the chunks that are not in the plan go on waiting.
 */
import { groupChunks } from './chunk-groups.ts'
import { type KeyedChunk, KeySet } from './chunk-keys.ts'

export interface PlannedChunk extends KeyedChunk {
  /** Bytes of the chunk in a message. */
  readonly bytes: number
  /** Bytes that the consumer reads from the outbox for it; 0 when the changes go along. */
  readonly referencedBytes: number
}

export interface MessageLimits {
  /** Bytes of a message's chunks, each with the comma behind it. One chunk alone may never be larger. */
  readonly messageBytesMax: number
  /** What the consumer may have to read for one message; a chunk that is larger travels alone. */
  readonly referencedBytesMax: number
}

export interface RequestLimits {
  readonly messagesPerRequestMax: number
  readonly requestBytesMax: number
  readonly requestsMax: number
}

/** What surrounds the chunks of a message in a request, and a message in the queue. */
const MESSAGE_FRAME_BYTES = 16

/**
 * The messages that may go now, of chunks that wait in the order of their ids. Nothing is sent that has a key in common
 * with `held` or with an earlier chunk that goes on waiting; chunks bound by keys share a message, in order; a group
 * that is too large for one gives its first part, and the rest waits until that is confirmed. Strangers share a message
 * where there is room: a message costs the consumer a round trip.
 */
export function planMessages<C extends PlannedChunk>(
  waiting: readonly C[],
  held: KeySet,
  limits: MessageLimits,
): C[][] {
  const messages: C[][] = []
  let room = new Room(limits)
  for (const group of groupChunks(chunksThatMayGo(waiting, held))) {
    const fitting = room.takes(group) ? group : prefixThatFits(group, limits)
    const last = messages.at(-1)
    if (last !== undefined && room.takes(fitting)) last.push(...fitting)
    else {
      room = new Room(limits)
      messages.push([...fitting])
    }
    for (const chunk of fitting) room.fill(chunk)
  }
  // A message of strangers is filled group by group; inside it all go by their ids.
  return messages.map(message => message.sort((a, b) => (a.id < b.id ? -1 : 1)))
}

/** Puts messages into at most `requestsMax` requests, in order; what finds no room is left out. */
export function packRequests<C extends PlannedChunk>(
  messages: readonly C[][],
  { messagesPerRequestMax, requestBytesMax, requestsMax }: RequestLimits,
): C[][][] {
  const requests: C[][][] = []
  let bytesLeft = 0
  for (const message of messages) {
    const bytes = MESSAGE_FRAME_BYTES + message.reduce((sum, chunk) => sum + chunk.bytes + 1, 0)
    let request = requests.at(-1)
    if (request === undefined || request.length >= messagesPerRequestMax || bytes > bytesLeft) {
      if (requests.length >= requestsMax) return requests
      request = []
      requests.push(request)
      bytesLeft = requestBytesMax
    }
    request.push(message)
    bytesLeft -= bytes
  }
  return requests
}

function chunksThatMayGo<C extends PlannedChunk>(waiting: readonly C[], held: KeySet): C[] {
  const staying = new KeySet()
  return waiting.filter(chunk => {
    const mayGo = !held.conflictsWith(chunk) && !staying.conflictsWith(chunk)
    if (!mayGo) staying.add(chunk)
    return mayGo
  })
}

function prefixThatFits<C extends PlannedChunk>(group: readonly C[], limits: MessageLimits): C[] {
  const room = new Room(limits)
  const end = group.findIndex(chunk => {
    const fits = room.takes([chunk])
    room.fill(chunk)
    return !fits
  })
  return end < 0 ? [...group] : group.slice(0, end)
}

/** What is left of a message. */
class Room {
  #bytes: number
  #referencedBytes: number
  #isEmpty = true

  constructor({ messageBytesMax, referencedBytesMax }: MessageLimits) {
    this.#bytes = messageBytesMax
    this.#referencedBytes = referencedBytesMax
  }

  takes(chunks: readonly PlannedChunk[]): boolean {
    if (this.#isEmpty && chunks.length === 1) return true
    let bytes = 0
    let referencedBytes = 0
    for (const chunk of chunks) {
      bytes += chunk.bytes + 1
      referencedBytes += chunk.referencedBytes
    }
    return bytes <= this.#bytes && referencedBytes <= this.#referencedBytes
  }

  fill(chunk: PlannedChunk): void {
    this.#isEmpty = false
    this.#bytes -= chunk.bytes + 1
    this.#referencedBytes -= chunk.referencedBytes
  }
}
