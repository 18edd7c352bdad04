// Whose hubs are told that something has ended, and that a hub which does not answer holds nobody up.

import { afterEach, expect, it, vi } from 'vitest'
import type { RealtimeHub, RealtimeHubs } from '../../../src/features/realtime/hub/hub-contract.ts'
import { tellHubs } from '../../../src/features/realtime/tell-hubs.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function makeDeps(projects: readonly string[], recheck: () => Promise<void> = async () => {}) {
  const told: string[] = []
  const hubs: RealtimeHubs = {
    byProject: id => {
      const hub: Pick<RealtimeHub, 'recheck'> = {
        recheck: () => {
          told.push(id)
          return recheck()
        },
      }
      return hub as RealtimeHub
    },
  }
  const asked: unknown[] = []
  const query = async <Row>(_: string, params?: readonly unknown[]) => {
    asked.push(params)
    return projects.map(target_id => ({ target_id })) as Row[]
  }
  return { deps: { hubs, platform: { query } }, told, asked }
}

it('tells the hub of the project', async () => {
  const { deps, told, asked } = makeDeps([])
  await tellHubs(deps, { projectId: 'p1' })
  expect([told, asked]).toEqual([['p1'], []])
})

it('tells the hubs that the person had tickets for', async () => {
  const { deps, told, asked } = makeDeps(['p1', 'p2'])
  await tellHubs(deps, { identityId: 'ada' })
  expect([told, asked]).toEqual([['p1', 'p2'], [['ada']]])
})

it('ends well where a hub fails, and says so in the log', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const { deps } = makeDeps([], () => Promise.reject(new Error('gone')))
  await tellHubs(deps, { projectId: 'p1' })
  expect(warn).toHaveBeenCalledOnce()
})

it('waits two seconds at most for one that does not answer', async () => {
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockReturnValue()
  const { deps } = makeDeps([], () => new Promise(() => {}))
  const telling = tellHubs(deps, { projectId: 'p1' })
  await vi.advanceTimersByTimeAsync(2_000)
  await expect(telling).resolves.toBeUndefined()
})
