// Around each change there is an audit row, whatever happens; and no secret stands in it.

import { describe, expect, it, vi } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { DomainError } from '../../../src/errors.ts'
import { audited } from '../../../src/features/audit/audited.ts'
import type { Caller } from '../../../src/features/audit/caller.ts'
import { withoutSecrets } from '../../../src/features/audit/redact.ts'

const CALLER: Caller = {
  actor: { kind: 'session', id: 'ada', name: 'ada@example.com' },
  action: 'things.change',
  requestId: 'r1',
  address: '192.0.2.1',
}
const CHANGE = { action: 'things.change', targetKind: 'thing', targetId: 't1', before: { secret: 's3cret' } }

/** Notes each statement's first word and its parameters; `failing` names the word that fails. */
function makeDeps(failing?: 'insert' | 'update') {
  const log: { word: string; params: readonly (string | null)[] }[] = []
  const query = async <Row>(sql: string, params: readonly (string | null)[] = []) => {
    const word = sql.trim().split(' ', 1)[0] ?? ''
    log.push({ word, params })
    if (word === failing) throw new DomainError('database_unavailable', 'down')
    return [{ id: 'row' }] as Row[]
  }
  return { platform: { query }, log }
}

describe('audited', () => {
  it('writes who, what and the state before, then makes the change, then notes the state after', async () => {
    const deps = makeDeps()
    const events: string[] = []
    const result = await audited(deps, CALLER, CHANGE, async () => {
      events.push(...deps.log.map(({ word }) => word), 'change')
      return { result: 7, after: { id: 't1', client_secret: 's3cret' } }
    })
    expect(result).toBe(7)
    expect(events).toEqual(['insert', 'change'])
    expect(deps.log[0]?.params).toEqual([
      'r1',
      'session',
      'ada',
      'ada@example.com',
      '192.0.2.1',
      'things.change',
      'thing',
      't1',
      '{"secret":"[secret]"}',
    ])
    expect(deps.log[1]?.params).toEqual([
      'row',
      'succeeded',
      null,
      null,
      '{"id":"t1","client_secret":"[secret]"}',
    ])
  })

  it('changes nothing when the row cannot be written', async () => {
    const perform = vi.fn()
    await expect(audited(makeDeps('insert'), CALLER, CHANGE, perform)).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    expect(perform).not.toHaveBeenCalled()
  })

  it.each([
    ['a refusal', new DomainError('conflict', 'no'), 'conflict'],
    ["Postgres' error", new PostgresError({ code: '23505', message: 'duplicate' }), '23505'],
    ['anything else', new TypeError('x is undefined'), 'internal_error'],
  ])('notes %s with the code that the caller is told, and throws it on', async (_, err, code) => {
    const deps = makeDeps()
    await expect(audited(deps, CALLER, CHANGE, () => Promise.reject(err))).rejects.toBe(err)
    expect(deps.log[1]?.params).toEqual(['row', 'failed', code, null, null])
  })

  // "failed" would be a claim that nobody can make.
  it('leaves the row pending, with the code, when nobody saw the end of the change', async () => {
    const deps = makeDeps()
    const err = new DomainError('upstream_unavailable', 'No answer.', { outcomeUnknown: true })
    await expect(audited(deps, CALLER, CHANGE, () => Promise.reject(err))).rejects.toBe(err)
    expect(deps.log[1]?.params).toEqual(['row', 'pending', 'upstream_unavailable', null, null])
  })

  it('gives the result of a change that is made, even if the row cannot be completed', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const result = await audited(makeDeps('update'), CALLER, CHANGE, async () => ({ result: 'key' }))
    expect(result).toBe('key')
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('audit_incomplete'))
    logged.mockRestore()
  })
})

