// Consents and logout: nothing of an application's session data leaves, and nobody who does not exist is signed out.
// What ends, ends in the order in which applications are still told.

import { describe, expect, it, vi } from 'vitest'
import { processConsentPage } from '../../../src/clients/oauth-server/sessions.ts'
import { listConsentSessions } from '../../../src/features/oauth/consent-sessions/list-consent-sessions.ts'
import { logOutSubject } from '../../../src/features/oauth/consent-sessions/log-out-subject.ts'
import { revokeConsents } from '../../../src/features/oauth/consent-sessions/revoke-consents.ts'
import { answer, CALLER, fakePlatform, fakeServer, NO_SERVER, NOT_FOUND, ODD_ANSWERS } from './fake-server.ts'

const SUBJECT = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'
const NOBODY = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a02'

function consent(clientId: string, day: number, more: { sid?: string; client?: object } = {}) {
  return {
    consent_request_id: `cr-${clientId}-${day}`,
    grant_scope: ['openid', 'read'],
    grant_access_token_audience: null,
    session: { access_token: { tenant: 'PRIVATE' }, id_token: { email: 'PRIVATE' } },
    context: { note: 'PRIVATE' },
    remember: true,
    remember_for: 0,
    handled_at: `2026-01-0${day}T00:00:00Z`,
    consent_request: {
      challenge: '',
      subject: SUBJECT,
      login_session_id: more.sid ?? 's1',
      context: { note: 'PRIVATE' },
      client: {
        client_id: clientId,
        client_name: 'Shop',
        owner: 'us',
        metadata: { x: 'PRIVATE' },
        ...more.client,
      },
    },
  }
}

const PAGE_2 = 'x'.repeat(60)

function makeDeps(
  pages: unknown[][],
  { owner, hasIdentityAdmin = true }: { owner?: string; hasIdentityAdmin?: boolean } = {},
) {
  const oauthAdmin = fakeServer(({ method, path }) => {
    if (path.startsWith('/admin/clients/'))
      return path.endsWith('/c1') ? [200, { client_id: 'c1', owner: 'us' }] : [404, NOT_FOUND]
    if (method === 'DELETE') return [204]
    const page = path.includes(`page_token=${PAGE_2}`) ? 1 : 0
    const isLast = page === pages.length - 1 || pages.length === 0
    const link = `</admin/oauth2/auth/sessions/consent?page_size=500&page_token=${PAGE_2}&subject=x>; rel="next"`
    return [200, pages[page] ?? null, isLast ? {} : { link }]
  })
  const identityAdmin = fakeServer(
    ({ path }) =>
      path.endsWith(SUBJECT)
        ? [200, { id: SUBJECT, traits: {} }]
        : [404, { error: { code: 404, message: 'x' } }],
    'identity_provider',
  )
  const database = fakePlatform()
  const deps = {
    upstreams: {
      oauthAdmin: oauthAdmin.server,
      identityAdmin: hasIdentityAdmin ? identityAdmin.server : { ...NO_SERVER, baseUrl: undefined },
    },
    config: { oauthClientOwner: owner },
    platform: database.platform,
    endUserTokens: { forget: vi.fn() },
  }
  const deletes = () =>
    oauthAdmin
      .log()
      .flatMap(call =>
        call.startsWith('DELETE') ? [call.replace('DELETE /admin/oauth2/auth/sessions', '')] : [],
      )
  return { deps, deletes, audit: database.audit, log: oauthAdmin.log, identityLog: identityAdmin.log }
}

