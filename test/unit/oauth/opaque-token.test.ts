// Stops: tokens of other kinds and other audiences from becoming somebody's identity in the database, and
// revoked ones from staying one for long.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ActiveToken } from '../../../src/clients/oauth-server/introspection.ts'
import { DomainError } from '../../../src/errors.ts'
import { isJwt } from '../../../src/features/oauth/end-user/access-token.ts'
import { OpaqueTokenGate, type OpaqueTokenRules } from '../../../src/features/oauth/end-user/opaque-token.ts'

const START_MS = Date.parse('2030-01-01T00:00:00Z')
const TOKEN = 'ory_at_kPq0-x_Z.8d~f+g/h='
const FACTS: ActiveToken = {
  active: true,
  client_id: 'app',
  sub: 'alice',
  scope: 'openid read',
  exp: START_MS / 1_000 + 3_600,
  iat: START_MS / 1_000 - 60,
  aud: ['data', 'other'],
  iss: 'http://issuer.test',
  token_type: 'Bearer',
  token_use: 'access_token',
  ext: { tenant: 'acme' },
}

let nowMs: number
let facts: ActiveToken | undefined
const introspect = vi.fn(async () => facts)

beforeEach(() => {
  nowMs = START_MS
  facts = FACTS
  vi.clearAllMocks()
})

function makeGate(rules: Partial<OpaqueTokenRules> = {}): OpaqueTokenGate {
  return new OpaqueTokenGate({
    introspect,
    audience: undefined,
    now: () => new Date(nowMs),
    ...rules,
  })
}

const REFUSAL = { code: 'invalid_access_token' }

describe('the user of an opaque token', () => {
  it('is its subject, with exactly the claims that policies may read', async () => {
    facts = { ...FACTS, role: 'service_role', username: 'root', obfuscated_subject: 'x' }
    expect(await makeGate().enter(TOKEN)).toEqual({
      subject: 'alice',
      claims: {
        sub: 'alice',
        client_id: 'app',
        scope: 'openid read',
        exp: FACTS.exp,
        iat: FACTS.iat,
        aud: ['data', 'other'],
        iss: 'http://issuer.test',
        ext: { tenant: 'acme' },
      },
    })
  })

  it.each<[string, Partial<ActiveToken>]>([
    ['a refresh token', { token_use: 'refresh_token' }],
    ['a token of an unknown use', { token_use: undefined }],
    ['a token that names nobody', { sub: '' }],
    ['a token that is over by our clock', { exp: START_MS / 1_000 }],
  ])('is refused for %s', async (_, change) => {
    facts = { ...FACTS, ...change }
    await expect(makeGate().enter(TOKEN)).rejects.toMatchObject(REFUSAL)
  })

  it('is refused for an inactive token', async () => {
    facts = undefined
    await expect(makeGate().enter(TOKEN)).rejects.toMatchObject(REFUSAL)
  })

  it('must be for the audience of the data, where there is one', async () => {
    expect(await makeGate({ audience: 'data' }).enter(TOKEN)).toMatchObject({ subject: 'alice' })
    await expect(makeGate({ audience: 'dat' }).enter(TOKEN)).rejects.toMatchObject(REFUSAL)
    facts = { ...FACTS, aud: [] }
    await expect(makeGate({ audience: 'data' }).enter(TOKEN)).rejects.toMatchObject(REFUSAL)
  })

  it.each(['', 'a b', 'tök', `${'a'.repeat(4097)}`, 'a\u0000b', '<script>'])(
    'is refused for %j without asking anybody',
    async token => {
      await expect(makeGate().enter(token)).rejects.toMatchObject(REFUSAL)
      expect(introspect).not.toHaveBeenCalled()
    },
  )

  it('passes on that the server could not be asked, which says nothing about the token', async () => {
    const down = new DomainError('upstream_unavailable', 'down')
    introspect.mockRejectedValueOnce(down)
    const gate = makeGate()
    await expect(gate.enter(TOKEN)).rejects.toBe(down)
    expect(await gate.enter(TOKEN)).toMatchObject({ subject: 'alice' })
  })
})

describe('what is remembered', () => {
  it('is nothing any more once tokens were revoked here', async () => {
    const gate = makeGate()
    await gate.enter(TOKEN)
    facts = undefined
    gate.forget()
    await expect(gate.enter(TOKEN)).rejects.toMatchObject(REFUSAL)
  })

  it('is a good answer, for ten seconds: then a revoked token is refused', async () => {
    const gate = makeGate()
    await gate.enter(TOKEN)
    facts = undefined
    nowMs += 9_999
    expect(await gate.enter(TOKEN)).toMatchObject({ subject: 'alice' })
    expect(introspect).toHaveBeenCalledTimes(1)
    nowMs += 1
    await expect(gate.enter(TOKEN)).rejects.toMatchObject(REFUSAL)
  })

  it('never counts beyond the end of the token', async () => {
    facts = { ...FACTS, exp: START_MS / 1_000 + 3 }
    const gate = makeGate()
    await gate.enter(TOKEN)
    facts = undefined
    nowMs += 3_000
    await expect(gate.enter(TOKEN)).rejects.toMatchObject(REFUSAL)
  })

  it('is no refusal: a token that becomes good is let in at once', async () => {
    const gate = makeGate()
    facts = undefined
    await expect(gate.enter(TOKEN)).rejects.toMatchObject(REFUSAL)
    facts = FACTS
    expect(await gate.enter(TOKEN)).toMatchObject({ subject: 'alice' })
  })

  it('belongs to one token', async () => {
    const gate = makeGate()
    await gate.enter(TOKEN)
    facts = { ...FACTS, sub: 'bob' }
    expect(await gate.enter(`${TOKEN}=`)).toMatchObject({ subject: 'bob' })
    expect(await gate.enter(TOKEN)).toMatchObject({ subject: 'alice' })
  })
})

describe('isJwt', () => {
  const header = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '')

  it.each([
    ['a JWT', `${header({ alg: 'RS256' })}.e30.c2ln`, true],
    ['an unsigned JWT', `${header({ alg: 'none' })}.e30.`, true],
    ['an opaque token of two parts', 'ory_at_abc.def', false],
    ['an opaque token of one', 'abcdef', false],
    ['three parts that are none', 'a.b.c', false],
    ['an encrypted token', `${header({ alg: 'RSA-OAEP' })}.a.b.c.d`, false],
    ['nothing', '', false],
  ])('of %s', (_, token, expected) => {
    expect(isJwt(token)).toBe(expected)
  })
})
