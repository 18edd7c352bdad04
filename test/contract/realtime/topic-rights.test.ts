// What policies of realtime.messages let a caller do in a private topic. Asking writes nothing.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { askTopic } from '../../../src/features/realtime/sight/ask-topic.ts'
import { type RealtimeDatabase, realtimeDatabase } from './database.ts'

let db: RealtimeDatabase

beforeAll(async () => {
  db = await realtimeDatabase()
})
afterAll(async () => {
  await db?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await db.run('drop policy if exists p on realtime.messages; drop policy if exists q on realtime.messages')
})

const rightsOf = (topic: string, claims: object = {}, role: 'anon' | 'service_role' = 'anon') =>
  askTopic(db.deps, { role, claims: { ...claims }, share: 'test/topic' }, topic)

const NONE = { read: false, write: false }

it('is nothing without a policy, and everything for the service', async () => {
  expect(await rightsOf('room')).toEqual({ broadcast: NONE, presence: NONE })
  const all = { read: true, write: true }
  expect(await rightsOf('room', {}, 'service_role')).toEqual({ broadcast: all, presence: all })
})

it('tells reading from writing, topics, extensions and claims', async () => {
  await db.run(`
    create policy p on realtime.messages for select to anon using (realtime.topic() = 'room' and topic = 'room'
      and extension = 'broadcast' and private);
    create policy q on realtime.messages for insert to anon with check (extension = 'presence'
      and realtime.topic() = current_setting('request.jwt.claims')::json ->> 'room')`)
  expect(await rightsOf('room')).toEqual({ broadcast: { read: true, write: false }, presence: NONE })
  expect(await rightsOf('hall', { room: 'hall' })).toEqual({
    broadcast: NONE,
    presence: { read: false, write: true },
  })
})

it('needs the right to the table too', async () => {
  await db.run('create policy p on realtime.messages using (true) with check (true)')
  await db.run('revoke insert on realtime.messages from anon')
  try {
    const right = { read: true, write: false }
    expect(await rightsOf('room')).toEqual({ broadcast: right, presence: right })
  } finally {
    await db.run('grant insert on realtime.messages to anon')
  }
})

it('throws what a policy raises, and writes nothing', async () => {
  await db.run(`
    create function raises() returns bool language plpgsql as $$ begin raise 'closed' using errcode = 'P0077'; end $$;
    grant execute on function raises() to anon;
    create policy p on realtime.messages for select using (raises())`)
  await expect(rightsOf('room')).rejects.toMatchObject({ code: 'P0077', message: 'closed' })
  expect(await db.run('select from realtime.messages')).toEqual([])
})
