// What an isolate knows of who wants what: never older than a message saw, and read no more often than needed.

import { expect, it } from 'vitest'
import { VersionedRegistry } from '../../../src/features/row-changes/consume/versioned-registry.ts'

/** A registry whose readings end when the test says so. */
function heldRegistry() {
  const readings: PromiseWithResolvers<{ version: number }>[] = []
  const registry = new VersionedRegistry(async () => {
    const reading = Promise.withResolvers<{ version: number }>()
    readings.push(reading)
    return await reading.promise
  })
  const end = async (nth: number, version: number) => {
    await expect.poll(() => readings.length).toBeGreaterThan(nth)
    readings[nth]?.resolve({ version })
  }
  return { registry, readings, end }
}

it('does not read again for what it knows', async () => {
  const { registry, readings, end } = heldRegistry()
  const asked = registry.atLeast(1)
  await end(0, 2)
  expect(await asked).toEqual({ version: 2 })
  expect(await registry.atLeast(2)).toEqual({ version: 2 })
  expect(readings).toHaveLength(1)
})

// Where an invocation is given up, the runtime ends what it waits for, and nothing comes of it any more.
it('reads for each who asks: a reading that never ends holds up nobody else', async () => {
  const { registry, end } = heldRegistry()
  void registry.atLeast(1)
  const other = registry.atLeast(1)
  await end(1, 1)
  expect(await other).toEqual({ version: 1 })
})

it('answers what there is where nobody has such a version, and asks again the next time', async () => {
  const { registry, readings, end } = heldRegistry()
  for (const nth of [0, 1]) {
    const asked = registry.atLeast(9)
    await end(nth, 1)
    expect(await asked).toEqual({ version: 1 })
  }
  expect(readings).toHaveLength(2)
})

it('asks again after a reading that failed', async () => {
  const { registry, readings, end } = heldRegistry()
  const asked = registry.atLeast(1)
  await expect.poll(() => readings.length).toBe(1)
  readings[0]?.reject(new Error('no answer'))
  await expect(asked).rejects.toThrow('no answer')
  const again = registry.atLeast(1)
  await end(1, 1)
  expect(await again).toEqual({ version: 1 })
})
