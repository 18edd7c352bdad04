// Introspection tells of our clients' tokens only; a revocation ends as little as the token allows and is believed only
// when the server calls the token inactive; a flush says what it did.

import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { processFlush, processRevocation } from '../../../src/clients/oauth-server/tokens.ts'
import { flushEndedTokens } from '../../../src/features/oauth/tokens/flush-tokens.ts'
import { introspectOwnToken } from '../../../src/features/oauth/tokens/introspect-token.ts'
import { revokeToken } from '../../../src/features/oauth/tokens/revoke-token.ts'
import { Introspection } from '../../../src/features/oauth/tokens/schemas.ts'
import {
  answer,
  CALLER,
  type Call,
  fakePlatform,
  fakeServer,
  HTML,
  NO_SERVER,
  NOT_FOUND,
  ODD_ANSWERS,
} from './fake-server.ts'

const ACTIVE = {
  active: true,
  sub: 'ada',
  client_id: 'c1',
  scope: 'openid read',
  exp: 2,
  iat: 1,
  nbf: 1,
  aud: ['x'],
  iss: 'http://issuer',
  token_type: 'Bearer',
  token_use: 'access_token',
  username: 'ada',
  obfuscated_subject: 'p',
  ext: { consent_request_id: 'cr-1', email: 'ada@example.com' },
}

const NOW_SECONDS = 1_800_000_000
const ISSUER = 'http://issuer'
// Two keys, as after a rotation: the server reads back what the newest signed, and publishes both.
const [newKey, oldKey, strangerKey] = [await makeKey('new'), await makeKey('old'), await makeKey('stranger')]
const PUBLISHED = createLocalJWKSet({ keys: [newKey.jwk, oldKey.jwk] })

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } }
}

function jwt(more: JWTPayload = {}, { privateKey, kid } = oldKey): Promise<string> {
  return new SignJWT({
    iss: ISSUER,
    sub: 'ada',
    client_id: 'c1',
    scp: ['openid'],
    exp: NOW_SECONDS + 600,
    ext: { consent_request_id: 'cr-1' },
    ...more,
  })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey)
}

interface World {
  facts?: object
  client?: object
  owner?: string
  /** Calls that end the token, as `METHOD /path?query`. */
  endsBy?: string
  publicReply?: [number, unknown?]
  /** The server answers nothing any more once the token is ended. */
  diesAfterwards?: boolean
}

function makeDeps(world: World = {}) {
  const { facts = ACTIVE, client = {}, owner, endsBy, publicReply = [200], diesAfterwards } = world
  let isActive = true
  const sent: string[] = []
  const note = ({ method, path }: Call) => {
    sent.push(`${method} ${path}`)
    if (endsBy !== undefined && path.startsWith(endsBy)) isActive = false
  }
  const oauthAdmin = fakeServer(call => {
    if (diesAfterwards && !isActive) throw new Error('connection refused')
    if (call.path === '/admin/oauth2/introspect') return [200, isActive ? facts : { active: false }]
    if (call.path === '/admin/clients/c1') return [200, { client_id: 'c1', ...client }]
    if (call.path.startsWith('/admin/clients/')) return [404, NOT_FOUND]
    note(call)
    return [204]
  })
  const oauthPublic = fakeServer(call => {
    note(call)
    return publicReply
  })
  const database = fakePlatform()
  const deps = {
    upstreams: { oauthAdmin: oauthAdmin.server, oauthPublic: oauthPublic.server },
    config: { oauthClientOwner: owner },
    platform: database.platform,
    endUserTokens: { forget: () => sent.push('forget') },
    accessTokenRules: {
      issuers: [ISSUER],
      audience: 'data',
      keys: { find: PUBLISHED, findSigner: PUBLISHED },
      now: () => new Date(NOW_SECONDS * 1_000),
    },
  }
  return { deps, sent, audit: database.audit, statements: database.statements, adminLog: oauthAdmin.log }
}

