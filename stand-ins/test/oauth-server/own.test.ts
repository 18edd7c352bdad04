// What only our own OAuth2 server promises or lets a test see: what is in its database, what survives a restart, its
// clock, its calls to others, and its settings.

import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { type LocalOAuthServer, startLocalOAuthServer } from '../../../test/support/oauth-server.ts'
import { ask, linkTo, member, ownName, textOf } from './caller.ts'

const SECTOR = 'https://sector.example/redirects.json'
const MALFORMED = 'The request was malformed or contained invalid parameters'

async function rowsOf({ databaseUrl }: LocalOAuthServer, sql: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(sql).finally(() => client.end())
  return JSON.stringify(rows)
}

const makeClient = async ({ adminUrl }: { adminUrl: string }, json: unknown) =>
  ask('POST', `${adminUrl}/admin/clients`, { json })

describe('the database of the OAuth2 server', () => {
  it('holds no secret of a client, no token to manage it, and no private key in clear', async () => {
    await using server = await startLocalOAuthServer()
    const secret = ownName('secret')
    const { body } = await makeClient(server, { client_secret: secret })
    const [key] = member(
      (await ask('POST', `${server.adminUrl}/admin/keys/mine`, { json: { alg: 'ES256' } })).body,
      'keys',
    ) as object[]
    const stored =
      (await rowsOf(server, 'select * from clients')) + (await rowsOf(server, 'select * from keys'))
    expect(stored).toContain(textOf(body, 'client_id'))
    expect(stored).toContain(textOf(key, 'kid'))
    for (const hidden of [secret, textOf(body, 'registration_access_token'), textOf(key, 'd'), '"kty"'])
      expect(stored).not.toContain(hidden)
  })

  it('lets clients, keys and page tokens survive a restart', async () => {
    await using server = await startLocalOAuthServer()
    const owner = ownName('owner')
    const { body } = await makeClient(server, { owner, redirect_uris: ['/cb'] })
    await makeClient(server, { owner })
    const keys = await ask('GET', `${server.publicUrl}/.well-known/jwks.json`)
    const next = linkTo(
      await ask('GET', `${server.adminUrl}/admin/clients?owner=${owner}&page_size=1`),
      'next',
    )

    const again = await server.restart()
    const url = `${again.publicUrl}/oauth2/register/${textOf(body, 'client_id')}`
    expect(await ask('GET', url, { bearer: textOf(body, 'registration_access_token') })).toMatchObject({
      status: 200,
      body: { redirect_uris: ['/cb'] },
    })
    expect((await ask('GET', `${again.publicUrl}/.well-known/jwks.json`)).body).toEqual(keys.body)
    expect((await ask('GET', `${again.adminUrl}${next}`)).body).toHaveLength(1)
  })

  it('gets one key for each signing set, however many need it first', async () => {
    await using server = await startLocalOAuthServer()
    const url = `${server.publicUrl}/.well-known/jwks.json`
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('GET', url)))
    for (const { body } of answers) expect(member(body, 'keys')).toHaveLength(2)
  })
})

describe('a page token', () => {
  it('is refused after an hour, on another list, and when it was changed', async () => {
    let now = Date.now()
    await using server = await startLocalOAuthServer({}, { now: () => now })
    const clients = `${server.adminUrl}/admin/clients`
    const first = linkTo(await ask('GET', clients), 'first') ?? ''
    const token = new URL(first, clients).searchParams.get('page_token') ?? ''
    const statusWith = async (url: string, page_token: string) =>
      (await ask('GET', `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams({ page_token })}`))
        .status

    expect(await statusWith(clients, token)).toBe(200)
    const changed = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    for (const bad of [changed, token.slice(0, -8), 'short']) expect(await statusWith(clients, bad)).toBe(400)
    const sessions = `${server.adminUrl}/admin/oauth2/auth/sessions/consent?subject=x`
    expect(await statusWith(sessions, token)).toBe(400)
    now += 61 * 60 * 1000
    expect(await statusWith(clients, token)).toBe(400)
  })
})

