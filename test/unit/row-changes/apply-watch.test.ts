// How long a change of a webhook waits for a lock on its table. That both happen or neither is shown in test/contract.

import { describe, expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { changeAndApply } from '../../../src/features/row-changes/watching/apply-watch.ts'

const locked = () => new PostgresError({ message: 'canceling statement due to lock timeout', code: '55P03' })
const CHANGE = { sql: 'delete from quoin.webhooks', params: [] }

/** A database that fails so often, and a clock that only pauses move. */
function makeWorld(failures: Error[]) {
  const batches: string[][] = []
  let time = 0
  const platform = {
    transaction: async (statements: readonly { sql: string }[]) => {
      batches.push(statements.map(({ sql }) => sql))
      time += 200
      const failure = failures.shift()
      if (failure) throw failure
      return statements.map(() => [])
    },
  }
  const clock = {
    now: () => time,
    pause: async (milliseconds: number) => {
      time += milliseconds
    },
  }
  return { platform, clock, batches, elapsed: () => time }
}

describe('changeAndApply', () => {
  it('makes the change and settles each table in one transaction', async () => {
    const { platform, clock, batches } = makeWorld([])
    await changeAndApply({ platform }, [CHANGE], [1, 2], clock)
    const settle = expect.stringContaining('quoin.apply_watch')
    expect(batches).toEqual([[CHANGE.sql, settle, settle]])
  })

  it('tries again while the table is locked, or after a deadlock', async () => {
    const deadlock = new PostgresError({ message: 'deadlock detected', code: '40P01' })
    const { platform, clock, batches } = makeWorld([locked(), deadlock])
    await changeAndApply({ platform }, [CHANGE], [1], clock)
    expect(batches).toHaveLength(3)
  })

  it('gives up with table_busy after ten seconds, not before and hardly after', async () => {
    const world = makeWorld(Array.from({ length: 1_000 }, locked))
    const changing = changeAndApply(world, [CHANGE], [1], world.clock)
    await expect(changing).rejects.toMatchObject({ code: 'table_busy', retryAfterSeconds: 10 })
    expect(world.elapsed()).toBeGreaterThan(9_500)
    expect(world.elapsed()).toBeLessThan(10_500)
  })

  it('hands on every other failure at once', async () => {
    const failure = new PostgresError({ message: 'permission denied', code: '42501' })
    const { platform, clock, batches } = makeWorld([failure])
    await expect(changeAndApply({ platform }, [CHANGE], [1], clock)).rejects.toBe(failure)
    expect(batches).toHaveLength(1)
  })
})
