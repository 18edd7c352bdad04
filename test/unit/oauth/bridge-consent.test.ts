// Who may consent to what, and what that grants: without a screen, after the session has ended, a second time.

import { describe, expect, it } from 'vitest'
import {
  acceptConsentAnswer,
  rejectConsentAnswer,
  switchAccount,
} from '../../../src/features/oauth/bridge/answer-consent.ts'
import { readConsentInfo } from '../../../src/features/oauth/bridge/consent-info.ts'
import { keepDeviceCode } from '../../../src/features/oauth/bridge/device-code.ts'
import { showConsent } from '../../../src/features/oauth/bridge/show-consent.ts'
import { ACCEPT, answered, openScreen, SIGNED_OUT } from './bridge-consent-support.ts'
import {
  ADA,
  BOB,
  bridge,
  form,
  identity,
  json,
  location,
  REQUEST_URL,
  SIGNED_IN,
  sent,
  sessionOf,
  type World,
} from './bridge-support.ts'

const SKIPPING = { metadata: { skip_consent: true } }
const DEVICE_URL = 'https://oauth.example/oauth2/device/verify?client_id=app&user_code=x'

describe('without a screen', () => {
  it.each<[string, World]>([
    ['a remembered consent', { consent: { skip: true } }],
    ['a client with skip_consent in its metadata', { client: SKIPPING }],
    ['a client with the field of the server', { client: { skip_consent: true } }],
  ])('%s is granted as asked, with the claims of now', async (_, world) => {
    const claims = { id_token_claims: { mail: '{{traits.email}}' }, access_token_claims: { who: '{{id}}' } }
    const { deps, oauth } = bridge({ ...world, claims })
    const answer = await showConsent(deps, 'c', SIGNED_IN)
    expect(location(answer).href).toBe('https://oauth.example/next?consent')
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({
      grant_scope: ['openid', 'email', 'offline_access'],
      grant_access_token_audience: ['https://api'],
      remember_for: 3_600,
      session: {
        id_token: { mail: '0@example.com', email: '0@example.com' },
        access_token: { who: ADA, consent_request_id: 'r-1' },
      },
    })
  })

  // A sign-in of somebody else in between must not hand this person's tokens to the other's application.
  it('nobody consents with another account signed in', async () => {
    const { deps, oauth } = bridge({ client: SKIPPING, whoami: sessionOf(BOB) })
    await expect(showConsent(deps, 'c', SIGNED_IN)).rejects.toMatchObject({ code: 'subject_mismatch' })
    expect(answered(oauth.log())).toEqual([])
  })

  it('a device is never connected', async () => {
    const { deps } = bridge({ client: SKIPPING, consent: { skip: true, request_url: DEVICE_URL } })
    const typed = (await keepDeviceCode(deps, null, 'ABCDEFGH')).split(';', 1)[0]
    const page = await showConsent(deps, 'c', `${SIGNED_IN}; ${typed}`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('ABCD-EFGH')
  })
})

// Whoever ended somebody's sessions, because a computer was stolen, must not find tokens made on it afterwards.
describe('a session that has ended', () => {
  const ENDED = 'ory_kratos_session=ended'
  const world = { identities: { [ADA]: identity(ADA) } }

  it.each<[string, World]>([
    ['the screen', {}],
    ['a remembered consent', { consent: { skip: true } }],
    ['a client with skip_consent', { client: SKIPPING }],
  ])('opens nothing by %s', async (_, more) => {
    const { deps, oauth } = bridge({ ...world, ...more })
    for (const cookies of [null, ENDED])
      await expect(showConsent(deps, 'c', cookies)).rejects.toMatchObject(SIGNED_OUT)
    expect(answered(oauth.log())).toEqual([])
  })

  it('neither grants nor denies on the screen that is still open, but leads to another sign-in', async () => {
    const { fields, cookies } = await openScreen(world)
    const { deps, oauth } = bridge({ ...world, whoami: null })
    for (const verb of [acceptConsentAnswer, rejectConsentAnswer])
      await expect(verb(deps, form(fields, cookies))).rejects.toMatchObject(SIGNED_OUT)
    expect(answered(oauth.log())).toEqual([])
    expect((await switchAccount(deps, form(fields, cookies))).body).toContain('prompt=login')
  })

  it('is refused in JSON too, where its cookie is sent', async () => {
    const { deps, oauth } = bridge(world)
    const yes = { challenge: 'c', grant_scope: ['openid'] }
    for (const cookies of [ENDED, `theme=dark; ${ENDED}`, 'ory_session_project=ended'])
      for (const attempt of [
        acceptConsentAnswer(deps, json(yes, cookies)),
        rejectConsentAnswer(deps, json({ challenge: 'c' }, cookies)),
      ])
        await expect(attempt).rejects.toMatchObject(SIGNED_OUT)
    expect(answered(oauth.log())).toEqual([])
    await acceptConsentAnswer(deps, json(yes, 'theme=dark'))
    expect(answered(oauth.log())).toHaveLength(1)
  })
})

describe('a consent that was given before', () => {
  const client = { client_id: 'app' }
  const others = { consent_request_id: 'r-0', consent_request: { client } }
  const own = { consent_request_id: 'r-1', consent_request: { client } }
  const used = { code: 'challenge_used', restartUrl: REQUEST_URL }

  // The server itself would take every answer, and the last one would be refused at the application only.
  it('is neither shown nor answered again', async () => {
    const { fields, cookies } = await openScreen({ given: [others] })
    const { deps, oauth } = bridge({ given: [others, own] })
    await expect(showConsent(deps, 'c', SIGNED_IN)).rejects.toMatchObject(used)
    await expect(readConsentInfo(deps, 'c')).rejects.toMatchObject({ code: 'challenge_used' })
    const yes = { challenge: 'c', grant_scope: ['openid'] }
    for (const submission of [form(fields, cookies), json(yes, SIGNED_IN)])
      await expect(acceptConsentAnswer(deps, submission)).rejects.toMatchObject(used)
    for (const submission of [form(fields, cookies), json({ challenge: 'c' })])
      await expect(rejectConsentAnswer(deps, submission)).rejects.toMatchObject(used)
    expect(answered(oauth.log())).toEqual([])
    expect(oauth.log()).toContain(
      `GET /admin/oauth2/auth/sessions/consent?subject=${ADA}&login_session_id=l-1&page_size=500`,
    )
  })

  it('is not given again while the server does not say', async () => {
    const list = 'GET /admin/oauth2/auth/sessions/consent'
    const { deps, oauth } = bridge({ answers: { [list]: [500, ''] } })
    const failure = { code: 'upstream_unavailable' }
    await expect(showConsent(deps, 'c', SIGNED_IN)).rejects.toMatchObject(failure)
    const yes = json({ challenge: 'c', grant_scope: ['openid'] }, SIGNED_IN)
    await expect(acceptConsentAnswer(deps, yes)).rejects.toMatchObject(failure)
    expect(answered(oauth.log())).toEqual([])
  })

  it('is not asked about at servers that give consents no id', async () => {
    const { deps, oauth } = bridge({ consent: { consent_request_id: undefined } })
    expect((await showConsent(deps, 'c', SIGNED_IN)).status).toBe(200)
    expect(oauth.log()).toHaveLength(1)
  })
})

describe('the claims', () => {
  it('are read by the subject where the admin API is configured, for a server that has no session', async () => {
    const { deps, oauth } = bridge({
      identities: { [ADA]: identity(ADA, { traits: { email: 'new@x.org' } }) },
    })
    await acceptConsentAnswer(deps, json({ challenge: 'c', grant_scope: ['openid', 'email'] }))
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ session: { id_token: { email: 'new@x.org' } } })
  })

  it('hold only what the granted scopes are for', async () => {
    const { deps, oauth } = bridge()
    await acceptConsentAnswer(deps, json({ challenge: 'c', grant_scope: ['openid'] }, SIGNED_IN))
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ session: { id_token: {} }, grant_scope: ['openid'] })
  })

  it.each<[string, World, string | null, string]>([
    ['nobody is signed in and there is no admin API', {}, null, 'session_required'],
    ['the account is gone', { identities: {} }, SIGNED_IN, 'account_unavailable'],
    [
      'the account is locked',
      { identities: { [ADA]: identity(ADA, { state: 'inactive' }) } },
      SIGNED_IN,
      'account_unavailable',
    ],
  ])('are not made up when %s', async (_, world, cookies, code) => {
    const { deps, oauth } = bridge(world)
    const submission = json({ challenge: 'c', grant_scope: ['openid'] }, cookies)
    const restartUrl = code === 'account_unavailable' ? `${REQUEST_URL}&prompt=login` : REQUEST_URL
    await expect(acceptConsentAnswer(deps, submission)).rejects.toMatchObject({ code, restartUrl })
    expect(answered(oauth.log())).toEqual([])
  })
})
