/**
 * Owns what the listener knows of the outbox: chunks that wait to be sent, and chunks that are sent and not confirmed.
 * Bounded: what does not fit is not read. Pure: no I/O, no clock.
 *
 * The invariant that keeps the order: when a plan is made, every visible chunk with a lower id than a waiting one is known.
 * So whoever forgets a chunk forgets all that wait, and a look that began before that is not used.
 */
import { KeySet } from './chunk-keys.ts'
import {
  type MessageLimits,
  type PlannedChunk,
  packRequests,
  planMessages,
  type RequestLimits,
} from './plan-messages.ts'

/** A chunk as it waits: `text` is its JSON in a message. */
export interface WaitingChunk extends PlannedChunk {
  readonly text: string
  readonly changeCount: number
  /** What it takes in memory, about: text and keys. */
  readonly heldBytes: number
}

export interface WindowLimits extends MessageLimits, RequestLimits {
  /** Chunks that are known at a time, waiting or sent. */
  readonly chunksMax: number
  /** Bytes that they take in memory, about. */
  readonly bytesMax: number
  /** Chunks that one look may bring. */
  readonly lookChunksMax: number
  /** Bytes that one look may bring, about, and at least one chunk. */
  readonly lookBytesMax: number
}

/** What a look is to bring: chunks after an id, but for those that are known. `epoch` goes back to `absorb`. */
export interface LookRequest {
  readonly epoch: number
  readonly after: bigint
  readonly knownIds: readonly bigint[]
  readonly chunksMax: number
  readonly bytesMax: number
}

/** What a look brought, all of one snapshot. */
export interface LookResult {
  /** Known ids that are not in the outbox any more. */
  readonly goneIds: readonly bigint[]
  /** In the order of their ids. */
  readonly chunks: readonly WaitingChunk[]
  /** True when there is nothing beyond `chunks`. */
  readonly isComplete: boolean
}

export interface Absorbed {
  readonly confirmedChunks: number
  readonly newChunks: number
  /** True when there was more to take: the limits of a look ended it, or it could not be used. */
  readonly isPartial: boolean
}

interface SentChunk {
  readonly chunk: Pick<WaitingChunk, 'id' | 'tableId' | 'keys'>
  readonly keyBytes: number
  /** Infinity while its request is under way. */
  untilMs: number
}

/** The requests to send now, each with its messages. */
export type Requests = WaitingChunk[][][]

export class Window {
  readonly #limits: WindowLimits
  readonly #sent = new Map<bigint, SentChunk>()
  readonly #heldKeys = new KeySet()
  #waiting: WaitingChunk[] = []
  #bytes = 0
  /** Every chunk up to here is known or confirmed, since ids are given out in the order in which chunks become visible. */
  #readUpTo = 0n
  #epoch = 0
  #hasReady = false

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  get waitingChunks(): number {
    return this.#waiting.length
  }

  get sentChunks(): number {
    return this.#sent.size
  }

  /** True when the last requests had no room for all that might have gone. */
  get hasReady(): boolean {
    return this.#hasReady
  }

