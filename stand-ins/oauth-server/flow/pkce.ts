// Proof Key for Code Exchange (pure). RFC 7636; only S256, and public clients must use it.

import { createHash } from 'node:crypto'
import type { HydraError } from '../wire/hydra-error.ts'
import { invalidGrant, invalidRequest } from './oauth-errors.ts'

/** RFC 7636 §4.1. */
const VERIFIER = /^[\w.\-~]{43,128}$/

/** What is wrong with the challenge of an authorization request that asks for a code. */
export function challengeFault(
  challenge: string | null,
  method: string | null,
  isPublicClient: boolean,
): HydraError | undefined {
  if (!challenge) return isPublicClient ? invalidRequest(CHALLENGE_MISSING) : undefined
  if (method === 'S256') return undefined
  return method && method !== 'plain'
    ? invalidRequest('The code_challenge_method is not supported, use S256 instead.')
    : invalidRequest('Clients must use code_challenge_method=S256, plain is not allowed.')
}

/** What is wrong with the verifier that comes with a code; `challenge` is undefined when the request had none. */
export function verifierFault(
  verifier: string,
  challenge: string | undefined,
  isPublicClient: boolean,
): HydraError | undefined {
  if (challenge === undefined) {
    if (verifier) return invalidGrant('Unable to find initial PKCE data tied to this request')
    return isPublicClient ? invalidRequest(CHALLENGE_MISSING) : undefined
  }
  if (!VERIFIER.test(verifier)) return invalidGrant('The PKCE code verifier is no such text.')
  const expected = createHash('sha256').update(verifier).digest('base64url')
  return expected === challenge
    ? undefined
    : invalidGrant('The PKCE code challenge did not match the code verifier.')
}

const CHALLENGE_MISSING =
  'This client must include a code_challenge when performing the authorize code flow, but it is missing.'
