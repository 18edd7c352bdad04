// Messages that SQL sends: rows under the policies of whoever sends, which the outbox gets with the transaction.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expireMessages } from '../../../src/features/realtime/watching/expire-messages.ts'
import { type Caller, type RealtimeDatabase, realtimeDatabase } from './database.ts'

let db: RealtimeDatabase

const ANON: Caller = { role: 'anon', claims: {} }
const SERVICE: Caller = { role: 'service_role', claims: {} }

beforeAll(async () => {
  db = await realtimeDatabase()
})
afterAll(async () => {
  await db?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await db.run(`drop policy if exists p on realtime.messages; delete from realtime.messages;
    delete from quoin.row_events`)
})

interface Sent {
  topic: string
  event: string
  payload: Record<string, unknown> | null
  binary_payload: string | null
  private: boolean
  extension: string
}

/** What the outbox has of messages. */
async function recorded(): Promise<Sent[]> {
  const rows = await db.run<{ row: string }>(`
    select c.new as row from quoin.row_events e cross join lateral quoin.changes_in(e) c
    where e.table_schema = 'realtime' and e.table_name = 'messages' and e.event = 'INSERT' order by e.id, c.ordinal`)
  return rows.map(({ row }) => JSON.parse(row) as Sent)
}

const send = (caller: Caller, call: string) => db.asCaller(caller, `select ${call}; commit`)

it('reaches the outbox with the transaction, and not when it is rolled back', async () => {
  await db.asCaller(SERVICE, `select realtime.send('{"a":1}', 'gone', 'room')`)
  expect(await recorded()).toEqual([])
  await send(SERVICE, `realtime.send('{"a":1}', 'hello', 'room')`)
  await send(SERVICE, `realtime.send('{"id":"mine"}', 'hello', 'room', false)`)
  await send(SERVICE, `realtime.send_binary('\\x0102', 'bytes', 'room')`)
  expect(await recorded()).toMatchObject([
    {
      topic: 'room',
      event: 'hello',
      private: true,
      extension: 'broadcast',
      payload: { a: 1, id: expect.any(String) },
    },
    { payload: { id: 'mine' }, private: false },
    { payload: null, binary_payload: '\\x0102', private: true },
  ])
})

it('is refused aloud where no policy lets the caller send, with a hint', async () => {
  await expect(send(ANON, `realtime.send('{}', 'e', 'room')`)).rejects.toMatchObject({
    code: '42501',
    hint: expect.stringContaining('CREATE POLICY'),
  })
  await db.run(
    `create policy p on realtime.messages for insert to anon with check (realtime.topic() = 'room')`,
  )
  await expect(send(ANON, `realtime.send('{}', 'e', 'hall')`)).rejects.toMatchObject({ code: '42501' })
  await send(ANON, `realtime.send('{}', 'e', 'room')`)
  expect(await recorded()).toHaveLength(1)
})

it('has its topic while the row is written, and the former one behind it', async () => {
  await db.run(
    `create policy p on realtime.messages for insert to anon with check (realtime.topic() = topic)`,
  )
  const [row] = await db.asCaller(
    ANON,
    `select topic from (select set_config('realtime.topic', 'mine', true), realtime.send('{}', 'e', 'room'),
      realtime.topic() as topic offset 0) s`,
  )
  expect(row).toEqual({ topic: 'mine' })
})

it('tells of a change of a table by its trigger', async () => {
  await db.run(`
    create table notes (id int primary key, room text);
    create function tell() returns trigger language plpgsql as $$ begin
      perform realtime.broadcast_changes('room:' || coalesce(new.room, old.room), tg_op, tg_op, tg_table_name,
        tg_table_schema, new, old);
      return null;
    end $$;
    create trigger tell after insert or update or delete on notes for each row execute function tell();
    insert into notes values (1, 'a'); update notes set room = 'b'; delete from notes`)
  const facts = { table: 'notes', schema: 'public' }
  expect(await recorded()).toMatchObject([
    {
      topic: 'room:a',
      event: 'INSERT',
      payload: { ...facts, operation: 'INSERT', record: { id: 1, room: 'a' }, old_record: null },
    },
    { topic: 'room:b', payload: { record: { room: 'b' }, old_record: { room: 'a' } } },
    { topic: 'room:b', payload: { operation: 'DELETE', record: null, old_record: { id: 1, room: 'b' } } },
  ])
  await expect(
    db.run(
      `select realtime.broadcast_changes('t', 'e', 'TRUNCATE', 'notes', 'public', null::notes, null::notes)`,
    ),
  ).rejects.toMatchObject({ code: '22023' })
})

it('is forgotten after 72 hours', async () => {
  await db.run(`insert into realtime.messages (topic, extension, event, inserted_at) values
    ('a', 'broadcast', 'old', now() - interval '73 hours'), ('a', 'broadcast', 'young', now() - interval '71 hours')`)
  await expireMessages(db.deps)
  expect(await db.run('select event from realtime.messages')).toEqual([{ event: 'young' }])
})
