// What a key's limiter is named by, from the key that came with a request.

import { BoundedMap } from '../../../lib/bounded-map.ts'
import { hashKey, parseKey } from './key-format.ts'

/** How many keys an isolate remembers; an older one only costs a hash and a look-up again. */
const SEEN_KEYS_MAX = 10_000

/**
 * Gives a key's hash; null where its form or checksum is wrong. SHA-256 costs a tenth of a constant answer, so the hash
 * of a key that was seen is kept.
 */
export function makeKeyIdentifier(): (text: string) => Promise<string | null> {
  const hashes = new BoundedMap<string, string>(SEEN_KEYS_MAX)
  return async text => {
    const known = hashes.get(text)
    if (known !== undefined) return known
    if (parseKey(text) === null) return null
    const hash = await hashKey(text)
    hashes.set(text, hash)
    return hash
  }
}
