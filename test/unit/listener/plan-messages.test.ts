// What may go together and what must wait: the order per key rests on this.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type KeyedChunk, KeySet, tableKey } from '../../../listener/chunk-keys.ts'
import { type PlannedChunk, packRequests, planMessages } from '../../../listener/plan-messages.ts'

const LIMITS = { messageBytesMax: 1_000, referencedBytesMax: 500 }

const keys = fc.option(
  fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 3 }),
  {
    freq: 12,
  },
)
const chunkParts = fc.record({
  tableId: fc.integer({ min: 1, max: 3 }),
  keys,
  bytes: fc.integer({ min: 1, max: 999 }),
  referencedBytes: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 900 })),
})
const chunks = (maxLength: number) =>
  fc
    .array(chunkParts, { maxLength, size: 'max' })
    .map(parts => parts.map((part, i) => ({ id: BigInt(i + 1), ...part, keys: keysOf(part) })))

function keysOf({ tableId, keys }: { tableId: number; keys: string[] | null }): string[] | null {
  return keys?.map(key => tableKey(tableId, key)) ?? null
}

/** The rule itself, without any index. */
function haveKeyInCommon(a: KeyedChunk, b: KeyedChunk): boolean {
  if (a.tableId !== b.tableId) return false
  if (a.keys === null || b.keys === null) return true
  return a.keys.some(key => b.keys?.includes(key))
}

const heldAndWaiting = fc.tuple(chunks(6), chunks(30)).map(([held, waiting]) => ({
  held,
  waiting: waiting.map(chunk => ({ ...chunk, id: chunk.id + 100n })),
}))

function plan({ held, waiting }: { held: PlannedChunk[]; waiting: PlannedChunk[] }): PlannedChunk[][] {
  const keySet = new KeySet()
  for (const chunk of held) keySet.add(chunk)
  return planMessages(waiting, keySet, LIMITS)
}

it('sends no key that an unconfirmed message holds', () => {
  fc.assert(
    fc.property(heldAndWaiting, world => {
      for (const chunk of plan(world).flat()) {
        expect(world.held.some(other => haveKeyInCommon(chunk, other))).toBe(false)
      }
    }),
  )
})

it('puts a key into one message only', () => {
  fc.assert(
    fc.property(heldAndWaiting, world => {
      const messages = plan(world)
      messages.forEach((message, i) => {
        for (const other of messages.slice(i + 1).flat()) {
          expect(message.some(chunk => haveKeyInCommon(chunk, other))).toBe(false)
        }
      })
    }),
  )
})

it('lets no chunk overtake an earlier one of its key, inside a message or by staying behind', () => {
  fc.assert(
    fc.property(heldAndWaiting, world => {
      const messages = plan(world)
      const sent = new Set(messages.flat())
      for (const message of messages) {
        expect(message.map(({ id }) => id)).toEqual(message.map(({ id }) => id).sort((a, b) => Number(a - b)))
      }
      for (const chunk of sent) {
        const staying = world.waiting.filter(other => other.id < chunk.id && !sent.has(other))
        expect(staying.some(other => haveKeyInCommon(chunk, other))).toBe(false)
      }
    }),
  )
})

it('sends every chunk exactly once when each plan is confirmed before the next', () => {
  fc.assert(
    fc.property(chunks(40), all => {
      const order: bigint[] = []
      let waiting: PlannedChunk[] = all
      while (waiting.length > 0) {
        const sent = plan({ held: [], waiting }).flat()
        expect(sent.length).toBeGreaterThan(0)
        order.push(...sent.map(({ id }) => id))
        waiting = waiting.filter(chunk => !sent.includes(chunk))
      }
      expect([...order].sort((a, b) => Number(a - b))).toEqual(all.map(({ id }) => id))
    }),
  )
})

it('keeps messages within their bytes, what they refer to included', () => {
  fc.assert(
    fc.property(heldAndWaiting, world => {
      for (const message of plan(world)) {
        if (message.length === 1) continue
        expect(sum(message, ({ bytes }) => bytes + 1)).toBeLessThanOrEqual(LIMITS.messageBytesMax)
        expect(sum(message, ({ referencedBytes }) => referencedBytes)).toBeLessThanOrEqual(
          LIMITS.referencedBytesMax,
        )
      }
    }),
  )
})

it('leaves nothing behind that is free and bound to nobody, when there is room', () => {
  const waiting = [1n, 2n, 3n].map(id => ({
    id,
    tableId: 1,
    keys: [tableKey(1, String(id))],
    bytes: 10,
    referencedBytes: 0,
  }))
  expect(plan({ held: [], waiting })).toEqual([waiting])
})

it('packs requests within their limits and leaves the rest for later', () => {
  fc.assert(
    fc.property(chunks(40), fc.integer({ min: 1, max: 4 }), (all, requestsMax) => {
      const messages = all.map(chunk => [chunk])
      const limits = { messagesPerRequestMax: 5, requestBytesMax: 3_000, requestsMax }
      const requests = packRequests(messages, limits)
      expect(requests.flat()).toEqual(messages.slice(0, requests.flat().length))
      expect(requests.length).toBeLessThanOrEqual(requestsMax)
      if (requests.length < requestsMax) expect(requests.flat()).toHaveLength(messages.length)
      for (const request of requests) {
        expect(request.length).toBeLessThanOrEqual(5)
        const bytes = sum(request.flat(), chunk => chunk.bytes)
        expect(request.length === 1 || bytes <= limits.requestBytesMax).toBe(true)
      }
    }),
  )
})

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
