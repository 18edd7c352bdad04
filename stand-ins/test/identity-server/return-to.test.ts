// Where a browser may be sent back to: the rule alone. What the provider makes of it is in the contract tests.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveReturnTo } from '../../identity-server/return-to.ts'

const rule = {
  allowed: ['http://app.example:8080/path', 'https://*.wild.example', 'http://127.0.0.1:4455'],
  fallback: 'http://127.0.0.1:4455/welcome',
}
const outcome = (returnTo: string) => {
  try {
    return resolveReturnTo(rule, returnTo)
  } catch {
    return 'refused'
  }
}

describe('resolveReturnTo', () => {
  it.each([
    ['', 'http://127.0.0.1:4455/welcome'],
    ['/x?y=1#z', 'http://127.0.0.1:4455/x?y=1#z'],
    ['?x', 'http://127.0.0.1:4455?x'],
    ['HTTP://127.0.0.1:4455/x', 'http://127.0.0.1:4455/x'],
    ['http://app.example:8080/path/more', 'http://app.example:8080/path/more'],
    ['http://app.example:8080/pathology', 'http://app.example:8080/pathology'],
    ['http://app.example:8080/other', 'refused'],
    ['http://APP.example:8080/path', 'http://APP.example:8080/path'],
    ['http://app.example/path', 'refused'],
    ['https://a.wild.example/x', 'https://a.wild.example/x'],
    ['https://a.wild.example.evil.example/x', 'refused'],
    ['http://127.0.0.1:4455/a b', 'http://127.0.0.1:4455/a%20b'],
    ['/\\evil.example', 'http://127.0.0.1:4455/%5Cevil.example'],
    ['http:/\\evil.example', 'http://127.0.0.1:4455/%5Cevil.example'],
    ['http://evil.example\\@127.0.0.1:4455/', 'refused'],
    ['http://127.0.0.1:4455\\@evil.example/', 'refused'],
    ['http://evil.example#@127.0.0.1:4455/', 'refused'],
    ['//evil.example', 'refused'],
    ['\t//evil.example', 'refused'],
    ['/\n/evil.example', 'refused'],
    ['http:evil.example', 'refused'],
    ['data:text/html,x', 'refused'],
  ])('of %j is %s', (returnTo, expected) => {
    expect(outcome(returnTo)).toBe(expected)
  })

  it('takes the fallback when nothing is allowed', () => {
    expect(resolveReturnTo({ ...rule, allowed: [] }, 'http://evil.example/')).toBe(rule.fallback)
  })

  // Whatever passes must lead to an allowed host in the eyes of a browser, not of this parser.
  it('never passes a URL that a browser takes for another host', () => {
    const hosts = new Set(['app.example:8080', '127.0.0.1:4455'])
    const pieces = [
      'http:',
      'https:',
      '/',
      '\\',
      '@',
      '#',
      '?',
      ':',
      '\t',
      '\n',
      ' ',
      '%2f',
      'evil.example',
      '127.0.0.1:4455',
      'app.example:8080',
      '/path',
      'javascript:',
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map(parts => parts.join(''))
    fc.assert(
      fc.property(text, returnTo => {
        const to = outcome(returnTo)
        return to === 'refused' || hosts.has(new URL(to).host) || new URL(to).host.endsWith('.wild.example')
      }),
      { numRuns: 5_000 },
    )
  })
})
