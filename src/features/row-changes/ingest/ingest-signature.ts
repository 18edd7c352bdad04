// How the listener proves to the Worker that a request is its own, and nobody changed it: `X-Quoin-Timestamp` and
// `X-Quoin-Signature: v1=<hex HMAC-SHA256(secret, timestamp.method.path.body)>`. Pure but for
// WebCrypto, shared by both sides.

export const TIMESTAMP_HEADER = 'x-quoin-timestamp'
export const SIGNATURE_HEADER = 'x-quoin-signature'

/**
 * How far the clocks of listener and Worker may be apart: an older request is a replay, and refused. A younger one is
 * taken again and does no harm: its changes are those that were sent before, and objects store each once.
 */
export const TIMESTAMP_TOLERANCE_SECONDS = 300
/** A shorter secret is refused by both sides. */
export const SECRET_BYTES_MIN = 32

export interface SignedRequest {
  /** Upper case. */
  method: string
  /** With the query string, as it is on the wire. */
  path: string
  body: Uint8Array
}

const encoder = new TextEncoder()

/** The two headers for a request that is sent at `timestampSeconds` (Unix time). */
export async function signIngest(
  secret: string,
  timestampSeconds: number,
  request: SignedRequest,
): Promise<Record<string, string>> {
  const signed = signedBytes(timestampSeconds, request)
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(secret), signed))
  const signature = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
  return { [TIMESTAMP_HEADER]: String(timestampSeconds), [SIGNATURE_HEADER]: `v1=${signature}` }
}

/**
 * True when one of `secrets` (two during a rotation) signed this request within the tolerance. Compares in constant
 * time; secrets that are too short never match.
 */
export async function verifyIngest(
  secrets: readonly string[],
  headers: Headers,
  request: SignedRequest,
  nowSeconds: number,
): Promise<boolean> {
  const timestamp = headers.get(TIMESTAMP_HEADER) ?? ''
  const signature = /^v1=([0-9a-f]{64})$/.exec(headers.get(SIGNATURE_HEADER) ?? '')?.[1]
  if (signature === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowSeconds - Number(timestamp)) > TIMESTAMP_TOLERANCE_SECONDS) return false
  const signed = signedBytes(Number(timestamp), request)
  const given = Uint8Array.from(signature.match(/../g) ?? [], byte => Number.parseInt(byte, 16))
  const usable = secrets.filter(secret => encoder.encode(secret).length >= SECRET_BYTES_MIN)
  const results = await Promise.all(
    usable.map(async secret => crypto.subtle.verify('HMAC', await hmacKey(secret), given, signed)),
  )
  return results.includes(true)
}

function signedBytes(
  timestampSeconds: number,
  { method, path, body }: SignedRequest,
): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${timestampSeconds}.${method}.${path}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  return signed
}

function hmacKey(secret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign', 'verify'])
}
