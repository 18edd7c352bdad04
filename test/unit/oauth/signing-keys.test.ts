// Signing keys: private parts never leave, dates are written before the key is made, and no deletion is claimed that
// was none.

import { describe, expect, it } from 'vitest'
import { processCreatedKey, processStoredKeys } from '../../../src/clients/oauth-server/keys.ts'
import { createSigningKey } from '../../../src/features/oauth/keys/create-signing-key.ts'
import { deleteSigningKey } from '../../../src/features/oauth/keys/delete-signing-key.ts'
import { listSigningKeys } from '../../../src/features/oauth/keys/list-signing-keys.ts'
import { KeySetId } from '../../../src/features/oauth/keys/schemas.ts'
import { answer, CALLER, fakePlatform, fakeServer, NO_SERVER, NOT_FOUND, ODD_ANSWERS } from './fake-server.ts'

const RSA = {
  use: 'sig',
  kty: 'RSA',
  kid: 'k1',
  alg: 'RS256',
  n: 'n',
  e: 'AQAB',
  ...Object.fromEntries(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'].map(member => [member, 'PRIVATE'])),
}
const CREATED_AT = '2026-01-01T00:00:00.000Z'
const ID_TOKEN_SET = 'hydra.openid.id-token'

function makeDeps(reply: Parameters<typeof fakeServer>[0]) {
  const oauthAdmin = fakeServer(reply)
  const database = fakePlatform(sql =>
    sql.includes('quoin.oauth_signing_keys')
      ? [{ kid: 'k1', created_at: '2026-01-01T00:00:00.000000+00:00' }]
      : [],
  )
  let forgotten = 0
  const oauthDocuments = {
    forget: () => {
      forgotten++
    },
  }
  const deps = { upstreams: { oauthAdmin: oauthAdmin.server }, platform: database.platform, oauthDocuments }
  return { deps, ...database, log: oauthAdmin.log, calls: oauthAdmin.calls, forgotten: () => forgotten }
}

const NEW = { alg: 'RS256', use: 'sig', kid: 'k1' }

describe('key answers', () => {
  it('lose every private part', () => {
    const keys = processStoredKeys(
      NO_SERVER,
      answer(200, { keys: [RSA, { kty: 'oct', kid: 'k2', k: 'PRIVATE' }] }),
    )
    expect(keys).toHaveLength(2)
    expect(JSON.stringify(keys)).not.toContain('PRIVATE')
    expect(JSON.stringify(processCreatedKey(NO_SERVER, answer(201, { keys: [RSA] }), NEW))).not.toContain(
      'PRIVATE',
    )
  })

  it('are no set for the 404 of the server itself, and an empty one for null', () => {
    expect(processStoredKeys(NO_SERVER, answer(404, NOT_FOUND))).toBeUndefined()
    expect(processStoredKeys(NO_SERVER, answer(200, { keys: null }))).toEqual([])
  })

  it.each(ODD_ANSWERS)('are an error of the server for %s', (_name, odd, code) => {
    expect(() => processStoredKeys(NO_SERVER, odd)).toThrow(expect.objectContaining({ code }))
    expect(() => processCreatedKey(NO_SERVER, odd, NEW)).toThrow(expect.objectContaining({ code }))
  })

  it('must hold the key that was asked for', () => {
    const other = answer(201, { keys: [{ ...RSA, kid: 'k2' }] })
    const expected = expect.objectContaining({ code: 'upstream_invalid_answer' })
    expect(() => processCreatedKey(NO_SERVER, other, NEW)).toThrow(expected)
    expect(() => processCreatedKey(NO_SERVER, answer(201, { keys: [] }), NEW)).toThrow(expected)
    expect(() => processStoredKeys(NO_SERVER, answer(200, { keys: [{ kty: 'RSA' }] }))).toThrow(expected)
  })

  it('are about the algorithm when the server refuses a new key', () => {
    const refused = answer(400, { error: 'Bad Request', error_description: 'Unsupported key algorithm' })
    expect(() => processCreatedKey(NO_SERVER, refused, NEW)).toThrow(
      expect.objectContaining({ code: 'validation_failed', detail: 'Unsupported key algorithm' }),
    )
  })
})

describe('createSigningKey', () => {
  const echo: Parameters<typeof fakeServer>[0] = ({ body }) => [
    201,
    { keys: [{ ...RSA, kid: JSON.parse(body).kid }] },
  ]

  it('notes the date before the key is made, audits it, and forgets the documents that are kept', async () => {
    const { deps, calls, audit, statements, forgotten } = makeDeps(echo)
    const key = await createSigningKey(deps, { set_id: 'my-set', algorithm: 'RS256', use: 'sig' }, CALLER)
    expect(key).toEqual({
      set_id: 'my-set',
      kid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      algorithm: 'RS256',
      key_type: 'RSA',
      use: 'sig',
      created_at: CREATED_AT,
      public_jwk: { use: 'sig', kty: 'RSA', kid: key.kid, alg: 'RS256', n: 'n', e: 'AQAB' },
    })
    expect(calls.map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ['POST', '/admin/keys/my-set', { alg: 'RS256', use: 'sig', kid: key.kid }],
    ])
    expect(statements[1]?.params).toEqual(['my-set', key.kid, 'RS256', 'sig'])
    expect(audit()).toMatchObject({
      begun: [{ target: `my-set/${key.kid}` }],
      ended: [{ outcome: 'succeeded' }],
    })
    expect(JSON.stringify(statements)).not.toContain('PRIVATE')
    expect(forgotten()).toBe(1)
  })

  it('refuses a key for encryption where the server signs, before anything is written', async () => {
    const { deps, statements, log } = makeDeps(echo)
    await expect(
      createSigningKey(deps, { set_id: ID_TOKEN_SET, algorithm: 'RS256', use: 'enc' }, CALLER),
    ).rejects.toMatchObject({ code: 'validation_failed', hint: expect.stringContaining('sig') })
    expect([statements, log()]).toEqual([[], []])
  })

  it.each<[string, Parameters<typeof fakeServer>[0], string]>([
    ['refuses', () => [400, { error: 'Bad Request', error_description: 'no' }], 'validation_failed'],
    ['fails', () => [500, {}], 'upstream_unavailable'],
  ])('takes the date back when the server %s: there is no such key', async (_name, reply, code) => {
    const { deps, statements } = makeDeps(reply)
    const input = { set_id: 'my-set', algorithm: 'RS256', use: 'sig' } as const
    await expect(createSigningKey(deps, input, CALLER)).rejects.toMatchObject({ code })
    const kid = statements[1]?.params[1] ?? ''
    const deletion = statements.find(({ sql }) => sql.includes('delete from quoin.oauth_signing_keys'))
    expect(deletion?.params).toEqual(['my-set', kid])
  })

  it('keeps the date, leaves the row pending and forgets the documents when no answer comes', async () => {
    const { deps, statements, audit, forgotten } = makeDeps(() => {
      throw new Error('connection reset')
    })
    const input = { set_id: 'my-set', algorithm: 'RS256', use: 'sig' } as const
    await expect(createSigningKey(deps, input, CALLER)).rejects.toMatchObject({ outcomeUnknown: true })
    expect(statements.some(({ sql }) => sql.includes('delete from'))).toBe(false)
    expect(audit().ended).toEqual([{ outcome: 'pending', code: 'upstream_unavailable', after: null }])
    expect(forgotten()).toBe(1)
  })

  it('writes down that it failed', async () => {
    const { deps, audit } = makeDeps(() => [500, {}])
    await expect(
      createSigningKey(deps, { set_id: 'my-set', algorithm: 'ES256', use: 'sig' }, CALLER),
    ).rejects.toMatchObject({ code: 'upstream_unavailable' })
    expect(audit().ended).toEqual([{ outcome: 'failed', code: 'upstream_unavailable', after: null }])
  })
})

