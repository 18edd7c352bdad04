// What each field of a client takes. The OAuth2 server would store most of what is refused here.

import { describe, expect, it } from 'vitest'
import {
  OAuthClientIn,
  OAuthClientListQuery,
  TokenConfig,
} from '../../../src/features/oauth/clients/schemas.ts'
import { validationFailed } from '../../../src/http/validation.ts'
import { messageOf } from '../../../src/http/validation-messages.ts'

/** The first mistake, as the caller is told; undefined when there is none. */
function mistake(body: unknown): string | undefined {
  const { error } = OAuthClientIn.safeParse(body, { error: messageOf })
  return error && validationFailed('body', error).message
}

describe('a redirect URI', () => {
  it.each([
    'https://app.example.com/callback',
    'https://app.example.com:8443/cb?tenant=1&x=%20',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:5555/callback',
    'http://[::1]:5555/callback',
    'http://localhost:3000/',
    'http://app.localhost/cb',
    'com.example.app:/oauth2redirect',
    'myapp://callback',
    'msauth.com.example:cb',
  ])('may be %s', uri => {
    expect(mistake({ redirect_uris: [uri] })).toBeUndefined()
  })

  it.each([
    ['', 'must be an absolute URI'],
    ['/cb', 'must be an absolute URI'],
    ['//app.example.com/cb', 'must be an absolute URI'],
    ['app.example.com/cb', 'must be an absolute URI'],
    ['nowhere', 'must be an absolute URI'],
    ['myapp:', 'must be an absolute URI'],
    ['https://app.example.com/cb#', 'must not hold a fragment'],
    ['https://app.example.com/cb#x', 'must not hold a fragment'],
    ['myapp://cb#x', 'must not hold a fragment'],
    ['javascript:alert(1)', 'scheme "javascript:"'],
    ['JavaScript:alert(1)', 'scheme "javascript:"'],
    ['data:text/html,x', 'scheme "data:"'],
    ['vbscript:x', 'scheme "vbscript:"'],
    ['file:///etc/passwd', 'scheme "file:"'],
    ['blob:https://x/y', 'scheme "blob:"'],
    ['http://app.example.com/cb', 'must use https'],
    ['http://127.0.0.1.example.com/cb', 'must use https'],
    ['http://localhost.example.com/cb', 'must use https'],
    ['http://[broken', 'is not a valid URI'],
    ['https://', 'is not a valid URI'],
    ['https:app.example.com', 'must have a host'],
    ['https:/app.example.com', 'must have a host'],
    ['https:///app.example.com', 'must have a host'],
    ['https://user:secret@app.example.com/', 'must not hold a user name'],
    ['https://*.example.com/cb', 'wildcard'],
    ['https://app.example.com/a b', 'percent-encoded'],
    ['https://app.example.com\\@evil.example/', 'percent-encoded'],
    ['https://äpp.example.com/', 'percent-encoded'],
    [' https://app.example.com/', 'must be an absolute URI'],
    [`https://app.example.com/${'x'.repeat(2048)}`, 'must have at most'],
  ])('may not be %s', (uri, problem) => {
    const message = mistake({ redirect_uris: ['https://good.example/', uri] })
    expect(message).toContain('body.redirect_uris.1: ')
    expect(message).toContain(problem)
  })

  it('may not be there twice', () => {
    const uris = ['https://a.example/', 'https://b.example/', 'https://a.example/']
    expect(mistake({ redirect_uris: uris })).toBe('body.redirect_uris.2: is the same as number 0')
    expect(mistake({ redirect_uris: ['https://a.example', 'https://a.example/'] })).toBeUndefined()
  })

  it('is one of at most a hundred', () => {
    const uris = Array.from({ length: 101 }, (_, index) => `https://a.example/${index}`)
    expect(mistake({ redirect_uris: uris.slice(1) })).toBeUndefined()
    expect(mistake({ redirect_uris: uris })).toContain('body.redirect_uris: ')
  })
})

