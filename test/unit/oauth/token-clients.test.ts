// Stops: users of another owner's applications, at the same OAuth2 server, from becoming users of ours.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { TokenClients } from '../../../src/features/oauth/end-user/token-clients.ts'

const START_MS = Date.parse('2030-01-01T00:00:00Z')
let nowMs: number
let owner: string | undefined
const respond = vi.fn(async (_url: string) =>
  owner === undefined
    ? Response.json({ error: 'Not Found', error_description: '' }, { status: 404 })
    : Response.json({ client_id: 'app', owner }),
)

beforeEach(() => {
  nowMs = START_MS
  owner = 'us'
  vi.clearAllMocks()
})

function makeClients(oauthClientOwner: string | undefined) {
  return new TokenClients({
    config: { oauthClientOwner },
    oauthAdmin: {
      name: 'oauth_server',
      baseUrl: 'http://oauth.test',
      variable: 'OAUTH_ADMIN_URL',
      fetch: async input => respond(String(input)),
    },
    now: () => new Date(nowMs),
  })
}

describe('the clients that tokens may come from', () => {
  it('are all, without asking, where no owner is named', async () => {
    expect(await makeClients(undefined).includes('app')).toBe(true)
    expect(respond).not.toHaveBeenCalled()
  })

  it.each([
    ['us', true],
    ['them', false],
    ['', false],
    [undefined, false],
  ])('are those of the named owner: of %j %j', async (has, expected) => {
    owner = has
    expect(await makeClients('us').includes('app')).toBe(expected)
  })

  it('are asked about once a minute', async () => {
    const clients = makeClients('us')
    await clients.includes('app')
    owner = 'them'
    nowMs += 59_999
    expect(await clients.includes('app')).toBe(true)
    expect(respond).toHaveBeenCalledTimes(1)
    nowMs += 1
    expect(await clients.includes('app')).toBe(false)
  })

  it('are known by their id alone, and a refusal is not kept', async () => {
    const clients = makeClients('us')
    await clients.includes('app')
    owner = undefined
    expect(await clients.includes('other')).toBe(false)
    owner = 'us'
    expect(await clients.includes('other')).toBe(true)
  })

  it('cannot be told without the admin API, and the error says what is missing', async () => {
    const clients = new TokenClients({
      config: { oauthClientOwner: 'us' },
      oauthAdmin: { name: 'oauth_server', baseUrl: undefined, variable: 'OAUTH_ADMIN_URL', fetch },
      now: () => new Date(),
    })
    await expect(clients.includes('app')).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('OAUTH_ADMIN_URL'),
    })
  })

  it('are not what an id that is a path would name', async () => {
    expect(await makeClients('us').includes('..')).toBe(false)
    await makeClients('us').includes('../keys/x')
    expect(respond.mock.calls).toEqual([['http://oauth.test/admin/clients/..%2Fkeys%2Fx']])
  })
})
