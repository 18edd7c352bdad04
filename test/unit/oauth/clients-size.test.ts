// A client whose record is too large for the address of a sign-in is refused while somebody can still shorten it. What
// is accepted fits, however little it compresses.

import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../src/features/audit/caller.ts'
import {
  challengeCharacters,
  RECORD_CHARACTERS_MAX,
} from '../../../src/features/oauth/clients/challenge-size.ts'
import { createOAuthClient } from '../../../src/features/oauth/clients/create-client.ts'
import { OAuthClientIn } from '../../../src/features/oauth/clients/schemas.ts'
import { updateOAuthClient } from '../../../src/features/oauth/clients/update-client.ts'
import { fakePlatform, fakeServer } from './fake-server.ts'

const CALLER: Caller = {
  actor: { kind: 'session', id: 'i1', name: 'ada@example.com' },
  action: 'things.change',
  requestId: 'r1',
  address: null,
}
const ADDRESS_MAX = 16_384

const random = (length: number) => randomBytes(length).toString('base64url').slice(0, length)
const uris = (count: number, length = 300) =>
  Array.from({ length: count }, () => `https://app.example.com/${random(length - 24)}`)

/** An OAuth2 server that stores what it is sent. */
function makeDeps(stored: object = {}) {
  const server = fakeServer(({ method, body }) => {
    if (method === 'POST') return [201, JSON.parse(body)]
    return [200, { client_id: 'c1', grant_types: ['authorization_code'], ...stored }]
  })
  const deps = {
    config: { oauthClientOwner: undefined, allowPrivateWebhookTargets: false },
    upstreams: { oauthAdmin: server.server },
    platform: fakePlatform(() => [{ id: 'a1' }]).platform,
    endUserTokens: { forget: () => {} },
  }
  return { deps, log: server.log }
}

/** A consent challenge as Hydra makes it (flow/encoding.go): JSON, gzip, XChaCha20-Poly1305, base64url. */
function challengeOf(client: object): string {
  const state = random(500)
  const query = `client_id=c&state=${state}&nonce=${random(200)}&code_challenge=${random(43)}`
  const requestUrl = `https://oauth.example.com/oauth2/auth?${query}`
  const flow = {
    i: random(32),
    n: random(36),
    rs: ['openid', 'offline_access', 'email', 'profile'],
    s: random(36),
    oc: { acr_values: [], ui_locales: [], login_hint: 'ada@example.com' },
    c: { ...client, client_id: crypto.randomUUID(), created_at: '2026-01-01T00:00:00Z', jwks: {} },
    ci: random(36),
    r: requestUrl,
    si: random(36),
    lc: random(32),
    cc: random(36),
    cr: random(32),
    a: 'aal1',
    am: ['password'],
    ct: null,
  }
  return Buffer.concat([randomBytes(24 + 16), gzipSync(JSON.stringify(flow), { level: 9 })]).toString(
    'base64url',
  )
}

describe('the record of a client', () => {
  it('that is too large for the address of a sign-in is refused, and says what makes it so', async () => {
    const { deps, log } = makeDeps()
    // Each field is as long as it may be; together they are not.
    const input = OAuthClientIn.parse({ redirect_uris: uris(100), client_name: 'Shop' })
    await expect(createOAuthClient(deps, CALLER, input)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^body\.redirect_uris: too long: .* 12288 are there/),
      hint: expect.stringContaining('several clients'),
    })
    expect(log()).toEqual([])
  })

  it('that is accepted fits into the address with a large request beside it', async () => {
    const { deps } = makeDeps()
    let accepted = 0
    for (let count = 10; count <= 100; count++) {
      const client = { redirect_uris: uris(count), metadata: { note: random(3_000) } }
      try {
        await createOAuthClient(deps, CALLER, OAuthClientIn.parse(client))
      } catch {
        break
      }
      accepted = challengeOf(client).length
    }
    const page = 'https://quoin.example.com/api/oauthsrv/bridge/consent?consent_challenge='
    expect(accepted).toBeGreaterThan(11_000)
    expect(accepted + page.length).toBeLessThan(ADDRESS_MAX)
  })

  it('may have many addresses of one pattern', async () => {
    const redirect_uris = Array.from(
      { length: 100 },
      (_, i) => `https://tenant-${i}.example.com/auth/callback`,
    )
    const { deps } = makeDeps()
    await expect(createOAuthClient(deps, CALLER, { redirect_uris })).resolves.toBeDefined()
    expect(await challengeCharacters(redirect_uris)).toBeLessThan(RECORD_CHARACTERS_MAX / 4)
  })

  it('may be as large as it likes where nobody signs in', async () => {
    const { deps } = makeDeps()
    const input = OAuthClientIn.parse({
      grant_types: ['client_credentials'],
      audience: Array.from({ length: 50 }, () => random(500)),
    })
    await expect(createOAuthClient(deps, CALLER, input)).resolves.toBeDefined()
  })

  it('is refused when a change makes it too large, whichever of its fields', async () => {
    const { deps } = makeDeps({ redirect_uris: uris(30) })
    const patch = { metadata: { note: random(4_000) } }
    await expect(updateOAuthClient(deps, CALLER, 'c1', patch)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^redirect_uris: too long/),
    })
    const machine = makeDeps({ redirect_uris: uris(100), grant_types: ['client_credentials'] })
    const grants = { grant_types: ['authorization_code' as const], response_types: ['code'] }
    await expect(updateOAuthClient(machine.deps, CALLER, 'c1', grants)).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  it('that was made elsewhere, too large, can be changed and shortened', async () => {
    const redirect_uris = uris(100)
    const { deps } = makeDeps({ redirect_uris })
    await expect(
      updateOAuthClient(deps, CALLER, 'c1', { redirect_uris: redirect_uris.slice(0, 80) }),
    ).resolves.toBeDefined()
  })
})
