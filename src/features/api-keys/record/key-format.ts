// How an API key is written: `svc_pk_` or `svc_sk_`, 32 random bytes in base62, a checksum.
// Touches nothing: whether a well-formed key exists is for its limiter to say.

import { encodeBase62, encodeBytesBase62, isBase62From } from '../../../lib/base62.ts'
import { crc32Ascii } from '../../../lib/crc32.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import type { ApiKeyRole } from './schemas.ts'

/** What a key of each role begins with (specification, API key). */
export const KEY_PREFIX: Record<ApiKeyRole, string> = { anon: 'svc_pk_', service_role: 'svc_sk_' }

const PREFIX_LENGTH = 7
const SECRET_BYTES = 32
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = 43
/** 62^6 is above 2^32, so the checksum always fits. */
const CHECKSUM_LENGTH = 6
const CHECKED_LENGTH = PREFIX_LENGTH + SECRET_LENGTH
const KEY_LENGTH = CHECKED_LENGTH + CHECKSUM_LENGTH

/** A new key with 256 random bits. The caller shows it once and keeps only its hash. */
export function generateKey(role: ApiKeyRole): string {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const checked = KEY_PREFIX[role] + encodeBytesBase62(secret, SECRET_LENGTH)
  return checked + checksum(checked)
}

/** The role that the text claims, or null when its form or checksum is wrong. Says nothing about whether it exists. */
export function parseKey(text: string): { role: ApiKeyRole } | null {
  if (text.length !== KEY_LENGTH) return null
  const role = roleOfPrefix(text)
  if (role === null || !isBase62From(text, PREFIX_LENGTH)) return null
  return text.endsWith(checksum(text)) ? { role } : null
}

/** How a key is stored and how its limiter is named: SHA-256 in hex. 256 random bits need no slow hash. */
export function hashKey(key: string): Promise<string> {
  return sha256Hex(key)
}

/** What lists show of a key, to recognise it by. */
export function describeKey(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, PREFIX_LENGTH), lastFour: key.slice(-4) }
}

function roleOfPrefix(text: string): ApiKeyRole | null {
  if (text.startsWith(KEY_PREFIX.anon)) return 'anon'
  return text.startsWith(KEY_PREFIX.service_role) ? 'service_role' : null
}

function checksum(text: string): string {
  return encodeBase62(crc32Ascii(text, CHECKED_LENGTH), CHECKSUM_LENGTH)
}
