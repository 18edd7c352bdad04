// Access tokens of the stack's own OAuth2 server beside an API key, on the demonstration table: whoever signed in to an
// application sees their own rows, whichever strategy its client has. Odd answers of the server are in
// test/worker/opaque-tokens.test.ts, forged JWTs in test/worker/end-users.test.ts.

import { beforeAll, describe, expect, inject, it } from 'vitest'
import {
  callTokenEndpoint,
  dashboard,
  newBrowser,
  type RegisteredClient,
  registerClient,
  type Tokens,
  tokensFor,
} from '../../support/applications.ts'
import { makeKey } from '../../support/keys.ts'

const stack = inject('stack')
let anonKey: string

beforeAll(async () => {
  anonKey = (await makeKey('anon', { rateLimitPerMinute: 100_000 })).key
})

async function makeClient(strategy: 'jwt' | 'opaque'): Promise<RegisteredClient> {
  const client = await registerClient()
  await dashboard('PATCH', `/clients/${client.client_id}/token-config`, { access_token_strategy: strategy })
  return client
}

/** Somebody new who has signed in to the application. */
async function signedIn(client: RegisteredClient): Promise<{ id: string; tokens: Tokens }> {
  const browser = await newBrowser()
  const tokens = await tokensFor({ client, browser, scope: 'openid offline_access read' })
  return { id: browser.person.id, tokens }
}

function callTodos(query: string, token?: string, row?: object): Promise<Response> {
  return fetch(`${stack.base_url}/v1/db/todos${query}`, {
    method: row === undefined ? 'GET' : 'POST',
    headers: {
      apikey: anonKey,
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(row === undefined ? {} : { body: JSON.stringify(row) }),
  })
}

async function expectRefused(token: string): Promise<void> {
  const response = await callTodos('', token)
  expect([response.status, await response.json()]).toEqual([
    401,
    expect.objectContaining({ code: 'invalid_access_token' }),
  ])
}

describe.each(['jwt', 'opaque'] as const)('with %s access tokens', strategy => {
  let client: RegisteredClient
  beforeAll(async () => {
    client = await makeClient(strategy)
  })

  it('two people write private rows, and each sees their own alone', async () => {
    const [alice, bob] = await Promise.all([signedIn(client), signedIn(client)])
    const title = crypto.randomUUID()
    for (const { id, tokens } of [alice, bob]) {
      const written = await callTodos('', tokens.access_token, { title, is_public: false })
      expect(written.status).toBe(201)
      expect(await written.json()).toMatchObject([{ title, owner_id: id }])
    }
    const owners = async (token?: string) => {
      const response = await callTodos(`?title=eq.${title}&select=owner_id`, token)
      expect(response.status).toBe(200)
      return ((await response.json()) as { owner_id: string }[]).map(row => row.owner_id)
    }
    expect(await owners(alice.tokens.access_token)).toEqual([alice.id])
    expect(await owners(bob.tokens.access_token)).toEqual([bob.id])
    expect(await owners()).toEqual([])
  })

  it('nobody writes in the name of somebody else', async () => {
    const { tokens } = await signedIn(client)
    const row = { title: 'forged', owner_id: crypto.randomUUID() }
    expect((await callTodos('', tokens.access_token, row)).status).toBe(403)
  })

  it('ID tokens and refresh tokens of the same sign-in are refused', async () => {
    const { tokens } = await signedIn(client)
    expect(tokens.id_token).toBeDefined()
    expect(tokens.refresh_token).toBeDefined()
    await expectRefused(tokens.id_token ?? '')
    await expectRefused(tokens.refresh_token ?? '')
  })

  it('a token after a refresh is the same person’s', async () => {
    const { id, tokens } = await signedIn(client)
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    const { access_token: token } = (await (await callTokenEndpoint(client, form)).json()) as Tokens
    const written = await callTodos('', token, { title: 'after a refresh', is_public: false })
    expect(await written.json()).toMatchObject([{ owner_id: id }])
  })

  it('an application of its own acts as itself', async () => {
    const form = { grant_type: 'client_credentials', scope: 'read' }
    const { access_token: token } = (await (await callTokenEndpoint(client, form)).json()) as Tokens
    const written = await callTodos('', token, { title: 'by an application', is_public: false })
    expect(await written.json()).toMatchObject([{ owner_id: client.client_id }])
  })
})

describe('an opaque access token that has not been used here', () => {
  it('is refused once it is revoked', async () => {
    const client = await makeClient('opaque')
    const { tokens } = await signedIn(client)
    const credentials = btoa(`${client.client_id}:${client.client_secret}`)
    const revoked = await fetch(`${stack.oauth_public_url}/oauth2/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ token: tokens.access_token }),
    })
    expect(revoked.status).toBe(200)
    await expectRefused(tokens.access_token)
  })

  it('is refused once its client is deleted', async () => {
    const client = await makeClient('opaque')
    const { tokens } = await signedIn(client)
    await dashboard('DELETE', `/clients/${client.client_id}`)
    await expectRefused(tokens.access_token)
  })
})
