// The opaque values of codes and tokens: 512 random bits in Hydra's two halves, with a prefix that says what they are.
// Only their hashes are stored (token-store.ts). Beside them the short codes that people type.

import { randomBytes, randomInt } from 'node:crypto'

const HALF_BYTES = 32

const PREFIXES = { code: 'ory_ac_', access: 'ory_at_', refresh: 'ory_rt_', device: 'ory_dc_' }

export type TokenKind = keyof typeof PREFIXES

/** A new value of this kind, of the form `ory_at_<43 characters>.<43 characters>`. */
export function opaqueValue(kind: TokenKind): string {
  const half = () => randomBytes(HALF_BYTES).toString('base64url')
  return `${PREFIXES[kind]}${half()}.${half()}`
}

/** No two of these look alike. Small and capital letters are different ones, as with Hydra. */
const USER_CODE_ALPHABET = 'abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'
const USER_CODE_CHARACTERS = 8

/** A new code for the user of a device. */
export function newUserCode(): string {
  return Array.from({ length: USER_CODE_CHARACTERS }, () =>
    USER_CODE_ALPHABET.charAt(randomInt(USER_CODE_ALPHABET.length)),
  ).join('')
}
