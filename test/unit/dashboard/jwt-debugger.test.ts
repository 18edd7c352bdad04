import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Jwt, readJwt } from '../../../dashboard/src/parts/jwt.ts'
import { lifetimeOf } from '../../../dashboard/src/views/oauth2/jwt-debugger/lifetime.ts'
import { shownText } from '../../../dashboard/src/views/oauth2/jwt-debugger/shown-text.ts'
import { verifySignature } from '../../../dashboard/src/views/oauth2/jwt-debugger/verify-signature.ts'

function jwtOf(token: string): Jwt {
  const reading = readJwt(token)
  if (reading.kind !== 'jwt') throw new Error(`no JWT: ${reading.kind}`)
  return reading
}
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object) => jwtOf(`${part(header)}.${part({ sub: 'ann' })}.c2ln`)

describe('verifySignature', () => {
  let ours: CryptoKey
  let keys: JWK[]
  const sign = (header: { alg: string; kid?: string }, key = ours) =>
    new SignJWT({ sub: 'ann' }).setProtectedHeader(header).sign(key)

  beforeAll(async () => {
    const [first, second] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
    ours = first.privateKey
    keys = [
      { ...(await exportJWK(second.publicKey)), kid: 'old', alg: 'ES256' },
      { ...(await exportJWK(first.publicKey)), kid: 'new', alg: 'ES256' },
    ]
  })

  it('verifies what a published key has signed', async () => {
    const jwt = jwtOf(await sign({ alg: 'ES256', kid: 'new' }))
    expect(await verifySignature(jwt, keys)).toEqual({ state: 'verified', kid: 'new', alg: 'ES256' })
  })

  it('calls a changed payload, another key and a missing signature wrong', async () => {
    const [head, , signature] = (await sign({ alg: 'ES256', kid: 'new' })).split('.')
    const tampered = jwtOf(`${head}.${part({ sub: 'eve' })}.${signature}`)
    expect(await verifySignature(tampered, keys)).toMatchObject({ state: 'wrong' })
    const stripped = jwtOf(`${head}.${part({ sub: 'ann' })}.`)
    expect(await verifySignature(stripped, keys)).toMatchObject({ state: 'wrong' })
    const others = jwtOf(await sign({ alg: 'ES256', kid: 'old' }))
    expect(await verifySignature(others, keys)).toMatchObject({ state: 'wrong' })
  })

  // The attack: a token that chooses how the key is used (RFC 8725 section 2.1).
  it('calls an algorithm that is not the key’s wrong', async () => {
    const jwt = unsigned({ alg: 'RS256', kid: 'new' })
    expect(await verifySignature(jwt, keys)).toEqual({
      state: 'wrong',
      why: 'It says RS256, but key “new” is for ES256.',
    })
  })

  it('finds the key of a token that names none, and says so', async () => {
    const jwt = jwtOf(await sign({ alg: 'ES256' }))
    expect(await verifySignature(jwt, keys)).toMatchObject({ state: 'verified', kid: 'new' })
    expect(await verifySignature(jwt, keys.slice(0, 1))).toMatchObject({
      state: 'not verifiable',
      why: expect.stringContaining('names no key (kid)'),
    })
  })

  it.each([
    [{ alg: 'none' }, 'nobody has signed it', true],
    [{ alg: 'NONE' }, 'nobody has signed it', true],
    [{}, 'names no algorithm', true],
    [{ alg: 'HS256', kid: 'new' }, 'shared secret', false],
    [{ alg: 'XS1', kid: 'new' }, '“XS1” is no algorithm', false],
    [{ alg: 'ES256', kid: 'gone' }, 'Key “gone” is not among the 2', false],
  ])('says why %j is not verifiable', async (header, why, isSevere) => {
    expect(await verifySignature(unsigned(header), keys)).toEqual({
      state: 'not verifiable',
      why: expect.stringContaining(why),
      isSevere,
    })
  })

  it('says that there are no keys to verify with', async () => {
    const jwt = unsigned({ alg: 'ES256', kid: 'new' })
    expect(await verifySignature(jwt, undefined)).toMatchObject({
      why: expect.stringContaining('could not be read'),
    })
    expect(await verifySignature(jwt, [])).toMatchObject({ why: expect.stringContaining('publishes no') })
  })
})

describe('lifetimeOf', () => {
  const now = new Date('2026-11-23T12:00:00Z')
  const in_ = (seconds: number) => now.getTime() / 1_000 + seconds

  it.each([
    [{ exp: in_(240) }, 'Not expired', 'good'],
    [{ exp: in_(30) }, 'Expires very soon', 'attention'],
    [{ exp: in_(0) }, 'Expired', 'bad'],
    [{ exp: in_(240), nbf: in_(60) }, 'Not valid yet', 'attention'],
    [{}, 'Never expires', 'attention'],
    [{ exp: in_(240) * 1_000 }, 'Its times are wrong', 'bad'],
    [{ exp: 'tomorrow' }, 'Its times are wrong', 'bad'],
  ])('%j: %s', (claims, word, tone) => {
    expect(lifetimeOf(claims, now)).toMatchObject({ word, tone })
  })
})

describe('shownText', () => {
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

  it('has texts as they are, and all else as JSON', () => {
    expect(shownText('a "b"')).toBe('a "b"')
    expect(shownText('')).toBe('""')
    expect(shownText(['x'])).toBe('[\n  "x"\n]')
    expect(shownText(null)).toBe('null')
  })

  it('says how much more there is of a long value', () => {
    expect(shownText('x'.repeat(10_000))).toBe('x'.repeat(10_000))
    expect(shownText('x'.repeat(12_000))).toBe(`${'x'.repeat(10_000)}… and 2,000 characters more`)
    expect(shownText(nested(1_000))).toMatch(/… and [\d,]+ characters more$/)
  })

  it('says that a value is nested too deeply', () => {
    expect(shownText(nested(100_000))).toBe('Nested too deeply to be shown.')
  })
})
