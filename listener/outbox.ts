/**
 * Owns the listener's one direct connection with Postgres: the lock that makes it the active one, looks into the outbox, and
 * the question whether a look could find anything. Must not decide anything.
 *
 * Every look is its own transaction, so nothing stays open while a request is sent. Names are qualified, and the
 * search path holds nothing that users could have made: this is the owner's connection.
 */
import { Client, DatabaseError, escapeLiteral, type QueryResult } from 'pg'
import { LISTENER_LOCK_KEY } from '../src/features/webhooks/ingest/messages.ts'
import type { FloorLook } from './floor.ts'
import { chunkOf, KEY_OVERHEAD_BYTES, type OutboxRow } from './outbox-chunk.ts'
import type { LookRequest, LookResult } from './window.ts'

/** Postgres gives up before we do, so that the connection can go on. */
const STATEMENT_TIMEOUT_MS = 25_000
const QUERY_TIMEOUT_MS = 30_000
/** A connection that is silent for this long is probed, here and in Postgres: a lock must not outlive a dead machine for long. */
const KEEPALIVE_SECONDS = 10

/**
 * Plans: the table is analysed when it is empty and read when it is full, so statistics never fit; the index in order is
 * right at any size. While the ingest route is down, nothing is asked.
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
  // A machine that stands still in the middle of a look must not hold back vacuum.
  idle_in_transaction_session_timeout: '10s',
  tcp_keepalives_idle: String(KEEPALIVE_SECONDS),
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

/** What `quoin.changes_json` would have to read of a chunk; pg_column_size reads no value that lies outside its row. */
const CHANGES_BYTES = 'pg_column_size(rows) + coalesce(pg_column_size(old_rows), 0)'

/** What the listener holds of a chunk's keys in memory. */
const KEYS_BYTES = ['keys', 'old_keys']
  .map(column => `coalesce(pg_column_size(${column}) + change_count * ${KEY_OVERHEAD_BYTES}, 0)`)
  .join(' + ')

/** How many rows are moved at a time; fewer after a move that took too long. */
const MOVE_ROWS_MAX = 10_000

/**
 * What inserts have staged becomes chunks, and chunks of triggers get their numbers. In the same transaction as the look, so that both have
 * one snapshot: an insert that is staged later may come before a chunk of the same row that is there already.
 */
const moveStaged = (rowsMax: number, above: bigint, untried: readonly string[]) => `
  begin isolation level repeatable read;
  select * from quoin.move_all_staged(${rowsMax}, above => ${above}, untried => array[${untried.map(escapeLiteral)}]::text[])`

interface Moved {
  readonly numbered_up_to: string | null
  readonly rest_from: string | null
  readonly held_from: string | null
  readonly unmoved: string[] | null
}

/**
 * One snapshot, which it names: which known ids are gone ($2), and the chunks after $1 that are not known, by id, at most $3 of them; once
 * those before have $4 bytes no further one is read, and of one with more than $5 bytes of rows only what it is about. $6 asks for a mark. OFFSET 0: planned
 * while the outbox is empty, a join would read all of it for each chunk.
 */
export const LOOK = `
  with sized as materialized (
    select id, ${CHANGES_BYTES} as changes_bytes,
      least(${CHANGES_BYTES}, $5::int) + ${KEYS_BYTES} as bytes
    from quoin.row_events where id > $1 and id <> all($2::bigint[]) order by id limit $3
  ), found as (
    select id, changes_bytes, sum(bytes) over (order by id) - bytes as bytes_before from sized
  )
  select pg_current_snapshot()::text as snapshot,
    case when $6::boolean then pg_current_xact_id()::text end as mark,
    (select version from quoin.webhook_registry)::text as registry_version,
    array(select known.id::text from unnest($2::bigint[]) as known(id)
      where (select e.id from quoin.row_events e where e.id = known.id) is null) as gone_ids,
    (select count(*)::int from sized) as found_count,
    null::text as id, null::oid as table_id, null::text as table_schema, null::text as table_name, null::text as event,
    null::text as occurred_at, null::text as request_id, null::text[] as keys, null::int as change_count,
    null::int as changes_bytes, null::json as changes
  union all
  select null, null, null, null, null, chunk.*
  from found cross join lateral (
    select e.id::text, e.table_id, e.table_schema, e.table_name, e.event,
      to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      substring(e.application_name from '^quoin:(.+)$'), e.keys || e.old_keys,
      e.change_count, found.changes_bytes, case when found.changes_bytes <= $5::int then quoin.changes_json(e) end
    from quoin.row_events e where e.id = found.id offset 0
  ) chunk where found.bytes_before < $4::bigint`

interface LookHead {
  readonly snapshot: string
  readonly mark: string | null
  readonly registry_version: string | null
  readonly gone_ids: string[]
  readonly found_count: number
}

export interface LookOptions {
  /** Up to this position in the WAL no chunk waits for a number. */
  readonly above: bigint
  /** Of `unmoved`, what is not tried this time. */
  readonly untried: readonly string[]
  /** True: a transaction number is drawn. */
  readonly wantsMark: boolean
  /** Of larger chunks the changes are not read. */
  readonly changesBytesMax: number
}

