// The answers to a consent request, by the form of our screen and in JSON.

import { describe, expect, it } from 'vitest'
import {
  acceptConsentAnswer,
  rejectConsentAnswer,
  switchAccount,
} from '../../../src/features/oauth/bridge/answer-consent.ts'
import { ACCEPT, answered, openScreen, REJECT } from './bridge-consent-support.ts'
import { BOB, bridge, form, json, REQUEST_URL, SIGNED_IN, sent, sessionOf } from './bridge-support.ts'

describe('the form', () => {
  it('grants what is ticked, and goes on by a page', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    const ticked: [string, string][] = [
      ['grant_scope', 'openid'],
      ['grant_scope', 'email'],
      ['grant_scope', 'admin'],
      ['remember', 'true'],
    ]
    const answer = await acceptConsentAnswer(deps, form([...fields, ...ticked], cookies))
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(
      '<meta http-equiv="refresh" content="0;url=https://oauth.example/next?consent"',
    )
    expect(answer.body).toContain('<a class="button primary" href="https://oauth.example/next?consent"')
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ grant_scope: ['openid', 'email'], remember: true })
  })

  it('grants nothing when nothing is ticked, and remembers nothing', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    await acceptConsentAnswer(deps, form(fields, cookies))
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ grant_scope: [], remember: false })
  })

  it('denies in words that the application understands', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    const answer = await rejectConsentAnswer(deps, form(fields, cookies))
    expect(answer.body).toContain('https://oauth.example/next?consent')
    expect(sent(oauth.calls, REJECT)).toEqual({
      error: 'access_denied',
      error_description: 'The resource owner denied the request.',
    })
  })

  it('is nothing without the cookie of its page, and for another challenge', async () => {
    const { deps, oauth, fields, cookies } = await openScreen()
    const stolen = fields.map(([name, value]): [string, string] => [name, name === 'challenge' ? 'd' : value])
    for (const submission of [form(fields, SIGNED_IN), form(fields), form(stolen, cookies)])
      for (const verb of [acceptConsentAnswer, rejectConsentAnswer, switchAccount])
        await expect(verb(deps, submission)).rejects.toMatchObject({ code: 'form_token_invalid' })
    expect(answered(oauth.log())).toEqual([])
  })

  it('needs its fields', async () => {
    const { deps, cookies } = await openScreen()
    for (const fields of [[], [['challenge', '']]] as [string, string][][])
      await expect(acceptConsentAnswer(deps, form(fields, cookies))).rejects.toMatchObject({
        code: 'validation_failed',
      })
  })

  it('knows where to start again when it is sent too late', async () => {
    const { fields, cookies } = await openScreen()
    const expired: [number, unknown] = [401, { error: 'request_unauthorized', error_description: '' }]
    const { deps } = bridge({ answers: { 'GET /admin/oauth2/auth/requests/consent': expired } })
    await expect(acceptConsentAnswer(deps, form(fields, cookies))).rejects.toMatchObject({
      code: 'challenge_expired',
      restartUrl: REQUEST_URL,
    })
  })

  it('of "Not you?" ends both sessions and starts the flow with a sign-in', async () => {
    const { deps, oauth, identityPublic, fields, cookies } = await openScreen()
    const answer = await switchAccount(deps, form(fields, cookies))
    expect(answer.body).toContain('scope=openid&amp;prompt=login"')
    expect(identityPublic.log().slice(-2)).toEqual([
      'GET /self-service/logout/browser',
      'GET /self-service/logout?token=t',
    ])
    expect(oauth.log().at(-1)).toBe('DELETE /admin/oauth2/auth/sessions/login?sid=l-1')
  })

  describe('in a device flow', () => {
    const consent = { request_url: 'https://oauth.example/oauth2/device/verify?client_id=app' }

    it('of "Not you?" starts at the page for the code', async () => {
      const { deps, fields, cookies } = await openScreen({ consent })
      const answer = await switchAccount(deps, form(fields, cookies))
      expect(answer.body).toContain('url=https://oauth.example/oauth2/device/verify"')
    })

    // Where the server sends the browser after a no is JSON, and the device hears nothing of it.
    it('ends on a page of ours when it denies', async () => {
      const { deps, oauth, fields, cookies } = await openScreen({ consent })
      const answer = await rejectConsentAnswer(deps, form(fields, cookies))
      expect(answer.body).toContain('The device was not connected')
      expect(answer.body).not.toContain('oauth.example')
      expect(sent(oauth.calls, REJECT)).toMatchObject({ error: 'access_denied' })
    })
  })
})

describe('JSON', () => {
  const YES = { challenge: 'c', grant_scope: ['openid'], remember: true }

  it('is answered with the address to go on at', async () => {
    const { deps, oauth } = bridge()
    const answer = await acceptConsentAnswer(deps, json(YES, SIGNED_IN))
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(answer.body ?? '')).toEqual({ redirect_to: 'https://oauth.example/next?consent' })
    expect(sent(oauth.calls, ACCEPT)).toMatchObject({ remember: true, grant_scope: ['openid'] })
  })

  it('passes on why somebody says no', async () => {
    const { deps, oauth } = bridge()
    const no = { challenge: 'c', error: 'consent_required', error_description: 'Not today.' }
    await rejectConsentAnswer(deps, json(no))
    expect(sent(oauth.calls, REJECT)).toEqual({ error: 'consent_required', error_description: 'Not today.' })
  })

  it('grants no scope that was not asked for, and nothing beside it', async () => {
    const { deps, oauth } = bridge()
    const submission = json({ ...YES, grant_scope: ['openid', 'admin'] }, SIGNED_IN)
    await expect(acceptConsentAnswer(deps, submission)).rejects.toMatchObject({
      code: 'scope_not_requested',
      detail: 'grant_scope: admin',
    })
    expect(answered(oauth.log())).toEqual([])
  })

  it('of somebody else is refused, to accept and to reject', async () => {
    const { deps, oauth } = bridge({ whoami: sessionOf(BOB) })
    await expect(acceptConsentAnswer(deps, json(YES, SIGNED_IN))).rejects.toMatchObject({
      code: 'subject_mismatch',
    })
    await expect(rejectConsentAnswer(deps, json({ challenge: 'c' }, SIGNED_IN))).rejects.toMatchObject({
      code: 'subject_mismatch',
    })
    expect(answered(oauth.log())).toEqual([])
  })

  it.each([
    [{}, 'validation_failed'],
    [{ challenge: 'c' }, 'validation_failed'],
    [{ ...YES, grant_scope: 'openid' }, 'validation_failed'],
    [{ ...YES, remember: 'yes' }, 'validation_failed'],
    [{ ...YES, subject: BOB }, 'validation_failed'],
    [{ ...YES, challenge: '' }, 'validation_failed'],
  ])('%j is refused before anything is asked', async (body, code) => {
    const { deps, oauth } = bridge()
    await expect(acceptConsentAnswer(deps, json(body))).rejects.toMatchObject({ code })
    expect(oauth.log()).toEqual([])
  })

  it('that is none is refused without quoting what was sent', async () => {
    const { deps } = bridge()
    const broken = { ...json(YES), readBodyText: async () => '{"challenge":"the-secret' }
    const error = await acceptConsentAnswer(deps, broken).catch(err => err)
    expect(error).toMatchObject({ code: 'invalid_body' })
    expect(`${error.message}${error.detail}${error.cause}`).not.toContain('secret')
    const other = { ...json(YES), contentType: 'text/plain' }
    await expect(acceptConsentAnswer(deps, other)).rejects.toMatchObject({ code: 'unsupported_media_type' })
  })
})
