// The sweep of files as the cron of every hour runs it: the real bundle on the store that its binding names.

import { expect, it } from 'vitest'
import { connectOwner } from '../support/postgres.ts'
import { startTestWorker } from '../support/worker.ts'

it('walks the store to its end, each hour', async () => {
  await using owner = await connectOwner()
  const completedAt = async () =>
    (await owner.query('select completed_at from quoin.storage_sweeps')).rows[0]?.completed_at?.getTime() ?? 0
  const before = await completedAt()
  await using quoin = await startTestWorker()
  await quoin.worker.scheduled({ cron: '17 * * * *' })
  expect(await completedAt()).toBeGreaterThan(before)
})
