// What the log of changes keeps, in which order, and what it tells to whom, run inside workerd.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LogStorage } from '../../durable-objects/realtime-log/log-storage.ts'
import type { RealtimeLog } from '../../durable-objects/realtime-log/realtime-log.ts'
import type { LogPush, LogReading, NewChange } from '../../src/features/realtime/log/log-contract.ts'
import { eventually } from './eventually.ts'

interface TestEnv {
  REALTIME_LOG: DurableObjectNamespace<RealtimeLog>
}

const { REALTIME_LOG } = env as TestEnv
const newLog = () => REALTIME_LOG.getByName(crypto.randomUUID())
const LIFE = { epoch: 'e1', gaps: 0 }
const TABLE = 7
const OTHER = 8

const changeOf = (id: number | string, more: Partial<NewChange> = {}): NewChange => ({
  event_id: `e1:${id}.0`,
  table_id: TABLE,
  event: 'INSERT',
  occurred_at: '2026-01-01T00:00:00.000Z',
  row: `{"id":"${id}"}`,
  old_row: null,
  error: null,
  ...more,
})

// A log begins with the clock: so these have small numbers.
beforeEach(() => void vi.setSystemTime(0))
afterEach(() => void vi.useRealTimers())

function told(reading: LogReading): unknown[] {
  if (typeof reading === 'string') return [reading]
  return reading.entries.map(one => (one.kind === 'gap' ? 'gap' : one.event_id))
}

describe('the log', () => {
  it('numbers changes as they arrive, whatever their ids say, and keeps each once', async () => {
    const log = newLog()
    await log.store({ ...LIFE, changes: [changeOf(20), changeOf(10)] })
    await log.store({ ...LIFE, changes: [changeOf(10), changeOf(30)] })
    const reading = await log.read(0, [TABLE])
    expect(told(reading)).toEqual(['e1:20.0', 'e1:10.0', 'e1:30.0'])
    expect(reading).toMatchObject({
      upTo: 3,
      hasMore: false,
      entries: [{ number: 1 }, { number: 2 }, { number: 3 }],
    })
  })

  it('answers what came behind a place, of the tables that are asked for', async () => {
    const log = newLog()
    await log.store({ ...LIFE, changes: [changeOf(1), changeOf(2, { table_id: OTHER }), changeOf(3)] })
    expect(told(await log.read(1, [TABLE]))).toEqual(['e1:3.0'])
    expect(told(await log.read(0, [OTHER]))).toEqual(['e1:2.0'])
    expect(await log.read(3, [TABLE])).toEqual({ entries: [], upTo: 3, hasMore: false })
  })

  it('has a gap where changes passed it by, once, for every table', async () => {
    const log = newLog()
    await log.store({ ...LIFE, changes: [changeOf(1)] })
    await log.store({ ...LIFE, gaps: 1, changes: [] })
    await log.store({ ...LIFE, gaps: 1, changes: [changeOf(2)] })
    expect(told(await log.read(0, [TABLE]))).toEqual(['e1:1.0', 'gap', 'e1:2.0'])
    expect(told(await log.read(0, [OTHER]))).toEqual(['gap'])
  })

  it('has nothing in front of another life of the database, whose tables may have the same ids', async () => {
    const log = newLog()
    await log.store({ ...LIFE, changes: [changeOf(1), changeOf(2)] })
    for (const changes of [[], [changeOf(3)]]) await log.store({ epoch: 'e2', gaps: 0, changes })
    expect(await log.read(1, [TABLE])).toBe('another_life')
    expect(await log.read(2, [OTHER])).toMatchObject({
      entries: [{ kind: 'gap', number: 3, isNewLife: true }],
    })
    expect(told(await log.read(2, [TABLE]))).toEqual(['gap', 'e1:3.0'])
    expect(await log.state()).toMatchObject({ oldestAfter: 2, entries: 2 })
  })

  it('begins where no log of before it has come to, so that a place in one of those is too old', async () => {
    const before = newLog()
    await before.store({ ...LIFE, changes: [changeOf(1)] })
    const { head: place } = await before.state()
    vi.setSystemTime(60_000)
    const log = newLog()
    await log.store({ ...LIFE, changes: [changeOf(2), changeOf(3)] })
    expect(await log.read(place, [TABLE])).toBe('another_life')
    expect((await log.state()).head).toBe(60_002)
  })

  it('has no gap at its beginning', async () => {
    const log = newLog()
    await log.store({ epoch: 'e9', gaps: 5, changes: [changeOf(1)] })
    expect(told(await log.read(0, [TABLE]))).toEqual(['e1:1.0'])
  })

  it('says that a place beyond its end is not its own', async () => {
    expect(await newLog().read(4, [TABLE])).toBe('another_life')
  })

  it('keeps a change without rows that are too large for it, and says so', async () => {
    const log = newLog()
    await log.store({ ...LIFE, changes: [changeOf(1, { row: `"${'x'.repeat(600_000)}"` })] })
    expect(await log.read(0, [TABLE])).toMatchObject({
      entries: [{ row: null, error: expect.stringContaining('characters') }],
    })
  })

  it('tells in pages what is more than a page', async () => {
    const log = newLog()
    for (let i = 0; i < 3; i++) {
      const changes = Array.from({ length: 1_000 }, (_, k) => changeOf(`${i}-${k}`))
      await log.store({ ...LIFE, changes })
    }
    expect(await log.read(0, [TABLE])).toMatchObject({ upTo: 2_000, hasMore: true })
    expect(await log.read(2_000, [TABLE])).toMatchObject({ upTo: 3_000, hasMore: false })
  })
})

