// A key that signs since a moment ago is known at once, and nobody makes this service ask for keys more than once a
// second, whatever the tokens say.

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PublicKeySet } from '../../../src/clients/oauth-server/documents.ts'
import { DomainError } from '../../../src/errors.ts'
import { verifyAccessToken } from '../../../src/features/oauth/end-user/access-token.ts'
import { TokenKeys } from '../../../src/features/oauth/end-user/token-keys.ts'

interface SigningPair {
  privateKey: CryptoKey
  jwk: PublicKeySet['keys'][number]
}

async function makePair(kid: string): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { privateKey, jwk: { kty: 'EC', ...(await exportJWK(publicKey)), kid, alg: 'ES256' } }
}

let old: SigningPair
let fresh: SigningPair
beforeAll(async () => {
  old = await makePair('old')
  fresh = await makePair('fresh')
})

const CLAIMS = { iss: 'http://issuer', sub: 'ada', client_id: 'c1', scp: [], exp: 100_000 }

const sign = (pair: SigningPair, kid = pair.jwk.kid ?? '') => signed(pair, { kid })

const signed = ({ privateKey }: SigningPair, header: { kid?: string } = {}) =>
  new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', ...header }).sign(privateKey)

const UNKNOWN = 'The OAuth2 server publishes no key that its header names.'
const FORGED = 'invalid_access_token'
const DOWN = 'upstream_unavailable'

/** A server with one key, whose answers the test may hold back, and a clock that only waiting moves. */
function makeServer(pair: SigningPair) {
  const server = {
    keys: [pair.jwk],
    reads: [] as number[],
    nowMs: 1_000_000,
    /** How long an answer takes. */
    delayMs: 0,
    isDown: false,
    /** Nobody's waiting ends. */
    standsStill: false,
  }
  const wait = async (milliseconds: number) => {
    const untilMs = server.nowMs + milliseconds
    // Everybody who waits for an earlier time goes first.
    while (server.nowMs < untilMs) {
      await new Promise(resolve => setImmediate(resolve))
      if (!server.standsStill) server.nowMs += 1
    }
  }
  const keys = new TokenKeys({
    fetchKeys: async () => {
      server.reads.push(server.nowMs)
      const answer = { keys: [...server.keys] }
      if (server.delayMs > 0) await wait(server.delayMs)
      if (server.isDown) throw new Error('connection refused')
      return answer
    },
    nowMs: () => server.nowMs,
    wait,
  })
  const rules = { issuers: [CLAIMS.iss], audience: undefined, keys, now: () => new Date(server.nowMs) }
  const verify = (token: string): Promise<string> =>
    verifyAccessToken(rules, token).then(
      () => 'good',
      err => {
        if (!(err instanceof DomainError)) throw err
        return err.code === FORGED ? (err.detail ?? FORGED) : err.code
      },
    )
  return { server, verify }
}

