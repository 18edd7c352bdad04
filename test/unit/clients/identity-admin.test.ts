// What the identity provider's admin API, and whatever may stand in front of it, can answer: each answer is the
// record, a clear "no", or one of the upstream errors, and never a crash.

import { describe, expect, it } from 'vitest'
import type { Upstream, UpstreamAnswer } from '../../../src/clients/http.ts'
import type { Identity } from '../../../src/clients/identity.ts'
import {
  endSession,
  endSessionsOf,
  getIdentity,
  getSession,
  listActiveSessions,
  listIdentities,
  processEnd,
  processGetIdentity,
  processListActiveSessions,
  processListIdentities,
} from '../../../src/clients/identity-admin.ts'
import { nextPageToken } from '../../../src/clients/link-header.ts'

const ID = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'
const RECORD = {
  id: ID,
  schema_id: 'default',
  schema_url: 'http://127.0.0.1:4433/schemas/ZGVmYXVsdA',
  state: 'active',
  traits: { email: 'ada@example.com' },
  metadata_public: { plan: 'pro' },
  metadata_admin: { note: 'x' },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  organization_id: null,
}
const NOT_FOUND = { error: { code: 404, status: 'Not Found', message: 'Unable to locate the resource' } }

function serverThat(respond: (url: URL) => Response | Promise<Response>): Upstream {
  return {
    name: 'identity_provider',
    baseUrl: 'http://identity.test',
    variable: 'IDENTITY_ADMIN_URL',
    fetch: async input => respond(new URL(String(input))),
  }
}

const SERVER = serverThat(() => Response.json([]))

