// What becomes of a consent request, and what of a choice of scopes: pure (Spec, Login bridge and consent).

import type { ConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import { isDeviceFlow } from './request-url.ts'

export type ConsentDecision =
  /** Granted without a screen; `remember`: so that the server can renew without one too (`prompt=none`). */
  { step: 'accept'; remember: boolean } | { step: 'ask' }

/**
 * No screen for a consent that is remembered, nor for a client that the deployment trusts. In device flows there is one
 * always: whoever talks somebody into opening an address with a code must not get in without a question (RFC 8628
 * section 5.4).
 */
export function decideConsent(
  request: Pick<ConsentRequest, 'skip' | 'client' | 'request_url'>,
): ConsentDecision {
  if (isDeviceFlow(request.request_url)) return { step: 'ask' }
  // The server keeps the first consent; one that is skipped is not stored beside it.
  if (request.skip) return { step: 'accept', remember: false }
  return skipsConsent(request.client) ? { step: 'accept', remember: true } : { step: 'ask' }
}

/** The service's own switch in the metadata, and the server's field. */
export function skipsConsent(client: ConsentRequest['client']): boolean {
  return client.metadata['skip_consent'] === true || client.skip_consent === true
}

/** The scopes of a choice that were asked for, in the order of the request, and those that were not. */
export function splitChoice(
  requested: readonly string[],
  chosen: readonly string[],
): { granted: string[]; notRequested: string[] } {
  const [isRequested, isChosen] = [new Set(requested), new Set(chosen)]
  return {
    granted: requested.filter(scope => isChosen.has(scope)),
    notRequested: chosen.filter(scope => !isRequested.has(scope)),
  }
}
