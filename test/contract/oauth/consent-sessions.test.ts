// What people have agreed to, over HTTP, with consents given at the bridge's screen. What applications hear of a
// logout is in applications-logout.test.ts.

import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import {
  type ConsentSession,
  ConsentSessionList,
} from '../../../src/features/oauth/consent-sessions/schemas.ts'
import { introspect, newBrowser, registerClient, tokensFor } from '../../support/applications.ts'
import { connectOwner } from '../../support/postgres.ts'
import { call } from './caller.ts'

const { user_identity_id } = inject('stack')

const consents = (method: string, subject: string, query = '') =>
  call(method, `/api/oauthsrv/consent/${subject}${query}`)
const logout = (body: unknown) => call('POST', '/api/oauthsrv/logout', body)
const isActive = async (token: string) => (await introspect(token))['active']

async function listOf(subject: string): Promise<ConsentSession[]> {
  const { status, json } = await consents('GET', subject)
  expect(status).toBe(200)
  return ConsentSessionList.parse(json)
}

/** A person who is signed in to two applications. */
async function personAtTwoClients() {
  const browser = await newBrowser()
  const [shop, blog] = [
    await registerClient({ client_uri: 'https://shop.example.com' }),
    await registerClient(),
  ]
  const ofShop = await tokensFor({
    client: shop,
    browser,
    scope: 'openid email read',
    decision: { remember: true, grant: ['openid', 'read'] },
  })
  const ofBlog = await tokensFor({ client: blog, browser, scope: 'openid' })
  return { subject: browser.person.id, shop, blog, ofShop, ofBlog }
}

describe('GET /api/oauthsrv/consent/:subject', () => {
  it('lists client and scopes of each consent, the newest first', async () => {
    const { subject, shop, blog } = await personAtTwoClients()
    const list = await listOf(subject)
    expect(list.map(({ client }) => client.client_id)).toEqual([blog.client_id, shop.client_id])
    expect(list[1]).toEqual({
      consent_request_id: expect.any(String),
      client: {
        client_id: shop.client_id,
        client_name: expect.stringMatching(/^test /),
        client_uri: 'https://shop.example.com',
        logo_uri: null,
        policy_uri: null,
        tos_uri: null,
      },
      scopes: ['openid', 'read'],
      audience: [],
      remember: true,
      remember_for: 0,
      granted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(list[0]).toMatchObject({ scopes: ['openid'], remember: false })
  })

  it('is empty for somebody who has agreed to nothing', async () => {
    const { person } = await newBrowser()
    expect(await listOf(person.id)).toEqual([])
  })

  it.each(['GET', 'DELETE'])('%s is not_found for a subject that nobody is', async method => {
    for (const subject of [randomUUID(), 'nobody', '%2e%2e', '%00', "a'b", 'x'.repeat(300)]) {
      const { status, json } = await consents(method, subject)
      expect([status, json['code']], subject.slice(0, 40)).toEqual([404, 'not_found'])
    }
  })
})

describe('DELETE /api/oauthsrv/consent/:subject', () => {
  it('revokes the consents at one client with their tokens, and no others', async () => {
    const { subject, shop, blog, ofShop, ofBlog } = await personAtTwoClients()
    const { status, json } = await consents('DELETE', subject, `?client=${shop.client_id}`)
    expect([status, json]).toEqual([200, { subject, revoked: 1, clients: [shop.client_id] }])
    expect((await listOf(subject)).map(({ client }) => client.client_id)).toEqual([blog.client_id])
    expect([await isActive(ofShop.access_token), await isActive(ofBlog.access_token)]).toEqual([false, true])
  })

  it('revokes all, writes it down, and is no error the second time', async () => {
    const { subject, shop, blog, ofBlog } = await personAtTwoClients()
    const { json } = await consents('DELETE', subject)
    expect(json).toEqual({ subject, revoked: 2, clients: [blog.client_id, shop.client_id] })
    expect(await listOf(subject)).toEqual([])
    expect(await isActive(ofBlog.access_token)).toBe(false)
    expect((await consents('DELETE', subject)).json).toEqual({ subject, revoked: 0, clients: [] })
    await using db = await connectOwner()
    const { rows } = await db.query(
      "select actor_id, before from quoin.audit_logs where action = 'consent_sessions.revoke' " +
        'and target_id = $1 order by created_at',
      [subject],
    )
    expect(rows).toMatchObject([
      {
        actor_id: user_identity_id,
        before: [{ client_id: blog.client_id, scopes: ['openid'] }, { client_id: shop.client_id }],
      },
      { before: [] },
    ])
  })

  it('is not_found for a client that is not there, and revokes nothing', async () => {
    const { subject } = await personAtTwoClients()
    const { status, json } = await consents('DELETE', subject, `?client=${randomUUID()}`)
    expect([status, json['code']]).toEqual([404, 'not_found'])
    expect(await listOf(subject)).toHaveLength(2)
  })

  it.each(['?client=', '?klient=x', '?client=a&client=b', `?client=${'x'.repeat(256)}`])(
    'refuses %s',
    async query => {
      const { status, json } = await consents('DELETE', user_identity_id ?? '', query)
      expect([status, json['code']]).toEqual([400, 'validation_failed'])
    },
  )
})

describe('POST /api/oauthsrv/logout', () => {
  it('ends sessions, consents and tokens, and says per client who was told', async () => {
    const { subject, shop, blog, ofShop } = await personAtTwoClients()
    const { status, json } = await logout({ subject })
    expect(status).toBe(200)
    const quiet = {
      client_name: expect.any(String),
      backchannel_logout: 'not_registered',
      frontchannel_logout: 'not_registered',
    }
    expect(json).toEqual({
      subject,
      login_sessions_ended: 1,
      consents_revoked: 2,
      clients: [
        { client_id: blog.client_id, ...quiet },
        { client_id: shop.client_id, ...quiet },
      ],
    })
    expect(await listOf(subject)).toEqual([])
    expect(await isActive(ofShop.access_token)).toBe(false)
    expect((await logout({ subject })).json).toMatchObject({ login_sessions_ended: 0, clients: [] })
  })

  it.each<[string, unknown, number, string]>([
    ['nobody', { subject: randomUUID() }, 404, 'not_found'],
    ['no id', { subject: 'nobody' }, 404, 'not_found'],
    ['an empty subject', { subject: '' }, 400, 'validation_failed'],
    ['no subject', {}, 400, 'validation_failed'],
    ['a number', { subject: 7 }, 400, 'validation_failed'],
    ['a field that does not exist', { subject: randomUUID(), all: true }, 400, 'validation_failed'],
  ])('refuses %s', async (_name, body, status, code) => {
    const answer = await logout(body)
    expect([answer.status, answer.json['code']]).toEqual([status, code])
  })
})
