// The secrets of a session: its token (stored as a hash), the signed cookie that carries the token, and the token that
// ends it. Pure but for randomness.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const TOKEN_LENGTH = 32
const MAC_BYTES = 32

export const SESSION_COOKIE = 'ory_kratos_session'

/** A new `ory_st_…`: 32 letters and digits, about 190 bits. */
export function makeSessionToken(): string {
  return `ory_st_${spell(randomBytes(TOKEN_LENGTH * 2))}`
}

/** What the database holds instead of the token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** `ory_lo_…` of a session: the same for its whole life, and nowhere stored. */
export function logoutToken(secret: string, sessionId: string): string {
  return `ory_lo_${spell(createHmac('sha512', secret).update(`logout ${sessionId}`).digest())}`
}

/** The cookie's value: time of issue and token, signed. A browser can neither make nor change one. */
export function encodeSessionCookie(secret: string, token: string): string {
  const content = Buffer.from(JSON.stringify([Date.now(), randomBytes(6).toString('base64url'), token]))
  return Buffer.concat([sign(secret, content), content]).toString('base64url')
}

/** The token of a value that was made here; says nothing of whether its session lives. */
export function decodeSessionCookie(secret: string, value: string): string | undefined {
  if (!/^[\w-]*$/.test(value) || value.length % 4 === 1) return undefined
  const bytes = Buffer.from(value, 'base64url')
  const content = bytes.subarray(MAC_BYTES)
  if (content.length === 0 || !timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(secret, content)))
    return undefined
  const [, , token]: unknown[] = JSON.parse(content.toString())
  return typeof token === 'string' ? token : undefined
}

/** Constant-time comparison of texts of any length. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(hashToken(a), hashToken(b))
}

function sign(secret: string, content: Buffer): Buffer {
  return createHmac('sha256', secret).update('session cookie\0').update(content).digest()
}

/** Two bytes a letter keep the bias of the remainder under a tenth of a percent. */
function spell(bytes: Buffer): string {
  let text = ''
  for (let i = 0; i < TOKEN_LENGTH; i++) text += ALPHABET[bytes.readUInt16BE(i * 2) % ALPHABET.length]
  return text
}
