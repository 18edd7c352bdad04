// The listener's memory of the outbox against a model of it: transactions that commit late, requests that fail or are lost,
// confirmations at any time, even while a look or a request is under way.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Floor, type FloorLook } from '../../../listener/floor.ts'
import { type LookRequest, type LookResult, type WaitingChunk, Window } from '../../../listener/window.ts'

const LIMITS = {
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

function makeChunk(id: bigint, tableId: number, keys: readonly string[] | null, size: number): WaitingChunk {
  const text = 'x'.repeat(size)
  return { id, tableId, keys, text, bytes: size, referencedBytes: 0, changeCount: 1, heldBytes: size + 10 }
}

/** Chunks that a look may number in the model. */
const NUMBERED_MAX = 3

interface Row {
  readonly position: bigint
  readonly xid: bigint
  readonly keys: readonly string[]
  readonly size: number
  /** None until a look has numbered it. */
  id: bigint | undefined
}

/** Postgres: transactions with numbers, chunks that become visible when theirs commits and are numbered by looks. */
class Database {
  readonly rows = new Set<Row>()
  readonly open = new Set<bigint>()
  /** Keys that an open transaction has locked. */
  readonly locks = new Map<string, bigint>()
  nextXid = 10n
  nextPosition = 1n
  nextId = 1n

  begin(): bigint {
    const xid = this.nextXid++
    this.open.add(xid)
    return xid
  }

  write(xid: bigint, keys: readonly string[], size: number): Row | undefined {
    if (keys.some(key => (this.locks.get(key) ?? xid) !== xid)) return undefined
    for (const key of keys) this.locks.set(key, xid)
    const row = { position: this.nextPosition++, xid, keys, size, id: undefined }
    this.rows.add(row)
    return row
  }

  commit(xid: bigint): void {
    this.open.delete(xid)
    for (const [key, holder] of this.locks) if (holder === xid) this.locks.delete(key)
  }

  remove(ids: readonly bigint[]): void {
    for (const row of this.rows) if (row.id !== undefined && ids.includes(row.id)) this.rows.delete(row)
  }

  look(request: LookRequest, above: bigint, wantsMark: boolean): LookResult & FloorLook {
    const xmin = [...this.open].reduce((low, xid) => (xid < low ? xid : low), this.nextXid)
    const visible = [...this.rows].filter(({ xid }) => !this.open.has(xid))
    return {
      xmin,
      mark: wantsMark ? this.nextXid++ : undefined,
      ...this.#number(visible.filter(({ id, position }) => id === undefined && position > above)),
      ...this.#read(visible, request),
    }
  }

  /** Rows are in the order of their positions. */
  #number(waiting: readonly Row[]): Pick<FloorLook, 'numberedUpTo' | 'openFrom'> {
    const taken = waiting.slice(0, NUMBERED_MAX)
    for (const row of taken) row.id = this.nextId++
    return { numberedUpTo: taken.at(-1)?.position, openFrom: waiting[taken.length]?.position }
  }

  #read(visible: readonly Row[], { after, knownIds, chunksMax, bytesMax }: LookRequest): LookResult {
    const known = new Set(knownIds)
    const fresh = visible
      .flatMap(({ id, keys, size }) => (id === undefined ? [] : [makeChunk(id, 1, keys, size)]))
      .filter(({ id }) => id > after && !known.has(id))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    let bytes = 0
    const chunks = fresh.slice(0, chunksMax).filter(({ heldBytes }) => {
      const fits = bytes < bytesMax
      bytes += heldBytes
      return fits
    })
    const present = new Set(visible.map(({ id }) => id))
    return {
      goneIds: knownIds.filter(id => !present.has(id)),
      chunks,
      isComplete: chunksMax > 0 && chunks.length === fresh.length && fresh.length < chunksMax,
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
  readonly floor = new Floor()
  /** Requests without an answer yet. */
  readonly underWay: WaitingChunk[][][] = []
  /** Messages on the queue, in no order. */
  readonly queue: WaitingChunk[][] = []
  readonly stored: bigint[] = []
  readonly written: Row[] = []
  #pendingLook: { request: LookRequest; result: LookResult & FloorLook } | undefined

  lookBegin(): void {
    if (this.#pendingLook !== undefined) return
    const request = this.window.lookRequest()
    this.#pendingLook = {
      request,
      result: this.database.look(request, this.floor.value, this.floor.wantsMark),
    }
  }

  lookEnd(): void {
    if (this.#pendingLook === undefined) return
    const { request, result } = this.#pendingLook
    this.#pendingLook = undefined
    this.floor.raise(result)
    this.window.absorb(request, result)
    const places = LIMITS.requestsMax - this.underWay.length
    if (places > 0) this.underWay.push(...this.window.takeRequests(places))
    expect(this.window.waitingChunks + this.window.sentChunks).toBeLessThanOrEqual(LIMITS.chunksMax)
  }

  /** A consumer handles a message: it stores what it has not stored before, then takes it out of the outbox. */
  confirm(index: number): void {
    const [message] = this.queue.splice(index % Math.max(1, this.queue.length), 1)
    for (const { id } of message ?? []) {
      if (!this.stored.includes(id)) this.stored.push(id)
      this.database.remove([id])
    }
  }

  answer(index: number, outcome: 'accepted' | 'failed' | 'lost'): void {
    const [request] = this.underWay.splice(index % Math.max(1, this.underWay.length), 1)
    if (request === undefined) return
    // `lost`: it was taken, and nobody told us.
    if (outcome !== 'failed') this.queue.push(...request)
    const ids = request.flat().map(({ id }) => id)
    if (outcome === 'accepted') this.window.hold(ids, 1_000)
    else this.window.giveBack(ids)
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

function haveKeyInCommon(a: Row, b: Row): boolean {
  return a.keys.some(key => b.keys.includes(key))
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
        const placeOf = new Map<bigint | undefined, number>(stored.map((id, place) => [id, place]))
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

it('looks for chunks without a number only above what is settled, once everything before has ended', () => {
  const simulation = new Simulation()
  const { database, floor, window } = simulation
  for (const key of ['a', 'b', 'c']) {
    const xid = database.begin()
    database.write(xid, [key], 10)
    database.commit(xid)
  }
  const blocker = database.begin()
  const round = (): void => {
    simulation.run({ do: 'look', n: 0 })
    while (simulation.underWay.length > 0) simulation.answer(0, 'accepted')
    while (simulation.queue.length > 0) simulation.confirm(0)
  }
  for (let i = 0; i < 5; i++) round()
  expect([floor.value, window.floor]).toEqual([0n, 3n])
  database.commit(blocker)
  round()
  expect(floor.value).toBe(3n)
})

it('knows up to which id chunks are confirmed', () => {
  const window = new Window(LIMITS)
  const chunks = [1n, 2n, 3n].map(id => makeChunk(id, 1, [String(id)], 10))
  const look = (found: WaitingChunk[], goneIds: bigint[] = []) =>
    window.absorb(window.lookRequest(), { goneIds, chunks: found, isComplete: true })
  look(chunks)
  window.takeRequests(3)
  look([], [1n, 3n])
  expect(window.floor).toBe(1n)
  look([], [2n])
  expect(window.floor).toBe(3n)
  look([makeChunk(4n, 1, ['4'], 600), makeChunk(5n, 1, ['5'], 600)])
  window.takeRequests(3)
  window.giveBack([4n])
  expect(window.floor).toBe(3n)
})

it('uses nothing of a look that began before it forgot chunks', () => {
  const window = new Window(LIMITS)
  const [first, second] = [makeChunk(1n, 1, ['a'], 10), makeChunk(2n, 1, ['a'], 10)]
  const result = { goneIds: [], isComplete: true }
  window.absorb(window.lookRequest(), { ...result, chunks: [first] })
  expect(window.takeRequests(1)).toHaveLength(1)
  const underWay = window.lookRequest()
  window.giveBack([1n])
  expect(window.absorb(underWay, { ...result, chunks: [second] })).toMatchObject({
    newChunks: 0,
    isPartial: true,
  })
  expect(window.takeRequests(1)).toEqual([])
})
