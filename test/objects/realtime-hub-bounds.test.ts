// Bounds of a hub that must hold while joins are under way, whichever way messages come, and without a loss in silence.
// Run inside workerd over a log and a database of the test's own.

import { describe, expect, it } from 'vitest'
import { MESSAGES_TABLE_ID } from '../../src/features/realtime/log/log-contract.ts'
import { eventually } from './eventually.ts'
import { type Client, later, NOTES, startHub, type TestHub } from './realtime-hub-support.ts'

const WATCHES = 'quoin.realtime_watches'
const REFUSED = expect.stringContaining('TooManySubscriptions')

const filtersOf = (name: string, count: number) => ({
  postgres_changes: Array.from({ length: count }, (_, i) => ({
    ...NOTES.postgres_changes[0],
    filter: `owner=eq.${name}-${i}`,
  })),
})

/** All of them are past what is checked at the beginning of a join before the first goes on. */
async function joinTogether(hub: TestHub, joining: readonly (readonly [Client, unknown])[]) {
  const watching = hub.hold(WATCHES)
  const joins = joining.map(([client, config]) => client.join(config))
  await eventually(() => expect(watching.waiting).toBe(joining.length))
  watching.release()
  return (await Promise.all(joins)).sort()
}

describe('joins under way', () => {
  it('have no more filters than a client address may have', async () => {
    const hub = await startHub()
    const [a, b] = [await hub.open(), await hub.open()]
    const answers = await joinTogether(hub, [
      [a, filtersOf('a', 60)],
      [b, filtersOf('b', 60)],
    ])
    expect(answers).toEqual([REFUSED, 'ok'])
    expect(await hub.state()).toMatchObject({ channels: 1 })
  })

  it('have no more filters than a table may have', async () => {
    const hub = await startHub()
    const joining = []
    for (let i = 1; i <= 6; i++)
      joining.push([await hub.open({ address: `192.0.2.${i}` }), filtersOf(`${i}`, 90)] as const)
    expect(await joinTogether(hub, joining)).toEqual([REFUSED, 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(await hub.state()).toMatchObject({ channels: 5 })
  })

  it('make a client address hold no more than its part, however few filters it has', async () => {
    const hub = await startHub()
    const client = await hub.open()
    const long = { ...NOTES.postgres_changes[0], filter: `owner=eq.${'x'.repeat(8_000)}` }
    const config = { postgres_changes: Array.from({ length: 27 }, () => long) }
    const answers: string[] = []
    for (let i = 0; i < 12; i++) {
      answers.push(await client.join(config, { topic: `realtime:${i}` }))
      later(1_001)
    }
    expect(answers[0]).toBe('ok')
    expect(answers.at(-1)).toEqual(REFUSED)
    expect(await (await hub.open({ address: '198.51.100.1' })).join(config)).toBe('ok')
  })

  it('make no more classes of callers than a table may have, with those that resume', async () => {
    const hub = await startHub({ REALTIME_SOCKETS_PER_KEY: '1000', REALTIME_SOCKETS_PER_ADDRESS: '1000' })
    const openAs = (sub: string) => hub.open({ claims: { sub } })
    hub.log()
    const gate = Promise.withResolvers<void>()
    hub.world.gate = gate.promise
    const resuming = { postgres_changes: [{ ...NOTES.postgres_changes[0], after: 0 }] }
    const clients = await Promise.all(Array.from({ length: 499 }, (_, i) => openAs(`${i}`)))
    for (const client of clients) client.send('phx_join', { config: resuming })
    // None of them is live.
    await eventually(async () =>
      expect(await hub.state()).toMatchObject({ channels: 499, subscriptions: [] }),
    )
    const [a, b] = [await openAs('a'), await openAs('b')]
    const answers = await joinTogether(hub, [
      [a, NOTES],
      [b, NOTES],
    ])
    expect(answers).toEqual([REFUSED, 'ok'])
    expect(await (await openAs('c')).join()).toEqual(REFUSED)
    // Whoever is of a class that is there already costs nothing.
    expect(await (await openAs('0')).join()).toBe('ok')
    gate.resolve()
  })
})

describe('messages from the database', () => {
  const texts = (client: Client) =>
    client.events('broadcast').map(message => (message as { payload: { text: number } }).payload.text)

  function logMessage({ world }: TestHub, text: number): void {
    world.head += 1
    world.entries.push({
      kind: 'change',
      number: world.head,
      event_id: `e1:${world.head}.0`,
      table_id: MESSAGES_TABLE_ID,
      event: 'INSERT',
      occurred_at: '2026-01-01T00:00:00.000Z',
      row: JSON.stringify({
        id: crypto.randomUUID(),
        topic: 'room',
        extension: 'broadcast',
        event: 'said',
        private: false,
        payload: { text },
        binary_payload: null,
      }),
      old_row: null,
      error: null,
    })
  }

  it('wait where the second has no deliveries left, and all are told, in order', async () => {
    const hub = await startHub({ REALTIME_DELIVERIES_PER_SECOND: '10' })
    const clients = [await hub.open(), await hub.open()]
    for (const client of clients) await client.join({})
    for (let i = 1; i <= 8; i++) logMessage(hub, i)
    const telling = hub.push(0)
    for (const client of clients) await eventually(() => expect(texts(client)).toEqual([1, 2, 3, 4, 5]))
    later(1_000)
    await telling
    for (const client of clients)
      await eventually(() => expect(texts(client)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]))
  })
})

describe('bytes of a caller in a second', () => {
  const messageOf = (characters: number) => ({
    topic: 'room',
    event: 'said',
    isPrivate: false,
    payload: { encoding: 'json', json: JSON.stringify('x'.repeat(characters - 2)) },
  })

  it('are bounded over HTTP too, and together with those of its sockets', async () => {
    const hub = await startHub({ REALTIME_MESSAGE_BYTES_MAX: '1024' })
    const [sender, hearer] = [await hub.open({ caller: 'a' }), await hub.open()]
    await hearer.join({})
    await sender.join({ broadcast: { ack: true } })
    const send = (count: number, caller = 'a') => hub.broadcast(caller, Array(count).fill(messageOf(500)))
    expect(await send(3)).toBe('sent')
    expect(await send(2)).toBe('too_many_messages')
    const payload = { text: 'x'.repeat(600) }
    expect(await sender.ask('broadcast', { type: 'broadcast', event: 'said', payload })).toMatchObject({
      status: 'error',
    })
    expect(await send(4, 'b')).toBe('sent')
    await hearer.heartbeat()
    expect(hearer.events('broadcast')).toHaveLength(7)
    later(1_000)
    expect(await send(4)).toBe('sent')
  })

  it('let a member that reads stay, whatever one caller sends over HTTP', async () => {
    const hub = await startHub()
    const member = await hub.open()
    await member.join({})
    // A client says that it reads every 25 seconds.
    for (let second = 0; second < 25; second++) {
      for (let i = 0; i < 4; i++) await hub.broadcast('a', [messageOf(260_000)])
      later(1_000)
    }
    await member.heartbeat()
    expect(member.closed).toEqual([])
    expect(member.events('broadcast')).toHaveLength(50)
  })
})
