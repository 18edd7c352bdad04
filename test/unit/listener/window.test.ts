// The listener's memory of the outbox against a model of it: transactions that commit late, requests that fail or are
// lost, confirmations at any time, even while a look or a request is under way.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KeyedChunk, tableKey } from '../../../listener/chunk-keys.ts'
import { FIXED_LIMITS } from '../../../listener/config.ts'
import { type LookRequest, type LookResult, type WaitingChunk, Window } from '../../../listener/window.ts'

const LIMITS = {
  ...FIXED_LIMITS,
  standbyPollMs: 1_000,
  fallbackLookMs: 1_000,
  messageBytesMax: 1_000,
  referencedBytesMax: 1_000,
  messagesPerRequestMax: 3,
  requestBytesMax: 3_000,
  requestsMax: 2,
  chunksMax: 12,
  bytesMax: 4_000,
  lookChunksMax: 5,
  lookBytesMax: 2_500,
}

function makeChunk(id: bigint, tableId: number, names: readonly string[] | null, size: number): WaitingChunk {
  const text = 'x'.repeat(size)
  const keys = names?.map(name => tableKey(tableId, name)) ?? null
  return { id, tableId, keys, text, bytes: size, referencedBytes: 0, changeCount: 1, heldBytes: size + 10 }
}

/** Postgres: transactions with numbers, chunks that become visible when theirs commits. */
class Database {
  readonly rows = new Map<bigint, { chunk: WaitingChunk; xid: bigint }>()
  readonly open = new Set<bigint>()
  /** Keys that an open transaction has locked. */
  readonly locks = new Map<string, bigint>()
  nextXid = 10n
  nextId = 1n

  begin(): bigint {
    const xid = this.nextXid++
    this.open.add(xid)
    return xid
  }

  write(xid: bigint, keys: readonly string[], size: number): WaitingChunk | undefined {
    if (keys.some(key => (this.locks.get(key) ?? xid) !== xid)) return undefined
    for (const key of keys) this.locks.set(key, xid)
    const chunk = makeChunk(this.nextId++, 1, keys, size)
    this.rows.set(chunk.id, { chunk, xid })
    return chunk
  }

  commit(xid: bigint): void {
    this.open.delete(xid)
    for (const [key, holder] of this.locks) if (holder === xid) this.locks.delete(key)
  }

  visible(): WaitingChunk[] {
    return [...this.rows.values()].filter(({ xid }) => !this.open.has(xid)).map(({ chunk }) => chunk)
  }

  look(request: LookRequest): LookResult {
    const known = new Set(request.knownIds)
    const fresh = this.visible().filter(({ id }) => id > request.floor && !known.has(id))
    let bytes = 0
    const chunks = fresh.slice(0, request.chunksMax).filter(({ heldBytes }) => {
      const fits = bytes < request.bytesMax
      bytes += heldBytes
      return fits
    })
    const xmin = [...this.open].reduce((low, xid) => (xid < low ? xid : low), this.nextXid)
    return {
      registryVersion: 1,
      xmin,
      mark: request.wantsMark ? this.nextXid++ : undefined,
      goneIds: request.knownIds.filter(id => !this.rows.has(id)),
      chunks,
      isComplete: request.chunksMax > 0 && chunks.length === fresh.length && fresh.length < request.chunksMax,
    }
  }
}

type Step =
  | {
      do: 'begin' | 'commit' | 'look' | 'look_begin' | 'look_end' | 'overdue' | 'confirm' | 'confirm_lost'
      n: number
    }
  | { do: 'write'; n: number; keys: string[]; size: number }
  | { do: 'answer'; n: number; outcome: 'accepted' | 'failed' | 'lost' }

const n = fc.nat(20)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('begin' as const), n }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      n,
      keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 2 }),
      size: fc.integer({ min: 1, max: 900 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('commit' as const), n }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('look' as const), n }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('look_begin' as const, 'look_end' as const), n }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('overdue' as const), n }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('confirm' as const), n }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      n,
      outcome: fc.constantFrom('accepted' as const, 'accepted' as const, 'failed' as const, 'lost' as const),
    }),
  },
)

/** The listener's use of the window, with every request's fate in the hands of the test. */
class Simulation {
  readonly database = new Database()
  readonly window = new Window(LIMITS)
  /** Requests without an answer yet. */
  readonly underWay: WaitingChunk[][][] = []
  /** What follows from answers, while a look is under way: the relay settles them after it. */
  readonly #unsettled: (() => void)[] = []
  /** Messages on the queue, in no order. */
  readonly queue: WaitingChunk[][] = []
  readonly stored: bigint[] = []
  readonly written: WaitingChunk[] = []
  #pendingLook: { request: LookRequest; result: LookResult } | undefined

