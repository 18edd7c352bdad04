// The relay between an outbox and a route that are made up here: nobody commits anything but what the test says.

import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { readLimits } from '../../../listener/config.ts'
import { makeCounters } from '../../../listener/metrics.ts'
import type { OutboxLook } from '../../../listener/outbox.ts'
import { PAUSE_MS_MIN } from '../../../listener/pace.ts'
import { Relay, type RelayDeps } from '../../../listener/relay.ts'
import type { LookRequest, WaitingChunk } from '../../../listener/window.ts'

const LIMITS = {
  ...readLimits({}),
  pollMs: PAUSE_MS_MIN,
  messageBytesMax: 600,
  messagesPerRequestMax: 1,
  ingestBackoff: { firstMs: 1, maxMs: 1 },
}

afterEach(() => {
  vi.useRealTimers()
})

function makeChunk(id: bigint, size: number): WaitingChunk {
  const text = String(id).padEnd(size)
  return {
    id,
    tableId: 1,
    keys: [`${id}`],
    text,
    bytes: size,
    referencedBytes: 0,
    changeCount: 1,
    heldBytes: size,
  }
}

/** Chunks of these sizes, never confirmed, of which a look brings what it has room for. */
function outboxOf(sizes: readonly number[]): RelayDeps['outbox'] {
  const chunks = sizes.map((size, index) => makeChunk(BigInt(index + 1), size))
  const look = async ({ after, chunksMax }: LookRequest): Promise<OutboxLook> => {
    const left = chunks.filter(({ id }) => id > after)
    return {
      snapshot: '1:1:',
      xmin: 1n,
      mark: undefined,
      numberedUpTo: undefined,
      openFrom: undefined,
      registryVersion: 1,
      goneIds: [],
      chunks: left.slice(0, chunksMax),
      isComplete: left.length <= chunksMax,
      unmoved: [],
    }
  }
  return { look, snapshot: async () => '1:1:', truncateMoved: async () => undefined }
}

/** Runs until the test ends. */
function relayed(deps: Pick<RelayDeps, 'outbox' | 'send'>, limits: Partial<typeof LIMITS>): void {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const counters = makeCounters()
  const relay = new Relay({
    ...deps,
    limits: { ...LIMITS, ...limits },
    counters,
    log,
    onLook: () => undefined,
  })
  const stop = new AbortController()
  const ended = relay.run(stop.signal, new AbortController().signal)
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
}

it('reads what there is room for once rows are sent, though nobody commits anything', async () => {
  const sent: number[] = []
  let answer = (): void => undefined
  const send: RelayDeps['send'] = async (_version, messages) => {
    sent.push(...messages.flat().map(Number))
    if (sent.length === 1)
      await new Promise<void>(resolve => {
        answer = resolve
      })
    return { outcome: 'accepted' }
  }
  // Two fill the memory, and the second waits for the only request's end.
  relayed({ outbox: outboxOf([10, 600, 10]), send }, { requestsMax: 1, lookChunksMax: 2, bytesMax: 600 })
  await expect.poll(() => sent).toEqual([1])
  answer()
  await expect.poll(() => sent).toEqual([1, 2, 3])
})

it('truncates what was moved also at rest, where it does not look', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const outbox = outboxOf([])
  const look = vi.spyOn(outbox, 'look')
  const truncate = vi.spyOn(outbox, 'truncateMoved')
  relayed({ outbox, send: async () => ({ outcome: 'accepted' }) }, {})
  await vi.advanceTimersByTimeAsync(1_000)
  look.mockClear()
  truncate.mockClear()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(look).not.toHaveBeenCalled()
  expect(truncate).toHaveBeenCalledTimes(3)
})
