// The secrets of the identity provider: session cookies, tokens against forged requests, passwords.

import { describe, expect, it } from 'vitest'
import { isCsrfTokenOf, makeCsrfSecret, maskCsrfSecret } from '../../identity-server/csrf-token.ts'
import { findPasswordFault, hashPassword, isKnownHash, isPassword } from '../../identity-server/password.ts'
import {
  decodeSessionCookie,
  encodeSessionCookie,
  logoutToken,
  makeSessionToken,
} from '../../identity-server/session-secrets.ts'

const SECRET = 'a secret of sixteen'

describe('the session cookie', () => {
  it('gives back its token under the secret that made it', () => {
    const token = makeSessionToken()
    expect(decodeSessionCookie(SECRET, encodeSessionCookie(SECRET, token))).toBe(token)
    expect(decodeSessionCookie('another secret..', encodeSessionCookie(SECRET, token))).toBeUndefined()
  })

  // Forging: no change to any character, and no shortening, yields a cookie that counts.
  it('decodes no longer when any character is changed or left out', () => {
    const cookie = encodeSessionCookie(SECRET, makeSessionToken())
    for (let i = 0; i < cookie.length; i++) {
      const other = cookie[i] === 'A' ? 'Q' : 'A'
      for (const changed of [cookie.slice(0, i) + other + cookie.slice(i + 1), cookie.slice(0, i)])
        expect(decodeSessionCookie(SECRET, changed), String(i)).toBeUndefined()
    }
  })

  it('is no other text', () => {
    for (const text of ['not base64!', '', makeSessionToken()])
      expect(decodeSessionCookie(SECRET, text), text).toBeUndefined()
  })
})

describe('the logout token', () => {
  it('is the same for a session, another for another session or secret', () => {
    const token = logoutToken(SECRET, 'one')
    expect(token).toMatch(/^ory_lo_[A-Za-z0-9]{32}$/)
    expect(logoutToken(SECRET, 'one')).toBe(token)
    expect(logoutToken(SECRET, 'two')).not.toBe(token)
    expect(logoutToken('another secret..', 'one')).not.toBe(token)
  })
})

describe('the token of a form', () => {
  it('differs each time and belongs to its secret alone', () => {
    const [secret, other] = [makeCsrfSecret(), makeCsrfSecret()]
    const token = maskCsrfSecret(secret)
    expect(token).toHaveLength(88)
    expect(maskCsrfSecret(secret)).not.toBe(token)
    expect(isCsrfTokenOf(secret, token)).toBe(true)
    expect(isCsrfTokenOf(other, token)).toBe(false)
    for (const text of ['', 'nonsense', secret, token.slice(4)])
      expect(isCsrfTokenOf(secret, text)).toBe(false)
  })
})

describe('passwords', () => {
  it('match their own hash, never the text of it, and each hash is another', async () => {
    const [hash, again] = [await hashPassword('plum-Kettle-42'), await hashPassword('plum-Kettle-42')]
    expect(hash).toMatch(/^\$scrypt\$ln=\d+,r=8,p=1\$/)
    expect(isKnownHash(hash)).toBe(true)
    expect(again).not.toBe(hash)
    expect(await isPassword('plum-Kettle-42', hash)).toBe(true)
    expect(await isPassword('plum-Kettle-43', hash)).toBe(false)
    expect(await isPassword(hash, hash)).toBe(false)
    expect(await isPassword('', undefined)).toBe(false)
  })

  // A hash may name any cost: one that would hold up the server is not computed.
  it('do not match a hash of absurd cost', async () => {
    const absurd = `$scrypt$ln=1073741824,r=8,p=1$${'A'.repeat(24)}$${'A'.repeat(44)}`
    expect(await isPassword('plum', absurd)).toBe(false)
    expect(await isPassword('plum', '$scrypt$$$')).toBe(false)
  })

  it.each([
    ['1234567', 'short'],
    ['é'.repeat(37), 'long'],
    ['ada@example.com', 'like the identifier'],
    ['Ada@Example.Com1', 'like the identifier'],
    ['plum-Kettle-42-drift', undefined],
  ])('%j is %s for somebody new', (password, fault) => {
    expect(findPasswordFault(password, ['ada@example.com'])?.fault).toBe(fault)
  })
})
