import { expect, it } from 'vitest'
import type { DataDatabase } from '../../../src/db/database.ts'
import type { Statement } from '../../../src/db/sql.ts'
import type { DataApiDeps, DataContext } from '../../../src/features/data-api/run/data-session.ts'
import { runPlan } from '../../../src/features/data-api/run/run-plan.ts'

// Beside the statement it would keep the answer from passing through as a stream, and so bound it.
it('estimates a statement in a trip of its own', async () => {
  const trips: string[][] = []
  const batch: DataDatabase['batch'] = async (_session, statements: readonly Statement[]) => {
    trips.push(statements.map(({ sql }) => sql))
    return statements.map(({ sql }) => ({ command: '', rowCount: 1, fields: [], rows: [[sql]] }))
  }
  const batchForBody = async (_session: unknown, { sql }: Statement) => {
    trips.push([sql])
    return { body: sql, columns: ['7'] }
  }
  const context = { session: { role: 'anon' } } as unknown as DataContext
  const outcome = await runPlan({ data: { batch, batchForBody } } as unknown as DataApiDeps, context, {
    main: { sql: 'select 1', params: [] },
    estimate: { sql: 'explain select 1', params: [] },
    readOnly: true,
    prepared: true,
    isDryRun: false,
    timezone: undefined,
  })
  expect(trips).toEqual([['explain select 1'], ['select 1/*anon*/']])
  expect(outcome).toMatchObject({ body: 'select 1/*anon*/', rowCount: 7, estimate: 'explain select 1' })
})
