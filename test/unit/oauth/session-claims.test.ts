// The claims of both tokens: nothing of an identity gets into a token whose scope or configuration does not ask for it.

import { describe, expect, it } from 'vitest'
import { Identity } from '../../../src/clients/identity.ts'
import { sessionClaims } from '../../../src/features/oauth/claims/session-claims.ts'

const IDENTITY = Identity.parse({
  id: '8d6a',
  traits: {
    email: 'Ada@example.com',
    name: { first: 'Ada', last: 'Lovelace' },
    username: 'ada',
    locale: 'en-GB',
    picture: '',
    phone: '+441234',
    address: { street_address: '12 St James', country: 'GB', note: 'gate code 1234' },
    role: 'engineer',
    groups: ['eng', 'math'],
  },
  metadata_public: { plan: 'pro' },
  metadata_admin: { note: 'secret' },
  verifiable_addresses: [{ value: 'ada@example.com', verified: true }],
  updated_at: '2026-01-01T00:00:00.5Z',
})
const NOTHING = { id_token_claims: {}, access_token_claims: {} }
const claimsOf = (traits: Record<string, unknown>, scopes: string[]) =>
  sessionClaims(NOTHING, Identity.parse({ id: '1', traits }), scopes).id_token

describe('sessionClaims: standard claims', () => {
  it.each([
    [[], {}],
    [['openid', 'offline_access', 'groups'], {}],
    [['email'], { email: 'Ada@example.com', email_verified: true }],
    [
      ['profile'],
      {
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        preferred_username: 'ada',
        locale: 'en-GB',
        updated_at: 1767225600,
      },
    ],
    [['phone'], { phone_number: '+441234', phone_number_verified: false }],
    [['address'], { address: { street_address: '12 St James', country: 'GB' } }],
  ])('gives for the scopes %j exactly the claims of those', (scopes, claims) => {
    expect(sessionClaims(NOTHING, IDENTITY, scopes)).toEqual({
      id_token: claims,
      access_token: {},
      unresolved: [],
      too_large: [],
    })
  })

  it('takes a name that is one text, and names in parts under other names', () => {
    expect(claimsOf({ name: 'Ada L.' }, ['profile'])).toEqual({ name: 'Ada L.' })
    expect(claimsOf({ first_name: 'Ada', last_name: 'L' }, ['profile'])).toEqual({
      name: 'Ada L',
      given_name: 'Ada',
      family_name: 'L',
    })
    expect(claimsOf({ name: { first: 'Ada' } }, ['profile'])).toEqual({ name: 'Ada', given_name: 'Ada' })
  })

  it('leaves out traits that are empty or of another type', () => {
    const traits = { email: 7, name: ['x'], locale: { a: 1 }, phone: ' ', address: [] }
    expect(claimsOf(traits, ['email', 'profile', 'phone', 'address'])).toEqual({})
    expect(claimsOf({ address: '12 St James' }, ['address'])).toEqual({
      address: { formatted: '12 St James' },
    })
  })

  it('does not call an address verified because another one is', () => {
    const other = Identity.parse({ ...IDENTITY, traits: { email: 'eve@example.com' } })
    expect(sessionClaims(NOTHING, other, ['email']).id_token).toEqual({
      email: 'eve@example.com',
      email_verified: false,
    })
  })
})

describe('sessionClaims: configured claims', () => {
  it('adds them to their token whatever the scope, and says which paths led to nothing, once', () => {
    const config = {
      id_token_claims: {
        groups: '{{traits.groups}}',
        plan: 'plan {{metadata_public.plan}}',
        x: '{{traits.x}}',
      },
      access_token_claims: { role: '{{traits.role}}', x: 'is {{traits.x}}' },
    }
    expect(sessionClaims(config, IDENTITY, ['openid'])).toEqual({
      id_token: { groups: ['eng', 'math'], plan: 'plan pro' },
      access_token: { role: 'engineer' },
      unresolved: ['traits.x'],
      too_large: [],
    })
  })

  it('prefers the configuration to a standard claim of the same name', () => {
    const config = { ...NOTHING, id_token_claims: { name: '{{traits.username}}' } }
    expect(sessionClaims(config, IDENTITY, ['profile']).id_token).toMatchObject({ name: 'ada' })
  })

  it('takes a template that somebody broke in the table for unresolved', () => {
    const config = { ...NOTHING, access_token_claims: { a: '{{traits.role', b: '{{metadata_admin.note}}' } }
    expect(sessionClaims(config, IDENTITY, [])).toMatchObject({
      access_token: {},
      unresolved: ['{{traits.role', '{{metadata_admin.note}}'],
    })
  })

  // A challenge that is too long for a redirect would keep the user out of every application.
  it('leaves out what would make a token too large, and keeps the rest', () => {
    const identity = Identity.parse({ id: '1', traits: { picture: 'ü'.repeat(2_048), locale: 'en' } })
    expect(sessionClaims(NOTHING, identity, ['profile'])).toMatchObject({
      id_token: { locale: 'en' },
      too_large: ['picture'],
    })
  })
})
