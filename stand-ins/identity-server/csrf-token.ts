// Tokens against cross-site requests: a secret in a cookie, and a masked copy of it in every form. The copy is
// different each time, so that a compressed page does not give the secret away (BREACH). Pure but for randomness.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** A cookie of its own for each public address, as several servers may share a host. */
export function csrfCookieName(publicUrl: string): string {
  return `csrf_token_${createHash('sha256').update(publicUrl).digest('hex')}`
}

export function makeCsrfSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

export function isCsrfSecret(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text)
}

/** The form's token: 88 characters, mask and masked secret. */
export function maskCsrfSecret(secret: string): string {
  const mask = randomBytes(SECRET_BYTES)
  return Buffer.concat([mask, xor(mask, Buffer.from(secret, 'base64url'))]).toString('base64')
}

/** Whether the token was made of this secret; false for anything that is no token. */
export function isCsrfTokenOf(secret: string, token: string): boolean {
  const bytes = Buffer.from(token, 'base64')
  if (bytes.length !== SECRET_BYTES * 2) return false
  const unmasked = xor(bytes.subarray(0, SECRET_BYTES), bytes.subarray(SECRET_BYTES))
  return timingSafeEqual(unmasked, Buffer.from(secret, 'base64url'))
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ (b[i] ?? 0)))
}