export interface OutboxLook extends LookResult, FloorLook {
  readonly registryVersion: number
  /** The look's snapshot, as `pg_current_snapshot()` writes it. */
  readonly snapshot: string
  /** Staging tables whose rows cannot be moved, with the SQLSTATE; they stay there. */
  readonly unmoved: readonly string[]
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
  select least(count(e.change_count) + min(staged.chunks), ${LAG_CHUNKS_MAX})::int as chunks, (coalesce(sum(e.change_count), 0) + min(staged.changes))::float8 as events,
    coalesce(greatest(extract(epoch from clock_timestamp() - least(min(e.occurred_at), min(staged.oldest_at))), 0), 0)::float8 as seconds,
    (select count(*)::int from (select from quoin.webhooks w join quoin.dead_letters d on d.webhook_id = w.id
      where d.resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as "deadLetters",
    (select count(*)::int from (select from quoin.dead_letters
      where webhook_id is null and resolved_at is null limit ${DEAD_LETTERS_MAX}) d) as "unhandledMessages"
  from quoin.staged_backlog(${LAG_CHUNKS_MAX}) staged
    left join (select change_count, occurred_at from quoin.row_events where id > $1 order by id limit ${LAG_CHUNKS_MAX}) e on true`

export interface OutboxEvents {
  /** Called once, when the connection is gone, whoever ended it. */
  onEnd(err: Error | undefined): void
}

/**
 * The SQLSTATE of a look that failed at what it read (text that cannot be converted, a broken page); undefined for whatever
 * may be over with the next attempt.
 */
export function unreadableState(err: unknown): string | undefined {
  return err instanceof DatabaseError && /^(?:22|XX)/.test(err.code ?? '') ? err.code : undefined
}

function bigintOf(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(text)
}

/** A snapshot is `xmin:xmax:xip,...`. */
function xminOf(snapshot: string): bigint {
  return BigInt(snapshot.slice(0, snapshot.indexOf(':')))
}

function lowestOf(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a
}

function isTimeout(err: unknown): boolean {
  return err instanceof DatabaseError && err.code === '57014'
}

export class Outbox {
  readonly #client: Client
  #turn: Promise<unknown> = Promise.resolve()
  #moveRowsMax = MOVE_ROWS_MAX

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
    let lastError: Error | undefined
    client.on('error', err => {
      lastError = err
    })
    client.once('end', () => events.onEnd(lastError))
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

  /** What is committed now, for comparison with that of a look: where nothing was committed since, a look would see the same. */
  async snapshot(): Promise<string> {
    const query = { name: 'snapshot', text: 'select pg_current_snapshot()::text as snapshot' }
    const { rows } = await this.#inTurn(async () => await this.#client.query(query))
    return rows[0].snapshot
  }

  /**
   * Takes the changes of chunks of up to `changesBytesMax` bytes along, of others only what they are about. Rejects with
   * Postgres' error, also when it cannot read the changes of one of them (`unreadableState`).
   */
  async look(request: LookRequest, options: LookOptions): Promise<OutboxLook> {
    return await this.#inTurn(async () => {
      for (;;) {
        try {
          const look = await this.#lookInTransaction(request, options)
          this.#moveRowsMax = Math.min(MOVE_ROWS_MAX, this.#moveRowsMax * 2)
          return look
        } catch (err) {
          if (!isTimeout(err) || this.#moveRowsMax === 1) throw err
          this.#moveRowsMax = Math.ceil(this.#moveRowsMax / 100)
        }
      }
    })
  }

  async #lookInTransaction(...request: Parameters<Outbox['look']>): Promise<OutboxLook> {
    try {
      const look = await this.#moveAndLook(...request)
      const { command } = await this.#client.query('commit')
      if (command !== 'COMMIT') throw new Error('Postgres has taken back what the look had moved')
      return look
    } catch (err) {
      await this.#client.query('rollback').catch(() => {
        // The connection is gone, and the transaction with it: `onEnd` says so.
      })
      throw err
    }
  }

  async #moveAndLook(request: LookRequest, options: LookOptions): Promise<OutboxLook> {
    const { after, knownIds, chunksMax, bytesMax } = request
    const { above, untried, wantsMark, changesBytesMax } = options
    const moved = await this.#moveStaged(above, untried)
    const values = [String(after), knownIds.map(String), chunksMax, bytesMax, changesBytesMax, wantsMark]
    const { rows } = await this.#client.query({ name: 'look', text: LOOK, values })
    const [head, ...found] = rows as [LookHead, ...OutboxRow[]]
    return {
      snapshot: head.snapshot,
      xmin: xminOf(head.snapshot),
      mark: bigintOf(head.mark),
      numberedUpTo: bigintOf(moved.numbered_up_to),
      openFrom: lowestOf(bigintOf(moved.rest_from), bigintOf(moved.held_from)),
      registryVersion: Number(head.registry_version ?? 0),
      goneIds: head.gone_ids.map(BigInt),
      chunks: found.map(chunkOf),
      isComplete:
        moved.rest_from === null && head.found_count < chunksMax && found.length === head.found_count,
      unmoved: moved.unmoved ?? [],
    }
  }

  /** Begins the transaction. Two statements in one trip have two results. */
  async #moveStaged(above: bigint, untried: readonly string[]): Promise<Moved> {
    const results = (await this.#client.query(
      moveStaged(this.#moveRowsMax, above, untried),
    )) as unknown as QueryResult<Moved>[]
    return results[1]?.rows[0] as Moved
  }

  /** Keeps looks from reading past more and more rows that were moved (migration 0009). */
  async truncateMoved(): Promise<void> {
    const query = { name: 'truncate_moved', text: 'select quoin.truncate_moved_staging()' }
    await this.#inTurn(async () => await this.#client.query(query))
  }

  async lag(floor: bigint): Promise<Lag> {
    const query = { name: 'lag', text: LAG, values: [String(floor)] }
    const { rows } = await this.#inTurn(async () => await this.#client.query(query))
    return rows[0] as Lag
  }

  /** Nothing else may come between the statements of a transaction. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {
      // Whoever asked for it is told.
    })
    return await result
  }

  /** Ends the session, and with it the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => {
      // It was broken already: `onEnd` has said so.
    })
  }
}