describe('text that Postgres cannot hold', () => {
  // An OAuth2 server stores such names, and clients with them could be neither changed nor deleted.
  it('is replaced in what the row shows, and nothing else is', async () => {
    const deps = makeDeps()
    const before = {
      nul: 'a\0b',
      half: ['\ud83d', 'x\udc00'],
      'key\0': { 'key\ud800': 1 },
      whole: '🛒 \\u0000 \\\\ud800 \u001f "',
    }
    const caller = { ...CALLER, actor: { ...CALLER.actor, name: 'ada\0@example.com' } }
    const change = { ...CHANGE, targetId: 't\ud800', before }
    await audited(deps, caller, change, async () => ({ result: 1, targetId: 't\0', after: before }))
    const shown = {
      nul: 'a\ufffdb',
      half: ['\ufffd', 'x\ufffd'],
      'key\ufffd': { 'key\ufffd': 1 },
      whole: before.whole,
    }
    const [insert, update] = deps.log.map(({ params }) => params)
    expect(JSON.parse(insert?.[8] ?? '')).toEqual(shown)
    expect(JSON.parse(update?.[4] ?? '')).toEqual(shown)
    expect([insert?.[3], insert?.[7], update?.[3]]).toEqual(['ada\ufffd@example.com', 't\ufffd', 't\ufffd'])
  })
})

describe('withoutSecrets', () => {
  // Whoever runs a client may put anything into its metadata.
  it.each([
    'api_token',
    'accessToken',
    'ACCESS_TOKEN',
    'refresh_tokens',
    'webhook_secret',
    'clientSecret',
    'Secrets',
    'api_key',
    'apiKey',
    'apikey',
    'private-key',
    'private_key_pem',
    'db_password',
    'Password',
    'passwd',
    'passphrase',
    'credentials',
    'authorization',
    'registration_access_token',
  ])('hides %s, which is named like a secret', name => {
    expect(withoutSecrets({ metadata: { [name]: 's3cret' } })).toEqual({ metadata: { [name]: '[secret]' } })
  })

  it('keeps what is public under a name like that of a secret', () => {
    const record = {
      token_endpoint_auth_method: 'client_secret_basic',
      token_endpoint_auth_signing_alg: 'RS256',
      access_token_ttl: 900,
      refresh_token_ttl: null,
      id_token_ttl: 60,
      access_token_strategy: 'jwt',
      access_token_claims: { team: '{{traits.team}}' },
      id_token_claims: { a: 'b' },
      public_jwk: { kty: 'EC', kid: '1', x: 'x', y: 'y' },
      key_type: 'EC',
      key_prefix: 'qk_',
      public_key: 'x',
      monkey: 'x',
      // How many a flush deleted.
      access_tokens: 7,
      tokenized: true,
      secretary: 'Ada',
    }
    expect(withoutSecrets(record)).toEqual(record)
  })

  it.each(['client_secret', 'key', 'key_hash', 'password', 'registration_access_token', 'secret', 'token'])(
    'hides %s wherever it stands',
    name => {
      const text = JSON.stringify(
        withoutSecrets({ list: [{ [name]: 's3cret' }], [name]: { deep: 's3cret' } }),
      )
      expect(text).not.toContain('s3cret')
    },
  )

  it('hides the private parts of a JSON Web Key and keeps its public ones', () => {
    const jwk = {
      kty: 'RSA',
      kid: '1',
      n: 'n',
      e: 'e',
      d: 'x',
      p: 'x',
      q: 'x',
      dp: 'x',
      dq: 'x',
      qi: 'x',
      oth: [],
    }
    expect(withoutSecrets({ keys: [jwk, { kty: 'oct', k: 'x' }] })).toEqual({
      keys: [
        {
          ...jwk,
          ...Object.fromEntries(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'].map(part => [part, '[secret]'])),
        },
        { kty: 'oct', k: '[secret]' },
      ],
    })
  })

  it('keeps the same letters elsewhere, and a secret that is not there', () => {
    const record = { d: 1, k: 2, client_secret: null, list: [1, 'a', null] }
    expect(withoutSecrets(record)).toEqual(record)
  })
})