describe('listSigningKeys', () => {
  it('gives keys in the order of the server, with the dates that are known', async () => {
    const { deps } = makeDeps(() => [200, { keys: [{ ...RSA, kid: 'k2' }, RSA] }])
    const keys = await listSigningKeys(deps, ID_TOKEN_SET)
    expect(keys.map(key => [key.kid, key.created_at])).toEqual([
      ['k2', null],
      ['k1', CREATED_AT],
    ])
  })

  // Other tools make sets with the server itself, which takes nearly any name.
  it.each(['x'.repeat(255), 'größe', 'a b', '%2e%2e', '-x', '...'])(
    'reads a set whose name only the server takes: %j',
    async set => {
      const { deps, log } = makeDeps(() => [200, { keys: [RSA] }])
      expect(await listSigningKeys(deps, set)).toMatchObject([{ set_id: set, kid: 'k1' }])
      expect(log()).toEqual([`GET /admin/keys/${encodeURIComponent(set)}`])
    },
  )

  it.each(['..', '.', 'a/b', 'a\nb', '', 'x'.repeat(256), '\ud800'])(
    'sends no name that no set has: %j',
    async set => {
      const { deps, log } = makeDeps(() => [200, { keys: [] }])
      await expect(listSigningKeys(deps, set)).rejects.toMatchObject({ code: 'not_found' })
      expect(log()).toEqual([])
    },
  )

  it('takes the names that the server itself uses', () => {
    for (const id of [ID_TOKEN_SET, 'hydra.jwt.access-token', 'a', '1:2_3'])
      expect(KeySetId.safeParse(id).success).toBe(true)
  })
})