describe('every other field', () => {
  it.each([
    ['grant_types', ['authorization_code', 'telepathy'], 'body.grant_types.1'],
    ['grant_types', ['urn:ietf:params:oauth:grant-type:jwt-bearer'], 'body.grant_types.0'],
    ['grant_types', ['implicit', 'implicit'], 'body.grant_types.1'],
    ['grant_types', [], 'body.grant_types'],
    ['grant_types', 'authorization_code', 'body.grant_types'],
    ['response_types', ['code', 'cookie'], 'body.response_types.1: "cookie" is not a response type'],
    ['response_types', ['code code'], 'body.response_types.0'],
    ['response_types', ['code  token'], 'body.response_types.0'],
    ['response_types', ['none'], 'body.response_types.0'],
    ['response_types', ['code token', 'token code'], 'body.response_types.1: is the same as number 0'],
    ['token_endpoint_auth_method', 'private_key_jwt', 'body.token_endpoint_auth_method'],
    ['token_endpoint_auth_method', 'client_secret_jwt', 'body.token_endpoint_auth_method'],
    ['subject_type', 'secret', 'body.subject_type'],
    ['access_token_strategy', 'paseto', 'body.access_token_strategy'],
    ['scope', '', 'body.scope: must name a scope; null for the default scopes of the server'],
    ['scope', 'openid  email', 'body.scope: must be words with one space'],
    ['scope', ' openid', 'body.scope'],
    ['scope', 'open"id', 'body.scope: "open"id" holds a character'],
    ['scope', 'öpenid', 'body.scope'],
    ['scope', 'openid\temail', 'body.scope'],
    ['scope', 'openid email openid', 'body.scope: holds "openid" twice'],
    ['scope', 'x'.repeat(4097), 'body.scope'],
    ['audience', ['https://api.example', 'a b'], 'body.audience.1'],
    ['audience', [''], 'body.audience.0'],
    ['audience', ['a', 'a'], 'body.audience.1'],
    [
      'sector_identifier_uri',
      'http://example.com/sector',
      'body.sector_identifier_uri: must be an absolute https',
    ],
    ['sector_identifier_uri', 'https://example.com/s#x', 'body.sector_identifier_uri'],
    ['sector_identifier_uri', 'sector.json', 'body.sector_identifier_uri'],
    ['frontchannel_logout_uri', '/logout', 'body.frontchannel_logout_uri'],
    ['frontchannel_logout_uri', 'https://a.example/#x', 'body.frontchannel_logout_uri'],
    ['backchannel_logout_uri', 'javascript:x', 'body.backchannel_logout_uri'],
    ['backchannel_logout_uri', 'myapp:/logout', 'body.backchannel_logout_uri'],
    ['post_logout_redirect_uris', ['https://a.example/#x'], 'body.post_logout_redirect_uris.0'],
    ['logo_uri', 'javascript:alert(1)', 'body.logo_uri: must be an absolute http or https address'],
    ['tos_uri', 'data:text/html,x', 'body.tos_uri'],
    ['policy_uri', 'x', 'body.policy_uri'],
    ['client_uri', 'ftp://a.example/', 'body.client_uri'],
    ['metadata', [], 'body.metadata'],
    ['metadata', { skip_consent: 'yes' }, 'body.metadata.skip_consent: must be true or false'],
    ['metadata', { text: 'ä'.repeat(2100) }, 'body.metadata: must be at most 4096 bytes'],
    ['skip_consent', 'yes', 'body.skip_consent'],
    ['client_name', 'x'.repeat(201), 'body.client_name'],
    ['client_name', 'two\nlines', 'body.client_name'],
    ['contacts', ['a@example.com', 'a@example.com'], 'body.contacts.1'],
    ['client_id', 'mine', 'body: '],
    ['client_secret', 'mine-and-nobody-elses', 'body: '],
    ['jwks_uri', 'https://a.example/jwks', 'body: '],
  ])('refuses %s %j', (field, value, message) => {
    expect(mistake({ [field]: value })).toContain(message)
  })

  // A scope of 180 000 words kept the isolate busy for half a minute: the check of its words ran after that of its
  // length.
  it.each([
    ['scope', 'a a '.repeat(1_200)],
    ['client_name', '\n'.repeat(201)],
    ['logo_uri', 'x'.repeat(2_049)],
    ['sector_identifier_uri', 'x'.repeat(2_049)],
    ['backchannel_logout_uri', 'x'.repeat(2_049)],
    ['owner', '\n'.repeat(256)],
    ['redirect_uris', ['x'.repeat(2_049)]],
    ['response_types', ['x'.repeat(41)]],
    ['audience', [' '.repeat(2_049)]],
    ['contacts', ['\n'.repeat(321)]],
    ['redirect_uris', Array(101).fill('https://a.example/')],
    ['post_logout_redirect_uris', Array(101).fill('https://a.example/')],
    ['audience', Array(51).fill('a')],
    ['contacts', Array(21).fill('a@example.com')],
    ['grant_types', Array(6).fill('implicit')],
  ])('looks no further into %s than at its length when that is too great', (field, value) => {
    const issues = OAuthClientIn.safeParse({ [field]: value }).error?.issues
    expect(issues?.map(issue => issue.code)).toEqual(['too_big'])
  })

  it('says which word stands twice among many', () => {
    const words = Array.from({ length: 600 }, (_, index) => `w${index}`)
    expect(mistake({ scope: [...words, 'w599'].join(' ') })).toBe('body.scope: holds "w599" twice')
  })

  it.each([0, -1, 1.5, 315_360_001, '3600', Number.MAX_SAFE_INTEGER])('refuses a lifetime of %j', seconds => {
    for (const field of ['access_token_ttl', 'refresh_token_ttl', 'id_token_ttl']) {
      const sentence = "must be 1 to 315360000 seconds (ten years); null for the server's default"
      expect(mistake({ [field]: seconds })).toBe(`body.${field}: ${sentence}`)
      expect(TokenConfig.safeParse({ [field]: seconds }).success).toBe(false)
    }
  })

  it('takes null and the empty text for what can be cleared', () => {
    for (const value of [null, '']) {
      const body = {
        logo_uri: value,
        sector_identifier_uri: value,
        backchannel_logout_uri: value,
      }
      expect(mistake(body)).toBeUndefined()
    }
    expect(mistake({ access_token_ttl: null, access_token_strategy: null, scope: null })).toBeUndefined()
  })

  it('keeps response types in the usual order', () => {
    const body = { response_types: ['token id_token', 'token id_token code', 'code'] }
    expect(OAuthClientIn.parse(body).response_types).toEqual([
      'id_token token',
      'code id_token token',
      'code',
    ])
  })

  it('lets the token configuration hold nothing else', () => {
    expect(TokenConfig.safeParse({ scope: 'openid' }).success).toBe(false)
    expect(TokenConfig.safeParse({ access_token_ttl: 60, frontchannel_logout_uri: null }).success).toBe(true)
  })
})

describe('a page token', () => {
  // The server ends the connection when it is given a short one.
  it.each(['AAAA', 'nonsense', 'x'.repeat(39), `${'x'.repeat(40)} `, 'ä'.repeat(40), 'x'.repeat(4_097)])(
    'is not that (%#)',
    page_token => {
      expect(OAuthClientListQuery.safeParse({ page_token }).success).toBe(false)
    },
  )

  // Hydra's hold the id of the last client: one of 255 times `<` makes 2 200 characters.
  it.each([100, 2_200, 4_096])('is %d characters of a few kinds', length => {
    const page_token = `${'aZ0-_'.repeat(1_000).slice(0, length - 2)}==`
    expect(OAuthClientListQuery.safeParse({ page_token }).success).toBe(true)
  })

  it.each(['0', '-1', '501', 'abc', '1e2', ''])('comes with no page size of %j', page_size => {
    expect(OAuthClientListQuery.safeParse({ page_size }).success).toBe(false)
  })
})
