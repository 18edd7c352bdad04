// What becomes of a chunk, by where the upload stands. Pure.

import type { ChunkHeaders } from './protocol.ts'
import type { UploadFailure } from './upload-contract.ts'

interface Standing {
  readonly offset: number
  readonly length: number | null
  readonly bytesMax: number
}

/**
 * What to do, with the length as it is known now. Of an upload that is whole the last chunk may come again, or an empty
 * one: the answer to it was lost, and there is nothing to store.
 */
export type WriteDecision =
  | { outcome: 'receive'; length: number | null; bytesMax: number }
  | { outcome: 'repeated' }
  | UploadFailure

export function decideWrite({ offset, length, bytesMax }: Standing, chunk: ChunkHeaders): WriteDecision {
  const said = chunk.length ?? null
  if (said !== null && said !== (length ?? said)) return { outcome: 'other_length', length }
  const whole = length ?? said
  if (whole !== null && whole > bytesMax) return { outcome: 'too_large', bytesMax }
  if (length === offset && isLast(chunk, length)) return { outcome: 'repeated' }
  if (chunk.offset !== offset) return { outcome: 'elsewhere', offset }
  if (whole !== null && whole < offset) return { outcome: 'other_length', length }
  const room = (whole ?? bytesMax) - offset
  if ((chunk.bytes ?? 0) > room) return { outcome: 'too_large', bytesMax: whole ?? bytesMax }
  return { outcome: 'receive', length: whole, bytesMax: room }
}

function isLast({ offset, bytes }: ChunkHeaders, length: number): boolean {
  return bytes === undefined ? offset <= length : offset + bytes === length
}
