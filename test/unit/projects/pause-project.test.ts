// What a pause answers when limiters fail half-way, and when somebody else was first. That keys are refused is shown
// over HTTP in test/contract/platform/projects.test.ts.

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { KeyLimiter } from '../../../src/features/api-keys/limit/key-limiter.ts'
import type { KeyRow } from '../../../src/features/api-keys/record/key-row.ts'
import type { Caller } from '../../../src/features/audit/caller.ts'
import type { ProjectRow } from '../../../src/features/projects/project-store.ts'
import { updateProject } from '../../../src/features/projects/update-project.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const PROJECT: ProjectRow = {
  id: ID,
  name: 'a project',
  status: 'active',
  active_keys: 750,
  created_at: '2029-01-01T00:00:00Z',
  updated_at: '2029-01-01T00:00:00Z',
}
const CALLER: Caller = {
  actor: { kind: 'session', id: 'ada', name: null },
  action: 'projects.update',
  requestId: 'r',
  address: null,
}

interface Asked {
  limits: (string | null | undefined)[]
  told: string[]
  atOnceMax: number
}

/** A database with 750 keys; `stored` is what the change finds. The limiters answer as `learn` does. */
function makeDeps(stored: ProjectRow | null, learn: (hash: string) => Promise<void>) {
  const asked: Asked = { limits: [], told: [], atOnceMax: 0 }
  let atOnce = 0
  const platform = {
    // Which statement it is decides about the shape of its rows, as its caller names it.
    query: async <Row>(sql: string, params: readonly (string | null)[] = []): Promise<Row[]> => {
      if (sql.includes('quoin.audit_logs')) return [{ id: 'audit-row' }] as Row[]
      if (!sql.includes('quoin.api_keys k join')) return [PROJECT] as Row[]
      asked.limits.push(params[1])
      const rows = Array.from({ length: Number(params[1]) }, (_, i) => ({ key_hash: `key ${i}` }) as KeyRow)
      return rows as Row[]
    },
    transaction: async () => [stored === null ? [] : [[ID]], [[JSON.stringify(stored ?? PROJECT)]]],
  }
  const limiters = {
    byHash: (hash: string) => {
      const limiter: Pick<KeyLimiter, 'learn'> = {
        learn: async () => {
          asked.told.push(hash)
          atOnce += 1
          asked.atOnceMax = Math.max(asked.atOnceMax, atOnce)
          await learn(hash).finally(() => {
            atOnce -= 1
          })
        },
      }
      return limiter as KeyLimiter
    },
  }
  return { deps: { platform, limiters, recheckSockets: async () => {} }, asked }
}

const pause = ({ deps }: ReturnType<typeof makeDeps>) =>
  updateProject(deps, CALLER, 'every_project', ID, { status: 'paused' })
const PAUSED: ProjectRow = { ...PROJECT, status: 'paused' }

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a pause', () => {
  it('tells 500 keys, a bounded number at once, and counts the others as following', async () => {
    const made = makeDeps(PAUSED, () => new Promise(resolve => setImmediate(resolve)))
    expect(await pause(made)).toMatchObject({ keys_told: 500, keys_following: 250 })
    expect([made.asked.limits, made.asked.told.length]).toEqual([['500'], 500])
    expect(made.asked.atOnceMax).toBe(100)
  })

  it('counts a limiter that cannot be reached as following, and tells the others', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const made = makeDeps(PAUSED, hash =>
      hash === 'key 3' ? Promise.reject(new Error('down')) : Promise.resolve(),
    )
    expect(await pause(made)).toMatchObject({ keys_told: 499, keys_following: 251 })
  })

  it('waits for limiters that hang for three seconds in all, and counts them as following', async () => {
    vi.useFakeTimers()
    const made = makeDeps(PAUSED, hash =>
      Number(hash.slice(4)) < 100 ? new Promise(() => {}) : Promise.resolve(),
    )
    const paused = pause(made)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await paused).toMatchObject({ keys_told: 0, keys_following: 750 })
  })

  it('begins no further call once the three seconds are over, also where no timer tells it', async () => {
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const made = makeDeps(PAUSED, async () => {
      nowMs += 20
    })
    expect(await pause(made)).toMatchObject({ keys_told: 150, keys_following: 600 })
  })

  it('tells no limiter anything when another change was first', async () => {
    const made = makeDeps(null, async () => {})
    await expect(pause(made)).rejects.toMatchObject({ code: 'conflict' })
    expect(made.asked.told).toEqual([])
  })
})

it('a new name tells no limiter anything', async () => {
  const made = makeDeps({ ...PROJECT, name: 'b' }, async () => {})
  const renamed = await updateProject(made.deps, CALLER, 'every_project', ID, { name: 'b' })
  expect([renamed.name, renamed.keys_told, renamed.keys_following, made.asked.told]).toEqual(['b', 0, 0, []])
})
