// The device and logout screens, the status, and the pages' colours.

import { describe, expect, it } from 'vitest'
import { readBridgeStatus } from '../../../src/features/oauth/bridge/bridge-status.ts'
import { answerDevice, showDevice } from '../../../src/features/oauth/bridge/device.ts'
import { deviceCodeOf } from '../../../src/features/oauth/bridge/device-code.ts'
import {
  acceptLogoutAnswer,
  rejectLogoutAnswer,
  showLogout,
} from '../../../src/features/oauth/bridge/logout.ts'
import { styleSheet } from '../../../src/features/oauth/bridge/pages/style.ts'
import {
  BOB,
  bridge,
  form,
  hidden,
  json,
  location,
  nextCookies,
  SIGNED_IN,
  sent,
  sessionOf,
} from './bridge-support.ts'
import { fakeServer } from './fake-server.ts'

const DEVICE = '/admin/oauth2/auth/requests/device/accept'
const LOGOUT = '/admin/oauth2/auth/requests/logout'
const WRONG: [number, unknown] = [400, { error: 'invalid_request', error_description: '' }]

function fieldsOf(page: { body: string | null }): [string, string][] {
  const answer = { status: 200, headers: {}, ...page }
  return ['challenge', 'form_token'].map(name => [name, hidden(answer, name)])
}

describe('the device screen', () => {
  it('fills in the code of the address, and submits nothing by itself', async () => {
    const { deps, oauth } = bridge()
    const page = await showDevice(deps, { device_challenge: 'c', user_code: 'abcd efgh' }, null)
    expect(hidden(page, 'user_code')).toBe('abcd-efgh')
    expect(page.body).not.toContain('http-equiv="refresh"')
    expect(oauth.log()).toEqual([])
  })

  it.each(['"><script>', 'ABC', 'x'.repeat(200)])('fills in no %s', async code => {
    const page = await showDevice(bridge().deps, { device_challenge: 'c', user_code: code }, null)
    expect(hidden(page, 'user_code')).toBe('')
    expect(page.body).not.toContain('<script')
  })

  it('connects, and keeps the code for the consent screen', async () => {
    const { deps, oauth } = bridge()
    const page = await showDevice(deps, { device_challenge: 'c' }, null)
    const fields = fieldsOf(page)
    const answer = await answerDevice(
      deps,
      form([...fields, ['user_code', ' ABCD-EFGH ']], nextCookies(page)),
    )
    expect(answer.body).toContain('url=https://oauth.example/next?device')
    expect(sent(oauth.calls, `PUT ${DEVICE}`)).toEqual({ user_code: 'ABCDEFGH' })
    expect(answer.cookies).toEqual([expect.stringMatching(/^quoin_device=[\w.-]+; .*HttpOnly/)])
    expect(await deviceCodeOf(deps, nextCookies(answer))).toBe('ABCDEFGH')
  })

  // RFC 8628 section 6.1. A phone makes the first letter a capital; a person reads capitals and types none.
  it.each([
    ['capitals', 'ABCDEFGH', ['abcd-efgh', 'Abcdefgh', 'ABCD EFGH']],
    ['small letters', 'abcdefgh', ['ABCD-EFGH', 'Abcd-efgh', 'abcdefgh']],
    ['both', 'aBcDeFgH', ['aBcD-eFgH']],
  ])(
    'takes a code of %s whatever the case, and keeps it as the device shows it',
    async (_name, code, typings) => {
      for (const typed of typings) {
        const world = bridge()
        const server = fakeServer(({ body }) =>
          JSON.parse(body).user_code === code
            ? [200, { redirect_to: 'https://oauth.example/next?device' }]
            : WRONG,
        )
        const deps = { ...world.deps, upstreams: { ...world.deps.upstreams, oauthAdmin: server.server } }
        const answer = await answerDevice(deps, json({ challenge: 'c', user_code: typed }))
        // What is compared on the consent screen must be what the device shows.
        expect(await deviceCodeOf(deps, nextCookies(answer))).toBe(code)
      }
    },
  )

  // Which of two codes a consent screen is about nobody here knows; a wrong one would be approved by comparing.
  it('keeps no code that could be that of another device, and none that we did not write', async () => {
    const { deps } = bridge()
    const typed = async (code: string, cookies: string) =>
      nextCookies(await answerDevice(deps, json({ challenge: 'c', user_code: code }, cookies)), cookies)
    const first = await typed('ABCD-EFGH', '')
    expect(await deviceCodeOf(deps, await typed('ABCDEFGH', first))).toBe('ABCDEFGH')
    const second = await typed('WXYZWXYZ', first)
    expect(await deviceCodeOf(deps, second)).toBeUndefined()
    expect(await deviceCodeOf(deps, await typed('ABCDEFGH', second))).toBeUndefined()
    expect(await deviceCodeOf(deps, 'quoin_device=ABCDEFGH')).toBeUndefined()
  })

  it('shows itself again with a wrong code, and with none asks nobody', async () => {
    const { deps, oauth } = bridge({ answers: { [`PUT ${DEVICE}`]: WRONG } })
    const page = await showDevice(deps, { device_challenge: 'c' }, null)
    const answer = (code: string) =>
      answerDevice(deps, form([...fieldsOf(page), ['user_code', code]], nextCookies(page)))
    const again = await answer('abcdefgh')
    expect(again.status).toBe(400)
    expect(again.body).toContain('role="alert"')
    expect(hidden(again, 'user_code')).toBe('abcd-efgh')
    // As typed, then in the other case.
    expect(oauth.calls.map(({ body }) => JSON.parse(body).user_code)).toEqual(['abcdefgh', 'ABCDEFGH'])
    expect((await answer('!')).status).toBe(400)
    expect(oauth.calls).toHaveLength(2)
  })

  it('answers scripts with JSON and codes', async () => {
    const { deps } = bridge()
    const good = await answerDevice(deps, json({ challenge: 'c', user_code: 'ABCDEFGH' }))
    expect(JSON.parse(good.body ?? '')).toEqual({ redirect_to: 'https://oauth.example/next?device' })
    const wrong = bridge({ answers: { [`PUT ${DEVICE}`]: WRONG } })
    await expect(
      answerDevice(wrong.deps, json({ challenge: 'c', user_code: 'ABCDEFGH' })),
    ).rejects.toMatchObject({ code: 'user_code_invalid' })
  })

  it('needs the cookie of its page', async () => {
    const { deps } = bridge()
    const page = await showDevice(deps, { device_challenge: 'c' }, null)
    await expect(
      answerDevice(deps, form([...fieldsOf(page), ['user_code', 'ABCDEFGH']])),
    ).rejects.toMatchObject({ code: 'form_token_invalid' })
  })
})

