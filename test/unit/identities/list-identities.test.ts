// What goes to the identity provider and what comes out of its answers; over HTTP it is in
// test/contract/platform/identities.test.ts.

import { describe, expect, it, vi } from 'vitest'
import type { Upstream } from '../../../src/clients/http.ts'
import { toIdentitySession } from '../../../src/features/identities/identity-record.ts'
import { listIdentities } from '../../../src/features/identities/list-identities.ts'
import { readIdentity } from '../../../src/features/identities/read-identity.ts'
import { IdentityListQuery } from '../../../src/features/identities/schemas.ts'

const ID = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'
const RECORD = { id: ID, traits: { email: 'ada@example.com' }, credentials: { password: { config: {} } } }
const LONG_TOKEN = `${'aB3-_.+/'.repeat(6)}==`
const LONGEST_TOKEN = 'aB3-'.repeat(1_024)

function depsThat(answer: (url: URL) => Response) {
  const respond = vi.fn(answer)
  const identityAdmin: Upstream = {
    name: 'identity_provider',
    baseUrl: 'http://identity.test',
    variable: 'IDENTITY_ADMIN_URL',
    fetch: async input => respond(new URL(String(input))),
  }
  return { upstreams: { identityAdmin }, respond }
}

const query = (text: string) => IdentityListQuery.parse(Object.fromEntries(new URLSearchParams(text)))
const cursorOf = (value: unknown) => btoa(JSON.stringify(value))

describe('listIdentities', () => {
  it.each([ID, LONG_TOKEN, LONGEST_TOKEN])(
    'goes on where the page before ended, by a token (%#)',
    async token => {
      const link = `</admin/identities?page_token=${encodeURIComponent(token)}>; rel="next"`
      const deps = depsThat(url =>
        url.searchParams.has('page_token')
          ? Response.json([])
          : Response.json([RECORD], { headers: { link } }),
      )
      const first = await listIdentities(deps, query('limit=1'))
      expect(first.data.map(identity => identity.id)).toEqual([ID])
      const second = await listIdentities(deps, query(`limit=1&cursor=${first.next_cursor}`))
      expect(second).toEqual({ data: [], next_cursor: null })
      expect(deps.respond.mock.calls[1]?.[0].searchParams.get('page_token')).toBe(token)
    },
  )

  // A made-up page token has crashed such servers.
  it.each([
    'abc',
    cursorOf('abc'),
    cursorOf(['abc']),
    cursorOf([`${'a'.repeat(39)}`]),
    cursorOf([`${'a'.repeat(4_097)}`]),
    cursorOf([`${'a'.repeat(60)} b`]),
    cursorOf([ID, ID]),
    cursorOf([7]),
    cursorOf(null),
  ])('sends nothing for a cursor that is none (%#)', async cursor => {
    const deps = depsThat(() => Response.json([]))
    const refused = listIdentities(deps, { limit: 1, cursor })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_parameter' })
    expect(deps.respond).not.toHaveBeenCalled()
  })

  it('says of a token that the provider refuses that the cursor is old', async () => {
    const deps = depsThat(() => Response.json({ error: { code: 400 } }, { status: 400 }))
    await expect(listIdentities(deps, { limit: 1, cursor: cursorOf([LONG_TOKEN]) })).rejects.toMatchObject({
      code: 'invalid_parameter',
    })
  })
})

describe('the record of an identity', () => {
  it('has every field whatever the provider leaves out, and none that it has beside them', async () => {
    const deps = depsThat(url => Response.json(url.pathname.endsWith('/sessions') ? [] : RECORD))
    expect(await readIdentity(deps, ID)).toEqual({
      id: ID,
      schema_id: '',
      state: 'active',
      traits: { email: 'ada@example.com' },
      verifiable_addresses: [],
      recovery_addresses: [],
      metadata_public: {},
      metadata_admin: null,
      created_at: null,
      updated_at: null,
      active_sessions: [],
    })
  })

  it('is not_found for an id that nobody has and for one that is none', async () => {
    const deps = depsThat(url =>
      url.pathname.endsWith('/sessions')
        ? Response.json([])
        : Response.json({ error: { code: 404 } }, { status: 404 }),
    )
    for (const id of [ID, 'nope'])
      await expect(readIdentity(deps, id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the record of a session', () => {
  it.each([
    ['127.0.0.1:51234', '127.0.0.1'],
    ['[2001:db8::1]:51234', '2001:db8::1'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['nonsense', 'nonsense'],
  ])('shows the address %s as %s', (listed, shown) => {
    const session = { id: 's', active: true, authentication_methods: [], devices: [{ ip_address: listed }] }
    expect(toIdentitySession(session).devices).toEqual([
      { ip_address: shown, user_agent: null, location: null },
    ])
  })
})
