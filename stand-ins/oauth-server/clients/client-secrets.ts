// Secrets of clients and of what a client registered by itself is managed with: made at random, stored as hashes.

import { createHash, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'

const GENERATED_LENGTH = 26
const GENERATED_ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~'
const SALT_BYTES = 16
const HASH_BYTES = 32
const TOKEN_BYTES = 32
const TOKEN_PREFIX = 'ory_at_'

export function generateSecret(): string {
  return Array.from(
    { length: GENERATED_LENGTH },
    () => GENERATED_ALPHABET[randomInt(GENERATED_ALPHABET.length)],
  ).join('')
}

/** `scrypt$salt$hash`; a secret may be short, since people choose some of them. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return `scrypt$${salt.toString('base64url')}$${(await derive(secret, salt)).toString('base64url')}`
}

/** Whether `secret` is the one of that hash; false for any text that is no hash. */
export async function matchesHash(secret: string, stored: string): Promise<boolean> {
  const [kind, salt, hash] = stored.split('$')
  if (kind !== 'scrypt' || salt === undefined || hash === undefined) return false
  return isEqual(await derive(secret, Buffer.from(salt, 'base64url')), Buffer.from(hash, 'base64url'))
}

/** A token with so much chance in it that a plain hash keeps it safe. */
export function generateRegistrationToken(): string {
  const part = () => randomBytes(TOKEN_BYTES).toString('base64url')
  return `${TOKEN_PREFIX}${part()}.${part()}`
}

/** Of the token with or without its prefix. */
export function hashRegistrationToken(token: string): string {
  return createHash('sha256').update(token.replace(TOKEN_PREFIX, '')).digest('base64url')
}

/** Whether `token` is the one of that hash; false when there is none. */
export function matchesRegistrationToken(token: string, stored: string): boolean {
  return stored !== '' && isEqual(Buffer.from(hashRegistrationToken(token)), Buffer.from(stored))
}

function derive(secret: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, HASH_BYTES, (err, key) => (err ? reject(err) : resolve(key)))
  })
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
