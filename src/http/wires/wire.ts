// A wire: paths that clients written for another system call, and what differs there from our own.

import type { ErrorAnswer } from '../error-response.ts'
import type { RawAnswer } from '../route.ts'

export interface Wire {
  /** Of its paths, without a slash at the end: `/storage/v1`. */
  readonly prefix: string
  /** A refusal in the shape that its clients read. The headers common to all answers are set by who asks. */
  readonly refusal: (answer: ErrorAnswer, refused: RefusedRequest) => RawAnswer
}

/** The request that a refusal is for. */
export interface RefusedRequest {
  readonly request: Request
  readonly path: string
}
