// Passwords: how they are hashed, compared and imported, and which ones a visitor may not choose. Every comparison
// costs one hash, also for an unknown person, so that the time it takes tells nobody who is known.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** Node's own defaults: enough for a server that runs where Quoin is developed. */
const SCRYPT = { N: 2 ** 14, r: 8, p: 1 }
const SCRYPT_COST_MAX = 2 ** 17
const SCRYPT_MEMORY_MAX_BYTES = 256 * 1024 * 1024
const SALT_BYTES = 16
const HASH_BYTES = 32

/** The hashes that an import takes. Of these only scrypt can be compared here; the others are kept but never match. */
const KNOWN_HASHES = [
  /^\$(2[abzy]?|argon2id?|pbkdf2(-sha(1|224|256|384|512))?|scrypt|firescrypt|sha(1|256|512)|md5|[156])\$/,
  /^\$(hmac-|ssha)/,
  /^\{(S?SHA(256|512)?|CRYPT)\}/,
]

const PASSWORD_LENGTH_MIN = 8
/** As in Kratos with bcrypt, which reads no further. */
export const PASSWORD_BYTES_MAX = 72

export function isKnownHash(text: string): boolean {
  return KNOWN_HASHES.some(pattern => pattern.test(text))
}

/** `$scrypt$ln=N,r=R,p=P$salt$hash`, the spelling that Kratos imports. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await deriveScrypt(password, salt, HASH_BYTES, SCRYPT)
  const { N, r, p } = SCRYPT
  return `$scrypt$ln=${N},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`
}

/**
 * Compares in constant time. Without a hash to compare with, or with one of an unknown kind: false after the same
 * work.
 */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const derive = hash === undefined ? undefined : parseHash(hash)
  if (derive === undefined) {
    await deriveScrypt(password, Buffer.alloc(SALT_BYTES), HASH_BYTES, SCRYPT)
    return false
  }
  return timingSafeEqual(await derive.of(password), derive.expected)
}

interface ParsedHash {
  readonly expected: Buffer
  of(password: string): Promise<Buffer>
}

function parseHash(hash: string): ParsedHash | undefined {
  const [, kind, parameters = '', salt64 = '', hash64 = ''] = hash.split('$')
  const salt = Buffer.from(salt64, 'base64')
  const expected = Buffer.from(hash64, 'base64')
  if (expected.length < SALT_BYTES) return undefined
  const number = (name: string) =>
    Number(new RegExp(`(?:^|,)${name}=(\\d{1,9})(?:,|$)`).exec(parameters)?.[1])
  const cost = { N: number('ln'), r: number('r'), p: number('p') }
  const isKnown = kind === 'scrypt' && cost.N <= SCRYPT_COST_MAX && cost.r <= 16 && cost.p <= 4
  return isKnown
    ? { expected, of: password => deriveScrypt(password, salt, expected.length, cost) }
    : undefined
}

function deriveScrypt(password: string, salt: Buffer, length: number, cost: typeof SCRYPT): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: SCRYPT_MEMORY_MAX_BYTES }
    scrypt(password, salt, length, options, (err, key) => (err === null ? resolve(key) : reject(err)))
  })
}

/** Why a visitor may not choose this password. */
export type PasswordFault =
  | { readonly fault: 'short'; readonly min: number; readonly actual: number }
  | { readonly fault: 'long' }
  | { readonly fault: 'like the identifier' }

/**
 * The policy for sign-up; the admin API has none. Lists of leaked passwords are not asked: this runs without a
 * network.
 */
export function findPasswordFault(
  password: string,
  identifiers: readonly string[],
): PasswordFault | undefined {
  const bytes = Buffer.byteLength(password)
  if (bytes < PASSWORD_LENGTH_MIN) return { fault: 'short', min: PASSWORD_LENGTH_MIN, actual: bytes }
  if (bytes > PASSWORD_BYTES_MAX) return { fault: 'long' }
  const small = password.toLowerCase()
  const isLike = (identifier: string) => identifier.includes(small) || small.includes(identifier)
  return identifiers.some(isLike) ? { fault: 'like the identifier' } : undefined
}