  /** Chunks up to this id are confirmed. */
  get floor(): bigint {
    const lowest = lowestOf(this.#knownIds())
    return lowest === undefined || lowest > this.#readUpTo ? this.#readUpTo : lowest - 1n
  }

  /** True when a look may bring a chunk. */
  get hasRoom(): boolean {
    return this.#chunksLeft > 0 && this.#bytesLeft > 0
  }

  lookRequest(): LookRequest {
    const { lookChunksMax, lookBytesMax } = this.#limits
    return {
      epoch: this.#epoch,
      after: this.#readUpTo,
      knownIds: this.#knownIds(),
      chunksMax: this.hasRoom ? Math.min(lookChunksMax, this.#chunksLeft) : 0,
      bytesMax: Math.min(this.#bytesLeft, lookBytesMax),
    }
  }

  get #chunksLeft(): number {
    return Math.max(0, this.#limits.chunksMax - this.#sent.size - this.#waiting.length)
  }

  get #bytesLeft(): number {
    return Math.max(0, this.#limits.bytesMax - this.#bytes)
  }

  /** Takes what a look brought. What was forgotten since it began makes its chunks unusable; the next look has them. */
  absorb(request: LookRequest, result: LookResult): Absorbed {
    const confirmedChunks = this.#removeGone(result.goneIds)
    if (request.epoch !== this.#epoch) return { confirmedChunks, newChunks: 0, isPartial: true }
    if (result.chunks.length > 0) {
      this.#waiting = [...this.#waiting, ...result.chunks]
      for (const { heldBytes } of result.chunks) this.#bytes += heldBytes
      this.#readUpTo = result.chunks.at(-1)?.id ?? this.#readUpTo
    }
    const newChunks = result.chunks.length
    return { confirmedChunks, newChunks, isPartial: newChunks > 0 && !result.isComplete }
  }

  /** Takes what may go now out of the waiting; from here on it is sent. */
  takeRequests(requestsMax: number): Requests {
    this.#hasReady = false
    if (this.#waiting.length === 0) return []
    const messages = planMessages(this.#waiting, this.#heldKeys, this.#limits)
    const requests = packRequests(messages, { ...this.#limits, requestsMax })
    const packed = requests.flat()
    this.#hasReady = packed.length < messages.length
    for (const chunk of packed.flat()) this.#markSent(chunk)
    this.#waiting = this.#waiting.filter(({ id }) => !this.#sent.has(id))
    return requests
  }

  /** These chunks have arrived, or were refused: nothing with their keys goes until they are gone, or until `untilMs`. */
  hold(ids: readonly bigint[], untilMs: number): void {
    for (const id of ids) {
      const sent = this.#sent.get(id)
      if (sent !== undefined) sent.untilMs = untilMs
    }
  }

  /** These chunks did not arrive, or nobody knows: they are read and sent again. */
  giveBack(ids: readonly bigint[]): void {
    const open = ids.filter(id => this.#sent.has(id))
    if (open.length === 0) return
    const lowest = lowestOf([...open, ...this.#waiting.map(({ id }) => id)])
    if (lowest !== undefined && lowest <= this.#readUpTo) this.#readUpTo = lowest - 1n
    for (const id of open) this.#forgetSent(id)
    for (const chunk of this.#waiting) this.#bytes -= chunk.heldBytes
    this.#waiting = []
    this.#hasReady = false
    this.#epoch += 1
  }

  /** Gives back what was held until now and is still not confirmed; answers how many chunks. */
  giveBackOverdue(nowMs: number): number {
    const overdue = [...this.#sent.values()].filter(({ untilMs }) => untilMs <= nowMs)
    this.giveBack(overdue.map(({ chunk }) => chunk.id))
    return overdue.length
  }

  /** When the first held chunk becomes overdue; Infinity when none does. */
  nextOverdueMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { untilMs } of this.#sent.values()) if (untilMs < next) next = untilMs
    return next
  }

  #knownIds(): bigint[] {
    return [...this.#sent.keys(), ...this.#waiting.map(({ id }) => id)]
  }

  #markSent(chunk: WaitingChunk): void {
    const { id, tableId, keys } = chunk
    const keyBytes = chunk.heldBytes - chunk.text.length
    this.#sent.set(id, { chunk: { id, tableId, keys }, keyBytes, untilMs: Number.POSITIVE_INFINITY })
    this.#heldKeys.add(chunk)
    this.#bytes -= chunk.text.length
  }

  #forgetSent(id: bigint): boolean {
    const sent = this.#sent.get(id)
    if (sent === undefined) return false
    this.#sent.delete(id)
    this.#heldKeys.remove(sent.chunk)
    this.#bytes -= sent.keyBytes
    return true
  }

  /** A waiting chunk can go too: a listener before this one had sent it. */
  #removeGone(ids: readonly bigint[]): number {
    if (ids.length === 0) return 0
    const gone = new Set(ids)
    const wasWaiting = this.#waiting.filter(({ id }) => gone.has(id))
    if (wasWaiting.length > 0) this.#waiting = this.#waiting.filter(({ id }) => !gone.has(id))
    for (const { heldBytes } of wasWaiting) this.#bytes -= heldBytes
    return wasWaiting.length + ids.filter(id => this.#forgetSent(id)).length
  }
}

function lowestOf(ids: readonly bigint[]): bigint | undefined {
  return ids.reduce<bigint | undefined>((low, id) => (low === undefined || id < low ? id : low), undefined)
}