describe('a share that is brought late', () => {
  it('has a gap behind it, since what is newer may stand before it', async () => {
    const log = newLog()
    await log.store({ ...LIFE, gaps: 1, changes: [changeOf(1)] })
    await log.store({ ...LIFE, gaps: 2, changes: [changeOf(3)] })
    await log.store({ ...LIFE, gaps: 1, changes: [changeOf(2)] })
    await log.store({ ...LIFE, gaps: 2, changes: [changeOf(4)] })
    const kept = ['e1:1.0', 'gap', 'e1:3.0', 'e1:2.0', 'gap', 'e1:4.0']
    expect(told(await log.read(0, [TABLE]))).toEqual(kept)
  })

  it('makes no gap where it brings nothing new', async () => {
    const log = newLog()
    await log.store({ ...LIFE, gaps: 2, changes: [changeOf(1)] })
    await log.store({ ...LIFE, gaps: 1, changes: [changeOf(1)] })
    expect(told(await log.read(0, [TABLE]))).toEqual(['e1:1.0'])
  })
})

describe('what is kept', () => {
  const inStorage = (
    bounds: Partial<ConstructorParameters<typeof LogStorage>[1]>,
    use: (log: LogStorage) => void,
  ) =>
    runInDurableObject(newLog(), (_, { storage }) =>
      use(new LogStorage(storage, { entriesMax: 100, bytesMax: 1_000_000, keptMs: 1_000_000, ...bounds })),
    )

  it('is the last so many changes; a place before them is too old', async () => {
    await inStorage({ entriesMax: 3 }, log => {
      for (let id = 1; id <= 5; id++) log.store({ ...LIFE, changes: [changeOf(id)] }, 0)
      expect(log.read(1, [TABLE])).toBe('too_old')
      expect(told(log.read(2, [TABLE]))).toEqual(['e1:3.0', 'e1:4.0', 'e1:5.0'])
      expect(log.state()).toMatchObject({ head: 5, oldestAfter: 2, entries: 3 })
    })
  })

  it('is bounded in bytes and in time', async () => {
    await inStorage({ bytesMax: 500 }, log => {
      for (let id = 1; id <= 9; id++) log.store({ ...LIFE, changes: [changeOf(id)] }, 0)
      expect(log.state().bytes).toBeLessThanOrEqual(500)
    })
    await inStorage({ keptMs: 10 }, log => {
      log.store({ ...LIFE, changes: [changeOf(1)] }, 0)
      log.store({ ...LIFE, changes: [changeOf(2)] }, 20)
      expect(told(log.read(1, [TABLE]))).toEqual(['e1:2.0'])
    })
  })

  it('does not take a change again that it has let go a moment ago', async () => {
    await inStorage({ entriesMax: 1 }, log => {
      log.store({ ...LIFE, changes: [changeOf(1), changeOf(2)] }, 0)
      expect(log.store({ ...LIFE, changes: [changeOf(1)] }, 1_000)).toEqual([])
    })
  })

  it('knows a change for an hour since it came last, also when it has let it go', async () => {
    await inStorage({ entriesMax: 1 }, log => {
      const store = (id: number, nowMs: number) => log.store({ ...LIFE, changes: [changeOf(id)] }, nowMs)
      store(1, 0)
      store(2, 0)
      expect(store(1, 3_000_000)).toEqual([])
      store(3, 6_000_000)
      expect(store(1, 6_000_000)).toEqual([])
      store(4, 10_000_000)
      expect(store(1, 10_000_000)).toMatchObject([{ number: 5 }])
    })
  })

  it('knows a change for as long as it has it', async () => {
    await inStorage({ keptMs: 1e9 }, log => {
      log.store({ ...LIFE, changes: [changeOf(1)] }, 0)
      log.store({ ...LIFE, changes: [changeOf(2)] }, 9e8)
      expect(log.store({ ...LIFE, changes: [changeOf(1)] }, 9e8)).toEqual([])
    })
  })

  it('ends with its time although nothing changes any more', async () => {
    await inStorage({ keptMs: 10 }, log => {
      log.store({ ...LIFE, changes: [changeOf(1)] }, 0)
      expect(log.store({ ...LIFE, changes: [] }, 100)).toEqual([])
      expect(log.state()).toMatchObject({
        entries: 0,
        bytes: 0,
        head: 1,
        oldestAfter: 1,
        oldestOccurredAt: null,
      })
    })
  })

  it('stays in its bounds however much one share brings', async () => {
    await inStorage({ entriesMax: 10 }, log => {
      for (let share = 0; share < 3; share++) {
        const changes = Array.from({ length: 3_000 }, (_, i) => changeOf(`${share}-${i}`))
        log.store({ ...LIFE, changes }, 0)
        expect(log.state().entries).toBe(10)
      }
    })
  })

  it('is counted in bytes', async () => {
    await inStorage({}, log => {
      log.store({ ...LIFE, changes: [changeOf(1, { row: `"${'€'.repeat(1_000)}"` })] }, 0)
      expect(log.state().bytes).toBeGreaterThan(3_000)
    })
  })

  it('is what it was where a store fails in the middle', async () => {
    await inStorage({}, log => {
      log.store({ ...LIFE, changes: [changeOf(1)] }, 0)
      const before = log.state()
      const broken = changeOf(3, { event_id: null as unknown as string })
      expect(() => log.store({ ...LIFE, gaps: 1, changes: [changeOf(2), broken] }, 0)).toThrow()
      expect(log.state()).toEqual(before)
      const stored = log.store({ ...LIFE, gaps: 1, changes: [changeOf(2)] }, 0)
      expect(stored).toMatchObject([{ kind: 'gap' }, { event_id: 'e1:2.0' }])
    })
  })

  it('is looked through in parts, whatever of it is asked for', async () => {
    await inStorage({ entriesMax: 100_000, bytesMax: 1e9 }, log => {
      const changes = Array.from({ length: 20_001 }, (_, i) => changeOf(i))
      log.store({ ...LIFE, changes }, 0)
      expect(log.read(0, [OTHER])).toEqual({ entries: [], upTo: 20_000, hasMore: true })
      expect(log.read(20_000, [OTHER])).toEqual({ entries: [], upTo: 20_001, hasMore: false })
    })
  })

  it('goes on with its numbers when all of it was let go', async () => {
    await inStorage({ keptMs: 10 }, log => {
      log.store({ ...LIFE, changes: [changeOf(1), changeOf(2)] }, 0)
      log.store({ ...LIFE, changes: [changeOf(3)] }, 100)
      expect(log.head).toBe(3)
      expect(told(log.read(2, [TABLE]))).toEqual(['e1:3.0'])
    })
  })
})

