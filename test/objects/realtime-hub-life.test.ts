// How long a hub's sockets and channels live, and what they are after its sleep, run inside workerd.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { type Client, later, NOTES, refetches, startHub, tokenOf } from './realtime-hub-support.ts'

const toldRows = (client: Client, rows: readonly number[]) =>
  eventually(() => expect(client.rows()).toEqual(rows))
const endOf = (client: Client) =>
  eventually(() => {
    expect(client.closed).toHaveLength(1)
    return client.closed[0]
  })
const broadcastOf = (text: string) => ({ type: 'broadcast', event: 'said', payload: { text } })
const EXPIRED = /^Token has expired/

describe('a token that ends', () => {
  it('ends its channel by the clock, in time, and no other', async () => {
    const hub = await startHub()
    const [client, other] = [await hub.open(), await hub.open()]
    await client.join(NOTES, { token: await tokenOf('a', 10) })
    await other.join(NOTES, { token: await tokenOf('b') })
    const alarmAtMs = await runInDurableObject(hub.stub, (_, { storage }) => storage.getAlarm())
    expect(alarmAtMs).toBeLessThanOrEqual(Date.now() + 10_000)
    later(10_000)
    await runDurableObjectAlarm(hub.stub)
    await eventually(() => expect(client.events('phx_close')).toHaveLength(1))
    expect(client.system().at(-1)).toMatch(EXPIRED)
    await other.heartbeat()
    expect(other.events('phx_close')).toEqual([])
  })

  it('has no rows behind its end', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join(NOTES, { token: await tokenOf('a', 10) })
    await hub.change('a')
    await toldRows(client, [1])
    later(10_000)
    await hub.change('a')
    await eventually(() => expect(client.events('phx_close')).toHaveLength(1))
    await client.heartbeat()
    expect(client.rows()).toEqual([1])
  })

  it('has no rows that were judged before its end', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join(NOTES, { token: await tokenOf('a', 10) })
    const gate = Promise.withResolvers<void>()
    hub.world.gate = gate.promise
    const telling = hub.change('a')
    await eventually(() => expect(hub.world.questions).toBe(1))
    later(10_000)
    gate.resolve()
    await telling
    await client.heartbeat()
    expect(client.system().at(-1)).toMatch(EXPIRED)
    expect(client.rows()).toEqual([])
  })

  it('hears nobody, and is not heard', async () => {
    const hub = await startHub()
    const [client, other] = [await hub.open(), await hub.open()]
    await client.join({ presence: { enabled: true } }, { token: await tokenOf('a', 10) })
    await other.join({ broadcast: { ack: true } })
    later(10_000)
    await other.ask('broadcast', broadcastOf('x'))
    await other.ask('presence', { type: 'presence', event: 'track', payload: {} })
    expect(await client.ask('broadcast', broadcastOf('y'))).toMatchObject({ status: 'error' })
    await other.heartbeat()
    expect(client.events('broadcast')).toEqual([])
    expect(client.events('presence_diff')).toEqual([])
    expect(other.events('broadcast')).toEqual([])
    expect(client.system().at(-1)).toMatch(EXPIRED)
  })
})

describe('a token that comes later', () => {
  it('of the same person keeps the channel', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join(NOTES, { token: await tokenOf('a', 10) })
    client.send('access_token', { access_token: await tokenOf('a', 100) })
    // Messages of a socket are handled one after the other.
    await client.ask('nothing')
    later(20_000)
    await hub.change('a')
    await toldRows(client, [1])
    expect(refetches(client)).toBe(0)
  })

  it('of another person brings that one rows, and has what was read before read again', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join(NOTES, { token: await tokenOf('a') })
    client.send('access_token', { access_token: await tokenOf('b') })
    await eventually(() => expect(refetches(client)).toBe(1))
    await hub.change('a')
    await hub.change('b')
    await toldRows(client, [2])
  })

  it('of another person gets no rows that were judged for the one before', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join(NOTES, { token: await tokenOf('a') })
    const gate = Promise.withResolvers<void>()
    hub.world.gate = gate.promise
    const telling = hub.change('a')
    await eventually(() => expect(hub.world.questions).toBe(1))
    client.send('access_token', { access_token: await tokenOf('b') })
    await eventually(() => expect(refetches(client)).toBe(1))
    gate.resolve()
    await telling
    await client.heartbeat()
    expect(client.rows()).toEqual([])
  })

  it('that is bad ends the channel', async () => {
    const client = await (await startHub()).open()
    await client.join()
    client.send('access_token', { access_token: await tokenOf('a', -100) })
    await eventually(() => expect(client.events('phx_close')).toHaveLength(1))
    expect(client.system().at(-1)).toContain('InvalidAccessToken')
  })
})

