// Passwords: how they are hashed, compared and imported, and which ones a visitor may not choose. Every comparison
// costs one hash, also for an unknown person, so that the time it takes tells nobody who is known.

import { pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Node's own defaults: enough for a server that runs where Quoin is developed. */
const SCRYPT = { N: 2 ** 14, r: 8, p: 1 }
const SCRYPT_COST_MAX = 2 ** 17
const SCRYPT_MEMORY_MAX_BYTES = 256 * 1024 * 1024
const PBKDF2_ITERATIONS_MAX = 2_000_000
const SALT_BYTES = 16
const HASH_BYTES = 32

/**
 * The hashes that an import takes. Of these only scrypt and PBKDF2 can be compared here; the others are kept but
 * never match.
 */
const KNOWN_HASHES = [
  /^\$(2[abzy]?|argon2id?|pbkdf2(-sha(1|224|256|384|512))?|scrypt|firescrypt|sha(1|256|512)|md5|[156])\$/,
  /^\$(hmac-|ssha)/,
  /^\{(S?SHA(256|512)?|CRYPT)\}/,
]

const PASSWORD_LENGTH_MIN = 8
/** As in Kratos with bcrypt, which reads no further. */
export const PASSWORD_BYTES_MAX = 72
const DISTANCE_MIN = 5
const SHARED_PART_MAX = 0.5
const COMPARED_LENGTH_MAX = 255

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
  if (kind === 'scrypt') {
    const cost = { N: number('ln'), r: number('r'), p: number('p') }
    if (!(cost.N <= SCRYPT_COST_MAX && cost.r <= 16 && cost.p <= 4)) return undefined
    return { expected, of: password => deriveScrypt(password, salt, expected.length, cost) }
  }
  const digest = /^pbkdf2-(sha\d+)$/.exec(kind ?? '')?.[1]
  const iterations = number('i')
  if (digest === undefined || !(iterations <= PBKDF2_ITERATIONS_MAX)) return undefined
  return { expected, of: password => promisify(pbkdf2)(password, salt, iterations, expected.length, digest) }
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
  return identifiers.some(identifier => isSimilar(password.toLowerCase(), identifier))
    ? { fault: 'like the identifier' }
    : undefined
}

function isSimilar(password: string, identifier: string): boolean {
  if (identifier === '' || identifier.length > COMPARED_LENGTH_MAX) return false
  const { distance, sharedLength } = compareTexts(identifier, password)
  return distance < DISTANCE_MIN || sharedLength / password.length > SHARED_PART_MAX
}

/** Levenshtein distance and the length of the longest common substring, in one pass over the table. */
function compareTexts(a: string, b: string): { distance: number; sharedLength: number } {
  let above = Array.from({ length: b.length + 1 }, (_, i) => ({ distance: i, run: 0 }))
  let sharedLength = 0
  for (let i = 1; i <= a.length; i++) {
    const row = [{ distance: i, run: 0 }]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const diagonal = above[j - 1] ?? row[0]
      const run = isSame ? (diagonal?.run ?? 0) + 1 : 0
      const edits = [(above[j]?.distance ?? 0) + 1, (row[j - 1]?.distance ?? 0) + 1]
      row.push({ distance: Math.min(...edits, (diagonal?.distance ?? 0) + (isSame ? 0 : 1)), run })
      sharedLength = Math.max(sharedLength, run)
    }
    above = row
  }
  return { distance: above[b.length]?.distance ?? 0, sharedLength }
}
