// Whether a request comes from the listener, by the secrets of this deployment.

import { SECRET_BYTES_MIN, type SignedRequest, verifyIngest } from './ingest-signature.ts'

export type VerifyIngest = (headers: Headers, request: SignedRequest) => Promise<boolean>

/** Undefined when none of the secrets is long enough: then nothing can be told apart from a forgery. */
export function makeIngestVerifier({
  secrets,
  now,
}: {
  secrets: readonly string[]
  now: () => Date
}): VerifyIngest | undefined {
  const usable = secrets.filter(secret => new TextEncoder().encode(secret).length >= SECRET_BYTES_MIN)
  if (usable.length === 0) return undefined
  return (headers, request) => verifyIngest(usable, headers, request, Math.floor(now().getTime() / 1_000))
}
