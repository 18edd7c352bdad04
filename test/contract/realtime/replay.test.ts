// A join with a replay, while messages are sent from the database: each comes once, and none is missing
// (supabase/realtime#1526).

import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { freshPrefix } from '../data-api/caller.ts'
import { joined, supabaseClients } from './supabase.ts'

const p = freshPrefix()
const SLOW = `${p} slow`

let owner: TestClient
let clients: Awaited<ReturnType<typeof supabaseClients>>

beforeAll(async () => {
  owner = await connectOwner()
  clients = await supabaseClients()
  // The rows of the slow topic keep a replay of 25 busy for three quarters of a second.
  await owner.query(`create policy "${p}" on realtime.messages for select to anon using (realtime.topic() like '${p}%'
    and case when topic = '${SLOW}' and payload is not null then pg_sleep(0.03) is not null else true end)`)
})

afterAll(async () => {
  await clients?.end()
  await owner.query(
    `drop policy "${p}" on realtime.messages; delete from realtime.messages where topic like '${p}%'`,
  )
  await owner.end()
})

async function send(topic: string, n: number): Promise<void> {
  await owner.query(`select realtime.send(jsonb_build_object('n', $2::int), 'n', $1, true)`, [topic, n])
}

/** The numbers that a client hears which joins with a replay, and its join. */
function listen(topic: string) {
  const heard: number[] = []
  const replay = { since: Date.now() - 5_000 }
  const channel = clients.newClient().channel(topic, { config: { private: true, broadcast: { replay } } })
  channel.on('broadcast', { event: '*' }, ({ payload }) => heard.push(payload.n))
  return { heard, joining: joined(channel) }
}

const inOrder = (heard: readonly number[]) => [...heard].sort((a, b) => a - b)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

it('tells each message once, whenever somebody joins', async () => {
  const topic = `${p} quick`
  const listeners: ReturnType<typeof listen>[] = []
  for (const n of upTo(20)) {
    await send(topic, n)
    if (n % 4 === 0) listeners.push(listen(topic))
  }
  for (const { heard, joining } of listeners) {
    await joining
    await expect.poll(() => heard).toContain(20)
    expect(inOrder(heard)).toEqual(upTo(20))
  }
})

it('misses nothing that is sent while the replay is read', async () => {
  const before = listen(SLOW)
  await before.joining
  for (const n of upTo(25)) await send(SLOW, n)
  await expect.poll(() => before.heard).toContain(25)
  const { heard, joining } = listen(SLOW)
  let isOver = false
  const over = joining.finally(() => {
    isOver = true
  })
  let n = 25
  while (!isOver && n < 300) await send(SLOW, ++n)
  await over
  await send(SLOW, ++n)
  await expect.poll(() => heard).toContain(n)
  // A replay has the last 25 of when it is read; what was sent just before it may come behind it.
  const first = Math.min(...heard)
  expect(inOrder(heard)).toEqual(upTo(n).slice(first - 1))
  expect(heard.length).toBeGreaterThan(30)
})
