// Kinds of clients, and what was done in words.

import { expect, it } from 'vitest'
import { changeWords } from '../../../dashboard/src/views/oauth2/overview/change-words.ts'
import { countsOf } from '../../../dashboard/src/views/oauth2/overview/client-kinds.ts'

it('counts a client among the machines only if nobody signs in with it', () => {
  const client = (token_endpoint_auth_method: string, ...grant_types: string[]) => ({
    grant_types,
    token_endpoint_auth_method,
  })
  expect(
    countsOf([
      client('client_secret_basic', 'client_credentials'),
      client('client_secret_post', 'client_credentials', 'authorization_code'),
      client('none', 'authorization_code', 'refresh_token'),
      client('none', 'urn:ietf:params:oauth:grant-type:device_code'),
    ]),
  ).toEqual({ confidential: 2, public: 2, machine: 1, device: 1 })
})

it('says an action in words, also one of an API key, and one without words as it is', () => {
  expect(
    ['oauth_clients.update', 'oauth_clients.delete_by_key', 'oauth_clients.paint'].map(changeWords),
  ).toEqual(['changed client', 'deleted client', 'oauth_clients.paint'])
})
