// The opaque values of codes and tokens: 512 random bits in Hydra's two halves, with a prefix that says what they are.
// Only their hashes are stored (provider/provider-adapter.ts).

import { randomBytes } from 'node:crypto'

const HALF_BYTES = 32

const PREFIXES = {
  authorizationCode: 'ory_ac_',
  accessToken: 'ory_at_',
  refreshToken: 'ory_rt_',
  deviceCode: 'ory_dc_',
}

/** A new value of this kind, of the form `ory_at_<43 characters>.<43 characters>`. */
export function opaqueValue(kind: keyof typeof PREFIXES): string {
  const half = () => randomBytes(HALF_BYTES).toString('base64url')
  return `${PREFIXES[kind]}${half()}.${half()}`
}
