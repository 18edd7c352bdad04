// Trying relations where the database does not say which of a transaction's statements failed, as on Neon, and where it
// is slow or gone.

import { expect, it } from 'vitest'
import type { DataDatabase } from '../../../src/db/database.ts'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { DomainError } from '../../../src/errors.ts'
import { tryReading } from '../../../src/features/advisor/try-reading.ts'

const CONFIG = { dbSchemas: ['public'], dbExtraSearchPath: [] }
const relations = Array.from({ length: 120 }, (_, oid) => ({ oid, schema: 'public', name: `t${oid}` }))

/** Answers a row for each relation but those of `failures`, each trip in `tripMs` of a clock of its own. */
function fakeDatabase(failures: Readonly<Record<string, string>>, tripMs = 0) {
  let nowMs = 0
  let trips = 0
  const batch: DataDatabase['batch'] = async (_session, statements) => {
    nowMs += tripMs
    trips++
    const failed = statements.map(({ sql }) => /"(t\d+)"/.exec(sql)?.[1] ?? '').find(name => name in failures)
    if (failed !== undefined) throw new PostgresError({ code: failures[failed] ?? '', message: 'no' })
    return statements.map(() => ({ command: 'SELECT', rowCount: 1, fields: [], rows: [['1']] }))
  }
  return { deps: { data: { batch }, config: CONFIG, now: () => new Date(nowMs) }, trips: () => trips }
}

it('finds those that fail by halves where nobody says which', async () => {
  const { deps, trips } = fakeDatabase({ t7: '42501', t8: '42P01', t119: 'XX000' })
  const readings = await tryReading(deps, relations, { requestId: 'a-request', allMsMax: 10_000 })
  expect(readings.size).toBe(120)
  expect([...readings].filter(([, reading]) => reading !== 'rows')).toEqual([
    [7, 'refused'],
    [8, 'gone'],
    [119, 'failed'],
  ])
  expect(trips()).toBeLessThan(30)
})

it('leaves untried what there is no time for', async () => {
  const { deps, trips } = fakeDatabase({}, 600)
  expect((await tryReading(deps, relations, { requestId: 'a-request', allMsMax: 1_000 })).size).toBe(100)
  expect(trips()).toBe(2)
})

it('stops where the database cannot be reached', async () => {
  const batch = () => Promise.reject(new DomainError('database_unavailable', 'The database does not answer.'))
  const deps = { data: { batch }, config: CONFIG, now: () => new Date(0) }
  expect((await tryReading(deps, relations, { requestId: 'a-request', allMsMax: 10_000 })).size).toBe(0)
})