describe('a page of consents', () => {
  it('is empty for null, and goes on where a relative Link says', () => {
    const link = `</admin/oauth2/auth/sessions/consent?page_token=${PAGE_2}>; rel="next"`
    expect(processConsentPage(NO_SERVER, answer(200, null, { link }))).toEqual({
      items: [],
      nextPageToken: PAGE_2,
      length: 4,
    })
    expect(processConsentPage(NO_SERVER, answer(200, []))).toMatchObject({
      items: [],
      nextPageToken: undefined,
    })
  })

  it.each(ODD_ANSWERS)('is an error of the server for %s', (_name, odd, code) => {
    expect(() => processConsentPage(NO_SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })

  it('reads what older servers leave out', () => {
    const { items: consents } = processConsentPage(
      NO_SERVER,
      answer(200, [{ consent_request: { client: { client_id: 'c1' } } }]),
    )
    expect(consents).toMatchObject([
      { consent_request_id: '', grant_scope: [], remember: false, handled_at: '' },
    ])
  })
})

describe('listConsentSessions', () => {
  it('gives client and scopes, the newest first, over all pages, and nothing private', async () => {
    const { deps, log } = makeDeps([[consent('c1', 1)], [consent('c2', 3), consent('c1', 2)]])
    const sessions = await listConsentSessions(deps, SUBJECT)
    expect(sessions.map(session => session.consent_request_id)).toEqual(['cr-c2-3', 'cr-c1-2', 'cr-c1-1'])
    expect(sessions[0]).toEqual({
      consent_request_id: 'cr-c2-3',
      client: {
        client_id: 'c2',
        client_name: 'Shop',
        client_uri: null,
        logo_uri: null,
        policy_uri: null,
        tos_uri: null,
      },
      scopes: ['openid', 'read'],
      audience: [],
      remember: true,
      remember_for: 0,
      granted_at: '2026-01-03T00:00:00Z',
    })
    expect(JSON.stringify(sessions)).not.toContain('PRIVATE')
    expect(log()).toHaveLength(2)
  })

  it("leaves other owners' clients out", async () => {
    const { deps } = makeDeps([[consent('c1', 1), consent('c2', 2, { client: { owner: 'them' } })]], {
      owner: 'us',
    })
    expect((await listConsentSessions(deps, SUBJECT)).map(({ client }) => client.client_id)).toEqual(['c1'])
  })

  it('tells somebody who has agreed to nothing from nobody', async () => {
    const { deps } = makeDeps([])
    expect(await listConsentSessions(deps, SUBJECT)).toEqual([])
    await expect(listConsentSessions(deps, NOBODY)).rejects.toMatchObject({ code: 'not_found' })
    await expect(listConsentSessions(deps, 'no uuid')).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each(['', 'a\0b', 'a\nb', 'x'.repeat(256)])('sends no text that no subject is: %j', async subject => {
    const { deps, log } = makeDeps([])
    await expect(listConsentSessions(deps, subject)).rejects.toMatchObject({ code: 'not_found' })
    expect(log()).toEqual([])
  })

  it('cannot tell them apart without the admin API of the identity provider', async () => {
    const { deps } = makeDeps([], { hasIdentityAdmin: false })
    expect(await listConsentSessions(deps, NOBODY)).toEqual([])
  })

  it('asks nobody else about a subject that has consents: the identity may be gone', async () => {
    const { deps, identityLog } = makeDeps([[consent('c1', 1)]])
    await listConsentSessions(deps, NOBODY)
    expect(identityLog()).toEqual([])
  })
})

describe('revokeConsents', () => {
  const TWO_CLIENTS = [[consent('c1', 1), consent('c1', 2), consent('c2', 3)]]

  it('revokes all at once, and writes down what was there', async () => {
    const { deps, deletes, audit } = makeDeps(TWO_CLIENTS)
    expect(await revokeConsents(deps, SUBJECT, {}, CALLER)).toEqual({
      subject: SUBJECT,
      revoked: 3,
      clients: ['c2', 'c1'],
    })
    expect(deletes()).toEqual([`/consent?subject=${SUBJECT}&all=true`])
    expect(deps.endUserTokens.forget).toHaveBeenCalledOnce()
    expect(audit().begun).toMatchObject([
      {
        target: SUBJECT,
        before: [{ client_id: 'c2', scopes: ['openid', 'read'] }, {}, {}],
      },
    ])
  })

  it('revokes those of one client only', async () => {
    const { deps, deletes } = makeDeps(TWO_CLIENTS)
    expect(await revokeConsents(deps, SUBJECT, { client: 'c1' }, CALLER)).toMatchObject({
      revoked: 2,
      clients: ['c1'],
    })
    expect(deletes()).toEqual([`/consent?subject=${SUBJECT}&client=c1`])
  })

  it('is not_found for an unknown client and for nobody, and revokes nothing', async () => {
    const { deps, deletes } = makeDeps(TWO_CLIENTS)
    await expect(revokeConsents(deps, SUBJECT, { client: 'c9' }, CALLER)).rejects.toMatchObject({
      code: 'not_found',
    })
    const empty = makeDeps([])
    await expect(revokeConsents(empty.deps, NOBODY, {}, CALLER)).rejects.toMatchObject({ code: 'not_found' })
    expect([...deletes(), ...empty.deletes()]).toEqual([])
  })

  it("does not touch other owners' clients", async () => {
    const { deps, deletes } = makeDeps(
      [[consent('c1', 1), consent('c2', 2, { client: { owner: 'them' } })]],
      { owner: 'us' },
    )
    expect(await revokeConsents(deps, SUBJECT, {}, CALLER)).toMatchObject({ revoked: 1, clients: ['c1'] })
    expect(deletes()).toEqual([`/consent?subject=${SUBJECT}&client=c1`])
  })
})

describe('logOutSubject', () => {
  it('ends sessions one by one, then all of the subject, then the consents', async () => {
    const back = { backchannel_logout_uri: 'https://c1.example/back' }
    const { deps, deletes, audit } = makeDeps([
      [
        consent('c1', 1, { sid: 's1', client: back }),
        consent('c1', 2, { sid: 's2', client: back }),
        consent('c2', 3, { sid: 's2', client: { frontchannel_logout_uri: 'https://c2.example/front' } }),
        consent('c3', 4, { sid: '', client: back }),
      ],
    ])
    const logout = await logOutSubject(deps, SUBJECT, CALLER)
    expect(deps.endUserTokens.forget).toHaveBeenCalledOnce()
    expect(logout).toEqual({
      subject: SUBJECT,
      login_sessions_ended: 2,
      consents_revoked: 4,
      clients: [
        {
          client_id: 'c3',
          client_name: 'Shop',
          backchannel_logout: 'no_session',
          frontchannel_logout: 'not_registered',
        },
        {
          client_id: 'c2',
          client_name: 'Shop',
          backchannel_logout: 'not_registered',
          frontchannel_logout: 'needs_browser',
        },
        {
          client_id: 'c1',
          client_name: 'Shop',
          backchannel_logout: 'requested',
          frontchannel_logout: 'not_registered',
        },
      ],
    })
    expect(deletes()).toEqual([
      '/login?sid=s2',
      '/login?sid=s1',
      `/login?subject=${SUBJECT}`,
      `/consent?subject=${SUBJECT}&all=true`,
    ])
    expect(audit()).toMatchObject({
      begun: [{ target: SUBJECT }],
      ended: [{ outcome: 'succeeded' }],
    })
  })

  it('ends what no consent names too', async () => {
    const { deps, deletes } = makeDeps([])
    expect(await logOutSubject(deps, SUBJECT, CALLER)).toMatchObject({ login_sessions_ended: 0, clients: [] })
    expect(deletes()).toContain(`/login?subject=${SUBJECT}`)
  })

  it('is not_found for nobody, and ends nothing', async () => {
    const { deps, deletes } = makeDeps([])
    await expect(logOutSubject(deps, NOBODY, CALLER)).rejects.toMatchObject({ code: 'not_found' })
    expect(deletes()).toEqual([])
  })

  it.each<[string, string, () => [number]]>([
    ['failed', 'fails', () => [500]],
    [
      'pending',
      'cuts the connection',
      () => {
        throw new TypeError('cut')
      },
    ],
  ])(
    'is %s when the server %s, and leaves the consents, by which it can be tried again',
    async (outcome, _, reply) => {
      const { deps, deletes, audit } = makeDeps([[consent('c1', 1)]])
      const { server } = fakeServer(({ method, path }) => {
        if (path.includes('sid=')) return reply()
        return method === 'DELETE' ? [204] : [200, [consent('c1', 1)]]
      })
      const broken = { ...deps, upstreams: { ...deps.upstreams, oauthAdmin: server } }
      await expect(logOutSubject(broken, SUBJECT, CALLER)).rejects.toMatchObject({
        code: 'upstream_unavailable',
      })
      expect(audit().ended).toMatchObject([{ outcome }])
      expect(deletes()).toEqual([])
    },
  )
})
