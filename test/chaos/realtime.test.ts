// The short version of the realtime part of `npm run chaos`.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeWithCluster } from '../support/cluster.ts'
import { makeStackFolder } from '../support/stack.ts'
import { runRealtimeChaos } from './realtime-run.ts'

it('has clients that come back miss nothing while the listener, the Worker and the gateway die', async () => {
  const folder = makeStackFolder()
  const dataDir = join(folder, 'parts')
  await makeWithCluster(dataDir)
  const summary = await runRealtimeChaos(
    {
      dataDir,
      changes: 600,
      changesPerSecond: 100,
      followers: 6,
      rounds: 1,
      changesBetween: 150,
      stayMs: 4_000,
      drainDeadlineMs: 90_000,
    },
    () => {},
  )
  expect(summary).toMatchObject({
    kills: { listener: 1, worker: 1, gateway: 1 },
    verdict: { lost: [], invented: [], reordered: [], misnamed: [] },
  })
  expect(summary.connections).toBeGreaterThan(12)
  rmSync(folder, { recursive: true, force: true })
}, 240_000)
