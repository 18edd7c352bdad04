// What supabase-js brings along and does not export: the serializer of version 2.0.0, and Phoenix' presence.

import { createRequire } from 'node:module'

interface Serializer {
  encode(message: object, done: (frame: string | ArrayBuffer) => void): void
  decode(frame: string | ArrayBuffer, done: (message: unknown) => void): void
}

type Heard = (key: string) => void

interface PhoenixPresence {
  syncState(before: object, state: object, onJoin?: Heard, onLeave?: Heard): object
  syncDiff(before: object, diff: object, onJoin?: Heard, onLeave?: Heard): object
}

const ours = createRequire(import.meta.url)
const supabase = createRequire(ours.resolve('@supabase/supabase-js'))
const realtime = createRequire(supabase.resolve('@supabase/realtime-js'))

const { default: SupabaseSerializer } = realtime('./lib/serializer.js') as { default: new () => Serializer }
const serializer = new SupabaseSerializer()

export const { Presence: phoenixPresence } = realtime('@supabase/phoenix') as { Presence: PhoenixPresence }

/** The frame that the client would send. */
export function encoded(message: object): string | ArrayBuffer {
  let frame: string | ArrayBuffer | undefined
  serializer.encode(message, made => {
    frame = made
  })
  return frame ?? ''
}

/** What the client would make of a frame. */
export function decoded(frame: string | Uint8Array | undefined): unknown {
  let message: unknown
  const whole = frame instanceof Uint8Array ? frame.slice().buffer : (frame ?? '')
  serializer.decode(whole, made => {
    message = made
  })
  return message
}
