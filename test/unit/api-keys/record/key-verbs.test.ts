// What the verbs do when something fails half-way. That they work at all is shown over HTTP in test/contract.

import { describe, expect, it } from 'vitest'
import type { KeyLimiter, KeyLimiters } from '../../../../src/features/api-keys/limit/key-limiter.ts'
import { createKey } from '../../../../src/features/api-keys/record/create-key.ts'
import { parseKey } from '../../../../src/features/api-keys/record/key-format.ts'
import type { KeyRow } from '../../../../src/features/api-keys/record/key-row.ts'
import type { KeyDatabase } from '../../../../src/features/api-keys/record/key-store.ts'
import { revokeKey } from '../../../../src/features/api-keys/record/revoke-key.ts'
import { rotateKey } from '../../../../src/features/api-keys/record/rotate-key.ts'
import { updateKey } from '../../../../src/features/api-keys/record/update-key.ts'
import type { Caller } from '../../../../src/features/audit/caller.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const NOW = new Date('2030-01-01T00:00:00Z')
const ROW: KeyRow = {
  id: ID,
  project_id: '00000000-0000-4000-8000-000000000002',
  name: 'a key',
  role: 'anon',
  prefix: 'svc_pk_',
  last_four: 'abcd',
  rate_limit_per_minute: null,
  rate_limit_per_address: null,
  created_at: '2029-01-01T00:00:00Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  version: 1,
  key_hash: 'old',
  previous_key_hash: null,
  previous_expires_at: null,
  project_status: 'active',
}

const CALLER: Caller = {
  actor: { kind: 'api_key', id: ID, name: 'a' },
  action: 'things.change',
  requestId: 'r',
  address: null,
}

/**
 * A database that gives these answers, one to each statement on keys; it and the limiters note what they are asked. The
 * audit log always works.
 */
function makeDeps(answers: KeyRow[][], events: string[], failing: 'limiters' | 'nothing' = 'nothing') {
  const platform: KeyDatabase = {
    // The rows have the shape that the statement's caller names; which statement it is, the order of answers says.
    query: async <Row>(sql: string) => {
      if (sql.includes('quoin.audit_logs')) {
        events.push(`audit ${sql.trimStart().split(' ', 1)[0]}`)
        return [{ id: 'audit-row' }] as Row[]
      }
      events.push(sql.trimStart().split(' ', 1)[0] ?? '')
      return (answers.shift() ?? []) as Row[]
    },
  }
  const note = (event: string) => async () => {
    events.push(event)
    if (failing === 'limiters') throw new Error('the object does not answer')
  }
  const limiters: KeyLimiters = {
    byHash: hash => {
      const limiter: Pick<KeyLimiter, 'learn' | 'revoke'> = {
        learn: note(`learn ${hash}`),
        revoke: note(`revoke ${hash}`),
      }
      return limiter as KeyLimiter
    },
  }
  return { platform, limiters, recheckSockets: async () => {}, now: () => NOW }
}

describe('createKey', () => {
  it('still shows the key when its limiter could not be told: nobody could read it again', async () => {
    const deps = makeDeps([[ROW]], [], 'limiters')
    const { key } = await createKey(deps, CALLER, 'every_project', { name: 'a', role: 'anon' })
    expect(parseKey(key)).toEqual({ role: 'anon' })
  })
})

describe('rotateKey', () => {
  it('still shows the new key when its limiter could not be told', async () => {
    const rotated = { ...ROW, version: 2, key_hash: 'new', previous_key_hash: 'old' }
    const deps = makeDeps([[ROW], [rotated]], [], 'limiters')
    const { key } = await rotateKey(deps, CALLER, 'every_project', ID, { overlap_seconds: 0 })
    expect(parseKey(key)).toEqual({ role: 'anon' })
  })

  it('tells no limiter anything when another rotation was first', async () => {
    const events: string[] = []
    await expect(
      rotateKey(makeDeps([[ROW], []], events), CALLER, 'every_project', ID, { overlap_seconds: 0 }),
    ).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(events).toEqual(['select', 'audit insert', 'update', 'audit update'])
  })
})

describe('updateKey', () => {
  const renamed = { ...ROW, version: 2, name: 'b' }

  it('tells the limiter of the new row once it is stored', async () => {
    const events: string[] = []
    await updateKey(makeDeps([[ROW], [renamed]], events), CALLER, 'every_project', ID, { name: 'b' })
    expect(events).toEqual(['select', 'audit insert', 'update', 'audit update', 'learn old'])
  })

  it('says that the change is stored when the limiter could not be told', async () => {
    const deps = makeDeps([[ROW], [renamed]], [], 'limiters')
    await expect(updateKey(deps, CALLER, 'every_project', ID, { name: 'b' })).rejects.toMatchObject({
      code: 'admission_unavailable',
      message: expect.stringContaining('is stored'),
    })
  })

  it('tells no limiter anything when another change was first', async () => {
    const events: string[] = []
    const updated = updateKey(makeDeps([[ROW], []], events), CALLER, 'every_project', ID, { name: 'b' })
    await expect(updated).rejects.toMatchObject({ code: 'conflict' })
    expect(events).toEqual(['select', 'audit insert', 'update', 'audit update'])
  })
})

describe('revokeKey', () => {
  it('ends the key at its limiter before the database is written', async () => {
    const events: string[] = []
    await revokeKey(makeDeps([[ROW], [ROW]], events), CALLER, 'every_project', ID)
    expect(events).toEqual(['select', 'audit insert', 'revoke old', 'update', 'audit update'])
  })

  it('writes nothing when the limiter cannot be told', async () => {
    const events: string[] = []
    await expect(
      revokeKey(makeDeps([[ROW]], events, 'limiters'), CALLER, 'every_project', ID),
    ).rejects.toMatchObject({
      code: 'admission_unavailable',
    })
    expect(events).toEqual(['select', 'audit insert', 'revoke old', 'audit update'])
  })

  it('ends the key that a rotation made in between, too', async () => {
    const events: string[] = []
    const rotated = { ...ROW, key_hash: 'new', previous_key_hash: 'old' }
    await revokeKey(makeDeps([[ROW], [rotated]], events), CALLER, 'every_project', ID)
    expect(events).toEqual(['select', 'audit insert', 'revoke old', 'update', 'revoke new', 'audit update'])
  })
})