describe('introspectOwnToken', () => {
  it("gives exactly the specification's eight fields", async () => {
    const { deps } = makeDeps()
    const { nbf, aud, iss, username, obfuscated_subject, ext, ...eight } = ACTIVE
    const facts = await introspectOwnToken(deps, 'at')
    expect(facts).toEqual(eight)
    expect(Introspection.parse(facts)).toEqual(eight)
  })

  it('says of an inactive token nothing else', async () => {
    expect(await introspectOwnToken(makeDeps({ facts: { active: false, sub: 'x' } }).deps, 'at')).toEqual({
      active: false,
    })
  })

  it.each([
    ['ours', { client: { owner: 'us' } }, true],
    ["another owner's", { client: { owner: 'them' } }, false],
    ["nobody's", {}, false],
    ['a client that is gone', { facts: { ...ACTIVE, client_id: 'c9' } }, false],
  ])('with an owner configured, of a token of %s', async (_name, world, active) => {
    expect(await introspectOwnToken(makeDeps({ owner: 'us', ...world }).deps, 'at')).toMatchObject({ active })
  })

  it('asks for no client when every client is ours', async () => {
    const { deps, adminLog } = makeDeps()
    await introspectOwnToken(deps, 'at')
    expect(adminLog()).toEqual(['POST /admin/oauth2/introspect'])
  })
})

const PUBLIC_REVOKE = 'POST /oauth2/revoke'
const CONSENTS = '/admin/oauth2/auth/sessions/consent'
const BY_REQUEST = `DELETE ${CONSENTS}?consent_request_id=cr-1`
const BY_SUBJECT = `DELETE ${CONSENTS}?subject=ada&client=c1`
const BY_CLIENT = 'DELETE /admin/oauth2/tokens?client_id=c1'
const PUBLIC_CLIENT = { token_endpoint_auth_method: 'none' }
const UNMARKED = { ...ACTIVE, ext: {} }
const OF_CLIENT = { ...ACTIVE, sub: 'c1', ext: null }

