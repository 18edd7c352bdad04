// What a hub tells to whom, and what it refuses, run inside workerd over a log and a database of the test's own.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Client, later, NOTES, refetches, startHub, tokenOf } from './realtime-hub-support.ts'

const resuming = (after: number) => ({
  postgres_changes: NOTES.postgres_changes.map(one => ({ ...one, after })),
})
const toldRows = (client: Client, rows: readonly number[]) =>
  eventually(() => expect(client.rows()).toEqual(rows))
const broadcastOf = (text: string) => ({ type: 'broadcast', event: 'said', payload: { text } })

describe('limits, by name', () => {
  it('sockets of a key, and of an address', async () => {
    const hub = await startHub({ REALTIME_SOCKETS_PER_KEY: '2', REALTIME_SOCKETS_PER_ADDRESS: '3' })
    const first = await hub.open()
    await hub.open()
    const refused = await hub.tryOpen()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ hint: expect.stringContaining('REALTIME_SOCKETS_PER_KEY') })
    await hub.open({ caller: 'b' })
    const crowded = await hub.tryOpen({ caller: 'c' })
    expect(await crowded.json()).toMatchObject({
      hint: expect.stringContaining('REALTIME_SOCKETS_PER_ADDRESS'),
    })
    await hub.open({ caller: 'c', address: '198.51.100.1' })
    first.close()
    await eventually(async () => expect((await hub.tryOpen()).status).toBe(101))
  })

  it('channels of a socket; one that is joined again is no more', async () => {
    const hub = await startHub({ REALTIME_CHANNELS_PER_SOCKET: '2' })
    const client = await hub.open()
    expect(await client.join({}, { topic: 'realtime:a' })).toBe('ok')
    expect(await client.join({}, { topic: 'realtime:b' })).toBe('ok')
    expect(await client.join({}, { topic: 'realtime:b' })).toBe('ok')
    expect(await client.join({}, { topic: 'realtime:c' })).toContain('REALTIME_CHANNELS_PER_SOCKET')
  })

  it('messages in a second', async () => {
    const hub = await startHub({ REALTIME_MESSAGES_PER_SECOND: '2' })
    const client = await hub.open()
    await client.join({ broadcast: { ack: true } })
    for (const status of ['ok', 'ok', 'error'])
      expect(await client.ask('broadcast', broadcastOf('x'))).toMatchObject({ status })
    expect(client.system().join()).toContain('REALTIME_MESSAGES_PER_SECOND')
  })

  it('bytes of a message', async () => {
    const hub = await startHub({ REALTIME_MESSAGE_BYTES_MAX: '1024' })
    const client = await hub.open()
    await client.join({})
    const { status, response } = await client.ask('broadcast', broadcastOf('x'.repeat(1_024)))
    expect(status).toBe('error')
    expect(response['reason']).toContain('REALTIME_MESSAGE_BYTES_MAX')
  })

  it('deliveries in a second: a broadcast is refused whole', async () => {
    const hub = await startHub({ REALTIME_DELIVERIES_PER_SECOND: '10' })
    const clients = [await hub.open(), await hub.open()]
    for (const client of clients) await client.join({ broadcast: { ack: true } })
    const [sender, hearer] = clients as [Client, Client]
    for (let i = 0; i < 5; i++)
      expect(await sender.ask('broadcast', broadcastOf(`${i}`))).toMatchObject({ status: 'ok' })
    const { response } = await sender.ask('broadcast', broadcastOf('5'))
    expect(response['reason']).toContain('REALTIME_DELIVERIES_PER_SECOND')
    await hearer.heartbeat()
    expect(hearer.events('broadcast')).toHaveLength(5)
  })
})

describe('channels', () => {
  it('are closed when their topic is joined again', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join()
    await client.join()
    expect(client.events('phx_close')).toHaveLength(1)
    const number = await hub.change()
    await toldRows(client, [number])
  })

  it('hear nothing after a leave', async () => {
    const hub = await startHub()
    const [client, other] = [await hub.open(), await hub.open()]
    await client.join()
    await other.join()
    expect(await client.ask('phx_leave')).toMatchObject({ status: 'ok' })
    await toldRows(other, [await hub.change()])
    await client.heartbeat()
    expect(client.events('phx_close')).toHaveLength(1)
    expect(client.rows()).toEqual([])
  })

  it('that were not joined have nothing but a leave', async () => {
    const client = await (await startHub()).open()
    expect(await client.ask('broadcast', broadcastOf('x'))).toEqual({
      status: 'error',
      response: { reason: 'unmatched topic' },
    })
    expect(await client.ask('phx_leave')).toMatchObject({ status: 'ok' })
  })

  it('refuse events that they do not have', async () => {
    const client = await (await startHub()).open()
    await client.join({})
    const { response } = await client.ask('unheard_of')
    expect(response['reason']).toContain('UnknownEvent')
  })

  it('are refused while the log does not answer; a later join works', async () => {
    const hub = await startHub()
    const client = await hub.open()
    hub.world.logFailure = new Error('gone')
    expect(await client.join()).toContain('InternalError')
    hub.world.logFailure = undefined
    expect(await client.join()).toBe('ok')
    await toldRows(client, [await hub.change()])
  })

  it('that are private are refused by policies', async () => {
    const client = await (await startHub()).open()
    expect(await client.join({ private: true }, { topic: 'realtime:closed' })).toContain('UnauthorizedTopic')
    expect(await client.join({ private: true }, { topic: 'realtime:heard' })).toBe('ok')
    const { response } = await client.ask('broadcast', broadcastOf('x'), 'realtime:heard')
    expect(response['reason']).toContain('UnauthorizedTopic')
  })
})