function answer(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamAnswer {
  const isText = typeof body === 'string'
  return {
    status,
    headers: new Headers(headers),
    text: isText ? body : JSON.stringify(body),
    json: isText ? undefined : body,
  }
}

/** Answers that are about the deployment, with the code that each becomes. */
const ODD: [string, UpstreamAnswer, string][] = [
  ['a page in place of JSON', answer(200, '<html>hello</html>'), 'upstream_invalid_answer'],
  ['JSON of another form', answer(200, { hello: 1 }), 'upstream_invalid_answer'],
  ["a web server's 404", answer(404, '<html>404</html>'), 'upstream_invalid_answer'],
  ["the admin port's 404 of an unknown path", answer(404, '404 page not found'), 'upstream_invalid_answer'],
  ['a redirect, as the public port sends', answer(307, ''), 'upstream_invalid_answer'],
  ["a gateway's 401", answer(401, { message: 'no token' }), 'upstream_misconfigured'],
  ["a gateway's 403", answer(403, '<html>forbidden</html>'), 'upstream_misconfigured'],
  ['a 500', answer(500, { error: { code: 500 } }), 'upstream_unavailable'],
  ["a gateway's 503", answer(503, '<html>busy</html>'), 'upstream_unavailable'],
]

describe('getIdentity', () => {
  it('gives the record, and never its credentials', async () => {
    const server = serverThat(() =>
      Response.json({ ...RECORD, credentials: { password: { config: { hashed_password: '$2a$' } } } }),
    )
    const identity: Identity | undefined = await getIdentity(server, ID)
    expect(identity).toMatchObject(RECORD)
    expect(JSON.stringify(identity)).not.toContain('hashed_password')
  })

  it('reads absent and null lists as empty, and metadata that is no object as none', () => {
    const bare = {
      id: ID,
      traits: null,
      metadata_public: 'text',
      metadata_admin: [1],
      recovery_addresses: null,
    }
    expect(processGetIdentity(SERVER, answer(200, bare))).toMatchObject({
      traits: {},
      metadata_public: {},
      metadata_admin: [1],
      recovery_addresses: [],
      verifiable_addresses: [],
    })
  })

  it('needs nothing but the id', () => {
    expect(processGetIdentity(SERVER, answer(200, { id: ID }))).toMatchObject({ id: ID, traits: {} })
  })

  it('is undefined for an id that nobody has', () => {
    expect(processGetIdentity(SERVER, answer(404, NOT_FOUND))).toBeUndefined()
  })

  // Stops a path from being steered to another endpoint of the admin API.
  it.each(['nope', '', '..', `${ID}/sessions`, `${ID}?include_credential=password`, ID.replaceAll('-', '')])(
    'is undefined for the id %j, which is not even sent',
    async id => {
      const server = serverThat(() => {
        throw new Error('the server was asked')
      })
      expect(await getIdentity(server, id)).toBeUndefined()
    },
  )

  it.each(ODD)('tells %s from an answer', (_, odd, code) => {
    expect(() => processGetIdentity(SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    ['a cut connection', () => Promise.reject(new TypeError('other side closed'))],
    ['headers that are too long', () => Promise.reject(new TypeError('Headers Overflow Error'))],
  ])('takes %s for a server that is down', async (_, respond) => {
    await expect(getIdentity(serverThat(respond), ID)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      detail: 'identity_provider',
    })
  })

  it('asks for the variable when there is no address', async () => {
    await expect(getIdentity({ ...SERVER, baseUrl: undefined }, ID)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('IDENTITY_ADMIN_URL'),
    })
  })
})

describe('listIdentities', () => {
  it('sends size, token and filters, repeats ids, and says where the list goes on', async () => {
    let asked: URL | undefined
    const server = serverThat(url => {
      asked = url
      const link =
        '</admin/identities?page_size=2&page_token=first>; rel="first",' +
        `</admin/identities?page_size=2&page_token=${ID}>; rel="next"`
      return Response.json([RECORD], { headers: { link } })
    })
    const page = await listIdentities(server, { pageSize: 2, pageToken: 't', ids: [ID, ID] })
    expect(asked?.href).toBe(
      `http://identity.test/admin/identities?page_size=2&page_token=t&ids=${ID}&ids=${ID}`,
    )
    expect(page).toMatchObject({ outcome: 'page', identities: [RECORD], nextPageToken: ID })
  })

  it('reads null as the empty list', () => {
    expect(processListIdentities(SERVER, answer(200, null), {})).toEqual({
      outcome: 'page',
      identities: [],
      nextPageToken: undefined,
    })
  })

  it('tells a refused page token from other refusals', () => {
    const refusal = answer(400, { error: { code: 400 } })
    expect(processListIdentities(SERVER, refusal, { pageToken: 'x' })).toEqual({ outcome: 'refused_token' })
    expect(() => processListIdentities(SERVER, refusal, {})).toThrow(
      expect.objectContaining({ code: 'upstream_invalid_answer' }),
    )
  })

  it.each(ODD)('tells %s from an answer', (_, odd, code) => {
    expect(() => processListIdentities(SERVER, odd, {})).toThrow(expect.objectContaining({ code }))
  })
})

describe('listActiveSessions', () => {
  const session = (more: object) => ({ id: crypto.randomUUID(), active: true, devices: null, ...more })

  it('asks for the first page, which is page 1, and keeps to the bound', async () => {
    let asked: URL | undefined
    const server = serverThat(url => {
      asked = url
      return Response.json([session({}), session({}), session({})])
    })
    expect(await listActiveSessions(server, ID, 2)).toHaveLength(2)
    expect(asked?.search).toBe('?active=true&page=1&per_page=2')
  })

  it('leaves out sessions that are listed as active and are not', () => {
    const listed = answer(200, [session({ active: false }), session({})])
    expect(processListActiveSessions(SERVER, listed)).toHaveLength(1)
  })

  it.each(ODD)('tells %s from an answer', (_, odd, code) => {
    expect(() => processListActiveSessions(SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })
})

describe('getSession', () => {
  it('asks for whose session it is and where it was opened', async () => {
    let asked: URL | undefined
    const session = { id: ID, active: true, identity: RECORD }
    const server = serverThat(url => {
      asked = url
      return Response.json(session)
    })
    expect(await getSession(server, ID)).toMatchObject({ id: ID, identity: { id: ID } })
    expect(asked?.href).toBe(`http://identity.test/admin/sessions/${ID}?expand=identity&expand=devices`)
  })

  it('is undefined for one that is not there', async () => {
    expect(
      await getSession(
        serverThat(() => Response.json(NOT_FOUND, { status: 404 })),
        ID,
      ),
    ).toBeUndefined()
  })

  it('wants to know whose it is', async () => {
    const server = serverThat(() => Response.json({ id: ID, active: true }))
    await expect(getSession(server, ID)).rejects.toMatchObject({ code: 'upstream_invalid_answer' })
  })
})

describe('endSession and endSessionsOf', () => {
  it('end one session, or all of an identity', async () => {
    const asked: string[] = []
    const server = serverThat(url => {
      asked.push(url.pathname)
      return new Response(null, { status: 204 })
    })
    expect([await endSession(server, ID), await endSessionsOf(server, ID)]).toEqual([true, true])
    expect(asked).toEqual([`/admin/sessions/${ID}`, `/admin/identities/${ID}/sessions`])
  })

  // Stops a path from being steered to another endpoint: DELETE /admin/identities/:id deletes the person.
  it.each(['', '..', `${ID}/..`, `../identities/${ID}`])('send nothing for the id %j', async id => {
    const server = serverThat(() => {
      throw new Error('the server was asked')
    })
    expect([await endSession(server, id), await endSessionsOf(server, id)]).toEqual([false, false])
  })

  it('are false where there is nothing to end', () => {
    expect(processEnd(SERVER, answer(404, NOT_FOUND))).toBe(false)
  })

  it.each(ODD)('tell %s from an answer', (_, odd, code) => {
    expect(() => processEnd(SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })
})

describe('nextPageToken', () => {
  it.each([
    ['</a?page_size=1&page_token=abc>; rel="next"', 'abc'],
    ['</a?page_token=x>; rel="first",</a?page_token=a%2Bb%3D>; rel="next"', 'a+b='],
    ['</a?page_token=x>; rel="first", </a?page_token=y>; rel="next", </a?page_token=z>; rel="last"', 'y'],
    ['</a?ids=1&ids=2&page_token=y&q=a,b>; rel=next', 'y'],
    ['</a?page_token=x>; rel="first"', undefined],
    ['</a?page_token=x>; rel="next-archive"', undefined],
    ['</a>; rel="next"', undefined],
    ['nonsense', undefined],
  ])('of %s is %s', (link, token) => {
    expect(nextPageToken(new Headers({ link }))).toBe(token)
  })

  it('is undefined without the header', () => {
    expect(nextPageToken(new Headers())).toBeUndefined()
  })
})
