// Nobody suffers for somebody else's policy: what is asked together, what alone, and who is left out for a while.

import { describe, expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { DomainError } from '../../../src/errors.ts'
import { type AskSight, SightJudge } from '../../../src/features/realtime/sight/judge-sight.ts'
import type { SightAsked, SightQuestion } from '../../../src/features/realtime/sight/sight-contract.ts'

const TABLE = 16_402
const askedOf = (subject: string): SightAsked => ({
  tableId: TABLE,
  role: 'anon',
  claims: `{"sub":"${subject}"}`,
  filter: null,
})
const question = (...subjects: string[]): SightQuestion => ({
  tables: [{ tableId: TABLE, images: ['{"id":1}'] }],
  asked: subjects.map(askedOf),
})
const cancelled = () =>
  new PostgresError({ code: '57014', message: 'canceling statement due to statement timeout' })
const terminated = () => new PostgresError({ code: '57P01', message: 'terminating connection' })

/** A database in which the policies of some persons do not come to an end. */
function database(fails: (claims: string) => Error | undefined) {
  const trips: number[] = []
  const ask: AskSight = async ({ asked }) => {
    trips.push(asked.length)
    const failure = asked.map(({ claims }) => fails(claims)).find(err => err !== undefined)
    if (failure) throw failure
    return { tables: [null], seen: asked.map(() => [0]) }
  }
  return { ask, trips }
}

function judgeOf(ask: AskSight) {
  const clock = { nowMs: 0 }
  return { clock, judge: new SightJudge(ask, () => clock.nowMs) }
}

describe('a judge of sight', () => {
  it('asks all classes in one trip', async () => {
    const { ask, trips } = database(() => undefined)
    const { seen } = await judgeOf(ask).judge.judge(question('ada', 'bob', 'eve'))
    expect(seen).toEqual([[0], [0], [0]])
    expect(trips).toEqual([3])
  })

  it.each([
    ['sleeps', cancelled],
    ['ends its own connection', terminated],
    ['ends it so that nobody says why', () => new DomainError('database_unavailable', 'gone')],
  ])('answers the others where a policy %s', async (_, failure) => {
    const { ask } = database(claims => (claims.includes('eve') ? failure() : undefined))
    const { seen } = await judgeOf(ask).judge.judge(question('ada', 'eve', 'bob'))
    expect(seen).toEqual([[0], { code: '57014', message: expect.any(String) }, [0]])
  })

  it('leaves who was too slow out for ten seconds, and then asks again', async () => {
    const { ask, trips } = database(claims => (claims.includes('eve') ? cancelled() : undefined))
    const { clock, judge } = judgeOf(ask)
    await judge.judge(question('ada', 'eve'))
    trips.length = 0
    const { seen } = await judge.judge(question('ada', 'eve'))
    expect(seen).toEqual([[0], { code: '57014', message: expect.any(String) }])
    expect(trips).toEqual([1])
    clock.nowMs += 10_001
    trips.length = 0
    await judge.judge(question('ada', 'eve'))
    expect(trips[0]).toBe(2)
  })

  it('throws where the database answers nobody, so that nothing counts as judged', async () => {
    const ask: AskSight = () => Promise.reject(new DomainError('database_unavailable', 'gone'))
    await expect(judgeOf(ask).judge.judge(question('ada'))).rejects.toThrow('gone')
  })

  it('throws what is a fault of ours, and asks nobody alone', async () => {
    const trips: number[] = []
    const ask: AskSight = async ({ asked }) => {
      trips.push(asked.length)
      throw new PostgresError({ code: '42883', message: 'function quoin.rows_in_sight(json) does not exist' })
    }
    await expect(judgeOf(ask).judge.judge(question('ada', 'bob'))).rejects.toThrow('does not exist')
    expect(trips).toEqual([2])
  })
})
