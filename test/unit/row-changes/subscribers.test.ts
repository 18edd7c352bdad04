// Subscribers beside each other: what one of them does or leaves keeps no change from another.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import { consumeRowChanges } from '../../../src/features/row-changes/consume/consume-row-changes.ts'
import {
  ANSWER_MS_MAX,
  NotStored,
  type RowChange,
  type RowChangeSubscriber,
} from '../../../src/features/row-changes/consume/subscriber.ts'
import type { Chunk } from '../../../src/features/row-changes/ingest/messages.ts'
import { CHUNK } from '../../support/row-changes.ts'

const chunkOf = (id: string): Chunk => ({ ...CHUNK, id })
const inOutbox = (id: string): Chunk => ({ ...CHUNK, id, changes: null })

/** A whole subscriber: a log of what comes, each change once. */
class ChangeLog implements RowChangeSubscriber {
  readonly name = 'log'
  readonly mayGiveUp: boolean = true
  readonly entries = new Map<string, string | null>()
  calls = 0

  async wants(): Promise<boolean> {
    return true
  }

  async store(changes: readonly RowChange[]): Promise<'stored' | 'gave_up'> {
    this.calls += 1
    for (const { chunk, index, row, error } of changes) this.entries.set(`${chunk.id}.${index}`, error ?? row)
    return 'stored'
  }

  get ids() {
    return [...this.entries.keys()]
  }
}

/** One that keeps nothing, in the way of `store`. */
class Faulty extends ChangeLog {
  override readonly name = 'faulty'
  override readonly mayGiveUp: boolean
  readonly #store: (changes: readonly RowChange[]) => Promise<'stored' | 'gave_up'>

  constructor(mayGiveUp: boolean, store: (changes: readonly RowChange[]) => Promise<'stored' | 'gave_up'>) {
    super()
    this.mayGiveUp = mayGiveUp
    this.#store = store
  }

  override async store(changes: readonly RowChange[]) {
    this.calls += 1
    return await this.#store(changes)
  }
}

let warnings: { code?: string; subscriber?: string; chunk_ids?: string[] }[]

