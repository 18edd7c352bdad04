// The claims configuration over HTTP, and its claims in real tokens. Names begin with `contract_`, because other files'
// tokens carry these claims meanwhile.

import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ClaimsPreview } from '../../../src/features/oauth/claims/preview-claims.ts'
import { ClaimsConfig } from '../../../src/features/oauth/claims/schemas.ts'
import { dashboard, introspect, newBrowser, registerClient, tokensFor } from '../../support/applications.ts'
import { holdClaimsConfig } from '../../support/claims-config.ts'
import { connectOwner } from '../../support/postgres.ts'
import { call } from './caller.ts'

const { oauth_public_url, user_identity_id } = inject('stack')

const config = (method: string, body?: unknown) => call(method, '/api/oauthsrv/claims-config', body)
const preview = (body: unknown) => call('POST', '/api/oauthsrv/claims-config/preview', body)

const TEMPLATES = {
  contract_role: '{{metadata_public.job}}',
  contract_groups: '{{metadata_public.groups}}',
  contract_first_group: '{{metadata_public.groups[0]}}',
  contract_contact: '{{traits.name.first}} <{{traits.email}}>',
  contract_plan: 'plan {{metadata_public.plan}}',
  contract_user: '{{id}}',
  contract_nothing: '{{traits.nothing}}',
  contract_half: 'x {{traits.nothing}}',
}

let before: ClaimsConfig
let held: AsyncDisposable
beforeAll(async () => {
  held = await holdClaimsConfig()
  before = await dashboard('GET', '/claims-config')
})
afterAll(async () => {
  await dashboard('PUT', '/claims-config', before)
  await held[Symbol.asyncDispose]()
})

describe('PUT /api/oauthsrv/claims-config', () => {
  it('stores the maps that are given, leaves the other, and writes it down', async () => {
    const both = { id_token_claims: { contract_a: '{{id}}' }, access_token_claims: { contract_b: 'b' } }
    const { status, json } = await config('PUT', both)
    expect([status, json]).toEqual([200, both])
    await config('PUT', { access_token_claims: {} })
    const { json: stored } = await config('GET')
    expect(ClaimsConfig.parse(stored)).toEqual({ ...both, access_token_claims: {} })
    await using db = await connectOwner()
    const { rows } = await db.query(
      "select * from quoin.audit_logs where action = 'claims_config.replace' order by created_at desc limit 1",
    )
    expect(rows).toMatchObject([
      { actor_id: user_identity_id, outcome: 'succeeded', before: both, after: stored },
    ])
  })

  it('refuses the name __proto__, and keeps what is stored', async () => {
    const { json: stored } = await config('GET')
    for (const field of ['id_token_claims', 'access_token_claims']) {
      const { status, json } = await config('PUT', JSON.parse(`{"${field}":{"__proto__":"{{id}}"}}`))
      expect([status, json['code']]).toEqual([422, 'reserved_claim'])
    }
    expect((await config('GET')).json).toEqual(stored)
  })

  it.each<[string, unknown, number, string]>([
    ['no map at all', {}, 400, 'validation_failed'],
    ['an unknown root', { id_token_claims: { a: '{{session.id}}' } }, 422, 'invalid_claim_template'],
    ['private metadata', { id_token_claims: { a: '{{metadata_admin.x}}' } }, 422, 'invalid_claim_template'],
    [
      'braces that do not close',
      { access_token_claims: { a: '{{traits.email' } },
      422,
      'invalid_claim_template',
    ],
    [
      'braces that do not open',
      { access_token_claims: { a: 'traits.email}}' } },
      422,
      'invalid_claim_template',
    ],
    ['a single brace', { access_token_claims: { a: '{traits.email}' } }, 422, 'invalid_claim_template'],
    [
      'a path into the language',
      { id_token_claims: { a: '{{traits.__proto__.x}}' } },
      422,
      'invalid_claim_template',
    ],
    ['a reserved claim', { id_token_claims: { sub: '{{id}}' } }, 422, 'reserved_claim'],
    ['a reserved claim of access tokens', { access_token_claims: { client_id: 'x' } }, 422, 'reserved_claim'],
    ['a template that is no text', { id_token_claims: { a: 1 } }, 400, 'validation_failed'],
    ['an unknown field', { claims: {} }, 400, 'validation_failed'],
    ['no object', [], 400, 'validation_failed'],
  ])('refuses %s, and changes nothing', async (_name, body, status, code) => {
    const { json: stored } = await config('GET')
    const answer = await config('PUT', body)
    expect([answer.status, answer.json['code']]).toEqual([status, code])
    expect((await config('GET')).json).toEqual(stored)
  })

  it('names the claim that is wrong', async () => {
    const { json } = await config('PUT', { id_token_claims: { contract_x: '{{nope}}' } })
    expect(json['error']).toContain('id_token_claims.contract_x')
  })
})

