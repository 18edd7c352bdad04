// Who may read the log: nobody waits for one client address alone.

import { expect, it } from 'vitest'
import { ReplayTurns } from '../../../durable-objects/realtime-hub/replay-turns.ts'

/** Replays that end when they are told to, and the names of those that are under way. */
function replays() {
  const turns = new ReplayTurns()
  const running = new Map<string, () => void>()
  return {
    begin(name: string, address: string) {
      const { promise, resolve } = Promise.withResolvers<void>()
      void turns.run(address, () => {
        running.set(name, resolve)
        return promise
      })
    },
    async end(name: string) {
      running.get(name)?.()
      running.delete(name)
      await new Promise(setImmediate)
    },
    running: () => [...running.keys()],
  }
}

it('gives one client address two places of four', async () => {
  const { begin, end, running } = replays()
  for (const name of ['a1', 'a2', 'a3', 'a4']) begin(name, '192.0.2.1')
  for (const [name, address] of [
    ['b1', '192.0.2.2'],
    ['c1', '2001:db8::1'],
    ['c2', '2001:db8::2'],
    ['d1', '192.0.2.4'],
  ] as const)
    begin(name, address)
  expect(running()).toEqual(['a1', 'a2', 'b1', 'c1'])
  await end('b1')
  expect(running()).toEqual(['a1', 'a2', 'c1', 'c2'])
  await end('c1')
  expect(running()).toEqual(['a1', 'a2', 'c2', 'd1'])
  await end('a1')
  expect(running()).toEqual(['a2', 'c2', 'd1', 'a3'])
})

it('gives the place of what fails to the next', async () => {
  const turns = new ReplayTurns()
  const fails = () => Promise.reject(new Error('gone'))
  const all = Array.from({ length: 5 }, () => turns.run('192.0.2.1', fails).catch(() => 'failed'))
  expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'failed'))
})
