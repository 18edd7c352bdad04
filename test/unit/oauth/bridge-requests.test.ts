// What the OAuth2 server can answer about a challenge: the request, one of three ends, or an error about the
// deployment.

import { describe, expect, it } from 'vitest'
import { processLogout, processLogoutFlow } from '../../../src/clients/identity-logout.ts'
import { processAccepted } from '../../../src/clients/oauth-server/challenge.ts'
import { processConsentRequest } from '../../../src/clients/oauth-server/consent-requests.ts'
import { processUserCode } from '../../../src/clients/oauth-server/device-requests.ts'
import { acceptLogin, processLoginRequest } from '../../../src/clients/oauth-server/login-requests.ts'
import {
  getLogoutRequest,
  processLogoutRejected,
  processLogoutRequest,
} from '../../../src/clients/oauth-server/logout-requests.ts'
import { answer, fakeServer, NOT_FOUND, ODD_ANSWERS } from './fake-server.ts'

const { server } = fakeServer(() => [500])
const EXPIRED = {
  error: 'request_unauthorized',
  error_description: 'The request could not be authorized. The login request has expired, please try again.',
}

const PROCESSORS = {
  login: processLoginRequest,
  consent: processConsentRequest,
  logout: processLogoutRequest,
  accepted: processAccepted,
  device: processUserCode,
  'logout reject': processLogoutRejected,
}

describe.each(Object.entries(PROCESSORS))('an answer about a %s request', (_, process) => {
  it('tells an unknown, an expired and a used challenge apart', () => {
    expect(process(server, answer(404, NOT_FOUND))).toEqual({ outcome: 'unknown' })
    expect(process(server, answer(401, EXPIRED))).toEqual({ outcome: 'expired' })
    expect(process(server, answer(410, { redirect_to: 'http://s/next' }))).toEqual({
      outcome: 'used',
      redirectTo: 'http://s/next',
    })
    expect(process(server, answer(410))).toEqual({ outcome: 'used', redirectTo: undefined })
  })

  it.each(ODD_ANSWERS)('never takes %s for an answer', (_name, odd, code) => {
    expect(() => process(server, odd)).toThrow(expect.objectContaining({ code }))
  })
})

describe('the address to go on at', () => {
  const accepted = (redirect_to: string) => processAccepted(server, answer(200, { redirect_to }))
  const used = (redirect_to: string) => processAccepted(server, answer(410, { redirect_to }))

  // It becomes a Location header, in which a line break or a NUL is an error of our own.
  it.each([
    ['https://s.example/a?b=c%20d#e', 'https://s.example/a?b=c%20d#e'],
    ['http://s.example', 'http://s.example/'],
    ['https://s.example/ä', 'https://s.example/%C3%A4'],
    ['https://s.example/\r\nset-cookie: a=b', 'https://s.example/set-cookie:%20a=b'],
    ['https://s.example/\0x', 'https://s.example/%00x'],
  ])('is %j as a browser writes it', (url, href) => {
    expect(accepted(url)).toEqual({ outcome: 'accepted', redirectTo: href })
    expect(used(url)).toEqual({ outcome: 'used', redirectTo: href })
  })

  // `javascript:` would run in the page of the bridge, or in that of a custom screen.
  it.each(['javascript:alert(1)', 'data:text/html,x', 'myapp://cb', 'https://', '//s.example/', '\0'])(
    'is never %j',
    url => {
      expect(() => accepted(url)).toThrow(expect.objectContaining({ code: 'upstream_invalid_answer' }))
      expect(used(url)).toEqual({ outcome: 'used', redirectTo: undefined })
    },
  )

  it('may be relative where the challenge was used, and only there', () => {
    expect(used('/oauth2/sessions/logout?a=ä\r\n')).toEqual({
      outcome: 'used',
      redirectTo: '/oauth2/sessions/logout?a=%C3%A4',
    })
    expect(used('/\\s.example')).toEqual({ outcome: 'used', redirectTo: undefined })
    expect(() => accepted('/oauth2/auth')).toThrow()
  })
})

// encodeURIComponent throws for it.
it('asks for a challenge with half of a surrogate pair like for any other', async () => {
  const unknown = fakeServer(() => [404, NOT_FOUND])
  await expect(getLogoutRequest(unknown.server, '\ud800')).resolves.toEqual({ outcome: 'unknown' })
})

it('reads a consent request whose lists are null and whose texts are empty', () => {
  const client = { client_id: 'app', client_name: '', logo_uri: '', metadata: null, skip_consent: null }
  const body = { subject: 's', requested_scope: null, requested_access_token_audience: null, client }
  expect(processConsentRequest(server, answer(200, body))).toMatchObject({
    outcome: 'found',
    request: {
      requested_scope: [],
      requested_access_token_audience: [],
      skip: false,
      client: { client_name: undefined, logo_uri: undefined, metadata: {} },
    },
  })
})

it('reads a logout request that no application asked for', () => {
  const body = { subject: 's', rp_initiated: false, client: null }
  expect(processLogoutRequest(server, answer(200, body))).toMatchObject({ request: { client: undefined } })
})

it('takes a refused user code for a wrong one, and nothing else', () => {
  const refused = {
    error: 'invalid_request',
    error_description: "The 'user_code' session could not be found",
  }
  expect(processUserCode(server, answer(400, refused))).toEqual({ outcome: 'wrong_code' })
  expect(() => processUserCode(server, answer(400, '<html>'))).toThrow(
    expect.objectContaining({ code: 'upstream_invalid_answer' }),
  )
})

// A challenge is as good as a password for its flow: what is thrown ends in the log. Express and its like repeat the
// address that they do not know.
it.each([
  [503, 'page'],
  [401, 'page'],
  [404, 'page'],
  [503, 'refusal'],
  [403, 'refusal'],
] as const)('keeps the challenge out of the error for status %i with a %s', async (status, form) => {
  const echo = fakeServer(({ path }) => {
    const text = `Cannot PUT ${path} (${decodeURIComponent(path)})`
    return [status, form === 'page' ? text : { error: 'error', error_description: text }]
  })
  const acceptance = {
    subject: 's',
    remember: true,
    remember_for: 0,
    amr: [],
    identity_provider_session_id: 'x',
  }
  const failure = await acceptLogin(echo.server, 'the/secret=+challenge', acceptance).catch(err => err)
  expect(failure.code).toMatch(/^upstream_/)
  expect(`${failure.message} ${failure.detail} ${failure.stack} ${failure.cause}`).not.toMatch(
    /secret|challenge=the/,
  )
  expect(echo.log()).toEqual([
    'PUT /admin/oauth2/auth/requests/login/accept?login_challenge=the%2Fsecret%3D%2Bchallenge',
  ])
})

describe('ending a session at the identity provider', () => {
  it('reads the token, and takes 401 for nobody signed in', () => {
    const flow = { logout_url: 'http://i/self-service/logout?token=t', logout_token: 't' }
    expect(processLogoutFlow(server, answer(200, flow))).toBe('t')
    expect(processLogoutFlow(server, answer(401, { error: { code: 401 } }))).toBeUndefined()
  })

  it('takes a redirect as well as 204 for done', () => {
    for (const status of [204, 302, 303, 401])
      expect(() => processLogout(server, answer(status))).not.toThrow()
    for (const status of [403, 404, 500]) expect(() => processLogout(server, answer(status))).toThrow()
  })
})
