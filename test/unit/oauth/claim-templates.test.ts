// The language of claim templates, and what a claims configuration may say. An identity's data is written by its owner:
// no path may lead out of it.

import { describe, expect, it } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { checkClaims } from '../../../src/features/oauth/claims/check-claims.ts'
import { parseTemplate, resolveTemplate, TemplateError } from '../../../src/features/oauth/claims/template.ts'

const SOURCE = {
  id: '8d6a',
  traits: {
    email: 'ada@example.com',
    age: 36,
    active: false,
    nothing: null,
    empty: '',
    name: { first: 'Ada', last: 'Lovelace' },
    groups: ['eng', { name: 'board' }],
    'job-title': 'analyst',
    'employee.id': 7,
    'cost center': { 'a"b': [{ 'x[0]': 'deep' }] },
  },
  metadata_public: { plan: 'pro' },
}

const resolve = (text: string) => resolveTemplate(parseTemplate(text), SOURCE, 1_000)

describe('resolveTemplate', () => {
  it.each([
    ['{{id}}', '8d6a'],
    ['{{ traits.email }}', 'ada@example.com'],
    ['{{traits.age}}', 36],
    ['{{traits.active}}', false],
    ['{{traits.empty}}', ''],
    ['{{traits.name}}', { first: 'Ada', last: 'Lovelace' }],
    ['{{traits.groups}}', ['eng', { name: 'board' }]],
    ['{{traits.groups[0]}}', 'eng'],
    ['{{traits.groups.1.name}}', 'board'],
    ['{{traits.job-title}}', 'analyst'],
    ['{{metadata_public.plan}}', 'pro'],
    ['{{metadata_public["plan"]}}', 'pro'],
    ['{{traits["employee.id"]}}', 7],
    ['{{ traits["name"].first }}', 'Ada'],
    ['{{traits["cost center"]["a\\"b"][0]["x[0]"]}}', 'deep'],
    ['{{traits["cost\\u0020center"]["a\\u0022b"].0["x[0]"]}}', 'deep'],
  ])('keeps the JSON type of a template that is exactly one path: %s', (template, value) => {
    expect(resolve(template)).toEqual({ outcome: 'value', value })
  })

  it.each([
    ['user {{id}}', 'user 8d6a'],
    ['{{traits.name.first}} {{traits.name.last}}', 'Ada Lovelace'],
    [' {{id}}', ' 8d6a'],
    ['age={{traits.age}};active={{traits.active}}', 'age=36;active=false'],
    ['groups {{traits.groups}}', 'groups ["eng",{"name":"board"}]'],
    ['always this', 'always this'],
    ['', ''],
  ])('interpolates mixed text: %s', (template, value) => {
    expect(resolve(template)).toEqual({ outcome: 'value', value })
  })

  it.each([
    '{{traits.missing}}',
    '{{traits.nothing}}',
    '{{traits.email.length}}',
    '{{traits.groups.length}}',
    '{{traits.groups[2]}}',
    '{{traits.groups.-1}}',
    '{{traits.toString}}',
    '{{traits.hasOwnProperty}}',
    '{{metadata_public.plan.x}}',
    // The dot divides: the key that has one is written in quotes.
    '{{traits.employee.id}}',
    '{{traits["employee.no"]}}',
    '{{traits[""]}}',
  ])('says which path leads to nothing: %s', template => {
    expect(resolve(template)).toEqual({ outcome: 'unresolved', paths: [template.slice(2, -2)] })
  })

  it('leaves the whole of a mixed text out when one of its paths leads to nothing', () => {
    expect(resolve('{{id}} {{traits.a}} {{traits.b}}')).toEqual({
      outcome: 'unresolved',
      paths: ['traits.a', 'traits.b'],
    })
  })
})

describe('parseTemplate', () => {
  it.each([
    '{{traits.email',
    'traits.email}}',
    '{{traits.email}',
    '{traits.email}',
    '{{{traits.email}}}',
    '{{ {{id}} }}',
    '{{}}',
    '{{ }}',
    '{{traits.}}',
    '{{traits..email}}',
    '{{.traits.email}}',
    '{{traits.a b}}',
    '{{traits[0}}',
    '{{traits["email}}',
    '{{traits["email]}}',
    '{{traits["email"]x}}',
    '{{traits."email"]}}',
    "{{traits['email']}}",
    '{{traits["\\x"]}}',
    '{{["traits"].}}',
    '{{traits[""]["__proto__"]}}',
    '{{traits["const\\u0072uctor"]}}',
    '{{traits}}',
    '{{metadata_public}}',
    '{{metadata_admin.note}}',
    '{{credentials.password}}',
    '{{id.x}}',
    '{{email}}',
    '{{traits.__proto__.x}}',
    '{{traits.constructor}}',
    '{{traits.name.prototype}}',
  ])('refuses %s', template => {
    expect(() => parseTemplate(template)).toThrow(TemplateError)
  })
})

describe('checkClaims', () => {
  const check = (field: string, claim: string, template: string) => {
    try {
      checkClaims({ [field]: { [claim]: template } })
      return 'accepted'
    } catch (err) {
      return err instanceof DomainError ? `${err.code} ${err.message}` : err
    }
  }

  it('accepts readable templates under free names', () => {
    expect(check('id_token_claims', 'https://example.com/groups', '{{traits.groups}}')).toBe('accepted')
    expect(check('access_token_claims', 'email', '{{traits.email}}')).toBe('accepted')
  })

  it.each([...'iss sub aud exp iat nbf jti nonce auth_time acr amr azp sid at_hash c_hash'.split(' ')])(
    'refuses %s in both tokens, by its name',
    claim => {
      expect(check('id_token_claims', claim, '{{id}}')).toContain(
        `reserved_claim body.id_token_claims.${claim}:`,
      )
      expect(check('access_token_claims', claim, '{{id}}')).toContain('reserved_claim')
    },
  )

  // An ID token with these could be taken for an access token by whoever looks at nothing but the claims.
  it.each(['client_id', 'scope', 'scp', 'ext', 'token_use'])('refuses %s in both tokens', claim => {
    expect(check('id_token_claims', claim, '{{id}}')).toContain('reserved_claim')
    expect(check('access_token_claims', claim, '{{id}}')).toContain('reserved_claim')
  })

  it('refuses the mark of the bridge in access tokens', () => {
    expect(check('access_token_claims', 'consent_request_id', '{{id}}')).toContain('reserved_claim')
    expect(check('id_token_claims', 'consent_request_id', '{{id}}')).toBe('accepted')
  })

  it('names the claim whose template cannot be read', () => {
    expect(check('access_token_claims', 'team', '{{session.id}}')).toMatch(
      /^invalid_claim_template body\.access_token_claims\.team: .*session\.id/,
    )
    expect(check('id_token_claims', 'team', '{{traits.team')).toMatch(/^invalid_claim_template/)
  })
})
