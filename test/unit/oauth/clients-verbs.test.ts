// What the verbs send, in which order, and what they write down, with an OAuth2 server that gives set answers. That
// they work against a real one is shown over HTTP in test/contract.

import { describe, expect, it } from 'vitest'
import { LIST_CALLS_MAX } from '../../../src/clients/whole-list.ts'
import type { Caller } from '../../../src/features/audit/caller.ts'
import { createOAuthClient } from '../../../src/features/oauth/clients/create-client.ts'
import { deleteOAuthClient } from '../../../src/features/oauth/clients/delete-client.ts'
import { linkHeader, listOAuthClients } from '../../../src/features/oauth/clients/list-clients.ts'
import { findOwnClient, isOwnClient } from '../../../src/features/oauth/clients/own-client.ts'
import { rotateClientSecret } from '../../../src/features/oauth/clients/rotate-secret.ts'
import { updateOAuthClient } from '../../../src/features/oauth/clients/update-client.ts'
import { fakeServer } from './fake-server.ts'

const CALLER: Caller = {
  actor: { kind: 'session', id: 'i1', name: 'ada@example.com' },
  action: 'things.change',
  requestId: 'r1',
  address: null,
}
const STORED = {
  client_id: 'c1',
  client_name: 'Shop',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: ['https://app.example.com/cb'],
  token_endpoint_auth_method: 'client_secret_basic',
  subject_type: 'public',
  owner: 'us',
  metadata: { tier: 'gold' },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00+01:00',
}
const NOT_FOUND = { error: 'Unable to locate the resource', error_description: '' }

type Reply = [status: number, body?: unknown, headers?: Record<string, string>]

/** Dependencies with an OAuth2 server that replies this, one reply to each call, the last one for good. */
function makeDeps(replies: Reply[], oauthClientOwner?: string) {
  const calls: { method: string; path: string; query: Record<string, string>; body: unknown }[] = []
  const rows: { sql: string; params: readonly unknown[] }[] = []
  const events: string[] = []
  const fetchCall: typeof fetch = async (input, init) => {
    const url = new URL(String(input))
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    calls.push({
      method: init?.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body,
    })
    events.push(`${init?.method} upstream`)
    const [status, answer, headers] = (replies.length > 1 ? replies.shift() : replies[0]) ?? [500]
    const text =
      typeof answer === 'string' || answer === undefined ? (answer ?? null) : JSON.stringify(answer)
    return new Response(text, { status, headers: headers ?? {} })
  }
  const deps = {
    config: { oauthClientOwner, allowPrivateWebhookTargets: false },
    upstreams: {
      oauthAdmin: {
        name: 'oauth_server',
        baseUrl: 'http://oauth.example',
        variable: 'OAUTH_ADMIN_URL',
        fetch: fetchCall,
      },
    },
    platform: {
      // The one row that the audit log reads back is the id of what it has inserted.
      query: async <Row>(sql: string, params: readonly unknown[] = []) => {
        rows.push({ sql, params })
        events.push(sql.trimStart().split(' ', 1)[0] ?? '')
        return [{ id: 'a1' }] as Row[]
      },
    },
    endUserTokens: { forget: () => events.push('forget') },
  } as const
  return { deps, calls, rows, events }
}

// test/hostile/pure/called-addresses.test.ts has the addresses.
it('an address on the OAuth2 server’s own machine reaches no client, whether it is made or changed', async () => {
  const { deps, calls, rows } = makeDeps([[200, STORED]])
  const input = {
    redirect_uris: ['https://app.example.com/cb'],
    backchannel_logout_uri: 'https://127.0.0.1/',
  }
  const refused = expect.objectContaining({ code: 'validation_failed' })
  await expect(createOAuthClient(deps, CALLER, input)).rejects.toEqual(refused)
  await expect(updateOAuthClient(deps, CALLER, 'c1', input)).rejects.toEqual(refused)
  expect(calls.every(call => call.method === 'GET')).toBe(true)
  expect(rows).toEqual([])
})