describe('the keys that tokens are verified with', () => {
  it('are asked for again at once when a token is signed with an unknown one', async () => {
    const { server, verify } = makeServer(old)
    expect(await verify(await sign(old))).toBe('good')
    server.nowMs += 2_000
    server.keys = [fresh.jwk, old.jwk]
    expect(await verify(await sign(fresh))).toBe('good')
    expect(await verify(await sign(old))).toBe('good')
    expect(server.reads).toHaveLength(2)
  })

  // Hydra signs a refreshed token with its newest key, and names the one of the sign-in: whoever goes by the name
  // refuses it, and the next refresh gives the same.
  it.each([
    ['old', 'which is still published'],
    ['deleted', 'which is gone'],
  ])('verify a token by the key that signed it, where it names %s, %s', async kid => {
    const { server, verify } = makeServer(old)
    server.keys = [fresh.jwk, old.jwk]
    const token = await sign(fresh, kid)
    expect(await verify(token)).toBe('good')
    expect(await verify(token)).toBe('good')
    expect(server.reads).toHaveLength(1)
  })

  it('verify such a token also when its key is younger than the last read', async () => {
    const { server, verify } = makeServer(old)
    expect(await verify(await sign(old))).toBe('good')
    server.keys = [fresh.jwk, old.jwk]
    expect(await verify(await sign(fresh, 'old'))).toBe('good')
    expect(server.reads).toHaveLength(2)
  })

  it('verify no token that none of them signed, whichever it names', async () => {
    const { server, verify } = makeServer(old)
    const answers = await Promise.all([
      verify(await sign(fresh, 'old')),
      verify(await sign(fresh, 'made-up')),
    ])
    expect(answers).toEqual([FORGED, UNKNOWN])
    expect(server.reads.length).toBeLessThanOrEqual(2)
  })

  // RFC 7515 section 4.1.4: `kid` may be left out; and two sets that the server publishes may each have one `kid`.
  it('verify a token that names several of them, or none', async () => {
    const { server, verify } = makeServer(old)
    server.keys = [fresh.jwk, old.jwk]
    expect(await Promise.all([verify(await signed(old)), verify(await signed(fresh))])).toEqual([
      'good',
      'good',
    ])
    server.keys = [fresh.jwk, { ...old.jwk, kid: 'fresh' }]
    server.nowMs += 60_000
    expect(await verify(await sign(old, 'fresh'))).toBe('good')
    expect(await verify(await signed(await makePair('stranger')))).toBe(FORGED)
  })

  // A set that is published beside the server's own, for another purpose, may hold what no verifier takes.
  it('verify by the others when one of them cannot be used', async () => {
    const { server, verify } = makeServer(old)
    const broken = { ...fresh.jwk, x: fresh.jwk.y, kid: 'broken' }
    server.keys = [broken, old.jwk]
    expect(await verify(await sign(old, 'deleted'))).toBe('good')
    expect(await verify(await sign(fresh, 'deleted'))).toBe(UNKNOWN)
  })

  // A key that is made right behind a read: its first token waits for the next one, and is not refused.
  it('are known to a token of a key that is younger than the last read', async () => {
    const { server, verify } = makeServer(old)
    expect(await verify(await sign(old))).toBe('good')
    server.keys = [fresh.jwk, old.jwk]
    expect(await verify(await sign(fresh))).toBe('good')
    expect(server.reads[1]).toBe((server.reads[0] ?? 0) + 1_000)
  })

  // Stops: a stranger who makes this service hammer the OAuth2 server with invented key ids.
  it('are read once a second at most, whatever the number of invented key ids', async () => {
    const { server, verify } = makeServer(old)
    const tokens = await Promise.all(Array.from({ length: 300 }, (_, i) => sign(fresh, `made-up-${i}`)))
    for (let second = 0; second < 3; second++) {
      const answers = await Promise.all(tokens.slice(second * 100, second * 100 + 100).map(verify))
      expect(new Set(answers)).toEqual(new Set([UNKNOWN]))
    }
    expect(server.reads.length).toBeLessThanOrEqual(4)
    for (const [i, readMs] of server.reads.slice(1).entries())
      expect(readMs - (server.reads[i] ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  it('are read once for many that come at the same time, known or not', async () => {
    const { server, verify } = makeServer(old)
    server.delayMs = 300
    const token = await sign(old)
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => verify(token))))).toEqual(
      new Set(['good']),
    )
    expect(server.reads).toHaveLength(1)
    server.nowMs += 1_000
    server.keys = [fresh.jwk]
    const freshToken = await sign(fresh)
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => verify(freshToken))))).toEqual(
      new Set(['good']),
    )
    expect(server.reads).toHaveLength(2)
  })

  it('come with a read that is under way for whoever finds the key in it', async () => {
    const { server, verify } = makeServer(old)
    await verify(await sign(old))
    server.nowMs += 1_000
    server.keys = [fresh.jwk]
    server.delayMs = 300
    const token = await sign(fresh)
    const first = verify(token)
    while (server.reads.length < 2) await new Promise(resolve => setImmediate(resolve))
    expect(await Promise.all([first, verify(token)])).toEqual(['good', 'good'])
    expect(server.reads).toHaveLength(2)
  })

  it('keep known tokens going, without a read, while invented ones wait', async () => {
    const { server, verify } = makeServer(old)
    await verify(await sign(old))
    server.standsStill = true
    let isWaiting = true
    const waiting = verify(await sign(fresh, 'made-up')).finally(() => {
      isWaiting = false
    })
    expect(await verify(await sign(old))).toBe('good')
    expect([isWaiting, server.reads.length]).toEqual([true, 1])
    server.standsStill = false
    expect(await waiting).toBe(UNKNOWN)
  })

  it('are given up together when the server fails, and asked for again by the next', async () => {
    const { server, verify } = makeServer(old)
    server.isDown = true
    server.delayMs = 100
    const token = await sign(old)
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(new Set(answers)).toEqual(new Set([DOWN]))
    expect(server.reads).toHaveLength(1)
    server.isDown = false
    expect(await verify(token)).toBe('good')
  })

  // The request that asked may be gone with its client, and its answer with it.
  it('are asked for anew by whoever waits, when an answer does not come', async () => {
    const { server, verify } = makeServer(old)
    server.delayMs = 10_000
    const lost = verify(await sign(old))
    await new Promise(resolve => setImmediate(resolve))
    server.delayMs = 0
    expect(await verify(await sign(old))).toBe('good')
    expect(server.reads).toHaveLength(2)
    await lost
  })

  it('count for a minute: a deleted key ends then', async () => {
    const { server, verify } = makeServer(old)
    const token = await sign(old)
    await verify(token)
    server.keys = [fresh.jwk]
    server.nowMs += 59_000
    expect(await verify(token)).toBe('good')
    server.nowMs += 2_000
    expect(await verify(token)).toBe(UNKNOWN)
  })
})
