// JSON Web Keys from outside, as go-jose reads and writes them: the key must be complete and consistent; members that
// it does not know, and leading zeros of RSA numbers, are gone afterwards.

import { createPublicKey, type JsonWebKey, X509Certificate } from 'node:crypto'
import { anything, DecodeError, decodeObject, type FieldDecoder, text, texts } from '../../service/go-json.ts'
import { parseUrl } from '../wire/go-url.ts'
import { type Jwk, orderedJwk } from './jwk.ts'

/** Bytes of a coordinate, and of the private number. */
const COORDINATE_BYTES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }
const ED25519_BYTES = 32

/** Base64url text as bytes, padding or not; an empty text is no bytes. */
const bytes: FieldDecoder = (value, at) => {
  const encoded = text(value, at)
  if (encoded === undefined) return undefined
  const given = String(encoded).replace(/=+$/, '')
  if (!/^[\w-]*$/.test(given) || given.length % 4 === 1) throw new DecodeError('illegal base64 data')
  return Buffer.from(given, 'base64url')
}

const MEMBERS = {
  use: text,
  kty: text,
  kid: text,
  crv: text,
  alg: text,
  k: bytes,
  x: bytes,
  y: bytes,
  n: bytes,
  e: bytes,
  d: bytes,
  p: bytes,
  q: bytes,
  dp: bytes,
  dq: bytes,
  qi: bytes,
  x5c: texts,
  x5u: text,
  x5t: bytes,
  'x5t#S256': bytes,
} as const

type Raw = { readonly [name in keyof typeof MEMBERS]?: unknown }
type Bytes = Readonly<Record<string, Buffer>>

/** A key set's `keys`; null when they are null. Throws a `DecodeError` for the first key that is none. */
export function parseJwkSet(value: unknown): { keys: Jwk[] | null } | null {
  const set = decodeObject(value, 'jose.JSONWebKeySet', { keys: anything })
  if (!('keys' in set)) return null
  if (set['keys'] === null) return { keys: null }
  if (!Array.isArray(set['keys'])) throw new DecodeError('json: cannot unmarshal keys of a key set')
  return { keys: set['keys'].map(parseJwk) }
}

/** One key, its members in go-jose's order; throws a `DecodeError`. */
export function parseJwk(value: unknown): Jwk {
  const raw: Raw = decodeObject(value, 'jose.rawJSONWebKey', MEMBERS)
  const numbers = numbersOf(raw)
  if (parseUrl(String(raw.x5u ?? '')) === undefined) throw new DecodeError('x5u header is invalid URL')
  const certificates = parseCertificates(raw.x5c)
  return orderedJwk({
    ...notEmpty({ use: raw.use, kty: raw.kty, kid: raw.kid, alg: raw.alg, x5u: raw.x5u }),
    ...(raw.kty === 'EC' || raw.kty === 'OKP' ? { crv: raw.crv } : {}),
    ...notEmpty(mapValues(numbers, data => data.toString('base64url'))),
    ...(certificates.length > 0 ? { x5c: certificates } : {}),
    ...thumbprint('x5t', raw.x5t, 20),
    ...thumbprint('x5t#S256', raw['x5t#S256'], 32),
  })
}

function numbersOf(raw: Raw): Bytes {
  switch (raw.kty) {
    case 'RSA':
      return rsaNumbers(raw)
    case 'EC':
      return ecNumbers(raw)
    case 'OKP':
      if (raw.crv !== 'Ed25519' || !raw.x) throw new DecodeError(`unknown curve ${raw.crv}`)
      return take(raw, raw.d ? ['x', 'd'] : ['x'], data => fixed(data, ED25519_BYTES))
    case 'oct':
      return take(raw, ['k'])
    default:
      throw new DecodeError(`unknown json web key type '${raw.kty ?? ''}'`)
  }
}

