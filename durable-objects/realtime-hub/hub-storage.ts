// What a hub keeps in its SQLite: sockets and channels, so that they outlive its sleep; how far it has told the log;
// what clients have proven to have received; tickets. No decisions.

import type { ChannelRecord } from '../../src/features/realtime/hub/channel.ts'
import type { SocketPass, TicketHolder } from '../../src/features/realtime/hub/hub-contract.ts'

const TABLES = `
  create table if not exists sockets (id text primary key, pass text not null);
  create table if not exists channels (
    socket_id text not null, topic text not null, record text not null, primary key (socket_id, topic));
  create table if not exists presences (
    socket_id text not null, topic text not null, record text not null, primary key (socket_id, topic));
  drop table if exists receipts;
  create table if not exists places (
    client text not null, topic text not null, follows text not null, number integer not null,
    seen_at_ms integer not null, primary key (client, topic));
  create table if not exists tickets (hash text primary key, holder text not null, ends_at_ms integer not null);`

const POSITION = 'position'

/** A client's receipts are kept so long after it was heard last. */
const RECEIPT_KEPT_MS = 10 * 60_000
const TICKETS_MAX = 1_000

/** Synchronous throughout. */
export class HubStorage {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    storage.sql.exec(TABLES)
  }

  /** The place in the log up to which everything was told; undefined: it never followed anything. */
  get position(): number | undefined {
    return this.#storage.kv.get<number>(POSITION)
  }

  set position(number: number) {
    this.#storage.kv.put(POSITION, number)
  }

  addSocket(id: string, pass: SocketPass): void {
    this.#run('insert into sockets (id, pass) values (?, ?)', id, JSON.stringify(pass))
  }

  removeSocket(id: string): void {
    for (const table of ['channels', 'presences']) this.#run(`delete from ${table} where socket_id = ?`, id)
    this.#run('delete from sockets where id = ?', id)
  }

  /** Takes away the sockets that are not among these, with all of theirs: what they hold is not to be read. */
  keepSockets(ids: Iterable<string>): void {
    const kept = JSON.stringify([...ids])
    for (const [table, id] of [
      ['channels', 'socket_id'],
      ['presences', 'socket_id'],
      ['sockets', 'id'],
    ])
      this.#run(`delete from ${table} where ${id} not in (select value from json_each(?))`, kept)
  }

  sockets(): { id: string; pass: SocketPass }[] {
    return this.#run('select id, pass from sockets').map(({ id, pass }) => ({
      id: String(id),
      pass: JSON.parse(String(pass)) as SocketPass,
    }))
  }

  putChannel(socketId: string, record: ChannelRecord): void {
    this.#put('channels', socketId, record.topic, record)
  }

  removeChannel(socketId: string, topic: string): void {
    for (const table of ['channels', 'presences'])
      this.#run(`delete from ${table} where socket_id = ? and topic = ?`, socketId, topic)
  }

  channels(): { socketId: string; record: ChannelRecord }[] {
    return this.#run('select socket_id, record from channels order by rowid').map(row => ({
      socketId: String(row['socket_id']),
      record: JSON.parse(String(row['record'])) as ChannelRecord,
    }))
  }

  putPresence(socketId: string, topic: string, record: unknown): void {
    this.#put('presences', socketId, topic, record)
  }

  removePresence(socketId: string, topic: string): void {
    this.#run('delete from presences where socket_id = ? and topic = ?', socketId, topic)
  }

  /** Of channels that are kept, and of those that are not. */
  presences<Presence>(): { topic: string; isPrivate: boolean; record: Presence }[] {
    const sql = `select p.topic, p.record, coalesce(c.record ->> '$.isPrivate', 0) as is_private
      from presences p left join channels c using (socket_id, topic) order by p.rowid`
    return this.#run(sql).map(row => ({
      topic: String(row['topic']),
      isPrivate: row['is_private'] === 1,
      record: JSON.parse(String(row['record'])) as Presence,
    }))
  }

  /** The client has everything of the topic up to this number of the log, as far as it is of what it follows. */
  putReceipt(client: string, topic: string, follows: string, number: number, nowMs: number): void {
    this.#run('insert or replace into places values (?, ?, ?, ?, ?)', client, topic, follows, number, nowMs)
  }

  /** The client is still there. */
  keepReceipt(client: string, topic: string, nowMs: number): void {
    this.#run('update places set seen_at_ms = ? where client = ? and topic = ?', nowMs, client, topic)
  }

  removeReceipt(client: string, topic: string): void {
    this.#run('delete from places where client = ? and topic = ?', client, topic)
  }

  receipt(client: string, topic: string, follows: string, nowMs: number): number | undefined {
    const [row] = this.#run(
      'select number from places where client = ? and topic = ? and follows = ? and seen_at_ms > ?',
      ...[client, topic, follows, nowMs - RECEIPT_KEPT_MS],
    )
    return row === undefined ? undefined : Number(row['number'])
  }

  /** False: there are too many already. */
  addTicket(hash: string, holder: TicketHolder, endsAtMs: number): boolean {
    const [row] = this.#run('select count(*) as count from tickets')
    if (Number(row?.['count']) >= TICKETS_MAX) return false
    this.#run(
      'insert into tickets (hash, holder, ends_at_ms) values (?, ?, ?)',
      hash,
      JSON.stringify(holder),
      endsAtMs,
    )
    return true
  }

  /** Once alone. */
  takeTicket(hash: string, nowMs: number): TicketHolder | undefined {
    const [row] = this.#run('delete from tickets where hash = ? returning holder, ends_at_ms', hash)
    if (row === undefined || Number(row['ends_at_ms']) <= nowMs) return undefined
    return JSON.parse(String(row['holder'])) as TicketHolder
  }

  forgetOld(nowMs: number): void {
    this.#run('delete from places where seen_at_ms < ?', nowMs - RECEIPT_KEPT_MS)
    this.#run('delete from tickets where ends_at_ms < ?', nowMs)
  }

  #put(table: 'channels' | 'presences', socketId: string, topic: string, record: unknown): void {
    this.#run(
      `insert or replace into ${table} (socket_id, topic, record) values (?, ?, ?)`,
      socketId,
      topic,
      JSON.stringify(record),
    )
  }

  #run(sql: string, ...bindings: SqlStorageValue[]): Record<string, SqlStorageValue>[] {
    return this.#storage.sql.exec(sql, ...bindings).toArray()
  }
}
