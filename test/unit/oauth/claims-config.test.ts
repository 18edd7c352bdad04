// Storing and previewing the claims configuration: what could not be resolved at consent is refused beforehand, and the
// preview is of exactly what consent sends.

import { describe, expect, it } from 'vitest'
import { isScopeAllowed } from '../../../src/features/oauth/claims/client-scope.ts'
import { previewClaims } from '../../../src/features/oauth/claims/preview-claims.ts'
import { replaceClaimsConfig } from '../../../src/features/oauth/claims/replace-claims-config.ts'
import { ClaimsConfigPatch } from '../../../src/features/oauth/claims/schemas.ts'
import { CALLER, fakePlatform, fakeServer, NOT_FOUND } from './fake-server.ts'

const STORED = { id_token_claims: { team: '{{traits.team}}' }, access_token_claims: { user: '{{id}}' } }
const ID = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'
const IDENTITY = { id: ID, traits: { email: 'ada@example.com', team: 'red' }, metadata_public: null }

function makeDeps() {
  const database = fakePlatform(sql => (sql.includes('quoin.claims_config') ? [STORED] : []))
  const oauthAdmin = fakeServer(({ path }) =>
    path.endsWith('/c1') ? [200, { client_id: 'c1', scope: 'openid read.*' }] : [404, NOT_FOUND],
  )
  const identityAdmin = fakeServer(
    ({ path }) => (path.endsWith(ID) ? [200, IDENTITY] : [404, { error: { code: 404 } }]),
    'identity_provider',
  )
  const deps = {
    platform: database.platform,
    upstreams: { oauthAdmin: oauthAdmin.server, identityAdmin: identityAdmin.server },
    config: { oauthClientOwner: undefined },
  }
  return { deps, ...database }
}

describe('replaceClaimsConfig', () => {
  it('writes the maps that are given, with a row of the audit log that shows before and after', async () => {
    const { deps, statements, audit } = makeDeps()
    await replaceClaimsConfig(deps, { id_token_claims: { a: '{{id}}' } }, CALLER)
    const write = statements.find(({ sql }) => sql.includes('insert into quoin.claims_config'))
    expect(write?.params).toEqual(['{"a":"{{id}}"}', null])
    expect(audit()).toMatchObject({
      begun: [{ before: STORED }],
      ended: [{ outcome: 'succeeded', after: STORED }],
    })
  })

  it('writes nothing of a configuration that is wrong somewhere', async () => {
    const { deps, statements } = makeDeps()
    const config = { id_token_claims: { a: '{{id}}' }, access_token_claims: { b: '{{nope}}' } }
    await expect(replaceClaimsConfig(deps, config, CALLER)).rejects.toMatchObject({
      code: 'invalid_claim_template',
    })
    expect(statements).toEqual([])
  })
})

it('replaceClaimsConfig refuses a change of nothing', async () => {
  const { deps, statements } = makeDeps()
  await expect(replaceClaimsConfig(deps, {}, CALLER)).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('names no field'),
    hint: expect.any(String),
  })
  expect(statements).toEqual([])
})

describe('the form of a claims configuration', () => {
  // As a field of an object it would be lost without a word, and the map with it.
  it.each(['id_token_claims', 'access_token_claims'])('refuses the name __proto__ in %s', field => {
    const config = JSON.parse(`{"${field}":{"__proto__":"{{id}}"}}`)
    expect(() => ClaimsConfigPatch.safeParse(config)).toThrow(
      expect.objectContaining({ code: 'reserved_claim', message: expect.stringContaining('__proto__') }),
    )
  })

  it.each<[string, unknown]>([
    ['a template that is no text', { id_token_claims: { a: 1 } }],
    ['a list', { id_token_claims: ['a'] }],
    ['an empty name', { id_token_claims: { '': 'x' } }],
    ['a name with a line break', { id_token_claims: { 'a\nb': 'x' } }],
    ['a template of 1 001 characters', { access_token_claims: { a: 'x'.repeat(1_001) } }],
    [
      '51 claims',
      { access_token_claims: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`c${i}`, 'x'])) },
    ],
    ['a field that does not exist', { refresh_token_claims: {} }],
  ])('refuses %s', (_name, config) => {
    expect(ClaimsConfigPatch.safeParse(config).success).toBe(false)
  })
})

describe('previewClaims', () => {
  it('shows what the stored configuration gives', async () => {
    expect(await previewClaims(makeDeps().deps, { identity_id: ID, scopes: ['openid', 'email'] })).toEqual({
      scopes: ['openid', 'email'],
      id_token: { email: 'ada@example.com', email_verified: false, team: 'red' },
      access_token: { user: ID },
      unresolved: [],
      too_large: [],
    })
  })

  it('tries a configuration without storing it, map by map', async () => {
    const { deps, statements } = makeDeps()
    const config = { id_token_claims: { x: '{{traits.x}}' } }
    expect(await previewClaims(deps, { identity_id: ID, scopes: [], config })).toMatchObject({
      id_token: {},
      access_token: { user: ID },
      unresolved: ['traits.x'],
    })
    expect(statements.every(({ sql }) => sql.startsWith('select'))).toBe(true)
  })

  it('takes away scopes that the client may not request', async () => {
    const input = { identity_id: ID, client_id: 'c1', scopes: ['openid', 'email', 'read.own'] }
    expect(await previewClaims(makeDeps().deps, input)).toMatchObject({
      scopes: ['openid', 'read.own'],
      id_token: { team: 'red' },
    })
  })

  it.each([
    ['an unknown identity', { identity_id: '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a02' }, 'not_found'],
    ['an id that is no id', { identity_id: '../x' }, 'not_found'],
    ['an unknown client', { client_id: 'c9' }, 'not_found'],
    ['a reserved claim', { config: { id_token_claims: { sub: 'x' } } }, 'reserved_claim'],
    ['a broken template', { config: { id_token_claims: { a: '{{' } } }, 'invalid_claim_template'],
  ])('refuses %s', async (_name, more, code) => {
    const input = { identity_id: ID, scopes: [], ...more }
    await expect(previewClaims(makeDeps().deps, input)).rejects.toMatchObject({ code })
  })
})

describe('isScopeAllowed', () => {
  it.each<[string, string, boolean]>([
    ['openid read', 'read', true],
    ['openid read', 'rea', false],
    ['', 'read', false],
    ['photos.*', 'photos.read', true],
    ['photos.*', 'photos.read.own', true],
    ['photos.*', 'photos', false],
    ['photos.*', 'photos.', false],
    ['photos.*.read', 'photos.mine.read', true],
    ['photos.*.read', 'photos.mine.write', false],
    ['photos.*.read', 'photos.mine.read.more', false],
    ['*', 'anything.at.all', true],
  ])('"%s" allows "%s": %s', (allowed, scope, expected) => {
    expect(isScopeAllowed(allowed, scope)).toBe(expected)
  })
})
