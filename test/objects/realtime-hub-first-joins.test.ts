// What joins may rely on that meet each other, a batch, an older join of their topic or the end of their token. Run
// inside workerd over a log and a database of the test's own.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import {
  type Client,
  later,
  NOTES,
  refetches,
  startHub,
  type TestHub,
  tokenOf,
} from './realtime-hub-support.ts'

const changesOf = (...tables: string[]) => ({
  postgres_changes: tables.map(table => ({ event: '*', schema: 'public', table })),
})
const toldRows = (client: Client, rows: readonly number[]) =>
  eventually(() => expect(client.rows()).toEqual(rows))
const broadcastOf = (text: string) => ({ type: 'broadcast', event: 'said', payload: { text } })

describe('joins that are the first together', () => {
  it('cost nobody a change that is stored between them', async () => {
    const hub = await startHub()
    const [first, second] = [await hub.open(), await hub.open()]
    const firstFollow = hub.hold('follow')
    const firstJoin = first.join()
    await eventually(() => expect(firstFollow.waiting).toBe(1))
    const secondJoin = second.join(changesOf())
    // It asks the database for nothing: when this is answered, it waits for the log's answer to the first.
    await second.heartbeat()
    const secondFollow = hub.hold('follow')
    firstFollow.release()
    expect(await firstJoin).toBe('ok')
    await eventually(() => expect(secondFollow.waiting).toBe(1))
    hub.log()
    secondFollow.release()
    expect(await secondJoin).toBe('ok')
    await hub.push(0)
    await toldRows(first, [1])
  })

  it('are told once each what commits behind them', async () => {
    const hub = await startHub()
    hub.log()
    const clients = [await hub.open(), await hub.open(), await hub.open()]
    const follow = hub.hold('follow')
    const joins = clients.map(client => client.join())
    await eventually(() => expect(follow.waiting).toBe(1))
    follow.release()
    expect(await Promise.all(joins)).toEqual(['ok', 'ok', 'ok'])
    await hub.push(0)
    await hub.change()
    for (const client of clients) await toldRows(client, [2])
  })
})

describe('a join in the middle of a batch', () => {
  it('is told to read again where the batch has rows without values', async () => {
    const hub = await startHub()
    const [first, second] = [await hub.open(), await hub.open()]
    await first.join()
    logWithoutValues(hub)
    // A table that nobody follows yet: the place of this one is where the log ends now.
    await second.join(changesOf('notes', 'others'))
    logWithoutValues(hub)
    await hub.push(0)
    await eventually(() => expect(refetches(first)).toBe(1))
    await eventually(() => expect(refetches(second)).toBe(1))
  })
})

function logWithoutValues(hub: TestHub): void {
  hub.log()
  const logged = hub.world.entries.pop()
  if (logged?.kind === 'change') hub.world.entries.push({ ...logged, row: null, error: 'it is too large' })
}

describe('an older join of the topic', () => {
  it('does not end the one that stands by its leave', async () => {
    const hub = await startHub()
    const client = await hub.open()
    const older = client.send('phx_join', { config: NOTES })
    await client.join()
    const closed = client.events('phx_close').length
    expect(await client.ask('phx_leave', {}, 'realtime:room', older)).toMatchObject({ status: 'ok' })
    expect(client.events('phx_close')).toHaveLength(closed)
    await toldRows(client, [await hub.change()])
  })

  it('leaves the one that stands to be ended by its own leave', async () => {
    const hub = await startHub()
    const client = await hub.open()
    client.send('phx_join', { config: NOTES })
    const newer = client.send('phx_join', { config: NOTES })
    expect(await client.ask('phx_leave', {}, 'realtime:room', newer)).toMatchObject({ status: 'ok' })
    await eventually(async () => expect(await hub.state()).toMatchObject({ channels: 0 }))
  })

  it('may be named by a broadcast, which is heard all the same', async () => {
    const hub = await startHub()
    const [client, other] = [await hub.open(), await hub.open()]
    await other.join({})
    const older = client.send('phx_join', { config: { broadcast: { ack: true } } })
    await client.join({ broadcast: { ack: true } })
    const said = await client.ask('broadcast', broadcastOf('x'), 'realtime:room', older)
    expect(said).toMatchObject({ status: 'ok' })
    await eventually(() => expect(other.events('broadcast')).toHaveLength(1))
  })
})

