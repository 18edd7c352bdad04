// Values that a browser keeps for us and must not change: JSON with an HMAC beside it. Signed, not encrypted: nothing
// secret goes in.

import { decodeBase64Url, encodeBase64Url } from '../../../lib/base64url.ts'

const encoder = new TextEncoder()

/** Longer than anything that is sealed here. */
const SEALED_LENGTH_MAX = 4_096

/** The value as text for a cookie: base64url of the JSON, a dot, base64url of the HMAC-SHA-256. */
export async function seal(secret: string, value: unknown): Promise<string> {
  const payload = encoder.encode(JSON.stringify(value))
  const mac = await crypto.subtle.sign('HMAC', await signingKey(secret), payload)
  return `${encodeBase64Url(payload)}.${encodeBase64Url(new Uint8Array(mac))}`
}

/** The value that was sealed with the same secret; undefined for everything else. */
export async function unseal(secret: string, sealed: string): Promise<unknown> {
  if (sealed.length > SEALED_LENGTH_MAX) return undefined
  const [payload, mac] = sealed.split('.').map(decodeBase64Url)
  if (payload === undefined || mac === undefined) return undefined
  const isOurs = await crypto.subtle.verify('HMAC', await signingKey(secret), mac, payload)
  return isOurs ? JSON.parse(new TextDecoder().decode(payload)) : undefined
}

/** Derived (HKDF, RFC 5869), so that what the secret is for elsewhere has nothing to do with these signatures. */
async function signingKey(secret: string): Promise<CryptoKey> {
  const source = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: encoder.encode('quoin'),
    info: encoder.encode('bridge cookies'),
  }
  const purpose = { name: 'HMAC', hash: 'SHA-256', length: 256 }
  return await crypto.subtle.deriveKey(derivation, source, purpose, false, ['sign', 'verify'])
}
