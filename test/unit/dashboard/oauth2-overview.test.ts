// Kinds of clients, and entries of the audit log in words.

import { describe, expect, it } from 'vitest'
import { hrefOf, wordsOf } from '../../../dashboard/src/views/oauth2/overview/change-words.ts'
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

describe('an entry of the audit log', () => {
  const entry = {
    action: 'oauth_clients.update',
    target_kind: 'oauth_client',
    target_id: 'c/1',
    actor_name: 'ada@example.com',
    actor_kind: 'session',
    before: { client_name: 'Shop' },
    after: { client_name: 'Web shop' },
  }

  it('names who did what to what, and leads there', () => {
    expect(wordsOf(entry)).toEqual({ actor: 'ada@example.com', did: 'changed client', target: 'Web shop' })
    expect(hrefOf(entry)).toBe('/oauth2/clients/c%2F1')
  })

  it('leads nowhere for what is gone, and names it as it was', () => {
    const deleted = { ...entry, action: 'oauth_clients.delete_by_key', after: null, actor_name: null }
    expect(wordsOf({ ...deleted, actor_kind: 'api_key' })).toEqual({
      actor: 'api key',
      did: 'deleted client',
      target: 'Shop',
    })
    expect(hrefOf(deleted)).toBeUndefined()
  })

  it('shows an action that has no words as it is', () => {
    const unknown = { ...entry, action: 'oauth_clients.paint', before: null, after: null }
    expect(wordsOf(unknown)).toMatchObject({ did: 'oauth_clients.paint', target: 'c/1' })
  })

  it('leads to a key by its set and id', () => {
    const made = {
      ...entry,
      action: 'signing_keys.create',
      target_kind: 'signing_key',
      target_id: 'set.a/kid/1',
    }
    expect(hrefOf(made)).toBe('/oauth2/keys?set=set.a&kid=kid%2F1')
  })
})