describe('a list', () => {
  const next = (token: string) => ({ link: `</admin/clients?page_token=${token}>; rel="next"` })

  it('follows every page, asks for full ones, and ends at the last', async () => {
    const { deps, calls } = makeDeps([
      [200, [STORED, { ...STORED, client_id: 'c2' }], next('t1')],
      [200, [{ ...STORED, client_id: 'c3' }], next('t2')],
      [200, []],
    ])
    const { clients, page } = await listOAuthClients(deps, {})
    expect(clients.map(client => client.client_id)).toEqual(['c1', 'c2', 'c3'])
    expect(page).toBeUndefined()
    expect(calls.map(call => call.query)).toEqual([
      { page_size: '500' },
      { page_size: '500', page_token: 't1' },
      { page_size: '500', page_token: 't2' },
    ])
  })

  it('ends at its bound with an error that says how to go on, also when the pages never end', async () => {
    const { deps, calls } = makeDeps([[200, [STORED], next('again')]])
    await expect(listOAuthClients(deps, {})).rejects.toMatchObject({
      code: 'response_too_large',
      hint: expect.stringContaining('page_size'),
    })
    expect(calls).toHaveLength(LIST_CALLS_MAX)
  })

  // 500 records of 30 KB are more than is read at once, and "try again" would be the answer for ever.
  it('is read in smaller pages where a full one is too large an answer', async () => {
    const large = { ...STORED, metadata: { note: 'x'.repeat(40_000) } }
    const ids = Array.from({ length: 450 }, (_, i) => `c${String(i).padStart(3, '0')}`)
    const server = fakeServer(({ path }) => {
      const query = new URLSearchParams(path.split('?')[1])
      const from = Number(query.get('page_token') ?? 0)
      const until = from + Number(query.get('page_size'))
      const link = until < ids.length ? { link: `</admin/clients?page_token=${until}>; rel="next"` } : {}
      return [200, ids.slice(from, until).map(client_id => ({ ...large, client_id })), link]
    })
    const deps = { upstreams: { oauthAdmin: server.server }, config: { oauthClientOwner: undefined } }
    const { clients } = await listOAuthClients(deps, {})
    expect(clients.map(client => client.client_id)).toEqual(ids)
    expect(server.log().slice(0, 3)).toEqual([
      'GET /admin/clients?page_size=500',
      'GET /admin/clients?page_size=250',
      'GET /admin/clients?page_size=125',
    ])
    await expect(listOAuthClients(deps, { page_size: 400 })).rejects.toMatchObject({
      code: 'upstream_answer_too_large',
      hint: expect.stringContaining('smaller page'),
      retryAfterSeconds: undefined,
    })
  })

  it('is one page where a size or a token is given, with our own addresses for the next', async () => {
    const { deps, calls } = makeDeps([[200, [STORED], next('a%2Bb')]])
    const { clients, page } = await listOAuthClients(deps, { page_size: 2 })
    expect(clients).toHaveLength(1)
    expect(page).toEqual({ size: 2, nextToken: 'a+b' })
    expect(calls.map(call => call.query)).toEqual([{ page_size: '2' }])
    expect(linkHeader('/v1/oauth2/clients', { size: 2, nextToken: 'a+b' })).toBe(
      '</v1/oauth2/clients?page_size=2>; rel="first", </v1/oauth2/clients?page_size=2&page_token=a%2Bb>; rel="next"',
    )
    expect(linkHeader('/x', { size: 2, nextToken: undefined })).toBe('</x?page_size=2>; rel="first"')
  })

  it('holds only our own clients, whatever the server does with the filter', async () => {
    const { deps, calls } = makeDeps([[200, [STORED, { ...STORED, client_id: 'c2', owner: 'them' }]]], 'us')
    const { clients } = await listOAuthClients(deps, {})
    expect(clients.map(client => client.client_id)).toEqual(['c1'])
    expect(calls[0]?.query).toMatchObject({ owner: 'us' })
  })
})

describe('a client of another owner', () => {
  const foreign: Reply[] = [[200, { ...STORED, owner: 'them' }]]

  it('is not there, for anything', async () => {
    const { deps, calls, rows } = makeDeps(foreign, 'us')
    expect(await findOwnClient(deps, 'c1')).toBeUndefined()
    const missing = expect.objectContaining({ code: 'not_found' })
    await expect(updateOAuthClient(deps, CALLER, 'c1', { client_name: 'x' })).rejects.toEqual(missing)
    await expect(deleteOAuthClient(deps, CALLER, 'c1')).rejects.toEqual(missing)
    await expect(rotateClientSecret(deps, CALLER, 'c1')).rejects.toEqual(missing)
    expect(calls.every(call => call.method === 'GET')).toBe(true)
    expect(rows).toEqual([])
  })

  it('is ours where no owner is named', async () => {
    const { deps } = makeDeps(foreign)
    expect(await findOwnClient(deps, 'c1')).toMatchObject({ client_id: 'c1', owner: 'them' })
    expect(isOwnClient({ oauthClientOwner: undefined }, {})).toBe(true)
    expect(isOwnClient({ oauthClientOwner: 'us' }, {})).toBe(false)
  })

  it('can be made or given away by nobody', async () => {
    const { deps, rows } = makeDeps([[200, STORED]], 'us')
    const refused = expect.objectContaining({ code: 'validation_failed' })
    const input = { redirect_uris: ['https://app.example.com/cb'], owner: 'them' }
    await expect(createOAuthClient(deps, CALLER, input)).rejects.toEqual(refused)
    await expect(updateOAuthClient(deps, CALLER, 'c1', { owner: null })).rejects.toEqual(refused)
    expect(rows).toEqual([])
  })
})

