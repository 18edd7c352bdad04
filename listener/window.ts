/**
 * Owns what the listener knows of the outbox: chunks that wait to be sent, and chunks that are sent and not confirmed.
 * Bounded: what does not fit is not read. Pure: no I/O, no clock. Nothing else is called between `lookRequest` and
 * `absorb`.
 *
 * The invariant that keeps the order: of a waiting chunk, everything with a lower id is known that its look could see.
 * What appears below it later has no key in common with it. So whoever forgets a chunk forgets all that wait.
 */
import { KeySet } from './chunk-keys.ts'
import type { ListenerLimits } from './config.ts'
import { Floor, type FloorLook } from './floor.ts'
import { type PlannedChunk, packRequests, planMessages } from './plan-messages.ts'

/** A chunk as it waits: `text` is its JSON in a message. */
export interface WaitingChunk extends PlannedChunk {
  readonly text: string
  readonly changeCount: number
  /** What it takes in memory, about: text and keys. */
  readonly heldBytes: number
}

/** What a look is to bring: chunks above the floor that are not known. */
export interface LookRequest {
  readonly floor: bigint
  readonly knownIds: readonly bigint[]
  readonly chunksMax: number
  readonly bytesMax: number
  readonly wantsMark: boolean
}

/** What a look brought, all of one snapshot; `xmin` and `mark` are for the floor. */
export interface LookResult extends Pick<FloorLook, 'xmin' | 'mark'> {
  /** Known ids that are not in the outbox any more. */
  readonly goneIds: readonly bigint[]
  /** In the order of their ids. */
  readonly chunks: readonly WaitingChunk[]
  /** True when there is nothing beyond `chunks`. */
  readonly isComplete: boolean
  /** Of the webhooks, for the requests. */
  readonly registryVersion: number
}

interface SentChunk extends Pick<WaitingChunk, 'id' | 'tableId' | 'keys' | 'heldBytes'> {
  /** Infinity while its request is under way. */
  untilMs: number
}

export class Window {
  readonly #limits: ListenerLimits
  readonly #floor = new Floor()
  readonly #waiting = new Map<bigint, WaitingChunk>()
  readonly #sent = new Map<bigint, SentChunk>()
  readonly #sentKeys = new KeySet()
  #bytes = 0

  constructor(limits: ListenerLimits) {
    this.#limits = limits
  }

  get state() {
    return { waitingChunks: this.#waiting.size, sentChunks: this.#sent.size, floor: this.#floor.value }
  }

  lookRequest(): LookRequest {
    const { chunksMax, bytesMax, lookChunksMax, lookBytesMax } = this.#limits
    const chunksLeft = chunksMax - this.#sent.size - this.#waiting.size
    const bytesLeft = Math.max(0, bytesMax - this.#bytes)
    return {
      floor: this.#floor.value,
      knownIds: this.#knownIds(),
      chunksMax: bytesLeft === 0 ? 0 : Math.max(0, Math.min(lookChunksMax, chunksLeft)),
      bytesMax: Math.min(lookBytesMax, bytesLeft),
      wantsMark: this.#floor.wantsMark,
    }
  }

  /** Takes what a look brought; answers how many chunks came and went. */
  absorb({ floor }: LookRequest, { chunks, goneIds, isComplete, xmin, mark }: LookResult) {
    const confirmed = goneIds.filter(id => this.#forget(id))
    for (const chunk of chunks) {
      this.#waiting.set(chunk.id, chunk)
      this.#bytes += chunk.heldBytes
    }
    const readUpTo = isComplete ? undefined : (chunks.at(-1)?.id ?? floor)
    this.#floor.raise({ xmin, mark, readUpTo, knownIds: this.#knownIds() })
    return { newChunks: chunks.length, confirmedChunks: confirmed.length }
  }

  /** The requests to send now, each with its messages. What is in them does not wait any more: it is sent. */
  takeRequests(requestsMax: number): WaitingChunk[][][] {
    const waiting = [...this.#waiting.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    const messages = planMessages(waiting, this.#sentKeys, this.#limits)
    const requests = packRequests(messages, { ...this.#limits, requestsMax })
    for (const chunk of requests.flat(2)) this.#markSent(chunk)
    return requests
  }

  /** These have arrived, or were refused: nothing with their keys goes until they are gone, or until `untilMs`. */
  hold(ids: readonly bigint[], untilMs: number): void {
    for (const id of ids) {
      const sent = this.#sent.get(id)
      if (sent !== undefined) sent.untilMs = untilMs
    }
  }

  /** These chunks did not arrive, or nobody knows: they are read and sent again. */
  giveBack(ids: readonly bigint[]): void {
    if (ids.filter(id => this.#forget(id)).length === 0) return
    for (const id of [...this.#waiting.keys()]) this.#forget(id)
  }

  /** Gives back what was held until now and is still not confirmed; answers how many chunks. */
  giveBackOverdue(nowMs: number): number {
    const overdue = [...this.#sent.values()].filter(({ untilMs }) => untilMs <= nowMs)
    this.giveBack(overdue.map(({ id }) => id))
    return overdue.length
  }

  #knownIds(): bigint[] {
    return [...this.#sent.keys(), ...this.#waiting.keys()]
  }

  #markSent({ id, tableId, keys, text, heldBytes }: WaitingChunk): void {
    const sent = { id, tableId, keys, heldBytes: heldBytes - text.length, untilMs: Number.POSITIVE_INFINITY }
    this.#waiting.delete(id)
    this.#sent.set(id, sent)
    this.#sentKeys.add(sent)
    this.#bytes -= text.length
  }

  /** A chunk that waits can be gone too: a listener before this one had sent it. */
  #forget(id: bigint): boolean {
    const sent = this.#sent.get(id)
    const known = sent ?? this.#waiting.get(id)
    if (known === undefined) return false
    if (sent !== undefined) this.#sentKeys.remove(sent)
    this.#bytes -= known.heldBytes
    return this.#sent.delete(id) || this.#waiting.delete(id)
  }
}