describe('configured claims', () => {
  it('stand in ID token, userinfo, introspection and JWT access token, as the preview shows them', async () => {
    await config('PUT', { id_token_claims: TEMPLATES, access_token_claims: TEMPLATES })
    const [client, browser] = [await registerClient({ access_token_strategy: 'jwt' }), await newBrowser()]
    const { id, email } = browser.person
    const expected = {
      contract_role: 'engineer',
      contract_groups: ['staff', 'research'],
      contract_first_group: 'staff',
      contract_contact: `Ada <${email}>`,
      contract_plan: 'plan team',
      contract_user: id,
    }
    const scopes = ['openid', 'profile']
    const shown = await preview({ identity_id: id, client_id: client.client_id, scopes })
    const payload = ClaimsPreview.strict().parse(shown.json)
    expect(payload).toMatchObject({
      scopes,
      access_token: expected,
      unresolved: ['traits.nothing'],
      too_large: [],
    })

    const { access_token, id_token } = await tokensFor({ client, browser, scope: scopes.join(' ') })
    const idToken = decodeJwt(id_token ?? '')
    expect(idToken).toMatchObject({ ...expected, ...payload.id_token, sub: id })
    expect(ours(idToken)).toEqual(expected)
    const userinfo = await fetch(`${oauth_public_url}/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect(ours((await userinfo.json()) as object)).toEqual(expected)
    expect(ours((await introspect(access_token))['ext'] as object)).toEqual(expected)
    expect(ours(decodeJwt(access_token)['ext'] as object)).toEqual(expected)
  })
})

/** The claims of this file among others. */
const ours = (claims: object) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => name.startsWith('contract_')))

describe('POST /api/oauthsrv/claims-config/preview', () => {
  it('tries a configuration without storing it', async () => {
    const { json: stored } = await config('GET')
    const tried = { id_token_claims: { contract_t: 'tried for {{id}}' }, access_token_claims: {} }
    const { status, json } = await preview({
      identity_id: user_identity_id,
      scopes: ['email'],
      config: tried,
    })
    expect(status).toBe(200)
    expect(json).toEqual({
      scopes: ['email'],
      id_token: {
        email: expect.stringContaining('@'),
        email_verified: expect.any(Boolean),
        contract_t: `tried for ${user_identity_id}`,
      },
      access_token: {},
      unresolved: [],
      too_large: [],
    })
    expect((await config('GET')).json).toEqual(stored)
  })

  it.each<[string, object, number, string]>([
    ['nobody', { identity_id: crypto.randomUUID() }, 404, 'not_found'],
    ['an id that climbs out', { identity_id: '../sessions' }, 404, 'not_found'],
    ['an unknown client', { client_id: crypto.randomUUID() }, 404, 'not_found'],
    ['scopes as one text', { scopes: 'openid email' }, 400, 'validation_failed'],
    ['no scopes', { scopes: undefined }, 400, 'validation_failed'],
    ['a bad configuration', { config: { id_token_claims: { a: '{{' } } }, 422, 'invalid_claim_template'],
    ['a reserved claim', { config: { id_token_claims: { iss: 'x' } } }, 422, 'reserved_claim'],
  ])('refuses %s', async (_name, more, status, code) => {
    const answer = await preview({ identity_id: user_identity_id, scopes: [], ...more })
    expect([answer.status, answer.json['code']]).toEqual([status, code])
  })
})