  lookBegin(): void {
    if (this.#pendingLook !== undefined) return
    const request = this.window.lookRequest()
    this.#pendingLook = { request, result: this.database.look(request) }
  }

  lookEnd(): void {
    if (this.#pendingLook === undefined) return
    const { request, result } = this.#pendingLook
    this.#pendingLook = undefined
    this.window.absorb(request, result)
    for (const settle of this.#unsettled.splice(0)) settle()
    const places = LIMITS.requestsMax - this.underWay.length
    if (places > 0) this.underWay.push(...this.window.takeRequests(places))
    const { waitingChunks, sentChunks } = this.window.state
    expect(waitingChunks + sentChunks).toBeLessThanOrEqual(LIMITS.chunksMax)
  }

  /** A consumer handles a message: it stores what it has not stored before, then takes it out of the outbox. */
  confirm(index: number): void {
    const [message] = this.queue.splice(index % Math.max(1, this.queue.length), 1)
    for (const { id } of message ?? []) {
      if (!this.stored.includes(id)) this.stored.push(id)
      this.database.rows.delete(id)
    }
  }

  answer(index: number, outcome: 'accepted' | 'failed' | 'lost'): void {
    const [request] = this.underWay.splice(index % Math.max(1, this.underWay.length), 1)
    if (request === undefined) return
    // `lost`: it was taken, and nobody told us.
    if (outcome !== 'failed') this.queue.push(...request)
    const ids = request.flat().map(({ id }) => id)
    this.#unsettled.push(() => {
      if (outcome === 'accepted') this.window.hold(ids, 1_000)
      else this.window.giveBack(ids)
    })
    if (!this.isLooking) for (const settle of this.#unsettled.splice(0)) settle()
  }

  run(action: Step): void {
    const transactions = [...this.database.open]
    const xid = transactions[action.n % Math.max(1, transactions.length)]
    if (action.do === 'begin') this.database.begin()
    else if (action.do === 'write') this.write(xid ?? this.database.begin(), action)
    else if (action.do === 'commit' && xid !== undefined) this.database.commit(xid)
    else if (action.do === 'answer') this.answer(action.n, action.outcome)
    else if (action.do === 'confirm') this.confirm(action.n)
    // Between looks only, as the relay does.
    else if (action.do === 'overdue' && !this.isLooking) this.window.giveBackOverdue(1_000)
    if (action.do === 'look' || action.do === 'look_begin') this.lookBegin()
    if (action.do === 'look' || action.do === 'look_end') this.lookEnd()
  }

  write(xid: bigint, { keys, size }: { keys: string[]; size: number }): void {
    const chunk = this.database.write(xid, keys, size)
    if (chunk !== undefined) this.written.push(chunk)
  }

  get isLooking(): boolean {
    return this.#pendingLook !== undefined
  }

  /** Everything commits, every request arrives, every message is handled. */
  finish(): void {
    this.lookEnd()
    for (const xid of this.database.open) this.database.commit(xid)
    for (let round = 0; this.database.rows.size > 0 && round < 500; round++) {
      while (this.underWay.length > 0) this.answer(0, 'accepted')
      while (this.queue.length > 0) this.confirm(0)
      this.run({ do: 'look', n: 0 })
    }
  }
}

function haveKeyInCommon(a: KeyedChunk, b: KeyedChunk): boolean {
  return a.keys?.some(key => b.keys?.includes(key)) ?? true
}

describe('whatever happens', () => {
  it('every committed chunk is stored in the end, and those of one key in their order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), steps => {
        const simulation = new Simulation()
        for (const action of steps) simulation.run(action)
        simulation.finish()
        expect(simulation.database.rows.size).toBe(0)
        const { stored, written } = simulation
        expect(stored).toHaveLength(written.length)
        const placeOf = new Map(stored.map((id, place) => [id, place]))
        for (const [i, chunk] of written.entries()) {
          for (const later of written.slice(i + 1)) {
            if (!haveKeyInCommon(chunk, later)) continue
            expect(placeOf.get(chunk.id)).toBeLessThan(placeOf.get(later.id) ?? -1)
          }
        }
      }),
      { numRuns: 400 },
    )
  })
})

it('does not read again below what is settled once everything before has ended', () => {
  const simulation = new Simulation()
  for (const key of ['a', 'b', 'c']) {
    const xid = simulation.database.begin()
    simulation.database.write(xid, [key], 10)
    simulation.database.commit(xid)
  }
  const blocker = simulation.database.begin()
  const round = (): void => {
    simulation.run({ do: 'look', n: 0 })
    while (simulation.underWay.length > 0) simulation.answer(0, 'accepted')
    while (simulation.queue.length > 0) simulation.confirm(0)
  }
  for (let i = 0; i < 5; i++) round()
  expect(simulation.window.state.floor).toBe(0n)
  simulation.database.commit(blocker)
  round()
  expect(simulation.window.state.floor).toBe(3n)
})
