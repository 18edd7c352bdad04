// When consent needs no screen, what of a choice is granted, and what the address of a flow gives away.

import { describe, expect, it } from 'vitest'
import { decideConsent, splitChoice } from '../../../src/features/oauth/bridge/decide-consent.ts'
import {
  destinationOf,
  isDeviceFlow,
  restartAsAnotherUrl,
  restartUrl,
  webUrl,
} from '../../../src/features/oauth/bridge/request-url.ts'
import { scopeSentence } from '../../../src/features/oauth/bridge/scope-sentences.ts'

const CODE =
  'https://oauth.example/oauth2/auth?client_id=app&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&prompt=consent'
const DEVICE = 'https://oauth.example/oauth2/device/verify?client_id=tv&user_code=ABCDEFGH'

const SHOP = 'https://shop.example/cb'

function destination(request_url: string, ...redirect_uris: string[]) {
  return destinationOf({ request_url, client: { redirect_uris } })
}

function request(skip: boolean, client: { metadata?: object; skip_consent?: boolean | null }, url = CODE) {
  const names = { client_id: 'app', client_name: undefined, client_uri: undefined, logo_uri: undefined }
  const record = {
    ...names,
    tos_uri: undefined,
    policy_uri: undefined,
    redirect_uris: [],
    metadata: {},
    ...client,
  }
  return { skip, client: { ...record, metadata: { ...record.metadata } }, request_url: url }
}

describe('a consent screen', () => {
  it('is left out for a remembered consent and for a trusted client', () => {
    expect(decideConsent(request(true, {}))).toEqual({ step: 'accept', remember: false })
    expect(decideConsent(request(false, { metadata: { skip_consent: true } }))).toMatchObject({
      step: 'accept',
    })
    expect(decideConsent(request(false, { skip_consent: true }))).toMatchObject({ step: 'accept' })
  })

  it.each([
    {},
    { metadata: { skip_consent: 'true' } },
    { metadata: { skip_consent: 1 } },
    { skip_consent: null },
  ])('is shown for a client with %j', client => {
    expect(decideConsent(request(false, client))).toEqual({ step: 'ask' })
  })

  // Otherwise a link with a code would be all that is needed to connect a stranger's device (RFC 8628 section 5.4).
  it('is always shown in a device flow', () => {
    expect(decideConsent(request(true, { skip_consent: true }, DEVICE))).toEqual({ step: 'ask' })
  })
})

it('grants what was both asked for and chosen, and tells the rest', () => {
  expect(splitChoice(['openid', 'email', 'read'], ['read', 'admin', 'openid', 'read'])).toEqual({
    granted: ['openid', 'read'],
    notRequested: ['admin'],
  })
})

describe('the address that a flow began with', () => {
  it('starts it again, for somebody else with a sign-in, and without the code of a device', () => {
    expect(restartUrl(CODE)).toBe(CODE)
    expect(new URL(restartAsAnotherUrl(CODE) ?? '').searchParams.get('prompt')).toBe('login')
    expect(restartUrl(DEVICE)).toBe('https://oauth.example/oauth2/device/verify')
    expect(restartAsAnotherUrl(DEVICE)).toBe('https://oauth.example/oauth2/device/verify')
  })

  it('says whether it was a device, and where the answer goes', () => {
    expect([isDeviceFlow(CODE), isDeviceFlow(DEVICE), isDeviceFlow('')]).toEqual([false, true, false])
    expect(destination(CODE, 'https://other.example/cb', SHOP)).toBe('shop.example')
    expect(destination('https://o/oauth2/auth?redirect_uri=com.shop.app%3A%2Fcb', 'com.shop.app:/cb')).toBe(
      'an app on this device (com.shop.app://)',
    )
    expect(destination(DEVICE, SHOP)).toBeUndefined()
  })

  // The server takes the address out of the request object; the one beside it can name anybody.
  it.each([
    `${CODE}&request=a.b.c`,
    `${CODE}&request_uri=https%3A%2F%2Fevil.example%2Frequest`,
    `${CODE}&redirect_uri=https%3A%2F%2Fevil.example%2Fcb`,
    'https://oauth.example/oauth2/auth?client_id=app',
    'https://oauth.example/oauth2/auth?redirect_uri=https%3A%2F%2Fbank.example%2Fcb',
  ])('names every host of the client where it does not say which: %s', url => {
    expect(destination(url, SHOP, 'https://evil.example/cb', 'https://evil.example/b')).toBe(
      'shop.example or evil.example',
    )
    expect(destination(url)).toBeUndefined()
  })

  // A client's record may hold anything, and a click on it runs in our origin.
  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://h/', '//h/x', '/x', '', 'https://'])(
    'is nowhere to send a browser as %s',
    text => {
      expect(webUrl(text)).toBeUndefined()
      expect(restartUrl(text)).toBeUndefined()
    },
  )
})

it('has words for the standard scopes, and shows any other by its name', () => {
  expect(scopeSentence('email').title).toBe('See your e-mail address')
  expect(scopeSentence('offline')).toMatchObject({ scope: 'offline', title: 'Stay signed in' })
  expect(scopeSentence('orders:read').title).toBe('orders:read')
  expect(scopeSentence('constructor').title).toBe('constructor')
})