describe('revokeToken', () => {
  it.each<[string, World, string, string[]]>([
    [
      'a public client by the public endpoint',
      { client: PUBLIC_CLIENT, endsBy: '/oauth2/revoke' },
      'grant',
      [PUBLIC_REVOKE],
    ],
    ['a marked token by its consent', { endsBy: CONSENTS }, 'grant', [BY_REQUEST]],
    [
      'an unmarked token of a person by person and client',
      { facts: UNMARKED, endsBy: CONSENTS },
      'subject_and_client',
      [BY_SUBJECT],
    ],
    [
      "a client's own token by the client",
      { facts: OF_CLIENT, endsBy: '/admin/oauth2/tokens' },
      'client',
      [BY_CLIENT],
    ],
    [
      'a mark that is no id as if it were not there',
      { facts: { ...ACTIVE, ext: { consent_request_id: 'x&all=true' } }, endsBy: CONSENTS },
      'subject_and_client',
      [BY_SUBJECT],
    ],
    [
      'with the next way, where the server refuses a public client',
      { client: PUBLIC_CLIENT, publicReply: [401, { error: 'invalid_client' }], endsBy: CONSENTS },
      'grant',
      [PUBLIC_REVOKE, BY_REQUEST],
    ],
    [
      'with the next wider way, when the token stays active',
      { endsBy: `${CONSENTS}?subject` },
      'subject_and_client',
      [BY_REQUEST, BY_SUBJECT],
    ],
  ])('ends %s', async (_name, world, scope, calls) => {
    const { deps, sent, audit } = makeDeps(world)
    expect(await revokeToken(deps, 'at-secret', CALLER)).toEqual({ revoked: true, scope })
    // What /v1/db remembers of tokens goes last, so that nobody remembers this one anew.
    expect(sent).toEqual([...calls, 'forget'])
    expect(audit()).toMatchObject({
      begun: [{ target: 'c1' }],
      ended: [{ outcome: 'succeeded', after: { scope } }],
    })
  })

  it.each<[string, World]>([
    ['an inactive token', { facts: { active: false } }],
    ["another owner's token", { owner: 'us', client: { owner: 'them' } }],
  ])('does nothing for %s and writes nothing down', async (_name, world) => {
    const { deps, sent, statements } = makeDeps(world)
    expect(await revokeToken(deps, 'at', CALLER)).toEqual({ revoked: false, scope: 'none' })
    expect([sent, statements]).toEqual([[], []])
  })

  // After a rotation the server calls a JWT inactive that everybody else takes, and its refresh token lives on.
  it.each<[string, JWTPayload, string, string]>([
    ['its consent', {}, 'grant', BY_REQUEST],
    ['person and client', { ext: {} }, 'subject_and_client', BY_SUBJECT],
    ['its consent, whoever it is for', { aud: ['another service'] }, 'grant', BY_REQUEST],
  ])('ends a JWT that only the published keys verify by %s', async (_name, claims, scope, sentCall) => {
    const { deps, sent, audit } = makeDeps({ facts: { active: false } })
    expect(await revokeToken(deps, await jwt(claims), CALLER)).toEqual({ revoked: true, scope })
    expect(sent).toEqual([sentCall, 'forget'])
    expect(audit()).toMatchObject({
      begun: [{ target: 'c1' }],
      ended: [{ outcome: 'succeeded', after: { scope, subject: 'ada', token_use: 'access_token' } }],
    })
  })

  // Stops: whoever writes down the right claims ending somebody's sessions.
  it.each<[string, () => Promise<string>, World?]>([
    ['that nobody signed whose key is published', () => jwt({}, strangerKey)],
    ['whose key id is published and whose signature is not', () => jwt({}, { ...strangerKey, kid: 'old' })],
    ['that has expired', () => jwt({ exp: NOW_SECONDS - 60 })],
    ['of another issuer', () => jwt({ iss: 'http://other' })],
    ['that is an ID token', () => jwt({ nonce: 'n' })],
    ['that is a logout token', () => jwt({ events: {} })],
    ["of another owner's client", () => jwt(), { owner: 'us', client: { owner: 'them' } }],
    ['of a client that is gone', () => jwt({ client_id: 'c9' })],
    // It has no refresh token, and its client's other tokens are not the caller's question.
    ['of a client itself', () => jwt({ sub: 'c1', ext: {} })],
  ])('ends nothing for an inactive JWT %s', async (_name, make, world = {}) => {
    const { deps, sent, statements } = makeDeps({ ...world, facts: { active: false } })
    expect(await revokeToken(deps, await make(), CALLER)).toEqual({ revoked: false, scope: 'none' })
    expect([sent, statements]).toEqual([[], []])
  })

  it('does not say that there was nothing to end when the keys cannot be read', async () => {
    const { deps } = makeDeps({ facts: { active: false } })
    const fails = () => Promise.reject(new Error('connection refused'))
    const keys = { find: fails, findSigner: fails }
    const broken = { ...deps, accessTokenRules: { ...deps.accessTokenRules, keys } }
    await expect(revokeToken(broken, await jwt(), CALLER)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
  })

  it("does not claim what the server denies, and does not end everybody's tokens instead", async () => {
    const { deps, audit, sent } = makeDeps()
    await expect(revokeToken(deps, 'at', CALLER)).rejects.toMatchObject({ code: 'upstream_invalid_answer' })
    expect(audit().ended).toMatchObject([{ outcome: 'failed', code: 'upstream_invalid_answer' }])
    expect(sent).toEqual([BY_REQUEST, BY_SUBJECT, 'forget'])
  })

  it('leaves open whether the token is revoked when nobody can be asked afterwards', async () => {
    const { deps, audit } = makeDeps({ endsBy: CONSENTS, diesAfterwards: true })
    await expect(revokeToken(deps, 'at', CALLER)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      outcomeUnknown: true,
    })
    expect(audit().ended).toMatchObject([{ outcome: 'pending', code: 'upstream_unavailable' }])
  })

  it('writes no token down', async () => {
    const { deps, statements } = makeDeps({ endsBy: CONSENTS })
    await revokeToken(deps, 'at-secret', CALLER)
    expect(JSON.stringify(statements)).not.toContain('at-secret')
  })

  it.each([
    [answer(401, HTML), 'upstream_misconfigured'],
    [answer(403, { error: 'forbidden' }), 'upstream_misconfigured'],
    [answer(404, HTML), 'upstream_invalid_answer'],
    [answer(500, {}), 'upstream_unavailable'],
  ])('takes no odd answer of the public endpoint for a refusal (%#)', (odd, code) => {
    expect(() => processRevocation(NO_SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })
})

describe('flushEndedTokens', () => {
  function makeFlush(options: { reply?: [number, unknown?]; ended?: number[]; schema?: string | null } = {}) {
    const { reply = [404, '404 page not found'], ended, schema = 'public' } = options
    const oauthAdmin = fakeServer(() => reply)
    const ours = fakePlatform()
    let nowMs = Date.UTC(2026, 0, 1)
    const theirs = fakePlatform(sql => {
      nowMs += 1_000
      if (sql.includes('pg_class')) return schema === null ? [] : [{ nspname: schema }]
      return Array.from({ length: ended?.shift() ?? 0 }, () => ({ one: 1 }))
    })
    const deps = {
      upstreams: { oauthAdmin: oauthAdmin.server },
      platform: ours.platform,
      oauthDatabase: ended === undefined ? undefined : theirs.platform,
      now: () => new Date(nowMs),
    }
    return { deps, calls: oauthAdmin.calls, audit: ours.audit, theirs: theirs.statements }
  }

  it('deletes batch after batch in the database of the server, and counts', async () => {
    const { deps, theirs, audit } = makeFlush({ ended: [2_000, 2_000, 5, 7], schema: 'hydra"x' })
    const flush = { source: 'database', access_tokens: 4_005, refresh_tokens: 7, complete: true }
    expect(await flushEndedTokens(deps, CALLER)).toEqual(flush)
    expect(theirs.slice(1).map(({ sql }) => /delete from (\S+)/.exec(sql)?.[1])).toEqual([
      ...Array(3).fill('"hydra""x".hydra_oauth2_access'),
      '"hydra""x".hydra_oauth2_refresh',
    ])
    expect(audit()).toMatchObject({ begun: [{ target: null }], ended: [{ after: flush }] })
  })

  it('stops in time, and says that there is more', async () => {
    const { deps } = makeFlush({ ended: Array(100).fill(2_000) })
    expect(await flushEndedTokens(deps, CALLER)).toMatchObject({ complete: false, refresh_tokens: 0 })
  })

  it('says that it cannot, when the database is not that of such a server', async () => {
    const { deps, audit } = makeFlush({ ended: [], schema: null })
    await expect(flushEndedTokens(deps, CALLER)).rejects.toMatchObject({ code: 'not_supported' })
    expect(audit().ended).toMatchObject([{ outcome: 'failed', code: 'not_supported' }])
  })

  it('asks the server where no database is named', async () => {
    const { deps, calls } = makeFlush({ reply: [204] })
    expect(await flushEndedTokens(deps, CALLER)).toEqual({
      source: 'server',
      access_tokens: null,
      refresh_tokens: null,
      complete: true,
    })
    expect(calls.map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ['POST', '/oauth2/flush', { notAfter: '2026-01-01T00:00:00.000Z' }],
    ])
  })

  it('names the variable that is missing, where the server cannot', async () => {
    await expect(flushEndedTokens(makeFlush().deps, CALLER)).rejects.toMatchObject({
      code: 'not_supported',
      hint: expect.stringContaining('OAUTH_DATABASE_URL'),
    })
  })

  /** The one odd answer that has a meaning here: such servers have no such path. */
  const isUnknownPath = ([name]: (typeof ODD_ANSWERS)[number]) => name === 'the 404 of an unknown path'

  it.each<(typeof ODD_ANSWERS)[number]>([
    ...ODD_ANSWERS.filter(odd => !isUnknownPath(odd)),
    ['{}', answer(200, {}), 'upstream_invalid_answer'],
    ['null', answer(200, null), 'upstream_invalid_answer'],
    ['nothing', answer(200), 'upstream_invalid_answer'],
  ])('takes no odd answer for a flush: %s', (_name, odd, code) => {
    expect(() => processFlush(NO_SERVER, odd)).toThrow(expect.objectContaining({ code }))
  })
})
