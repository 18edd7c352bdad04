// Reads the body of an upload, chunk by chunk, and says of its failures whose they are.

import { DomainError } from '../../../errors.ts'
import { type Deadline, DeadlinePassed } from '../../../lib/deadline.ts'

/** A body's chunks, and its end as undefined. */
export interface Source {
  /** Throws what the body failed with, if that is a `DomainError`, else `invalid_body`. */
  read(): Promise<Uint8Array | undefined>
  /** Lets go of the rest; never throws. */
  cancel(): Promise<void>
}

/** Reads a body of which nothing may come for at most `timeoutMs`. */
export function sourceOf(
  body: ReadableStream<Uint8Array>,
  { deadline, timeoutMs }: { deadline: Deadline; timeoutMs: number },
): Source {
  const reader = body.getReader()
  return {
    async read() {
      try {
        const { value } = await deadline(timeoutMs, reader.read())
        return value
      } catch (cause) {
        throw brokenBody(cause)
      }
    },
    async cancel() {
      await deadline(timeoutMs, reader.cancel()).catch(() => undefined)
    },
  }
}

/** For a body that has another length than was said. */
export function wrongLength(expected: number, found: string): DomainError {
  return new DomainError('invalid_body', `The body has ${found} than the ${expected} bytes that were said.`, {
    hint: 'Send it again, whole, with its true length.',
  })
}

function brokenBody(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause
  const message = cause instanceof DeadlinePassed ? 'Nothing more of the body came.' : 'The body broke off.'
  return new DomainError('invalid_body', message, { hint: 'Send it again, whole.', cause })
}