describe('a creation', () => {
  const input = { client_name: 'Shop', redirect_uris: ['https://app.example.com/cb'], access_token_ttl: 60 }

  it('spells its defaults out, brings a secret of 256 bits and the owner, and shows the secret', async () => {
    const { deps, calls } = makeDeps([[201, { ...STORED, client_secret: 'echo', grant_types: null }]], 'us')
    const client = await createOAuthClient(deps, CALLER, input)
    const body = calls[0]?.body as Record<string, unknown>
    expect(body).toMatchObject({
      client_name: 'Shop',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      subject_type: 'public',
      owner: 'us',
      client_credentials_grant_access_token_lifespan: '60s',
      client_secret: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
    })
    expect(body).not.toHaveProperty('access_token_ttl')
    expect(client).toMatchObject({ client_id: 'c1', client_secret: body['client_secret'], grant_types: [] })
  })

  it('gives a public client no secret', async () => {
    const { deps, calls } = makeDeps([[201, { ...STORED, token_endpoint_auth_method: 'none' }]])
    const client = await createOAuthClient(deps, CALLER, {
      ...input,
      token_endpoint_auth_method: 'none',
    })
    expect(client).not.toHaveProperty('client_secret')
    expect(calls[0]?.body).not.toHaveProperty('client_secret')
  })

  it.each<[string[], string[]]>([
    [['authorization_code'], ['code']],
    [['client_credentials'], []],
    [['implicit'], ['token', 'id_token', 'id_token token']],
  ])('gives the grants %j the response types %j', async (grant_types, response_types) => {
    const { deps, calls } = makeDeps([[201, STORED]])
    await createOAuthClient(deps, CALLER, {
      ...input,
      // The schema has checked the words by then.
      grant_types: grant_types as ['implicit'],
    })
    expect(calls[0]?.body).toMatchObject({ response_types })
  })

  // Whoever finds the row pending must be able to look for the client.
  it('has an id of ours, in the row of the audit log before anything is sent', async () => {
    const { deps, calls, rows } = makeDeps([[201, STORED]])
    await createOAuthClient(deps, CALLER, input)
    const clientId = (calls[0]?.body as { client_id?: string } | undefined)?.client_id
    expect(clientId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(rows[0]?.params).toEqual(expect.arrayContaining([CALLER.action, clientId]))
  })

  it('that is refused leaves a failed row, and one with a mistake leaves nothing at all', async () => {
    const refusal = { error: 'invalid_client_metadata', error_description: 'No.' }
    const refused = makeDeps([[400, refusal]])
    await expect(createOAuthClient(refused.deps, CALLER, input)).rejects.toMatchObject({
      code: 'oauth_client_refused',
    })
    expect(refused.rows[1]?.params).toEqual(expect.arrayContaining(['failed', 'oauth_client_refused']))
    const mistaken = makeDeps([[201, STORED]])
    await expect(createOAuthClient(mistaken.deps, CALLER, {})).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('redirect_uris'),
    })
    expect([mistaken.calls, mistaken.rows]).toEqual([[], []])
  })
})

