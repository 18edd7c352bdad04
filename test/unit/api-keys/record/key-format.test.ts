import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  describeKey,
  generateKey,
  hashKey,
  parseKey,
} from '../../../../src/features/api-keys/record/key-format.ts'
import { encodeBytesBase62 } from '../../../../src/lib/base62.ts'
import { crc32Ascii } from '../../../../src/lib/crc32.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('generateKey', () => {
  it('writes prefix, 43 characters of secret and 6 of checksum, and parseKey finds the role again', () => {
    for (const role of ['anon', 'service_role'] as const) {
      const key = generateKey(role)
      expect(key).toMatch(role === 'anon' ? /^svc_pk_[0-9A-Za-z]{49}$/ : /^svc_sk_[0-9A-Za-z]{49}$/)
      expect(parseKey(key)).toEqual({ role })
    }
  })

  it('never gives the same key twice', () => {
    const keys = Array.from({ length: 200 }, () => generateKey('anon'))
    expect(new Set(keys).size).toBe(200)
  })
})

describe('parseKey', () => {
  it('refuses a key in which any one character was changed', () => {
    const key = generateKey('service_role')
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...ALPHABET, '_', 'é', '\0'), (at, character) => {
        fc.pre(key[at] !== character)
        expect(parseKey(key.slice(0, at) + character + key.slice(at + 1))).toBeNull()
      }),
    )
  })

  it('refuses two neighbours that changed places', () => {
    const key = generateKey('anon')
    for (let at = 7; at < key.length - 1; at++) {
      if (key[at] === key[at + 1]) continue
      expect(parseKey(key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2))).toBeNull()
    }
  })

  it.each([
    ['nothing', ''],
    ['a foreign key', `sk_live_${'a'.repeat(48)}`],
    ['a key cut short', generateKey('anon').slice(0, -1)],
    ['a key with something behind it', `${generateKey('anon')}x`],
    ['a key with a space before it', ` ${generateKey('anon').slice(0, -1)}`],
    ['an anon key relabelled as service_role', generateKey('anon').replace('svc_pk_', 'svc_sk_')],
  ])('refuses %s', (_, text) => {
    expect(parseKey(text)).toBeNull()
  })

  it('answers null, and does not throw, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), text => {
        expect(parseKey(text)).toBeNull()
      }),
    )
  })
})

describe('hashKey', () => {
  it('is SHA-256 in lower-case hex', async () => {
    expect(await hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('describeKey', () => {
  it('shows the prefix and the last four characters and nothing else', () => {
    const key = generateKey('service_role')
    expect(describeKey(key)).toEqual({ prefix: 'svc_sk_', lastFour: key.slice(-4) })
  })
})

describe('the parts', () => {
  it('crc32Ascii gives the check value of the standard', () => {
    expect(crc32Ascii('123456789')).toBe(0xcbf43926)
  })

  it('base62 keeps 32 bytes of ones in 43 characters and tells apart what it encodes', () => {
    expect(encodeBytesBase62(new Uint8Array(32).fill(255), 43)).toHaveLength(43)
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const isSame = Buffer.from(a).equals(Buffer.from(b))
        expect(encodeBytesBase62(a, 43) === encodeBytesBase62(b, 43)).toBe(isSame)
      }),
    )
  })

  it('base62 refuses to cut off bytes', () => {
    expect(() => encodeBytesBase62(new Uint8Array(33).fill(255), 43)).toThrow(RangeError)
  })
})
