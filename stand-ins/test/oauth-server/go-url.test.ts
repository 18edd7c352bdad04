// URLs and queries as Go's net/url reads them; the cases were put to it.

import { describe, expect, it } from 'vitest'
import {
  escapeSegment,
  hostnameOf,
  originText,
  parseRequestUri,
  parseUrl,
  portOf,
} from '../../oauth-server/wire/go-url.ts'
import { readQuery, writeQuery } from '../../service/go-query.ts'

describe('parseRequestUri', () => {
  it.for([
    'com.example.app:/cb',
    '/cb',
    '//host/cb',
    'http://x/ y',
    'mailto:a@b',
    '*',
    'http:///x',
    'http://user:pw@h/x',
    'http://[::1]:80/x',
    'http://ü.de/ü',
    'http:foo',
    'http://a:/',
    'urn:ietf:wg:oauth:2.0:oob',
  ])('takes %s', uri => {
    expect(parseRequestUri(uri)).toBeDefined()
  })

  it.for([
    '',
    'cb',
    '?x',
    ':x',
    '1http://x',
    'x y:/',
    'http://[broken',
    'http://a b/',
    'http://a\\b/',
    'http://a|b/',
    'http://x:abc/',
    'http://x/%zz',
    'http://x%20y/',
    'http://a%41/',
    'http://x/\u007f',
  ])('refuses %j', uri => {
    expect(parseRequestUri(uri)).toBeUndefined()
  })
})

describe('parseUrl', () => {
  it('tells the parts of an address apart', () => {
    expect(parseUrl('HTTPS://u:p@A.example:8443/x/y?a=b#c')).toMatchObject({
      scheme: 'https',
      user: 'u:p',
      host: 'A.example:8443',
      path: '/x/y',
      query: 'a=b',
      fragment: 'c',
    })
    expect(parseUrl('app:open?x')).toMatchObject({ scheme: 'app', opaque: 'open', host: '', query: 'x' })
  })

  it('takes what is relative, but not what only looks like a scheme', () => {
    expect(parseUrl('nowhere')).toMatchObject({ scheme: '', path: 'nowhere' })
    expect(parseUrl('1http://x')).toBeUndefined()
  })

  it('knows a host without its port and brackets', () => {
    const of = (text: string) => {
      const url = parseUrl(text)
      return url && [hostnameOf(url), portOf(url)]
    }
    expect(of('http://[::1]:80/')).toEqual(['::1', '80'])
    expect(of('http://a.example/')).toEqual(['a.example', ''])
    expect(of('http://a.example:/')).toEqual(['a.example', ''])
  })
})

describe('originText', () => {
  it.for([
    ['HTTPS://A.example', 'https://A.example'],
    ['https://a.example?', 'https://a.example?'],
    ['https://@a.example', 'https://@a.example'],
    ['https://', 'https:'],
    ['http:', 'http:'],
  ] as const)('writes %s as %s', ([given, written]) => {
    const url = parseUrl(given)
    expect(url && originText(url)).toBe(written)
  })
})

describe('escapeSegment', () => {
  it('escapes twice, but leaves what may stand in a path', () => {
    expect(escapeSegment('a/b c')).toBe('a%252Fb%2520c')
    expect(escapeSegment("ü*'")).toBe('%25C3%25BC%252A%2527')
    expect(escapeSegment('a:b@c$d&e+f=g')).toBe('a:b@c$d&e+f=g')
  })
})

describe('queries', () => {
  it('lose what cannot be read, and are written in the order of their names', () => {
    const query = readQuery(new URL('http://x/?z=1&a=%zz&b;c=1&flag&y=a*b~&z=0'))
    expect(writeQuery(query)).toBe('flag=&y=a%2Ab~&z=1&z=0')
  })
})
