// A signed-in user writes a trait as long as the identity provider takes it, and the deployment's template names it
// many times: the text must not be made before it is known to have no room.

import { expect, it } from 'vitest'
import { Identity } from '../../../src/clients/identity.ts'
import { sessionClaims } from '../../../src/features/oauth/claims/session-claims.ts'

it.each([
  ['a text', 'x'.repeat(8_000_000)],
  ['a list', Array(100_000).fill('x'.repeat(80))],
])('a long trait that a template repeats is left out as too large: %s', (_, bio) => {
  const identity = Identity.parse({ id: '1', traits: { bio, first: 'Ada', website: 'https://a.example' } })
  const template = '{{traits.bio}}'.repeat(71)
  const config = {
    id_token_claims: { website: template, hello: 'I am {{traits.first}}' },
    access_token_claims: {},
  }
  const { id_token, unresolved, too_large } = sessionClaims(config, identity, ['profile'])
  expect({ id_token, unresolved, too_large }).toEqual({
    id_token: { hello: 'I am Ada' },
    unresolved: [],
    too_large: ['website'],
  })
})
