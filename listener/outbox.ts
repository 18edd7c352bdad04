/**
 * Owns the listener's one direct connection with Postgres: the lock that makes it the active one, looks into the
 * outbox, the flag that asks triggers for NOTIFY, and the wait for it. Must not decide anything.
 *
 * Every statement is its own transaction, so nothing stays open while a request is sent. Names are qualified, and the
 * search path holds nothing that users could have made: this is the owner's connection.
 */
import { Client, DatabaseError } from 'pg'
import { LISTENER_LOCK_KEY } from '../src/features/row-changes/ingest/messages.ts'
import { chunkOf, KEY_OVERHEAD_BYTES, type OutboxRow } from './outbox-chunk.ts'
import type { LookRequest, LookResult } from './window.ts'

/** The one that `quoin.append_chunk` notifies. */
const CHANNEL = 'quoin_row_events'
/** Postgres gives up before we do, so that the connection can go on. */
const STATEMENT_TIMEOUT_MS = 25_000
const QUERY_TIMEOUT_MS = 30_000
/** A connection that is silent for this long is probed, here and in Postgres: a dead machine must not keep the lock. */
const KEEPALIVE_SECONDS = 10

/**
 * Plans: the table is analysed when it is empty and read when it is full, so statistics never fit; the index in order
 * is right at any size. A session that waits for NOTIFY is meant to be idle.
 */
