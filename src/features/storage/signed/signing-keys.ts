// Keys of signed addresses, as STORAGE_SIGNING_KEYS names them: the first signs, all verify. A token names its key by
// a hash, so that keys can be exchanged one after the other.

import { decodeBase64 } from '../../../lib/base64.ts'
import { encodeBase64Url } from '../../../lib/base64url.ts'
import { sha256Hex } from '../../../lib/hash.ts'

/** Of the hash; enough to tell a handful of keys apart. */
const KEY_ID_LENGTH = 16

export interface SigningKey {
  /** What a token's header names it by: the same for the same bytes, and no help in finding them. */
  id: string
  key: CryptoKey
}

/** The keys in their order, each base64 of at least 32 bytes. Throws where one is anything else. */
export function importSigningKeys(keysBase64: readonly string[]): Promise<SigningKey[]> {
  return Promise.all(keysBase64.map(importSigningKey))
}

async function importSigningKey(keyBase64: string): Promise<SigningKey> {
  const bytes = decodeBase64(keyBase64)
  if (bytes === undefined || bytes.length < 32)
    throw new Error('STORAGE_SIGNING_KEYS must be base64 of at least 32 bytes each')
  const hash = await sha256Hex(encodeBase64Url(bytes))
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify'])
  return { id: hash.slice(0, KEY_ID_LENGTH), key }
}