beforeEach(() => {
  warnings = []
  vi.useFakeTimers()
  vi.spyOn(console, 'warn').mockImplementation(text => void warnings.push(JSON.parse(text)))
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const givenUp = () => warnings.filter(({ code }) => code === 'changes_given_up').map(one => one.chunk_ids)

type Texts = (sql: string, params: string[]) => Promise<unknown[][]>

/** Consumes a message for each list of chunks; answers which were confirmed and acknowledged, and how long it took. */
async function consume(
  rowChangeSubscribers: RowChangeSubscriber[],
  messages: Chunk[][],
  texts: Texts = async () => [],
) {
  const confirmed: string[] = []
  const acknowledged: number[] = []
  const platform = {
    texts: async (sql: string, params: string[]) => {
      if (!sql.includes('delete from quoin.row_events')) return await texts(sql, params)
      confirmed.push(...(params[0] ?? '').replace(/[{}]/g, '').split(','))
      return []
    },
  }
  const queued = messages.map((chunks, index) => ({
    body: JSON.stringify({ watch_version: 1, chunks }),
    attempts: 1,
    ack: () => void acknowledged.push(index),
    retry: () => undefined,
  }))
  const startedAt = Date.now()
  const consuming = consumeRowChanges({ platform, rowChangeSubscribers } as never, queued)
  await vi.runAllTimersAsync()
  await consuming
  return { confirmed, acknowledged, seconds: (Date.now() - startedAt) / 1_000 }
}

/** An outbox whose chunks have as many changes as `bytes` has entries; counts its readings. */
function outboxOf(bytes: number[], image: () => string = () => '{"id":1}') {
  const readings = { runs: 0, images: 0 }
  const texts: Texts = async (sql, params) => {
    if (sql.includes('octet_length')) {
      return bytes.map((size, index) => [String(index), `["${index}"]`, null, null, String(size)])
    }
    if (sql.includes('substr')) {
      readings.images += 1
      return [[image()]]
    }
    if (!sql.includes('changes_in')) return bytes.map((_, index) => [`["${index}"]`, null, null])
    readings.runs += 1
    const [first, last] = [Number(params[1]), Number(params[2])]
    return bytes.slice(first - 1, last).map(() => ['["1"]', null, image(), null, null])
  }
  return { texts, readings }
}

const faults = {
  throws: () => Promise.reject(new Error('no')),
  'answers that it gave up': async () => 'gave_up',
  'never answers': () => new Promise<never>(() => {}),
} satisfies Record<string, () => Promise<'gave_up'>>

it.each(Object.entries(faults))('a subscriber that may give up and %s holds up nothing', async (_, fault) => {
  const [log, faulty] = [new ChangeLog(), new Faulty(true, fault)]
  const outcome = await consume([faulty, log], [[chunkOf('1'), chunkOf('2')]])
  expect(outcome).toMatchObject({ confirmed: ['1', '2'], acknowledged: [0] })
  expect(log.ids).toEqual(['1.0', '2.0'])
  expect(givenUp()).toEqual([['1', '2']])
})

it.each(Object.entries(faults))(
  'where one that may not give up %s, the others have the changes and it gets them again',
  async (_, fault) => {
    let isFaulty = true
    const other = new ChangeLog()
    const faulty = new Faulty(false, async () => (isFaulty ? await fault() : 'stored'))
    const messages = [[chunkOf('1'), inOutbox('2'), chunkOf('3')]]
    const outbox = outboxOf([8])
    expect(await consume([faulty, other], messages, outbox.texts)).toMatchObject({
      confirmed: [],
      acknowledged: [],
    })
    expect([other.ids, faulty.calls, givenUp()]).toEqual([['1.0', '2.0', '3.0'], 1, []])
    isFaulty = false
    const again = await consume([faulty, other], messages, outbox.texts)
    expect([again.confirmed, again.acknowledged]).toEqual([['1', '2', '3'], [0]])
    expect(other.ids).toEqual(['1.0', '2.0', '3.0'])
  },
)

it('waits ten seconds for one that does not answer, once a batch', async () => {
  const [log, silent] = [new ChangeLog(), new Faulty(true, faults['never answers'])]
  const outcome = await consume(
    [silent, log],
    [[inOutbox('1')], [inOutbox('2'), chunkOf('3')]],
    outboxOf([8]).texts,
  )
  expect(outcome).toEqual({
    confirmed: ['1', '2', '3'],
    acknowledged: [0, 1],
    seconds: ANSWER_MS_MAX / 1_000,
  })
  expect([log.ids, silent.calls]).toEqual([['1.0', '2.0', '3.0'], 1])
  expect(givenUp()).toEqual([['1'], ['2'], ['3']])
})

it('tries again only the messages of chunks that were not stored', async () => {
  const faulty = new Faulty(false, async () => Promise.reject(new NotStored(new Set(['2']), new Error('no'))))
  const outcome = await consume([faulty], [[chunkOf('1')], [chunkOf('2')], [chunkOf('3')]])
  expect(outcome).toMatchObject({ confirmed: ['1', '3'], acknowledged: [0, 2] })
})

it('one whose knowledge of what is wanted fails keeps nothing from the others', async () => {
  for (const mayGiveUp of [true, false]) {
    const log = new ChangeLog()
    const faulty = new Faulty(mayGiveUp, async () => 'stored')
    vi.spyOn(faulty, 'wants').mockRejectedValue(new Error('no'))
    const outcome = await consume([faulty, log], [[chunkOf('1')]])
    expect([outcome.confirmed, log.ids]).toEqual([mayGiveUp ? ['1'] : [], ['1.0']])
  }
})

it('reads a chunk of the outbox once for two subscribers, 2 MB at a time', async () => {
  const [one, two] = [new ChangeLog(), new ChangeLog()]
  const { texts, readings } = outboxOf(Array.from({ length: 6 }, () => 1_000_000))
  await consume([one, two], [[inOutbox('1')]], texts)
  expect([readings.runs, one.calls, two.calls]).toEqual([3, 3, 3])
  expect([one.ids, two.ids]).toEqual(Array(2).fill(['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']))
})

const reader = (mayGiveUp: boolean, parts: string[], pause = 0) =>
  new Faulty(mayGiveUp, async changes => {
    for (const { large } of changes) {
      for await (const part of large?.parts('row') ?? []) {
        parts.push(part)
        await new Promise(resolve => setTimeout(resolve, pause))
      }
    }
    return 'stored'
  })

it('reads a large image for whoever asks, in parts that keep characters whole, each with its own time', async () => {
  const parts: string[] = []
  const image = `x${'😀'.repeat(400_000)}`
  const { texts, readings } = outboxOf([3_000_000], () => image)
  const outcome = await consume([new ChangeLog(), reader(false, parts, 9_000)], [[inOutbox('1')]], texts)
  expect(outcome.confirmed).toEqual(['1'])
  expect([readings.images, parts.join('') === image]).toEqual([1, true])
  expect(parts.every(part => part.length <= 250_000 && part.isWellFormed())).toBe(true)
})

it.each([true, false])('a large image that cannot be read is no fault of who reads it', async mayGiveUp => {
  const { texts } = outboxOf([3_000_000], () => {
    throw new PostgresError({ code: 'XX001', message: 'broken page' })
  })
  const [log, large] = [new ChangeLog(), reader(mayGiveUp, [])]
  const outcome = await consume([log, large], [[inOutbox('1')]], texts)
  expect([outcome.confirmed, log.entries.get('1.0'), large.calls, givenUp()]).toEqual([
    ['1'],
    'the row cannot be read: broken page',
    2,
    [],
  ])
})

it('a large image that took too long to read is tried again', async () => {
  const { texts } = outboxOf([3_000_000], () => {
    throw new PostgresError({ code: '57014', message: 'statement timeout' })
  })
  expect((await consume([reader(true, [])], [[inOutbox('1')]], texts)).confirmed).toEqual([])
})

it('reads nothing that no subscriber wants, and confirms it', async () => {
  const log = new ChangeLog()
  vi.spyOn(log, 'wants').mockResolvedValue(false)
  const { texts, readings } = outboxOf([8])
  expect((await consume([log], [[inOutbox('1')]], texts)).confirmed).toEqual(['1'])
  expect([readings.runs, log.calls]).toEqual([0, 0])
})