describe('hubs', () => {
  type Log = ReturnType<typeof newLog>

  /** Puts hubs of the test's own behind the log; they are lost with the object. */
  const useHubs = (log: Log, hubs: Record<string, (push: LogPush) => Promise<void>>) =>
    runInDurableObject(log, instance => {
      const getByName = (name: string) => ({ changed: (push: LogPush) => hubs[name]?.(push) })
      Object.assign(instance, { env: { REALTIME_HUB: { getByName } } })
    })

  async function logWith(hubs: Parameters<typeof useHubs>[1]) {
    const log = newLog()
    await useHubs(log, hubs)
    return log
  }

  /** A hub whose first answer waits. */
  function slowHub() {
    const pushes: LogPush[] = []
    const gate = Promise.withResolvers<void>()
    const changed = async (push: LogPush) => {
      pushes.push(push)
      if (pushes.length === 1) await gate.promise
    }
    return { pushes, changed, answer: gate.resolve, refuse: () => gate.reject(new Error('gone')) }
  }

  const MUST_READ = { entries: [], hasMore: true }

  it('are told of their tables and of gaps, in order', async () => {
    const pushes: LogPush[] = []
    const log = await logWith({ a: async push => void pushes.push(push) })
    expect(await log.follow('a', [TABLE])).toBe(0)
    await log.store({ ...LIFE, changes: [changeOf(1), changeOf(2, { table_id: OTHER })] })
    await vi.waitFor(() => expect(pushes).toHaveLength(1))
    await log.store({ ...LIFE, gaps: 1, changes: [changeOf(3)] })
    await vi.waitFor(() => expect(pushes).toHaveLength(2))
    expect(pushes).toMatchObject([
      { after: 0, upTo: 2, entries: [{ event_id: 'e1:1.0' }] },
      { after: 2, upTo: 4, entries: [{ kind: 'gap' }, { event_id: 'e1:3.0' }] },
    ])
  })

  it('are told one thing at a time, for which no store waits; what comes meanwhile is told together', async () => {
    const { pushes, changed, answer } = slowHub()
    const log = await logWith({ a: changed })
    await log.follow('a', [TABLE])
    for (const id of [1, 2, 3]) await log.store({ ...LIFE, changes: [changeOf(id)] })
    expect(pushes.map(({ entries }) => entries.length)).toEqual([1])
    answer()
    await vi.waitFor(() => expect(pushes).toHaveLength(2))
    expect(pushes[1]).toMatchObject({
      after: 1,
      upTo: 3,
      hasMore: false,
      entries: [{ event_id: 'e1:2.0' }, { event_id: 'e1:3.0' }],
    })
  })

  it('read by themselves what is more than a page', async () => {
    const { pushes, changed, answer } = slowHub()
    const log = await logWith({ a: changed })
    await log.follow('a', [TABLE])
    const row = `"${'x'.repeat(500_000)}"`
    for (let id = 1; id <= 9; id++) await log.store({ ...LIFE, changes: [changeOf(id, { row })] })
    answer()
    await vi.waitFor(() => expect(pushes).toHaveLength(2))
    expect(pushes[1]).toEqual({ ...MUST_READ, after: 1, upTo: 9 })
    await log.store({ ...LIFE, changes: [changeOf(10)] })
    await vi.waitFor(() => expect(pushes).toHaveLength(3))
    expect(pushes[2]).toMatchObject({
      after: 9,
      upTo: 10,
      hasMore: false,
      entries: [{ event_id: 'e1:10.0' }],
    })
  })

  it('that fail are told that they have to read, and hold up neither storing nor others', async () => {
    const { pushes, changed, refuse } = slowHub()
    const others: LogPush[] = []
    const log = await logWith({ a: changed, b: async push => void others.push(push) })
    await log.follow('a', [TABLE])
    await log.follow('b', [TABLE])
    for (const id of [1, 2]) await log.store({ ...LIFE, changes: [changeOf(id)] })
    await vi.waitFor(() => expect(others).toHaveLength(2))
    expect(pushes).toHaveLength(1)
    refuse()
    await vi.waitFor(() => expect(pushes).toHaveLength(2))
    expect(pushes[1]).toEqual({ ...MUST_READ, after: null, upTo: 2 })
  })

  it('that are gone are forgotten, and told again once they say what they follow', async () => {
    const pushes: LogPush[] = []
    let isGone = true
    const log = await logWith({
      a: async push => {
        pushes.push(push)
        if (isGone) throw new Error('gone')
      },
    })
    await log.follow('a', [TABLE])
    await log.store({ ...LIFE, changes: [changeOf(1)] })
    await eventually(async () => expect((await log.state()).hubs).toEqual([]))
    expect(pushes).toHaveLength(4)
    isGone = false
    expect(await log.follow('a', [TABLE])).toBe(1)
    await log.store({ ...LIFE, changes: [changeOf(2)] })
    await vi.waitFor(() => expect(pushes).toHaveLength(5))
    expect(pushes[4]).toMatchObject({ after: 1, entries: [{ event_id: 'e1:2.0' }] })
  })

  it('are still told when the log has slept, and that it does not know what they have', async () => {
    const name = crypto.randomUUID()
    const pushes: LogPush[] = []
    await REALTIME_LOG.getByName(name).follow('a', [TABLE])
    await evictDurableObject(REALTIME_LOG.getByName(name))
    const log = REALTIME_LOG.getByName(name)
    await useHubs(log, { a: async push => void pushes.push(push) })
    for (const id of [1, 2]) {
      await log.store({ ...LIFE, changes: [changeOf(id)] })
      await vi.waitFor(() => expect(pushes).toHaveLength(id))
    }
    expect(pushes).toMatchObject([
      { after: null, upTo: 1 },
      { after: 1, upTo: 2 },
    ])
  })

  it('that follow nothing any more are told nothing', async () => {
    const pushes: LogPush[] = []
    const log = await logWith({ a: async push => void pushes.push(push) })
    await log.follow('a', [TABLE])
    await log.follow('a', [])
    await log.store({ ...LIFE, changes: [changeOf(1)] })
    expect(await log.state()).toMatchObject({ hubs: [] })
    expect(pushes).toEqual([])
  })
})