describe('a change', () => {
  it('is one patch of what was sent, after the row of the audit log', async () => {
    const { deps, calls, events } = makeDeps([
      [200, STORED],
      [200, { ...STORED, client_name: 'New' }],
    ])
    const client = await updateOAuthClient(deps, CALLER, 'c1', {
      client_name: 'New',
      logo_uri: null,
      id_token_ttl: null,
    })
    expect(client.client_name).toBe('New')
    expect(events).toEqual(['GET upstream', 'insert', 'PATCH upstream', 'update'])
    expect(calls[1]?.body).toEqual(
      [
        ['client_name', 'New'],
        ['logo_uri', ''],
        ['authorization_code_grant_id_token_lifespan', null],
        ['device_authorization_grant_id_token_lifespan', null],
        ['implicit_grant_id_token_lifespan', null],
        ['refresh_token_grant_id_token_lifespan', null],
      ].map(([field, value]) => ({ op: 'replace', path: `/${field}`, value })),
    )
  })

  it('takes the id and the times of the record along, but only as they are', async () => {
    const { deps, calls } = makeDeps([[200, STORED]])
    const change = (patch: object) => updateOAuthClient(deps, CALLER, 'c1', { client_name: 'New', ...patch })
    const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T23:00:00.000Z' }
    await change({ client_id: 'c1', ...times })
    const patches = calls.filter(call => call.method === 'PATCH')
    expect(patches.map(call => call.body)).toEqual([[{ op: 'replace', path: '/client_name', value: 'New' }]])
    await expect(change({ client_id: 'c2' })).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(change({ created_at: null })).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(change({ updated_at: '2026-01-01T22:00:00.000Z' })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  it('that would not work with what the record has is refused before anything is sent', async () => {
    const { deps, calls, rows } = makeDeps([[200, { ...STORED, subject_type: 'pairwise' }]])
    const change = updateOAuthClient(deps, CALLER, 'c1', { access_token_strategy: 'jwt' })
    await expect(change).rejects.toMatchObject({ code: 'unsupported_combination' })
    expect(calls.map(call => call.method)).toEqual(['GET'])
    expect(rows).toEqual([])
  })

  it('never takes a secret, and says where there is one to be had', async () => {
    const { deps, rows } = makeDeps([[200, STORED]])
    const patch = { client_name: 'New', client_secret: 'that of the creation' }
    await expect(updateOAuthClient(deps, CALLER, 'c1', patch)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('client_secret'),
      hint: expect.stringContaining('/secret'),
    })
    expect(rows).toEqual([])
  })

  it('of nothing is refused', async () => {
    const { deps, rows } = makeDeps([[200, STORED]])
    for (const patch of [{}, { client_id: 'c1' }])
      await expect(updateOAuthClient(deps, CALLER, 'c1', patch)).rejects.toMatchObject({
        code: 'validation_failed',
      })
    expect(rows).toEqual([])
  })

  it('of a client that is gone by then is not_found, and a failed row', async () => {
    const { deps, rows } = makeDeps([
      [200, STORED],
      [404, NOT_FOUND],
    ])
    await expect(deleteOAuthClient(deps, CALLER, 'c1')).rejects.toMatchObject({ code: 'not_found' })
    expect(rows[1]?.params).toEqual(expect.arrayContaining(['failed', 'not_found']))
  })
})

describe('a new secret', () => {
  it('is patched in, shown, and nowhere in the audit log', async () => {
    const { deps, calls, rows } = makeDeps([
      [200, STORED],
      [200, { ...STORED, client_secret: 'echo' }],
    ])
    const { client_id, client_secret } = await rotateClientSecret(deps, CALLER, 'c1')
    expect(client_id).toBe('c1')
    expect(client_secret).toMatch(/^[0-9A-Za-z]{43}$/)
    expect(calls[1]).toMatchObject({
      method: 'PATCH',
      path: '/admin/clients/c1',
      body: [{ op: 'replace', path: '/client_secret', value: client_secret }],
    })
    expect(JSON.stringify(rows)).not.toContain(client_secret)
    expect(JSON.stringify(rows)).not.toContain('echo')
    expect(JSON.stringify(rows)).toContain('[secret]')
  })

  it.each(['none', 'private_key_jwt'])('is refused for a client with auth method %s', async method => {
    const { deps, calls } = makeDeps([[200, { ...STORED, token_endpoint_auth_method: method }]])
    await expect(rotateClientSecret(deps, CALLER, 'c1')).rejects.toMatchObject({
      code: 'client_without_secret',
    })
    expect(calls).toHaveLength(1)
  })
})

describe('the record', () => {
  it('has null for what is not set, times in UTC, and an object for whatever the metadata are', async () => {
    const { deps } = makeDeps([
      [200, { ...STORED, metadata: ['x'], access_token_strategy: '', created_at: 'x' }],
    ])
    expect(await findOwnClient(deps, 'c1')).toMatchObject({
      metadata: {},
      access_token_strategy: null,
      logo_uri: null,
      sector_identifier_uri: null,
      access_token_ttl: null,
      created_at: null,
      updated_at: '2026-01-01T23:00:00.000Z',
    })
  })
})
