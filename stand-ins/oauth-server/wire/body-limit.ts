// How large a body may be that this server reads whole. Hydra has no such limit; nobody's client or key set is as
// large.

import { bodyLimit } from 'hono/body-limit'
import { HydraError } from './hydra-error.ts'

const BODY_BYTES_MAX = 5 * 1024 * 1024

/** A middleware for routes that read their body with Hono: more is a 413. Not for what reads Node's own request. */
export const limitBody = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: () => {
    throw new HydraError(413, 'The request is too large', `A body has at most ${BODY_BYTES_MAX} bytes.`)
  },
})
