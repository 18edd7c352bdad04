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
    'webhook-signature': `v1,${encodeBase64(new Uint8Array(standard))}`,
  }
}

/**
 * Why a receiver would read a secret otherwise than we do, so that no signature ever matched; undefined for a good one.
 * Libraries differ in what they forgive: some take other base64 than the standard's, others drop what they do not know.
 */
export function secretProblem(secret: string): string | undefined {
  if (secret.trim() !== secret) return 'must not begin or end with a blank or a line break'
  if (/\p{Cc}/u.test(secret)) return 'must hold no control characters'
  if (/^wh[sp]k_/i.test(secret)) return 'is an asymmetric key of Standard Webhooks: use `whsec_` and base64'
  if (!/whsec_/i.test(secret)) return undefined
  if (!secret.startsWith(SECRET_PREFIX))
    return 'must begin with `whsec_`, in lower case and with nothing before it'
  const base64 = secret.slice(SECRET_PREFIX.length)
  const bytes = decodeBase64(base64)
  if (bytes?.length && encodeBase64(bytes) === base64) return undefined
  return (
    '`whsec_` must be followed by standard base64 with its padding, as every library reads it: ' +
    'echo whsec_$(openssl rand -base64 32)'
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

function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}
