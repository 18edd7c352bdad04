// The short version of `npm run chaos`: every part of a row change's way dies once.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeWithCluster } from '../support/cluster.ts'
import { makeStackFolder } from '../support/stack.ts'
import { runChaos } from './run.ts'

it('loses, invents and reorders nothing while the receiver, Postgres, the Worker and the listener die', async () => {
  const folder = makeStackFolder()
  const dataDir = join(folder, 'parts')
  await makeWithCluster(dataDir)
  const summary = await runChaos(
    {
      dataDir,
      changes: 1_500,
      changesPerSecond: 200,
      rounds: 1,
      changesBetween: 200,
      isNudged: true,
      drainDeadlineMs: 90_000,
    },
    () => {},
  )
  expect(summary).toMatchObject({
    kills: { receiver: 1, postgres: 1, worker: 1, listener: 1 },
    left: 0,
    verdict: { lost: [], invented: [], reordered: [], misnamed: [] },
  })
  expect(summary.committed).toBeGreaterThanOrEqual(1_500)
  rmSync(folder, { recursive: true, force: true })
}, 180_000)