describe('deleteSigningKey', () => {
  const holding =
    (...kids: string[]): Parameters<typeof fakeServer>[0] =>
    ({ method }) =>
      method === 'DELETE' ? [204] : [200, { keys: kids.map(kid => ({ ...RSA, kid })) }]

  it('deletes the key with its date and says what it was', async () => {
    const { deps, log, statements, audit, forgotten } = makeDeps(holding('k2', 'k1'))
    expect(await deleteSigningKey(deps, { set: ID_TOKEN_SET, kid: 'k1' }, CALLER)).toMatchObject({
      kid: 'k1',
    })
    const set = `/admin/keys/${ID_TOKEN_SET}`
    expect(log()).toEqual([`GET ${set}`, `GET ${set}`, `DELETE ${set}/k1`])
    expect(statements.map(({ sql }) => sql).join()).toContain('delete from quoin.oauth_signing_keys')
    expect(audit().begun).toMatchObject([{ before: { kid: 'k1', algorithm: 'RS256' } }])
    expect(forgotten()).toBe(1)
  })

  // The server answers 204 for a key that it never had.
  it('is not_found for a key or a set that is not there, and deletes nothing', async () => {
    const { deps, log } = makeDeps(holding('k1'))
    await expect(deleteSigningKey(deps, { set: 'my-set', kid: 'k9' }, CALLER)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(deleteSigningKey(deps, { set: 'my-set', kid: '..' }, CALLER)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(log().filter(call => call.startsWith('DELETE'))).toEqual([])
  })

  it('keeps the only key of a set that the server signs with, and deletes that of any other', async () => {
    const { deps, log } = makeDeps(holding('k1'))
    await expect(deleteSigningKey(deps, { set: ID_TOKEN_SET, kid: 'k1' }, CALLER)).rejects.toMatchObject({
      code: 'last_signing_key',
    })
    expect(log().filter(call => call.startsWith('DELETE'))).toEqual([])
    await expect(deleteSigningKey(deps, { set: 'my-set', kid: 'k1' }, CALLER)).resolves.toMatchObject({
      kid: 'k1',
    })
  })

  describe('of a set that the server signs with', () => {
    /** A server that really deletes, and an audit log that knows its pending rows. */
    function world(...kids: string[]) {
      const pending = new Set<string>()
      const oauthAdmin = fakeServer(({ method, path }) => {
        if (method === 'DELETE') kids = kids.filter(kid => !path.endsWith(`/${kid}`))
        return method === 'DELETE' ? [204] : [200, { keys: kids.map(kid => ({ ...RSA, kid })) }]
      })
      const query = async <Row>(sql: string, params: readonly (string | null)[] = []): Promise<Row[]> => {
        const target = String(params[7])
        if (sql.includes('insert into quoin.audit_logs')) {
          pending.add(target)
          return [{ id: target }] as Row[]
        }
        if (sql.includes('update quoin.audit_logs')) pending.delete(String(params[0]))
        if (!sql.includes('from quoin.audit_logs')) return []
        const others = [...pending].filter(id => id.startsWith(String(params[1])) && id !== params[2])
        return others.map(() => ({ found: true })) as Row[]
      }
      const oauthDocuments = { forget: () => {} }
      const deps = { upstreams: { oauthAdmin: oauthAdmin.server }, platform: { query }, oauthDocuments }
      const remove = (kid: string, set = ID_TOKEN_SET) => deleteSigningKey(deps, { set, kid }, CALLER)
      return { remove, pending, left: () => kids }
    }

    // Each saw two keys, and together they removed both: the server then made itself one, unasked.
    it('two at once never remove the last key', async () => {
      const { remove, left, pending } = world('k1', 'k2')
      const results = await Promise.allSettled([remove('k1'), remove('k2')])
      const codes = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []))
      expect(left().length).toBeGreaterThanOrEqual(1)
      expect(codes).toContain('conflict')
      expect(pending.size).toBe(0)
    })

    it('is refused while another one is not over, and made once it is', async () => {
      const { remove, left, pending } = world('k1', 'k2', 'k3')
      pending.add(`${ID_TOKEN_SET}/k3`).add('other-set/k1')
      await expect(remove('k1')).rejects.toMatchObject({ code: 'conflict' })
      pending.delete(`${ID_TOKEN_SET}/k3`)
      await expect(remove('k1')).resolves.toMatchObject({ kid: 'k1' })
      expect(left()).toEqual(['k2', 'k3'])
    })

    it('looks again once it is alone', async () => {
      const { remove, left } = world('k1', 'k2')
      await remove('k1')
      await expect(remove('k2')).rejects.toMatchObject({ code: 'last_signing_key' })
      expect(left()).toEqual(['k2'])
    })

    it('asks nobody for any other set', async () => {
      const { remove, pending } = world('k1')
      pending.add('my-set/k2')
      await expect(remove('k1', 'my-set')).resolves.toMatchObject({ kid: 'k1' })
    })
  })
})