function rsaNumbers(raw: Raw): Bytes {
  const isPrivate = raw.d !== undefined
  const numbers = take(raw, isPrivate ? ['n', 'e', 'd', 'p', 'q'] : ['n', 'e'], withoutZeros)
  if (!isPrivate) return numbers
  const [p, q] = [toInteger(numbers['p']), toInteger(numbers['q'])]
  const product = toInteger(numbers['d']) * toInteger(numbers['e'])
  const areFactors = p > 1n && q > 1n && p * q === toInteger(numbers['n'])
  const isConsistent = areFactors && product % (p - 1n) === 1n && product % (q - 1n) === 1n
  if (!isConsistent) throw new DecodeError('crypto/rsa: invalid exponents')
  const known = take(
    raw,
    (['dp', 'dq', 'qi'] as const).filter(name => raw[name] !== undefined),
    withoutZeros,
  )
  if (Object.keys(known).length === 3) checkRemainders({ ...numbers, ...known })
  return { ...numbers, ...known }
}

/** The numbers that only make signing faster must fit the others as well. */
function checkRemainders(numbers: Bytes): void {
  const { d = 0n, p = 0n, q = 0n, dp, dq, qi = 0n } = mapValues(numbers, toInteger)
  if (dp !== d % (p - 1n) || dq !== d % (q - 1n) || (qi * q) % p !== 1n)
    throw new DecodeError('crypto/rsa: invalid CRT exponent')
}

function ecNumbers(raw: Raw): Bytes {
  const size = COORDINATE_BYTES[String(raw.crv)]
  if (size === undefined) throw new DecodeError(`unsupported elliptic curve '${raw.crv ?? ''}'`)
  const numbers = take(raw, raw.d ? ['x', 'y', 'd'] : ['x', 'y'])
  if (Object.values(numbers).some(data => data.length !== size))
    throw new DecodeError('invalid EC key, wrong length')
  const { x = Buffer.alloc(0), y = Buffer.alloc(0) } = numbers
  const point: JsonWebKey = {
    kty: 'EC',
    crv: String(raw.crv),
    x: x.toString('base64url'),
    y: y.toString('base64url'),
  }
  try {
    createPublicKey({ key: point, format: 'jwk' })
  } catch {
    throw new DecodeError('invalid EC key, X/Y are not on declared curve')
  }
  return numbers
}

/** The named numbers; a `DecodeError` when one is missing. */
function take(raw: Raw, names: readonly (keyof Raw)[], form: (data: Buffer) => Buffer = data => data): Bytes {
  return Object.fromEntries(
    names.map(name => {
      const data = raw[name]
      if (!Buffer.isBuffer(data)) throw new DecodeError(`invalid ${raw.kty} key, missing ${name} value`)
      return [name, form(data)]
    }),
  )
}

function mapValues<T>(numbers: Bytes, form: (data: Buffer) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(numbers).map(([name, data]) => [name, form(data)]))
}

function parseCertificates(chain: unknown): string[] {
  if (!Array.isArray(chain)) return []
  return chain.map(encoded => {
    try {
      return new X509Certificate(Buffer.from(String(encoded), 'base64')).raw.toString('base64')
    } catch {
      throw new DecodeError('failed to unmarshal x5c field')
    }
  })
}

/** Bytes, or their hex digits, of a digest of that size. */
function thumbprint(name: string, given: unknown, size: number): Record<string, string> {
  if (!Buffer.isBuffer(given) || given.length === 0) return {}
  const digest = given.length === 2 * size ? Buffer.from(given.toString('latin1'), 'hex') : given
  if (digest.length !== size) throw new DecodeError(`invalid JWK, ${name} header is of incorrect size`)
  return { [name]: digest.toString('base64url') }
}

function notEmpty(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ''),
  )
}

function withoutZeros(data: Buffer): Buffer {
  const first = data.findIndex(byte => byte !== 0)
  return first < 0 ? Buffer.alloc(0) : data.subarray(first)
}

/** Cut or filled with zeros at the end. */
function fixed(data: Buffer, size: number): Buffer {
  return Buffer.concat([data, Buffer.alloc(size)], size)
}

function toInteger(data: Buffer | undefined): bigint {
  return data === undefined || data.length === 0 ? 0n : BigInt(`0x${data.toString('hex')}`)
}