export const SESSION_SETTINGS = {
  search_path: 'pg_catalog, pg_temp',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  default_transaction_isolation: 'read committed',
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  idle_session_timeout: '0',
  tcp_keepalives_idle: String(KEEPALIVE_SECONDS),
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

/** What `quoin.changes_json` would have to read of a chunk; pg_column_size reads no value that lies outside its row. */
const CHANGES_BYTES =
  'pg_column_size(rows) + coalesce(pg_column_size(old_rows), 0) + coalesce(pg_column_size(errors), 0)'

/** What the listener holds of a chunk's keys in memory. */
const KEYS_BYTES = ['keys', 'old_keys']
  .map(column => `coalesce(pg_column_size(${column}) + change_count * ${KEY_OVERHEAD_BYTES}, 0)`)
  .join(' + ')

/**
 * One snapshot: which known ids are gone ($2), and the chunks after $1 that are not known, by id, at most $3 of them.
 * Once those before have $4 bytes, no further one is read. Of one with more than $5 bytes of rows, only what it is
 * about is read. $6 asks for a mark. NOT IN hashes the known ids, which ALL compares one by one. OFFSET 0: planned
 * while the outbox is empty, a join would read all of it for each chunk.
 */
export const LOOK = `
  with sized as materialized (
    select id, ${CHANGES_BYTES} as changes_bytes,
      least(${CHANGES_BYTES}, $5::int) + ${KEYS_BYTES} as bytes
    from quoin.row_events where id > $1 and id not in (select unnest($2::bigint[])) order by id limit $3
  ), found as (
    select id, changes_bytes, sum(bytes) over (order by id) - bytes as bytes_before from sized
  )
  select pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
    case when $6::boolean then pg_current_xact_id()::text end as mark,
    (select version from quoin.webhook_registry)::text as registry_version,
    array(select known.id::text from unnest($2::bigint[]) as known(id)
      where (select e.id from quoin.row_events e where e.id = known.id) is null) as gone_ids,
    (select count(*)::int from sized) as found_count,
    null::text as id, null::oid as table_id, null::text as table_schema, null::text as table_name,
    null::text as event, null::text as occurred_at, null::text as request_id, null::text[] as keys,
    null::int as change_count, null::int as changes_bytes, null::json as changes
  union all
  select null, null, null, null, null, chunk.*
  from found cross join lateral (
    select e.id::text, e.table_id, e.table_schema, e.table_name, e.event,
      to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      substring(e.application_name from '^quoin:(.+)$'), e.keys || e.old_keys,
      e.change_count, found.changes_bytes,
      case when found.changes_bytes <= $5::int then quoin.changes_json(e) end
    from quoin.row_events e where e.id = found.id offset 0
  ) chunk where found.bytes_before < $4::bigint`

interface LookHead {
  readonly xmin: string
  readonly mark: string | null
  readonly registry_version: string | null
  readonly gone_ids: string[]
  readonly found_count: number
}

/** How far behind the receivers are; counted up to `LAG_CHUNKS_MAX` chunks and `DEAD_LETTERS_MAX` of the others. */
export interface Lag {
  readonly chunks: number
  readonly events: number
  /** Age of the oldest change in seconds; 0 when there is none. */
  readonly seconds: number
  /** Events that webhooks have given up and not delivered since. */
  readonly deadLetters: number
  /** Messages that the Worker could not handle; their chunks are still in the outbox. */
  readonly unhandledMessages: number
}

/** Beyond these a count would cost more than it tells. */
export const LAG_CHUNKS_MAX = 100_000
const DEAD_LETTERS_MAX = 1_000

const LAG = `
  select count(*)::int as chunks, coalesce(sum(change_count), 0)::float8 as events,
    coalesce(greatest(extract(epoch from clock_timestamp() - min(occurred_at)), 0), 0)::float8 as seconds,
    (select count(*)::int from (select from quoin.webhooks w join quoin.dead_letters d on d.webhook_id = w.id
      where d.resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as "deadLetters",
    (select count(*)::int from (select from quoin.dead_letters
      where webhook_id is null and resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as "unhandledMessages"
  from (select change_count, occurred_at from quoin.row_events where id > $1 order by id limit ${LAG_CHUNKS_MAX}) e`

export interface OutboxEvents {
  onNotify(): void
  /** The connection is gone, whoever ended it. May be called twice; the first call has the reason. */
  onLost(err: Error): void
}

/**
 * The SQLSTATE of a look that failed at what it read (text that cannot be converted, a broken page); undefined for
 * whatever may be over with the next attempt.
 */
export function unreadableState(err: unknown): string | undefined {
  return err instanceof DatabaseError && /^(?:22|XX)/.test(err.code ?? '') ? err.code : undefined
}

export class Outbox {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  /** Connects; rejects with Postgres' error, or after `connectTimeoutMs`. */
  static async open(url: string, connectTimeoutMs: number, events: OutboxEvents): Promise<Outbox> {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_SECONDS * 1_000,
      application_name: 'quoin-listener',
    })
    client.on('notification', events.onNotify)
    client.on('error', events.onLost)
    client.once('end', () => events.onLost(new Error('the connection with Postgres has ended')))
    const outbox = new Outbox(client)
    await client.connect()
    const settings = Object.entries(SESSION_SETTINGS)
    const calls = settings.map((_, i) => `pg_catalog.set_config($${2 * i + 1}, $${2 * i + 2}, false)`)
    try {
      await client.query(`select ${calls.join(', ')}`, settings.flat())
    } catch (err) {
      await outbox.close()
      throw err
    }
    return outbox
  }

  /** True when this session has the lock now; it has it until it ends. */
  async tryLock(): Promise<boolean> {
    const { rows } = await this.#client.query('select pg_try_advisory_lock($1::bigint) as locked', [
      LISTENER_LOCK_KEY,
    ])
    return rows[0]?.locked === true
  }

  /** Begins to wait for NOTIFY. False: triggers must send none, since PREPARE TRANSACTION would fail after it. */
  async listen(): Promise<boolean> {
    await this.#client.query(`listen ${CHANNEL}`)
    const { rows } = await this.#client.query('show max_prepared_transactions')
    return rows[0]?.max_prepared_transactions === '0'
  }

  /** Triggers send NOTIFY in transactions that see the listener rest. */
  async setResting(isResting: boolean): Promise<void> {
    const sql = 'update quoin.listener_state set is_resting = $1 where is_resting <> $1'
    await this.#client.query({ name: 'set_resting', text: sql, values: [isResting] })
  }

  /**
   * Takes the changes of chunks of up to `changesBytesMax` bytes along, of others only what they are about. Rejects
   * with Postgres' error, also when it cannot read the changes of one of them (`unreadableState`).
   */
  async look(request: LookRequest, changesBytesMax: number): Promise<LookResult> {
    const { floor, knownIds, chunksMax, bytesMax, wantsMark } = request
    const values = [String(floor), knownIds.map(String), chunksMax, bytesMax, changesBytesMax, wantsMark]
    const { rows } = await this.#client.query({ name: 'look', text: LOOK, values })
    const [head, ...found] = rows as [LookHead, ...OutboxRow[]]
    return {
      xmin: BigInt(head.xmin),
      mark: head.mark === null ? undefined : BigInt(head.mark),
      registryVersion: Number(head.registry_version ?? 0),
      goneIds: head.gone_ids.map(BigInt),
      chunks: found.map(chunkOf).sort((one, other) => (one.id < other.id ? -1 : 1)),
      isComplete: head.found_count < chunksMax && found.length === head.found_count,
    }
  }

  async lag(floor: bigint): Promise<Lag> {
    const { rows } = await this.#client.query({ name: 'lag', text: LAG, values: [String(floor)] })
    return rows[0] as Lag
  }

  /** Ends the session, and with it the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => {
      // It was broken already: `onLost` has said so.
    })
  }
}
