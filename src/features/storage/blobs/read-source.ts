// Reads the body of an upload, chunk by chunk, and says of its failures whose they are.

import { DomainError } from '../../../errors.ts'
import { type Deadline, DeadlinePassed } from '../../../lib/deadline.ts'

/** A body's chunks, none of which is empty, and its end as undefined. */
export interface Source {
  /**
   * The next bytes, at most `bytesMax`. Throws what the body failed with if that is a `DomainError`, else
   * `invalid_body`.
   */
  read(bytesMax?: number): Promise<Uint8Array | undefined>
  /** Lets go of the rest; never throws. */
  cancel(): Promise<void>
}

/** Reads a body of which nothing may come for at most `timeoutMs`. */
export function sourceOf(
  body: ReadableStream<Uint8Array>,
  { deadline, timeoutMs }: { deadline: Deadline; timeoutMs: number },
): Source {
  const reader = body.getReader()
  let held: Uint8Array = new Uint8Array()

  async function readChunk(): Promise<Uint8Array | undefined> {
    try {
      const { value } = await deadline(timeoutMs, reader.read())
      return value
    } catch (cause) {
      throw brokenBody(cause)
    }
  }

  return {
    async read(bytesMax = Number.POSITIVE_INFINITY) {
      while (held.byteLength === 0) {
        const chunk = await readChunk()
        if (chunk === undefined) return undefined
        held = chunk
      }
      const taken = held.subarray(0, bytesMax)
      held = held.subarray(taken.byteLength)
      return taken
    },
    async cancel() {
      await deadline(timeoutMs, reader.cancel()).catch(() => undefined)
    },
  }
}

/** For a body that has another length than was said. */
export function wrongLength(expected: number, found: 'more' | 'less'): DomainError {
  return new DomainError('invalid_body', `The body has ${found} than the ${expected} bytes that were said.`, {
    hint: 'Send it again, whole, with its true length.',
  })
}

function brokenBody(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause
  const message = cause instanceof DeadlinePassed ? 'Nothing more of the body came.' : 'The body broke off.'
  return new DomainError('invalid_body', message, { hint: 'Send it again, whole.', cause })
}
