// Tickets of a hub: each opens one socket of its project, within thirty seconds.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { RealtimeHub } from '../../durable-objects/realtime-hub/realtime-hub.ts'

const { REALTIME_HUB } = env as { REALTIME_HUB: DurableObjectNamespace<RealtimeHub> }
const newHub = () => REALTIME_HUB.getByName(crypto.randomUUID())
const holder = { sessionId: 's', endsAtMs: null }

/** As if the tickets had been made so many milliseconds earlier. */
async function age(hub: ReturnType<typeof newHub>, milliseconds: number): Promise<void> {
  await runInDurableObject(hub, (_, { storage }) => {
    storage.sql.exec('update tickets set ends_at_ms = ends_at_ms - ?', milliseconds)
  })
}

it('is taken once, by the hub that made it', async () => {
  const [hub, other] = [newHub(), newHub()]
  const ticket = (await hub.issueTicket(holder)) ?? ''
  expect(await other.takeTicket(ticket)).toBeUndefined()
  expect(await hub.takeTicket(ticket)).toEqual(holder)
  expect(await hub.takeTicket(ticket)).toBeUndefined()
})

it('is good for thirty seconds, and not longer', async () => {
  const hub = newHub()
  const early = (await hub.issueTicket(holder)) ?? ''
  await age(hub, 25_000)
  expect(await hub.takeTicket(early)).toEqual(holder)
  const late = (await hub.issueTicket(holder)) ?? ''
  await age(hub, 30_000)
  expect(await hub.takeTicket(late)).toBeUndefined()
})

it('is not in the storage as it is', async () => {
  const hub = newHub()
  const ticket = (await hub.issueTicket(holder)) ?? ''
  const rows = await runInDurableObject(hub, (_, { storage }) =>
    storage.sql.exec('select * from tickets').toArray(),
  )
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(ticket)
})

it('is given out while fewer than a thousand wait', async () => {
  const hub = newHub()
  const endsAtMs = Date.now() + 30_000
  await runInDurableObject(hub, (_, { storage }) => {
    for (let i = 0; i < 1_000; i++)
      storage.sql.exec(
        'insert into tickets (hash, holder, ends_at_ms) values (?, ?, ?)',
        `${i}`,
        '{}',
        endsAtMs,
      )
  })
  expect(await hub.issueTicket(holder)).toBeUndefined()
  await age(hub, 60_000)
  expect(await hub.issueTicket(holder)).toBeTypeOf('string')
})
