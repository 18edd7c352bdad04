// Settings that cannot work together, on creation and as the result of a change.

import { describe, expect, it } from 'vitest'
import {
  type ClientSettings,
  refuseBadCombinations,
  settingsAfter,
} from '../../../src/features/oauth/clients/combinations.ts'
import type { OAuthClientIn } from '../../../src/features/oauth/clients/schemas.ts'

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const CALLBACK = 'https://app.example.com/cb'
const GOOD: ClientSettings = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: [CALLBACK],
  post_logout_redirect_uris: [],
  token_endpoint_auth_method: 'client_secret_basic',
  subject_type: 'public',
  sector_identifier_uri: null,
  access_token_strategy: null,
}

/** What a change of this client is refused with. */
function refusal(sent: OAuthClientIn, before: ClientSettings = GOOD): unknown {
  try {
    refuseBadCombinations(settingsAfter(before, sent), sent)
    return undefined
  } catch (err) {
    return err
  }
}

const invalid = (place: string) =>
  expect.objectContaining({
    code: 'validation_failed',
    message: expect.stringMatching(`^${place.replaceAll('.', '\\.')}: `),
  })

describe('settings that work', () => {
  it.each<[string, OAuthClientIn]>([
    ['a code client', { grant_types: ['authorization_code'] }],
    ['a machine', { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] }],
    [
      'a public device',
      {
        grant_types: [DEVICE_CODE, 'refresh_token'],
        response_types: [],
        redirect_uris: [],
        token_endpoint_auth_method: 'none',
      },
    ],
    ['implicit', { grant_types: ['implicit'], response_types: ['token', 'id_token', 'id_token token'] }],
    [
      'hybrid',
      {
        grant_types: ['authorization_code', 'implicit'],
        response_types: ['code id_token', 'code token', 'code id_token token'],
      },
    ],
    ['pairwise with one redirect URI', { subject_type: 'pairwise' }],
    [
      'pairwise with a sector',
      {
        subject_type: 'pairwise',
        redirect_uris: [CALLBACK, 'https://b.example/cb'],
        sector_identifier_uri: 'https://app.example.com/sector.json',
      },
    ],
    ['pairwise with opaque tokens', { subject_type: 'pairwise', access_token_strategy: 'opaque' }],
    ['a logout address of a redirect URI', { post_logout_redirect_uris: ['https://app.example.com/bye?x'] }],
  ])('are accepted: %s', (_, sent) => {
    expect(refusal(sent)).toBeUndefined()
  })
})

describe('settings that cannot work together', () => {
  it.each<[string, OAuthClientIn, string]>([
    ['code without its grant', { grant_types: ['client_credentials'] }, 'response_types.0'],
    ['token without implicit', { response_types: ['code', 'token'] }, 'body.response_types.1'],
    ['id_token without implicit', { response_types: ['id_token'] }, 'body.response_types.0'],
    ['hybrid without implicit', { response_types: ['code id_token'] }, 'body.response_types.0'],
    [
      'hybrid without code',
      { grant_types: ['implicit'], response_types: ['code token'] },
      'body.response_types.0',
    ],
    ['refresh_token alone', { grant_types: ['refresh_token'], response_types: [] }, 'body.grant_types.0'],
    [
      'refresh_token of a machine',
      { grant_types: ['client_credentials', 'refresh_token'], response_types: [] },
      'body.grant_types.1',
    ],
    ['code without a redirect URI', { redirect_uris: [] }, 'body.redirect_uris'],
    [
      'implicit without a redirect URI',
      { grant_types: ['implicit'], response_types: ['token'], redirect_uris: [] },
      'body.redirect_uris',
    ],
    [
      'a machine without a secret',
      {
        grant_types: ['client_credentials'],
        response_types: [],
        token_endpoint_auth_method: 'none',
      },
      'body.token_endpoint_auth_method',
    ],
    [
      'a logout address of another host',
      { post_logout_redirect_uris: ['https://app.example.com/bye', 'https://elsewhere.example/bye'] },
      'body.post_logout_redirect_uris.1',
    ],
    [
      'a logout address of another port',
      { post_logout_redirect_uris: ['https://app.example.com:8443/bye'] },
      'body.post_logout_redirect_uris.0',
    ],
    [
      'pairwise with several redirect URIs',
      { subject_type: 'pairwise', redirect_uris: [CALLBACK, `${CALLBACK}2`] },
      'sector_identifier_uri',
    ],
    [
      'pairwise with no redirect URI',
      { subject_type: 'pairwise', grant_types: [DEVICE_CODE], response_types: [], redirect_uris: [] },
      'sector_identifier_uri',
    ],
  ])('are refused with their place: %s', (_, sent, place) => {
    expect(refusal(sent)).toEqual(invalid(place))
  })

  it('are refused with every place, when there are several', () => {
    const sent: OAuthClientIn = { grant_types: ['implicit'], redirect_uris: [] }
    expect(refusal(sent)).toMatchObject({
      detail: expect.stringMatching(/^response_types\.0: .*; body\.redirect_uris: /),
    })
  })

  it('are 422 for pairwise subjects with JWT access tokens, from either side', () => {
    const sides: [OAuthClientIn, ClientSettings][] = [
      [{ access_token_strategy: 'jwt' }, { ...GOOD, subject_type: 'pairwise' }],
      [{ subject_type: 'pairwise' }, { ...GOOD, access_token_strategy: 'jwt' }],
      [{ subject_type: 'pairwise', access_token_strategy: 'jwt' }, GOOD],
    ]
    for (const [sent, before] of sides)
      expect(refusal(sent, before)).toMatchObject({
        code: 'unsupported_combination',
        message: expect.stringContaining('pairwise'),
      })
    const leaving: OAuthClientIn = { access_token_strategy: null }
    const before = { ...GOOD, subject_type: 'pairwise', access_token_strategy: 'jwt' }
    expect(refusal(leaving, before)).toBeUndefined()
  })
})

describe('a change', () => {
  const odd: ClientSettings = { ...GOOD, grant_types: ['telepathy'], redirect_uris: ['/cb', '/cb'] }

  it('is not refused for what it does not touch, in a client that was made elsewhere', () => {
    expect(refusal({ client_name: 'New' }, odd)).toBeUndefined()
    expect(refusal({ access_token_strategy: 'jwt' }, odd)).toBeUndefined()
  })

  it('is held to the record that comes out of it', () => {
    expect(refusal({ grant_types: ['implicit'] })).toEqual(invalid('response_types.0'))
    expect(
      refusal({ redirect_uris: ['myapp:/cb'] }, { ...GOOD, post_logout_redirect_uris: [CALLBACK] }),
    ).toEqual(invalid('post_logout_redirect_uris.0'))
    expect(refusal({ post_logout_redirect_uris: [CALLBACK] }, odd)).toEqual(
      invalid('body.post_logout_redirect_uris.0'),
    )
  })
})
