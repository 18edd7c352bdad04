// The credential check of /internal: the listener signs each request over its raw bytes, so these are read here, before
// anything in them is looked at.

import { DomainError } from '../../errors.ts'
import { readBytes } from '../body.ts'
import type { Arrival } from './arrival.ts'

/** What is signed; by shape, as `features/row-changes/ingest` has it. */
export interface SignedBytes {
  method: string
  path: string
  body: Uint8Array
}

export interface ListenerDeps {
  /** Undefined: the deployment has no usable secret. */
  verifyIngest: ((headers: Headers, signed: SignedBytes) => Promise<boolean>) | undefined
}

/**
 * Admits a request that the listener signed, and leaves its body. Throws `ingest_not_configured` or
 * `invalid_ingest_signature`.
 */
export async function admitListener({ verifyIngest }: ListenerDeps, arrival: Arrival): Promise<null> {
  if (verifyIngest === undefined) {
    throw new DomainError('ingest_not_configured', 'This deployment takes no row changes.', {
      hint: 'Set INGEST_SECRET to the same secret of at least 32 bytes for the Worker and the listener.',
      retryAfterSeconds: 60,
    })
  }
  const { headers, method, url } = arrival.request
  const body = await readBytes(arrival.request, arrival.bodyBytesMax)
  if (await verifyIngest(headers, { method, path: pathAndSearchOf(url), body })) {
    arrival.signedBody = body
    return null
  }
  throw new DomainError(
    'invalid_ingest_signature',
    'The request was not signed with this deployment’s secret, or longer ago than 300 s.',
    { hint: 'Check INGEST_SECRET on both sides, and the clock of the machine that the listener runs on.' },
  )
}

/** By hand: the runtime takes a Host header that is no host name, and `new URL` throws for it. */
function pathAndSearchOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + 3))
}
