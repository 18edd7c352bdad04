import { describe, expect, it } from 'vitest'
import { challengeFault, verifierFault } from '../../oauth-server/flow/pkce.ts'
import { encodeQuery, withQuery } from '../../oauth-server/flow/query.ts'
import { matchRedirectUri } from '../../oauth-server/flow/redirect-uri.ts'
import { coversAudience, coversScope, requestedAudience } from '../../oauth-server/flow/scope-matching.ts'
import { makeSealer } from '../../service/sealed-values.ts'

describe('scopes and audiences', () => {
  it('are covered by equal ones and by wildcards for whole parts', () => {
    for (const [allowed, scope] of [
      ['a', 'a'],
      ['a.*', 'a.b'],
      ['a.*', 'a.b.c'],
      ['a.*.c', 'a.b.c'],
      ['*', 'x.y'],
    ]) {
      expect(coversScope([allowed ?? ''], scope ?? ''), `${allowed} ${scope}`).toBe(true)
    }
    for (const [allowed, scope] of [
      ['a', 'b'],
      ['a.*', 'a'],
      ['a.*', 'a.'],
      ['a.b', 'a.b.c'],
      ['a', 'a.b'],
      ['', 'a'],
    ]) {
      expect(coversScope([allowed ?? ''], scope ?? ''), `${allowed} ${scope}`).toBe(false)
    }
  })

  it('of an audience mean the address and what lies below it', () => {
    const allowed = ['https://api.example.com/v1/', 'no-url']
    for (const audience of ['https://api.example.com/v1', 'https://api.example.com/v1/users', 'no-url']) {
      expect(coversAudience(allowed, audience), audience).toBe(true)
    }
    for (const audience of [
      'https://api.example.com/v10',
      'https://api.example.com',
      'http://api.example.com/v1',
      'no-url2',
    ]) {
      expect(coversAudience(allowed, audience), audience).toBe(false)
    }
    expect(requestedAudience(new URLSearchParams('audience=a%20b'))).toEqual(['a', 'b'])
    expect(requestedAudience(new URLSearchParams('audience=a%20b&audience=c'))).toEqual(['a b', 'c'])
  })
})

describe('matchRedirectUri', () => {
  it('takes what is registered letter by letter, and any port of this machine', () => {
    const registered = ['https://app.example/cb', 'http://127.0.0.1:1234/cb', 'com.example.app:/cb']
    const accepted = [...registered, 'http://127.0.0.1/cb', 'http://127.0.0.1:9/cb']
    for (const uri of accepted) expect(matchRedirectUri(uri, registered), uri).toBe(uri)
    const refused = [
      'https://app.example/cb/',
      'https://app.example/cb?a',
      'https://APP.example/cb',
      'http://127.0.0.1:9/other',
    ]
    for (const uri of [
      ...refused,
      'http://127.0.0.2/cb',
      'http://localhost:1234/cb',
      'https://app.example:8443/cb',
      '',
    ]) {
      expect(matchRedirectUri(uri, registered), uri).toBeUndefined()
    }
  })

  it('never takes one that a page would run as a script, though it is registered', () => {
    // A form_post answer puts the address into a form of this server's own origin.
    for (const uri of ['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x']) {
      expect(matchRedirectUri(uri, [uri]), uri).toBeUndefined()
    }
  })

  it('takes the only registered one when none is asked for, if it is absolute', () => {
    expect(matchRedirectUri(null, ['https://app.example/cb'])).toBe('https://app.example/cb')
    expect(matchRedirectUri(null, ['https://app.example/a', 'https://app.example/b'])).toBeUndefined()
    expect(matchRedirectUri(null, ['/cb'])).toBeUndefined()
    expect(matchRedirectUri('/cb', ['/cb'])).toBeUndefined()
  })
})

it('writes parameters in the order of their names, beside those that an address has', () => {
  expect(encodeQuery({ b: 'a b+c', a: ['2', '1'] })).toBe('a=2&a=1&b=a+b%2Bc')
  expect(withQuery('https://app.example/cb?z=1&a=2#f', { a: '3', m: 'é' })).toBe(
    'https://app.example/cb?a=3&m=%C3%A9&z=1#f',
  )
  expect(withQuery('com.example.app:/cb', { code: 'x' })).toBe('com.example.app:/cb?code=x')
})

describe('PKCE', () => {
  // RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  it('accepts the verifier that the challenge was made of and no other', () => {
    expect(verifierFault(verifier, challenge, true)).toBeUndefined()
    for (const wrong of [
      '',
      verifier.slice(1),
      `${verifier}x`,
      `${verifier.slice(1)}/`,
      'x'.repeat(129),
      challenge,
    ]) {
      expect(verifierFault(wrong, challenge, true)?.error, wrong).toBe('invalid_grant')
    }
  })

  it('is needed by public clients, and only S256', () => {
    expect(challengeFault(challenge, 'S256', true)).toBeUndefined()
    expect(challengeFault(null, null, false)).toBeUndefined()
    expect(challengeFault(null, null, true)?.error).toBe('invalid_request')
    for (const method of [null, 'plain', 's256']) {
      expect(challengeFault(challenge, method, false)?.error, String(method)).toBe('invalid_request')
    }
    expect(verifierFault('', undefined, false)).toBeUndefined()
    expect(verifierFault('', undefined, true)?.error).toBe('invalid_request')
    expect(verifierFault(verifier, undefined, false)?.error).toBe('invalid_grant')
  })
})

describe('sealed values', () => {
  it('open only with their secret, for their purpose and unchanged', () => {
    const [sealer, other] = [makeSealer('one secret'), makeSealer('another')]
    const text = sealer.seal('login', { subject: 'ada' })
    expect(sealer.open('login', text)).toEqual({ subject: 'ada' })
    expect(sealer.open('consent', text)).toBeUndefined()
    expect(other.open('login', text)).toBeUndefined()
    const changed = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
    for (const broken of ['', 'garbage', text.slice(0, -2), changed, text.toUpperCase()]) {
      expect(sealer.open('login', broken), broken).toBeUndefined()
    }
    expect(sealer.seal('login', {})).not.toBe(sealer.seal('login', {}))
  })
})
