// A wire: paths that clients written for another system call, and what differs there from our own.

import type { ErrorAnswer } from '../error-response.ts'
import type { Content, RawAnswer } from '../route.ts'

export interface Wire {
  /** Of its paths, without a slash at the end: `/storage/v1`. */
  readonly prefix: string
  /** Its refusals in the reference: the name of the response, and the shape by media type. */
  readonly documented: { readonly name: string; readonly content: Content }
  /** A refusal in the shape that its clients read. The headers common to all answers are set by who asks. */
  readonly refusal: (answer: ErrorAnswer, refused: RefusedRequest) => RawAnswer
}

/** The request that a refusal is for. */
export interface RefusedRequest {
  readonly request: Request
  readonly path: string
}