describe('a recheck', () => {
  it('closes sockets of keys, projects and sessions that have ended; who cannot be asked about stays', async () => {
    const hub = await startHub()
    const asKey = (name: string) => hub.open({ caller: name, keyHash: name })
    const asSession = (sessionId: string, endsAtMs: number | null = null) =>
      hub.open({ caller: `session:${sessionId}`, keyHash: null, sessionId, endsAtMs })
    const [revoked, paused, good, unavailable, lost] = [
      await asKey('revoked'),
      await asKey('paused'),
      await asKey('good'),
      await asKey('unavailable'),
      await asKey('lost'),
    ]
    const ids = Array.from({ length: 4 }, () => crypto.randomUUID())
    const [over, active, unknown, past] = [
      await asSession(ids[0] ?? ''),
      await asSession(ids[1] ?? ''),
      await asSession(ids[2] ?? ''),
      await asSession(ids[3] ?? '', Date.now() - 1),
    ]
    const { confirmations, sessions } = hub.world
    confirmations.set('revoked', 'refused').set('paused', 'project_paused')
    confirmations.set('unavailable', 'unavailable').set('lost', new Error('gone'))
    sessions.set(ids[0] ?? '', false).set(ids[1] ?? '', true)
    await hub.recheck()
    expect(await endOf(revoked)).toEqual({ code: 1008, reason: 'the API key is not valid any more' })
    expect(await endOf(paused)).toEqual({ code: 1008, reason: 'the project is paused' })
    expect(await endOf(over)).toEqual({ code: 1008, reason: 'the session has ended' })
    expect(await endOf(past)).toEqual({ code: 1008, reason: 'the session has ended' })
    for (const client of [good, unavailable, lost, active, unknown]) {
      await client.heartbeat()
      expect(client.closed).toEqual([])
    }
  })
})

describe('a socket', () => {
  it('that does not show that it reads is cut off, and told why', async () => {
    const hub = await startHub({ REALTIME_MESSAGE_BYTES_MAX: '3145728' })
    const [sender, slow] = [await hub.open(), await hub.open()]
    await sender.join({ broadcast: { ack: true } })
    await slow.join({})
    const send = async (messages: number) => {
      for (let i = 0; i < messages; i++) {
        // The sender's own bound is one of bytes in a second.
        if (i % 10 === 0) later(1_000)
        await sender.ask('broadcast', broadcastOf('x'.repeat(200_000)))
      }
    }
    await send(20)
    await slow.heartbeat()
    await send(80)
    expect(slow.closed).toEqual([])
    await send(4)
    expect(await endOf(slow)).toEqual({ code: 1013, reason: 'slow_consumer' })
    expect(slow.system().at(-1)).toMatch(/^slow_consumer: /)
    expect(sender.closed).toEqual([])
  })

  it('that is silent for 75 seconds is closed', async () => {
    const hub = await startHub()
    const [silent, alive] = [await hub.open(), await hub.open()]
    later(70_000)
    await alive.heartbeat()
    await runDurableObjectAlarm(hub.stub)
    expect(silent.closed).toEqual([])
    later(6_000)
    await runDurableObjectAlarm(hub.stub)
    expect(await endOf(silent)).toMatchObject({ code: 1008 })
    expect(alive.closed).toEqual([])
  })
})

describe('after a sleep', () => {
  it('channels, their places, presence and limits are there again', async () => {
    const hub = await startHub({ REALTIME_SOCKETS_PER_KEY: '2' })
    const [a, b] = [await hub.open(), await hub.open()]
    await hub.change()
    await a.join({ ...NOTES, presence: { enabled: true, key: 'a' } }, { token: await tokenOf('a') })
    await b.join({ presence: { enabled: true, key: 'b' } })
    await a.ask('presence', { type: 'presence', event: 'track', payload: { name: 'A' } })
    await hub.change('a')
    await toldRows(a, [2])
    await hub.sleep()
    expect(await hub.state()).toMatchObject({ connections: 2, channels: 2, position: 2 })
    expect((await hub.tryOpen()).status).toBe(429)
    await hub.push(0)
    await hub.change('b')
    await hub.change('a')
    await toldRows(a, [2, 4])
    await a.ask('phx_leave')
    await eventually(() =>
      expect(b.events('presence_diff').at(-1)).toMatchObject({ leaves: { a: { metas: [{ name: 'A' }] } } }),
    )
  })

  it('what was not told meanwhile comes', async () => {
    const hub = await startHub()
    const client = await hub.open()
    await client.join()
    await hub.sleep()
    hub.log()
    await hub.change()
    await toldRows(client, [1, 2])
  })

  it('sockets that died are forgotten, and those who stay are told that they left', async () => {
    const hub = await startHub()
    const [gone, here] = [await hub.open(), await hub.open()]
    await here.join({ presence: { enabled: true, key: 'here' } })
    await gone.join({ ...NOTES, presence: { enabled: true, key: 'gone' } })
    await gone.ask('presence', { type: 'presence', event: 'track', payload: {} })
    await eventually(() => expect(here.events('presence_diff')).toHaveLength(1))
    await hub.sleep(storage => {
      // As if its socket had gone with the process.
      const rows = storage.sql
        .exec("select socket_id as id from presences where record like '%gone%'")
        .toArray()
      for (const table of ['channels', 'presences'])
        storage.sql.exec(
          `update ${table} set socket_id = 'dead' where socket_id = ?`,
          String(rows[0]?.['id']),
        )
      storage.sql.exec("insert into sockets (id, pass) select 'dead', pass from sockets limit 1")
    })
    await eventually(() =>
      expect(here.events('presence_diff').at(-1)).toMatchObject({ leaves: { gone: { metas: [{}] } } }),
    )
    const kept = await runInDurableObject(hub.stub, (_, { storage }) =>
      ['sockets', 'channels', 'presences'].map(table =>
        Number(storage.sql.exec(`select count(*) as n from ${table}`).one()['n']),
      ),
    )
    expect(kept).toEqual([2, 1, 0])
  })
})
