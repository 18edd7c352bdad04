// Addresses of a client that the OAuth2 server calls by itself, from inside: whoever may write clients must not reach
// through it what stands behind its firewall, or on its machine.

import { DomainError } from '../../../errors.ts'
import type { OAuthClientIn } from './schemas.ts'
import { calledUriProblem } from './uris.ts'

export interface CalledAddressConfig {
  /** For development, where applications are on this machine. */
  allowPrivateWebhookTargets: boolean
}

const CALLED_FIELDS = ['backchannel_logout_uri', 'sector_identifier_uri'] as const

/** Throws `validation_failed` for an address that is not public; loopback passes with `allowPrivateWebhookTargets`. */
export function refusePrivateAddresses(
  { allowPrivateWebhookTargets }: CalledAddressConfig,
  input: OAuthClientIn,
): void {
  for (const field of CALLED_FIELDS) {
    const uri = input[field]
    if (!uri) continue
    const problem = calledUriProblem(uri, allowPrivateWebhookTargets)
    if (problem === undefined) continue
    throw new DomainError('validation_failed', `body.${field}: ${problem}.`, {
      hint: 'The OAuth2 server calls it from inside: it must be at a public address. See docs/deploy.md.',
    })
  }
}