describe('a sector identifier', () => {
  /** A server whose outside calls get what `answer` says; `asked` are the addresses of these calls. */
  async function serverThatReads(answer: () => Response | Promise<Response>) {
    const asked: string[] = []
    const fetch = async (input: string | URL | Request) => {
      asked.push(String(input))
      return answer()
    }
    return { server: await startLocalOAuthServer({}, { fetch }), asked }
  }
  const pairwise = (...redirect_uris: string[]) => ({
    subject_type: 'pairwise',
    sector_identifier_uri: SECTOR,
    redirect_uris,
  })

  it('must list every redirect URI, and is asked whenever the client is written', async () => {
    const list = ['https://a.example/cb', 'https://b.example/cb']
    const { server, asked } = await serverThatReads(() => Response.json(list))
    await using _ = server
    const made = await makeClient(server, pairwise('https://b.example/cb'))
    expect(made).toMatchObject({ status: 201, body: { sector_identifier_uri: SECTOR } })
    const url = `${server.adminUrl}/admin/clients/${textOf(made.body, 'client_id')}`
    expect((await ask('PUT', `${url}/lifespans`, { json: {} })).status).toBe(200)
    expect(
      (await ask('PATCH', url, { json: [{ op: 'add', path: '/redirect_uris/-', value: list[0] }] })).status,
    ).toBe(200)
    expect((await ask('PUT', url, { json: pairwise('https://c.example/cb') })).status).toBe(400)
    expect(asked).toEqual([SECTOR, SECTOR, SECTOR, SECTOR])
  })

  it.for([
    ['does not list them', () => Response.json(['https://other.example/cb'])],
    ['is empty', () => Response.json([])],
    ['is no list', () => Response.json({ redirect_uris: ['https://a.example/cb'] })],
    ['holds something else than texts', () => Response.json(['https://a.example/cb', 1])],
    ['is no JSON', () => new Response('<html>')],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
  ] as const)('is refused without a reason when it %s', async ([, answer]) => {
    const { server } = await serverThatReads(answer)
    await using _ = server
    const reply = await makeClient(server, pairwise('https://a.example/cb'))
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
    expect(textOf(reply.body, 'error_description')).not.toContain('sector')
  })

  it('is not asked when it is not https', async () => {
    const { server, asked } = await serverThatReads(() => Response.json([]))
    await using _ = server
    const plain = { sector_identifier_uri: SECTOR.replace('https', 'http') }
    expect((await makeClient(server, plain)).status).toBe(400)
    expect(asked).toEqual([])
  })
})

describe('dynamic registration', () => {
  it('is a 404 in words of its own when it is off, whoever asks', async () => {
    await using server = await startLocalOAuthServer({ dynamicRegistration: false })
    for (const path of ['/oauth2/register', '/oauth2/register/x', '/connect/register'])
      expect(
        await ask(
          path.endsWith('x') ? 'GET' : 'POST',
          server.publicUrl + path,
          path.endsWith('x') ? {} : { raw: '{' },
        ),
      ).toMatchObject({
        status: 404,
        body: {
          error: 'The requested resource could not be found',
          error_description: 'Dynamic registration is not enabled.',
        },
      })
  })

  it('has a second name', async () => {
    await using server = await startLocalOAuthServer()
    const url = `${server.publicUrl}/connect/register`
    const { status, body } = await ask('POST', url, { json: { redirect_uris: ['https://a.example/cb'] } })
    expect(status).toBe(201)
    const bearer = textOf(body, 'registration_access_token')
    expect((await ask('GET', `${url}/${textOf(body, 'client_id')}`, { bearer })).status).toBe(200)
  })
})

// Hydra lets every preflight through, and looks at the client's `allowed_cors_origins` when the call itself comes.
it('lets no preflight through from a page that is not of this machine', async () => {
  await using server = await startLocalOAuthServer()
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  const asked = await fetch(`${server.publicUrl}/oauth2/token`, { method: 'OPTIONS', headers })
  expect(asked.status).toBe(204)
  expect([...asked.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
})

describe('starting the OAuth2 server', () => {
  it('fails with a secret that is too short, and with a port that is taken', async () => {
    await expect(startLocalOAuthServer({ systemSecret: 'short' })).rejects.toThrow(/systemSecret/)
    await using server = await startLocalOAuthServer()
    const taken = Number(new URL(server.adminUrl).port)
    await expect(startLocalOAuthServer({ adminPort: taken })).rejects.toThrow(/EADDRINUSE/)
  })

  it('takes another address for its issuer when it is told one', async () => {
    const publicUrl = 'https://id.example.com'
    await using server = await startLocalOAuthServer({ publicUrl })
    const { body } = await ask('GET', `${server.publicUrl}/.well-known/openid-configuration`)
    expect(body).toMatchObject({ issuer: publicUrl, jwks_uri: `${publicUrl}/.well-known/jwks.json` })
  })

  it('refuses a body of more than five megabytes', async () => {
    await using server = await startLocalOAuthServer()
    const raw = JSON.stringify({ client_name: 'x'.repeat(5 * 1024 * 1024) })
    for (const url of [`${server.adminUrl}/admin/clients`, `${server.publicUrl}/oauth2/register`])
      expect((await ask('POST', url, { raw })).status).toBe(413)
  })

  it('never says more of an unforeseen error than that there was one', async () => {
    await using server = await startLocalOAuthServer()
    const tooLong = await makeClient(server, { client_id: 'x'.repeat(300) })
    expect(tooLong).toMatchObject({ status: 500, body: { error: 'error' } })
    expect((await makeClient(server, { client_name: 1 })).body).toMatchObject({ error: MALFORMED })
  })
})
