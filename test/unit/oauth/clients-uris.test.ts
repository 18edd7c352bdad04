// Addresses of clients that would harm whoever follows, shows or calls them.

import { describe, expect, it } from 'vitest'
import {
  backchannelUriProblem,
  linkProblem,
  redirectUriProblem,
} from '../../../src/features/oauth/clients/uris.ts'

describe('a redirect URI', () => {
  // Each runs a script, shows what no site may open, or starts a program of the system.
  it.each(
    (
      'javascript x-javascript livescript mocha jscript vbscript jar view-source chrome chrome-extension resource ' +
      'moz-extension safari-web-extension edge feed res mhtml ms-its mk hcp shell search search-ms ' +
      'ms-settings ms-msdt ms-word itms-services ssh telnet ldap smb content android-app webcal mailto'
    ).split(' '),
  )('never has the scheme %s', scheme => {
    expect(redirectUriProblem(`${scheme}://cb`)).toBe(`must not use the scheme "${scheme}:"`)
    expect(redirectUriProblem(`${scheme.toUpperCase()}:x`)).toBe(`must not use the scheme "${scheme}:"`)
  })

  it.each([
    'myapp://cb',
    'com.example.app:/cb',
    'msauth.com.example:cb',
    'ms-app://s-1-15-2-1',
    'ms-appx-web://example.plugin/cb',
    'chromecast://cb',
    'feeder://cb',
    'x-example://cb',
    'vscode://example.extension/cb',
  ])('may be %s', uri => {
    expect(redirectUriProblem(uri)).toBeUndefined()
  })
})

describe('a link', () => {
  // The host goes into the Content-Security-Policy of the consent screen, where these end a directive.
  it.each([
    "https://a.example;script-src'unsafe-inline'/",
    'https://a.example,b.example/',
    "https://'self'/",
    'https://a!b.example/',
    'https://a(b).example/',
    'https://a$b.example/',
    'https://a&b.example/',
    'https://a_b.example/',
  ])('is never %s', uri => {
    expect(linkProblem(uri)).toBe('must have a host of letters, digits, "." and "-", or an address')
  })

  it.each([
    'https://a-b.example/logo.png?x=;,',
    'https://A.EXAMPLE:8443/',
    'https://xn--bcher-kva.example/',
    'https://192.0.2.1/',
    'https://[2001:db8::1]:8443/',
    'http://localhost:3000/',
  ])('may be %s', uri => {
    expect(linkProblem(uri)).toBeUndefined()
  })
})

describe('a back-channel logout address', () => {
  it.each(['http://a.example/back', 'http://192.168.1.1/back', 'http://localhost.example/back'])(
    'is never %s',
    uri => {
      expect(backchannelUriProblem(uri)).toMatch(/^must use https/)
    },
  )

  it.each([
    'https://a.example/back',
    'https://8.8.8.8/back',
    'http://127.0.0.1:5555/back',
    'http://[::1]:5555/back',
    'http://app.localhost/back',
  ])('may be %s by its form', uri => {
    expect(backchannelUriProblem(uri)).toBeUndefined()
  })

  it.each(['javascript:x', '/back', 'https://a.example/#x', 'https://a;b.example/'])('is never %s', uri => {
    expect(backchannelUriProblem(uri)).toBeDefined()
  })
})