describe("a socket's own token", () => {
  const PRIVATE = { ...NOTES, private: true, presence: { enabled: true } }

  async function startPresent() {
    const hub = await startHub()
    const present = await hub.open()
    await present.join({ private: true, presence: { enabled: true, key: 'present' } })
    await present.ask('presence', { type: 'presence', event: 'track', payload: {} })
    const client = await hub.open({ claims: { sub: 'a', exp: Math.floor(Date.now() / 1_000) + 10 } })
    return { hub, client }
  }

  it('lets in until it ends, and nobody afterwards', async () => {
    const { hub, client } = await startPresent()
    expect(await client.join(PRIVATE)).toBe('ok')
    await eventually(() => expect(client.events('presence_state')).toMatchObject([{ present: {} }]))
    later(10_000)
    expect(await client.join(PRIVATE)).toContain('InvalidAccessToken')
    expect(await client.join(NOTES, { topic: 'realtime:rows' })).toContain('InvalidAccessToken')
    await hub.change('a')
    await client.heartbeat()
    expect(client.events('presence_state')).toHaveLength(1)
    expect(client.rows()).toEqual([])
  })

  it('that has ended is made up for by one that comes with the join', async () => {
    const { hub, client } = await startPresent()
    later(10_000)
    expect(await client.join(PRIVATE, { token: await tokenOf('a') })).toBe('ok')
    await toldRows(client, [await hub.change('a')])
  })

  it('that ends while its join is under way lets nobody in', async () => {
    const { hub, client } = await startPresent()
    const follow = hub.hold('follow')
    const join = client.join(PRIVATE)
    await eventually(() => expect(follow.waiting).toBe(1))
    later(10_000)
    follow.release()
    expect(await join).toContain('InvalidAccessToken')
    await client.heartbeat()
    expect(client.events('presence_state')).toEqual([])
  })
})

describe('a table that a join is about to follow', () => {
  // The join waits behind the log's answer, for what was sent before.
  const REPLAYING = { ...NOTES, private: true, broadcast: { replay: { since: 0 } } }

  async function startJoin(hub: TestHub, client: Client) {
    const replay = hub.hold('realtime.messages m')
    const join = client.join(REPLAYING, { topic: 'realtime:replayed' })
    await eventually(() => expect(replay.waiting).toBe(1))
    return { replay, join }
  }

  it('is followed on over several rounds', async () => {
    const hub = await startHub()
    const client = await hub.open()
    const { replay, join } = await startJoin(hub, client)
    for (let round = 0; round < 2; round++) expect(await runDurableObjectAlarm(hub.stub)).toBe(true)
    replay.release()
    expect(await join).toBe('ok')
    await toldRows(client, [await hub.change()])
  })

  it('is followed on where the last that followed it leaves meanwhile', async () => {
    const hub = await startHub()
    const [last, client] = [await hub.open(), await hub.open()]
    await last.join()
    // Nobody has asked for a table since.
    expect(await runDurableObjectAlarm(hub.stub)).toBe(true)
    const { replay, join } = await startJoin(hub, client)
    await last.ask('phx_leave')
    expect(await runDurableObjectAlarm(hub.stub)).toBe(true)
    replay.release()
    expect(await join).toBe('ok')
    await toldRows(client, [await hub.change()])
  })

  it('has no change lost for good where the log tells of other tables meanwhile', async () => {
    const hub = await startHub()
    const [other, last, client] = [await hub.open(), await hub.open(), await hub.open()]
    await other.join(changesOf('others'))
    await last.join()
    expect(await runDurableObjectAlarm(hub.stub)).toBe(true)
    const { replay, join } = await startJoin(hub, client)
    await last.ask('phx_leave')
    expect(await runDurableObjectAlarm(hub.stub)).toBe(true)
    replay.release()
    expect(await join).toBe('ok')
    hub.log()
    // The log goes on behind it: the hub reads what is between of the tables that it follows.
    await hub.push(1)
    expect(await runDurableObjectAlarm(hub.stub)).toBe(true)
    await toldRows(client, [1])
  })
})
