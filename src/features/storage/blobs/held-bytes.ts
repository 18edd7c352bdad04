// How many bytes of bodies one isolate holds at a time. Those of unknown length are held part by part, as resumable
// uploads are, and an isolate has 128 MB for all of its requests.

import { DomainError } from '../../../errors.ts'

const HELD_BYTES_MAX = 48 * 1024 * 1024

/** Counts what bodies hold together. */
export class HeldBytes {
  readonly #max: number
  #held = 0

  constructor(max: number = HELD_BYTES_MAX) {
    this.#max = max
  }

  /** Opens one body's account. */
  open(): HeldBody {
    let most = 0
    return {
      grow: bytes => {
        const more = Math.max(0, bytes - most)
        if (this.#held + more > this.#max) throw tooMuchHeld(this.#max)
        this.#held += more
        most += more
      },
      close: () => {
        this.#held -= most
        most = 0
      },
    }
  }
}

/** All of the isolate's: its memory is one, whoever asks for it. */
export const isolateHeld = new HeldBytes()

/** The bytes that one body holds; memory that it once had it keeps to its end. */
export interface HeldBody {
  /** Says how many it holds now. Throws `storage_unavailable` where there is no room for them. */
  grow(bytes: number): void
  close(): void
}

function tooMuchHeld(max: number): DomainError {
  return new DomainError('storage_unavailable', 'Too many uploads are under way here at once.', {
    detail: `Bodies without Content-Length and parts of resumable uploads hold at most ${max} bytes together.`,
    hint: 'Send it again in a moment, or in one request with its Content-Length, which needs no holding.',
    retryAfterSeconds: 5,
  })
}
