// Where a channel goes on, and what counts while it joins, resumes or is given another token.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import {
  type Client,
  later,
  NOTES,
  refetches,
  startHub,
  TABLE,
  type TestHub,
  tokenOf,
} from './realtime-hub-support.ts'

const OTHERS = { postgres_changes: [{ event: '*', schema: 'public', table: 'others' }] }
const toldRows = (client: Client, rows: readonly number[]) =>
  eventually(() => expect(client.rows()).toEqual(rows))

async function leave(hub: TestHub, client: Client): Promise<void> {
  client.close()
  await eventually(async () => expect(await hub.state()).toMatchObject({ connections: 0 }))
}

describe('a client with a name', () => {
  it.each(['awake', 'asleep'])('resumes after a quarter of an hour of a hub that is %s', async state => {
    const hub = await startHub()
    const client = await hub.open({ client: 'tab' })
    await client.join()
    await hub.change()
    for (let i = 0; i < 26; i++) {
      later(25_000)
      await client.heartbeat()
      if (state === 'asleep') await hub.sleep()
    }
    await leave(hub, client)
    hub.log()
    const again = await hub.open({ client: 'tab' })
    await again.join()
    await eventually(() => expect(again.rows()).toContain(2))
    expect(refetches(again)).toBe(0)
  })

  it.each([
    ['another person', async () => [NOTES, { token: await tokenOf('bob') }] as const],
    ['a follower of another table', async () => [OTHERS, { token: await tokenOf('ada') }] as const],
  ])('is new as %s', async (_, other) => {
    const hub = await startHub()
    const client = await hub.open({ client: 'tab' })
    await client.join(NOTES, { token: await tokenOf('ada') })
    await leave(hub, client)
    const [again, config] = [await hub.open({ client: 'tab' }), await other()]
    expect(await again.join(...config)).toBe('ok')
    await eventually(() => expect(refetches(again)).toBe(1))
    await leave(hub, again)
    // And as before is new then: what it was told meanwhile was of somebody else.
    const back = await hub.open({ client: 'tab' })
    await back.join(NOTES, { token: await tokenOf('ada') })
    await eventually(() => expect(refetches(back)).toBe(1))
  })
})

describe('a table', () => {
  it('that is joined while a reading of the log is tried again, is read with the next try', async () => {
    const hub = await startHub()
    const [other, client] = [await hub.open(), await hub.open()]
    await other.join(OTHERS)
    hub.world.logFailure = new Error('the log is being restarted')
    const telling = hub.push(null)
    await eventually(() => expect(hub.world.reads).toBe(3))
    hub.world.logFailure = undefined
    expect(await client.join()).toBe('ok')
    hub.log()
    await telling
    await toldRows(client, [1])
  })

  it('of a join that was given up is asked for anew by the next one', async () => {
    const hub = await startHub()
    const [other, gone] = [await hub.open(), await hub.open()]
    await other.join(OTHERS)
    const follow = hub.hold('follow')
    gone.send('phx_join', { config: NOTES })
    await eventually(() => expect(follow.waiting).toBe(1))
    gone.close()
    await eventually(async () => expect(await hub.state()).toMatchObject({ connections: 1 }))
    const round = runDurableObjectAlarm(hub.stub)
    await eventually(async () => expect(await hub.state()).toMatchObject({ connections: 1 }))
    follow.release()
    await round
    const client = await hub.open()
    expect(await client.join()).toBe('ok')
    expect(hub.world.followed).toContain(TABLE)
  })

  it('whose policies read exp is told to who resumes, although the hub has just learned that', async () => {
    const hub = await startHub()
    hub.world.claimsRead = ['exp']
    hub.log('ada')
    hub.log('ada')
    const client = await hub.open()
    const resuming = { postgres_changes: [{ ...NOTES.postgres_changes[0], after: 0 }] }
    expect(await client.join(resuming, { token: await tokenOf('ada') })).toBe('ok')
    await toldRows(client, [1, 2])
    expect(refetches(client)).toBe(0)
  })
})

it('tokens make no more classes than a table may have; a token in place of another is none more', async () => {
  const hub = await startHub({ REALTIME_SOCKETS_PER_KEY: '1000', REALTIME_SOCKETS_PER_ADDRESS: '1000' })
  const clients = await Promise.all(Array.from({ length: 502 }, () => hub.open()))
  await Promise.all(clients.map(client => client.join()))
  for (const [i, client] of clients.entries())
    client.send('access_token', { access_token: await tokenOf(`p${i}`) })
  await Promise.all(clients.map(client => client.ask('nothing')))
  expect((await hub.state()).subscriptions).toMatchObject([{ classes: 500 }])
  clients[0]?.send('access_token', { access_token: await tokenOf('another') })
  await clients[0]?.ask('nothing')
  expect((await hub.state()).subscriptions).toMatchObject([{ classes: 500, subscribers: 500 }])
})

it('what a socket sends while its join waits is bounded', async () => {
  const hub = await startHub({ REALTIME_MESSAGES_PER_SECOND: '1000' })
  const client = await hub.open()
  const follow = hub.hold('follow')
  client.send('phx_join', { config: NOTES })
  await eventually(() => expect(follow.waiting).toBe(1))
  for (let i = 0; i < 510; i++) client.send('broadcast', { type: 'broadcast', event: 'e', payload: {} })
  await eventually(() => expect(client.closed).toHaveLength(1))
  follow.release()
})
