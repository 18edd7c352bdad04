import { expect, it } from 'vitest'
import type { DataDatabase } from '../../../src/db/database.ts'
import type { Statement } from '../../../src/db/sql.ts'
import type { DataApiDeps, DataContext } from '../../../src/features/data-api/run/data-session.ts'
import { runPlan } from '../../../src/features/data-api/run/run-plan.ts'

it('estimates a statement behind it, so that nothing of a user runs before it is parsed', async () => {
  const sent: string[] = []
  const batch: DataDatabase['batch'] = async (_session, statements: readonly Statement[]) => {
    sent.push(...statements.map(({ sql }) => sql))
    return statements.map(({ sql }) => ({ command: '', rowCount: 1, fields: [], rows: [[sql, '7']] }))
  }
  const context = { session: { role: 'anon' } } as unknown as DataContext
  const outcome = await runPlan({ data: { batch } } as unknown as DataApiDeps, context, {
    main: { sql: 'select 1', params: [] },
    estimate: { sql: 'explain select 1', params: [] },
    readOnly: true,
    prepared: true,
    isDryRun: false,
    timezone: undefined,
  })
  expect(sent).toEqual(['select 1/*anon*/', 'explain select 1'])
  expect(outcome).toMatchObject({ body: 'select 1/*anon*/', rowCount: 7, estimate: 'explain select 1' })
})
