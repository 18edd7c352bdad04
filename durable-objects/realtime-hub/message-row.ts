// A row of `realtime.messages` as the broadcast that it is.

import { memberTexts } from '../../src/features/realtime/json-pieces.ts'
import type { BroadcastPayload } from '../../src/features/realtime/wire/frames.ts'

export interface RowMessage {
  readonly id: string
  /** Without `realtime:`. */
  readonly topic: string
  readonly event: string
  readonly isPrivate: boolean
  readonly payload: BroadcastPayload
}

/** Undefined: it is no broadcast. The payload stays the text that Postgres wrote. */
export function messageOf(row: string | null): RowMessage | undefined {
  if (row === null) return undefined
  const members = memberTexts(row)
  const textOf = (name: string) => members.get(name) ?? 'null'
  const read = (name: string) => JSON.parse(textOf(name)) as unknown
  if (read('extension') !== 'broadcast') return undefined
  const binary = read('binary_payload')
  return {
    id: String(read('id')),
    topic: String(read('topic')),
    event: String(read('event') ?? ''),
    isPrivate: read('private') === true,
    payload:
      typeof binary === 'string'
        ? { encoding: 'binary', bytes: bytesOf(binary) }
        : { encoding: 'json', json: textOf('payload') },
  }
}

/** Postgres writes bytes as `\x` and hexadecimal digits. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.slice(2).match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}
