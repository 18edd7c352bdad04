// What every change of a client needs, and the secret of one. See `audited` for what is written down of a change.

import { encodeBytesBase62 } from '../../../lib/base62.ts'
import type { AuditDeps } from '../../audit/audited.ts'
import type { CalledAddressConfig } from './called-addresses.ts'
import type { OAuthClientDeps } from './own-client.ts'

export type ClientChangeDeps = OAuthClientDeps & AuditDeps

/** What it takes to write fields of a client. */
export type ClientFieldsDeps = ClientChangeDeps & { config: CalledAddressConfig }

/** What the audit log calls a client. */
export const TARGET_KIND = 'oauth_client'

/**
 * 256 random bits, in letters and digits: HTTP Basic asks for credentials to be form-encoded, which these need not be.
 */
export function newClientSecret(): string {
  return encodeBytesBase62(crypto.getRandomValues(new Uint8Array(32)), 43)
}