describe('rows', () => {
  it('go to those who may see them', async () => {
    const hub = await startHub()
    const [a, b] = [await hub.open(), await hub.open()]
    await a.join(NOTES, { token: await tokenOf('a') })
    await b.join(NOTES, { token: await tokenOf('b') })
    await hub.change('a')
    await hub.change('b')
    await hub.change()
    await toldRows(a, [1, 3])
    await toldRows(b, [2, 3])
  })

  it('are told once where the log tells them twice', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join()
    await hub.change()
    await hub.push(0)
    await hub.change()
    await toldRows(client, [1, 2])
  })

  it('of a push that was lost come with the next one, and without one by the clock', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join()
    hub.log()
    await hub.change()
    await toldRows(client, [1, 2])
    hub.log()
    await runDurableObjectAlarm(hub.stub)
    await toldRows(client, [1, 2, 3])
  })

  it('that commit behind a join in the middle of a batch come once each', async () => {
    const hub = await startHub()
    const [first, second] = [await hub.open(), await hub.open()]
    await first.join()
    const gate = Promise.withResolvers<void>()
    hub.world.gate = gate.promise
    const telling = hub.change()
    await eventually(() => expect(hub.world.questions).toBe(1))
    expect(await second.join()).toBe('ok')
    hub.log()
    await hub.push(1)
    gate.resolve()
    await telling
    await toldRows(first, [1, 2])
    await eventually(() => expect(second.rows()).toContain(2))
    expect(new Set(second.rows()).size).toBe(second.rows().length)
  })

  it('that nobody can judge have who follows read again, and what comes behind comes', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join()
    hub.world.sqlstate = '22P05'
    await hub.change()
    expect(client.system().at(-1)).toBe('must_refetch')
    hub.world.sqlstate = undefined
    await toldRows(client, [await hub.change()])
  })

  it('wait where the second has no deliveries left, and are told all', async () => {
    const hub = await startHub({ REALTIME_DELIVERIES_PER_SECOND: '10' })
    const client = await hub.open()
    await client.join()
    for (let i = 0; i < 6; i++) hub.log()
    await hub.push(0)
    for (let i = 0; i < 6; i++) hub.log()
    const telling = hub.push(6)
    await eventually(() => expect(hub.world.questions).toBe(2))
    await client.heartbeat()
    expect(client.rows()).toHaveLength(6)
    later(1_000)
    await telling
    await toldRows(client, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })
})

describe('a gap', () => {
  it('has all with subscriptions read again, and nobody else', async () => {
    const hub = await startHub()
    const [follower, talker] = [await hub.open(), await hub.open()]
    await follower.join()
    await talker.join({})
    hub.gap()
    hub.log()
    await hub.push(0)
    await toldRows(follower, [2])
    expect(refetches(follower)).toBe(1)
    await talker.heartbeat()
    expect(refetches(talker)).toBe(0)
  })
})

describe('a channel that comes back', () => {
  it('gets what came behind the place that it names, and then what comes', async () => {
    const hub = await startHub()
    for (let i = 0; i < 3; i++) hub.log()
    const client = await hub.open()
    await client.join(resuming(1))
    await toldRows(client, [2, 3])
    await eventually(async () => expect((await hub.state()).subscriptions).toHaveLength(1))
    await hub.change()
    await toldRows(client, [2, 3, 4])
  })

  it('is told to read again where its place is not kept any more', async () => {
    const hub = await startHub()
    for (let i = 0; i < 3; i++) hub.log()
    hub.world.oldest = 2
    const client = await hub.open()
    await client.join(resuming(1))
    await eventually(() => expect(refetches(client)).toBe(1))
    expect(client.rows()).toEqual([])
  })

  it('by its client gets again what no heartbeat has proven', async () => {
    const hub = await startHub()
    const client = await hub.open({ client: 'tab' })
    await client.join()
    await hub.change()
    await client.heartbeat()
    await hub.change()
    // Proves what was sent before the heartbeat before it.
    await client.heartbeat()
    await hub.change()
    await toldRows(client, [1, 2, 3])
    client.close()
    await eventually(async () => expect(await hub.state()).toMatchObject({ connections: 0 }))
    hub.log()
    const again = await hub.open({ client: 'tab' })
    await again.join()
    await toldRows(again, [2, 3, 4])
    const stranger = await hub.open({ client: 'tab', caller: 'other' })
    await stranger.join()
    await stranger.heartbeat()
    expect(stranger.rows()).toEqual([])
  })

  it('by its client after more than ten minutes is told to read again, as is a client that is new', async () => {
    const hub = await startHub()
    const client = await hub.open({ client: 'tab' })
    await client.join()
    await eventually(() => expect(refetches(client)).toBe(1))
    client.close()
    await eventually(async () => expect(await hub.state()).toMatchObject({ connections: 0 }))
    later(601_000)
    const again = await hub.open({ client: 'tab' })
    await again.join()
    await eventually(() => expect(refetches(again)).toBe(1))
    await toldRows(again, [await hub.change()])
  })
})
