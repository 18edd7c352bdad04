/**
 * Owns the decision what is sent now: which waiting chunks may go, which go together, and how they fill messages and
 * requests. Pure: no I/O, no clock; the chunks that are not in the plan go on waiting.
 */
import { groupChunks, type KeyedChunk, KeySet } from './chunk-keys.ts'
import type { ListenerLimits } from './config.ts'

export interface PlannedChunk extends KeyedChunk {
  /** Bytes of the chunk in a message. */
  readonly bytes: number
  /** Bytes that the consumer reads from the outbox for it; 0 when the changes go along. */
  readonly referencedBytes: number
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
  { messageBytesMax, referencedBytesMax }: Pick<ListenerLimits, 'messageBytesMax' | 'referencedBytesMax'>,
): C[][] {
  const fill = <T>(items: readonly T[], chunksOf: (item: T) => readonly C[]): T[][] =>
    fillBins(items, [messageBytesMax, referencedBytesMax], item => [
      sum(chunksOf(item), ({ bytes }) => bytes + 1),
      sum(chunksOf(item), ({ referencedBytes }) => referencedBytes),
    ])
  const groups = groupChunks(chunksThatMayGo(waiting, held)).flatMap(group =>
    fill(group, one => [one]).slice(0, 1),
  )
  // A message of strangers is filled group by group; inside it all go by their ids.
  return fill(groups, group => group).map(message => message.flat().sort((a, b) => (a.id < b.id ? -1 : 1)))
}

/** Puts messages into at most `requestsMax` requests, in order; what finds no room is left out. */
export function packRequests<C extends PlannedChunk>(
  messages: readonly C[][],
  {
    messagesPerRequestMax,
    requestBytesMax,
    requestsMax,
  }: Pick<ListenerLimits, 'messagesPerRequestMax' | 'requestBytesMax' | 'requestsMax'>,
): C[][][] {
  const requests = fillBins(messages, [messagesPerRequestMax, requestBytesMax], message => [
    1,
    MESSAGE_FRAME_BYTES + sum(message, ({ bytes }) => bytes + 1),
  ])
  return requests.slice(0, requestsMax)
}

function chunksThatMayGo<C extends PlannedChunk>(waiting: readonly C[], held: KeySet): C[] {
  const staying = new KeySet()
  return waiting.filter(chunk => {
    const mayGo = !held.conflictsWith(chunk) && !staying.conflictsWith(chunk)
    if (!mayGo) staying.add(chunk)
    return mayGo
  })
}

/** Fills one bin after the other, in order. An item has several sizes; one that is too large gets a bin of its own. */
function fillBins<T>(
  items: readonly T[],
  maxima: readonly number[],
  sizesOf: (item: T) => readonly number[],
): T[][] {
  const bins: T[][] = []
  let filled: readonly number[] = []
  for (const item of items) {
    const sizes = sizesOf(item)
    const sums = sizes.map((size, i) => size + (filled[i] ?? 0))
    const bin = bins.at(-1)
    const fits = bin !== undefined && maxima.every((max, i) => (sums[i] ?? 0) <= max)
    if (fits) bin.push(item)
    else bins.push([item])
    filled = fits ? sums : sizes
  }
  return bins
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
