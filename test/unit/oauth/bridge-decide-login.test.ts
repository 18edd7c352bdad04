// The table of what becomes of a login request.

import { describe, expect, it } from 'vitest'
import type { Whoami } from '../../../src/clients/identity.ts'
import { decideLogin, type LoginCase } from '../../../src/features/oauth/bridge/decide-login.ts'
import { signInWishes } from '../../../src/features/oauth/bridge/request-url.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const secondsAgo = (seconds: number) => NOW - seconds * 1_000

function signedIn(seconds: number | undefined, id = 'ada'): Whoami {
  const identity = { id, traits: {}, metadata_public: {}, verifiable_addresses: [] }
  const authenticated_at = seconds === undefined ? undefined : new Date(secondsAgo(seconds)).toISOString()
  const session = { id: 's', active: true, authentication_methods: [], identity }
  return { outcome: 'session', session: authenticated_at ? { ...session, authenticated_at } : session }
}

function decide(whoami: Whoami, query = '', rest: Partial<LoginCase> = {}) {
  const wishes = signInWishes(`https://oauth.example/oauth2/auth?client_id=app&${query}`)
  const fresh = { rememberedSubject: '', startedOver: 0, sent: undefined, nowMs: NOW }
  return decideLogin({ whoami, wishes, ...fresh, ...rest })
}
const nobody: Whoami = { outcome: 'none' }
const AGAIN = { step: 'sign_in', isRefresh: true }

it('accepts whoever is signed in, and sends everybody else to sign in', () => {
  expect(decide(signedIn(86_400))).toMatchObject({ step: 'accept', session: { identity: { id: 'ada' } } })
  expect(decide(nobody)).toEqual({ step: 'sign_in', isRefresh: false })
})

// A session that was ended or locked at the identity provider must not sign in because the server still remembers it.
it('asks for a session even where the server remembers somebody', () => {
  expect(decide(nobody, '', { rememberedSubject: 'ada' })).toEqual({ step: 'sign_in', isRefresh: false })
})

// With the remembered subject, whoever is signed in now would get somebody else's tokens.
it('has the server forget somebody else than the one who is signed in, and stops when it does not', () => {
  const bob = (startedOver: number) =>
    decide(signedIn(1, 'bob'), '', { rememberedSubject: 'ada', startedOver })
  expect(bob(1)).toMatchObject({ step: 'start_over', session: { identity: { id: 'bob' } } })
  expect(bob(2)).toEqual({ step: 'stop', reason: 'somebody_else' })
  expect(decide(signedIn(1), '', { rememberedSubject: 'ada', startedOver: 2 })).toMatchObject({
    step: 'accept',
  })
})

describe('prompt=login', () => {
  it('asks again whoever is signed in, however lately', () => {
    expect(decide(signedIn(0), 'prompt=login')).toEqual(AGAIN)
    expect(decide(signedIn(0), 'prompt=consent+login')).toEqual(AGAIN)
  })

  it('accepts a sign-in since this flow sent the browser away, and none before', () => {
    const sent = { bounces: 1, sentAtMs: secondsAgo(30) }
    expect(decide(signedIn(10), 'prompt=login', { sent })).toMatchObject({ step: 'accept' })
    expect(decide(signedIn(31), 'prompt=login', { sent })).toEqual(AGAIN)
    expect(decide(signedIn(undefined), 'prompt=login', { sent })).toEqual(AGAIN)
  })

  it('sends somebody who is not signed in to the ordinary page', () => {
    expect(decide(nobody, 'prompt=login')).toEqual({ step: 'sign_in', isRefresh: false })
  })
})

describe('max_age', () => {
  it('accepts a sign-in that is young enough, and asks again for an older one', () => {
    expect(decide(signedIn(59), 'max_age=60')).toMatchObject({ step: 'accept' })
    expect(decide(signedIn(61), 'max_age=60')).toEqual(AGAIN)
    expect(decide(signedIn(undefined), 'max_age=60')).toEqual(AGAIN)
  })

  // Nothing is ever younger than zero seconds: without the second rule it would ask forever.
  it('is met by a sign-in since the browser was sent away', () => {
    const sent = { bounces: 1, sentAtMs: secondsAgo(300) }
    expect(decide(signedIn(200), 'max_age=0', { sent })).toMatchObject({ step: 'accept' })
    expect(decide(signedIn(301), 'max_age=0', { sent })).toEqual(AGAIN)
  })

  it.each(['', 'abc', '-1', '1.5', '99999999999999'])('means nothing as "%s"', value => {
    expect(decide(signedIn(86_400), `max_age=${value}`)).toMatchObject({ step: 'accept' })
  })
})

describe('prompt=none', () => {
  it('refuses where a page would be needed', () => {
    expect(decide(nobody, 'prompt=none', { rememberedSubject: 'ada' })).toEqual({ step: 'refuse' })
    expect(decide({ outcome: 'second_factor', redirectTo: 'x' }, 'prompt=none')).toEqual({ step: 'refuse' })
    expect(decide(signedIn(61), 'prompt=none&max_age=60')).toEqual({ step: 'refuse' })
    expect(decide(signedIn(1, 'bob'), 'prompt=none', { rememberedSubject: 'ada' })).toEqual({
      step: 'refuse',
    })
  })

  it('accepts silently who is signed in', () => {
    expect(decide(signedIn(1), 'prompt=none', { rememberedSubject: 'ada' })).toMatchObject({ step: 'accept' })
  })
})

it('goes where the identity provider asks for the second factor', () => {
  const redirectTo = 'https://id.example/self-service/login/browser?aal=aal2'
  expect(decide({ outcome: 'second_factor', redirectTo })).toEqual({ step: 'second_factor', redirectTo })
})

// A session cookie that does not reach us sends the browser to and fro at full speed.
it('ends the loop of a browser that comes back twice without a session', () => {
  const sent = (bounces: number) => ({ sent: { bounces, sentAtMs: secondsAgo(5) } })
  expect(decide(nobody, '', sent(1))).toMatchObject({ step: 'sign_in' })
  expect(decide(nobody, '', sent(2))).toEqual({ step: 'stop', reason: 'no_session' })
  expect(decide({ outcome: 'second_factor', redirectTo: undefined }, '', sent(2))).toMatchObject({
    step: 'stop',
  })
  expect(decide(signedIn(86_400), '', sent(2))).toMatchObject({ step: 'accept' })
})

describe('the wishes of a request object', () => {
  const URL_START = 'https://oauth.example/oauth2/auth?client_id=app'
  const signed = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

  // The server takes them, so an application that signs `prompt=login` relies on it.
  it('beat those beside it, one by one', () => {
    const query = `prompt=none&max_age=3600&request=${signed({ prompt: 'login', max_age: 0 })}`
    expect(signInWishes(`${URL_START}&${query}`)).toEqual({
      isFresh: true,
      isSilent: false,
      maxAgeSeconds: 0,
    })
    expect(signInWishes(`${URL_START}&max_age=60&request=${signed({ prompt: 'none' })}`)).toEqual({
      isFresh: false,
      isSilent: true,
      maxAgeSeconds: 60,
    })
    expect(signInWishes(`${URL_START}&request=${signed({ max_age: '30' })}`).maxAgeSeconds).toBe(30)
  })

  it.each([
    'request_uri=https%3A%2F%2Fapp.example%2Frequest',
    'request=a.b.c.d.e',
    'request=e30.bnVsbA.x',
    'request=x',
  ])('are a fresh sign-in where nobody can read them: %s', query => {
    expect(signInWishes(`${URL_START}&${query}`).isFresh).toBe(true)
  })
})
