// The relay between an outbox and a route that are made up here: nobody commits anything but what the test says.

import { expect, it, onTestFinished } from 'vitest'
import { tableKey } from '../../../listener/chunk-keys.ts'
import { FIXED_LIMITS } from '../../../listener/config.ts'
import { makeCounters } from '../../../listener/metrics.ts'
import { Relay, type RelayDeps } from '../../../listener/relay.ts'
import type { LookRequest, LookResult, WaitingChunk } from '../../../listener/window.ts'

const LIMITS = {
  ...FIXED_LIMITS,
  standbyPollMs: 1_000,
  fallbackLookMs: 1_000,
  messageBytesMax: 600,
  messagesPerRequestMax: 1,
  backoffMsMax: 1,
}

function makeChunk(id: bigint, size: number, key = String(id)): WaitingChunk {
  const text = String(id).padEnd(size)
  return {
    id,
    tableId: 1,
    keys: [tableKey(1, key)],
    text,
    bytes: size,
    referencedBytes: 0,
    changeCount: 1,
    heldBytes: size,
  }
}

/** Chunks that are never confirmed, of which a look brings what it has room for. */
function outboxOf(chunks: readonly WaitingChunk[]): RelayDeps['outbox'] {
  const look = async ({ floor, knownIds, chunksMax }: LookRequest): Promise<LookResult> => {
    const left = chunks.filter(({ id }) => id > floor && !knownIds.includes(id))
    return {
      xmin: 1n,
      mark: undefined,
      registryVersion: 1,
      goneIds: [],
      chunks: left.slice(0, chunksMax),
      isComplete: left.length < chunksMax,
    }
  }
  return { look, setResting: async () => undefined }
}

/** Runs until the test ends. */
function relayed(deps: Pick<RelayDeps, 'outbox' | 'send'>, limits: Partial<typeof LIMITS>): void {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const counters = makeCounters()
  const relay = new Relay({
    ...deps,
    isNotified: true,
    limits: { ...LIMITS, ...limits },
    counters,
    log,
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
  const chunks = [makeChunk(1n, 10), makeChunk(2n, 600), makeChunk(3n, 10)]
  // Two fill the memory, and the second waits for the only request's end.
  relayed({ outbox: outboxOf(chunks), send }, { requestsMax: 1, lookChunksMax: 2, bytesMax: 600 })
  await expect.poll(() => sent).toEqual([1])
  answer()
  await expect.poll(() => sent).toEqual([1, 2, 3])
})

// The look did not know that the first chunk would be given back: it says nothing about what comes before the second.
it('sends nothing before what was given back while a look was under way', async () => {
  const [first, second] = [makeChunk(1n, 10, 'a'), makeChunk(2n, 10, 'a')]
  const outbox = outboxOf([first, second])
  const sent: number[] = []
  let fail = (): void => undefined
  const failed = new Promise<void>(resolve => {
    fail = resolve
  })
  const look: RelayDeps['outbox']['look'] = async (request, changesBytesMax) => {
    const found = await outbox.look(request, changesBytesMax)
    if (request.knownIds.length === 0) return { ...found, chunks: sent.length === 0 ? [first] : found.chunks }
    fail()
    // Longer than the pause after a failure: the next request may go as soon as this look ends.
    await new Promise(resolve => setTimeout(resolve, 10))
    return found
  }
  const send: RelayDeps['send'] = async (_version, messages) => {
    sent.push(...messages.flat().map(Number))
    if (sent.length > 1) return { outcome: 'accepted' }
    await failed
    return { outcome: 'unavailable', reason: 'test', askedMs: 0 }
  }
  relayed({ outbox: { ...outbox, look }, send }, {})
  await expect.poll(() => sent).toEqual([1, 1, 2])
})
