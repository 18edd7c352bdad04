import { expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { AdvisorRuns } from '../../../src/features/advisor/advisor-runs.ts'
import { readAdvice } from '../../../src/features/advisor/read-advice.ts'

it('says of a catalog that takes too long what the caller can do', async () => {
  const fail = () => Promise.reject(new PostgresError({ code: '57014', message: 'canceling statement' }))
  const now = () => new Date(0)
  const deps = {
    platform: { transaction: fail, query: fail },
    data: { batch: fail },
    config: { dbSchemas: ['public'], dbExtraSearchPath: [] },
    advisorRuns: new AdvisorRuns(now),
    now,
  }
  await expect(readAdvice(deps, 'a-request')).rejects.toMatchObject({
    code: '57014',
    detail: expect.stringContaining('served schemas'),
    hint: expect.stringContaining('DB_SCHEMAS'),
  })
})
