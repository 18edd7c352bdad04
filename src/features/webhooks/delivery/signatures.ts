// How a receiver knows that a delivery is ours: the specification's X-Service-Signature and the headers of Standard
// Webhooks (https://github.com/standard-webhooks/standard-webhooks), from one secret. Pure but for WebCrypto.

import { decodeBase64 } from '../../../lib/base64.ts'
import { encodeUtf8 } from '../../../lib/utf8.ts'

const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const SECRET_PREFIX = 'whsec_'

/** The two keys of one secret; made once, used for every delivery. */
export interface SigningKeys {
  service: CryptoKey
  standard: CryptoKey
}

export interface SignedMessage {
  /** The same at every attempt and in every replay, so that receivers can drop what they have. */
  webhookId: string
  /** Unix time of this attempt. */
  timestampSeconds: number
  body: Uint8Array<ArrayBuffer>
}

export async function signingKeysOf(secret: string): Promise<SigningKeys> {
  const [service, standard] = await Promise.all([
    importKey(encodeUtf8(secret)),
    importKey(standardKeyBytes(secret)),
  ])
  return { service, standard }
}

/** The id and time of Standard Webhooks, and both signatures where there is a secret. */
export async function messageHeaders(
  keys: SigningKeys | undefined,
  message: SignedMessage,
): Promise<Record<string, string>> {
  const { webhookId, timestampSeconds, body } = message
  const headers = { 'webhook-id': webhookId, 'webhook-timestamp': String(timestampSeconds) }
  if (keys === undefined) return headers
  const prefix = encodeUtf8(`${webhookId}.${timestampSeconds}.`)
  const content = new Uint8Array(prefix.length + body.length)
  content.set(prefix)
  content.set(body, prefix.length)
  const [service, standard] = await Promise.all([
    crypto.subtle.sign(HMAC, keys.service, body),
    crypto.subtle.sign(HMAC, keys.standard, content),
  ])
  return {
    ...headers,
    'x-service-signature': hex(new Uint8Array(service)),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(standard)))}`,
  }
}

/** False for a `whsec_` secret that the libraries could not read: their signature would never match. */
export function isUsableSecret(secret: string): boolean {
  return (
    !secret.startsWith(SECRET_PREFIX) || Boolean(decodeBase64(secret.slice(SECRET_PREFIX.length))?.length)
  )
}

/** What a `whsec_` secret decodes to, as the libraries do; any other secret is taken as it is (their format "raw"). */
function standardKeyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const rest = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : ''
  const decoded = decodeBase64(rest)
  return decoded === undefined || decoded.length === 0 ? encodeUtf8(secret) : decoded
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign'])
}

function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}