describe('the logout screen', () => {
  const skipping = { client: { skip_logout_consent: true } }
  const endings = ['GET /self-service/logout/browser', 'GET /self-service/logout?token=t']

  it('asks, in the name of the application', async () => {
    const { deps, oauth } = bridge()
    const page = await showLogout(deps, 'c', SIGNED_IN)
    expect(page.body).toContain('Web Shop asks to sign you out')
    expect(oauth.log()).toEqual([`GET ${LOGOUT}?logout_challenge=c`])
  })

  it('is left out for a client that wants none and proved itself', async () => {
    const { deps, identityPublic } = bridge(skipping)
    expect(location(await showLogout(deps, 'c', SIGNED_IN)).href).toBe('https://oauth.example/next?logout')
    // Another site can send the browser here; what it signs out of must then be seen and chosen.
    expect(identityPublic.log()).toEqual([])
  })

  // Any page can send a browser to the logout address of the server; without an ID token there is a question.
  it('is shown when nothing proves that an application asked', async () => {
    const { deps } = bridge({ ...skipping, logout: { rp_initiated: false } })
    expect((await showLogout(deps, 'c', SIGNED_IN)).body).toContain('Sign out?')
  })

  it('signs out, of the identity provider too unless that is unticked', async () => {
    const ticked: [string, string] = ['end_identity_session', 'true']
    for (const extra of [[ticked], []]) {
      const { deps, oauth, identityPublic } = bridge()
      const page = await showLogout(deps, 'c', SIGNED_IN)
      const submission = form([...fieldsOf(page), ...extra], nextCookies(page, SIGNED_IN))
      const answer = await acceptLogoutAnswer(deps, submission)
      expect(answer.body).toContain('url=https://oauth.example/next?logout')
      expect(oauth.log().at(-1)).toBe(`PUT ${LOGOUT}/accept?logout_challenge=c`)
      expect(identityPublic.log()).toEqual(extra.length === 0 ? [] : ['GET /sessions/whoami', ...endings])
    }
  })

  it('ends nobody else’s session', async () => {
    const { deps, identityPublic } = bridge({ whoami: sessionOf(BOB) })
    const page = await showLogout(deps, 'c', SIGNED_IN)
    const fields: [string, string][] = [...fieldsOf(page), ['end_identity_session', 'true']]
    await acceptLogoutAnswer(deps, form(fields, nextCookies(page, SIGNED_IN)))
    expect(identityPublic.log()).toEqual(['GET /sessions/whoami'])
  })

  it('takes no JSON with the session of somebody else, for yes and no', async () => {
    const { deps, oauth, identityPublic } = bridge({ whoami: sessionOf(BOB) })
    const refused = { code: 'subject_mismatch' }
    for (const end_identity_session of [true, false]) {
      const body = { challenge: 'c', end_identity_session }
      await expect(acceptLogoutAnswer(deps, json(body, SIGNED_IN))).rejects.toMatchObject(refused)
    }
    await expect(rejectLogoutAnswer(deps, json({ challenge: 'c' }, SIGNED_IN))).rejects.toMatchObject(refused)
    expect(oauth.log().filter(call => call.startsWith('PUT'))).toEqual([])
    expect(identityPublic.log().every(call => call === 'GET /sessions/whoami')).toBe(true)
  })

  it('signs nobody out who stays, and leads back', async () => {
    const { deps, oauth } = bridge({ answers: { [`PUT ${LOGOUT}/reject`]: [204, undefined] } })
    const page = await showLogout(deps, 'c', SIGNED_IN)
    const answer = await rejectLogoutAnswer(deps, form(fieldsOf(page), nextCookies(page)))
    expect(answer.body).toContain('href="https://shop.example/"')
    expect(oauth.log().at(-1)).toBe(`PUT ${LOGOUT}/reject?logout_challenge=c`)
    expect(await rejectLogoutAnswer(deps, json({ challenge: 'c' }))).toMatchObject({
      status: 204,
      body: null,
    })
  })

  it('follows a used request to where the server sends the browser', async () => {
    const used: [number, unknown] = [410, { redirect_to: '/oauth2/sessions/logout?state=abc' }]
    const { deps } = bridge({ answers: { [`GET ${LOGOUT}`]: used } })
    const url = location(await showLogout(deps, 'c', null)).href
    expect(url).toBe('https://oauth.example/oauth2/sessions/logout?state=abc')
    // `//evil.example` is another host, not a path of ours.
    const evil = bridge({ answers: { [`GET ${LOGOUT}`]: [410, { redirect_to: '//evil.example' }] } })
    await expect(showLogout(evil.deps, 'c', null)).rejects.toMatchObject({ code: 'challenge_used' })
  })
})

it('says in five fields whether the bridge is configured', () => {
  const { deps } = bridge()
  const urls = {
    login_url: 'http://quoin.example/api/oauthsrv/bridge/login',
    consent_url: 'http://quoin.example/api/oauthsrv/bridge/consent',
  }
  expect(readBridgeStatus(deps)).toEqual({
    oauth_server_configured: true,
    identity_configured: true,
    bridge_ready: true,
    ...urls,
  })
  const config = { ...deps.config, identityPublicUrl: undefined }
  expect(readBridgeStatus({ ...deps, config })).toEqual({
    oauth_server_configured: true,
    identity_configured: false,
    bridge_ready: false,
    ...urls,
  })
})

it.each([
  ['#1f5f8b', '#ffffff'],
  ['#000000', '#ffffff'],
  ['#ffb400', '#14181f'],
  ['#ffffff', '#14181f'],
])('writes on %s in %s', (color, ink) => {
  expect(styleSheet(color)).toContain(`--brand: ${color}; --on-brand: ${ink};`)
})
