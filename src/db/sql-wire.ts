// The Neon driver's HTTP wire, spoken with a plain `fetch`: one batch, one round trip, one transaction.
// Knows no roles and no claims; `database.ts` puts those in front of each batch.

import { type Deadline, DeadlinePassed, deadline } from '../lib/deadline.ts'
import type { Statement } from './sql.ts'
import { readJson } from './wire-answer.ts'
import { answerLost, processFailure } from './wire-failure.ts'
import { requestBody } from './wire-request.ts'

export interface WireTarget {
  /** Complete connection string; goes in a header, never into a log. */
  connectionString: string
  /** Base URL of our own gateway; undefined means Neon's public endpoint. */
  gatewayUrl: string | undefined
}

export interface BatchOptions {
  /** True for our own fixed texts: the gateway prepares them by name. False for a caller's SQL. */
  prepared: boolean
  readOnly: boolean
  /** Deadline of the whole batch; our gateway keeps it, and the fetch ends `GRACE_MS` later. */
  timeoutMs: number
  /** True when the batch, though it is not read-only, leaves nothing changed: an answer that is lost is no danger. */
  changesNothing?: boolean
  /** Most bytes of an answer that is parsed; `PARSED_BYTES_MAX` unless said. */
  resultBytesMax?: number
  /** Whose batch it is, as `key/client`: our gateway shares its connections by it. */
  share?: string | undefined
  /** Our gateway closes the connection behind the batch: nothing that Postgres keeps for its session lives on. */
  closesConnection?: boolean
  isolationLevel?: 'ReadCommitted' | 'RepeatableRead' | 'Serializable'
}

/** One statement's result: every value in Postgres' text form. */
export interface StatementResult {
  command: string
  rowCount: number | null
  fields: { name: string; dataTypeID: number }[]
  rows: (string | null)[][]
}

/** The single row of a batch's last statement: its first column as a body to pass on, the others as texts. */
export interface BodyResult {
  body: BodyInit
  columns: (string | null)[]
}

/**
 * How long the gateway waits beyond the statement's own time: Postgres' own time-out keeps its connection, a cancel
 * does not.
 */
const GATEWAY_GRACE_MS = 250
/**
 * How long the fetch outlives the deadline, so that the gateway's own error (57014) arrives. More than
 * `GATEWAY_GRACE_MS` and the gateway's `cancelGraceMs` (3 000) together: that long it waits for a statement
 * that swallows its cancel.
 */
const GRACE_MS = 6_000

/**
 * The largest answer that is parsed here: an isolate has 128 MB for all of its calls, and parsing takes several times
 * the bytes.
 */
const PARSED_BYTES_MAX = 16 * 1024 * 1024

/** Postgres has the setting from version 17 on. It ends the session, so it comes later than `statement_timeout`. */
const TRANSACTION_TIMEOUT_SQL =
  "select pg_catalog.set_config('transaction_timeout',$1,true) " +
  "where pg_catalog.current_setting('server_version_num')::int>=170000"

/** Told how long a trip to the database took, in milliseconds, good or bad. */
export type OnTrip = (milliseconds: number) => void

interface WireParts {
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** A Durable Object gives its shared one. */
  deadline?: Deadline
  onTrip?: OnTrip
}

/**
 * Sends batches to one database over HTTP. Throws `PostgresError` for what Postgres refuses, and `too_many_calls` where
 * the caller's share of the gateway is taken. Throws `response_too_large` for answers over 16 MiB that are parsed (over
 * the gateway's own bound where they pass through). Throws `database_unavailable` else: with `outcomeUnknown` for a
 * change that may be made.
 */
export class SqlWire {
  readonly #target: WireTarget
  readonly #url: string
  readonly #isOwnGateway: boolean
  readonly #parts: WireParts

  constructor(target: WireTarget, parts: WireParts = {}) {
    this.#target = target
    this.#parts = parts
    this.#isOwnGateway = target.gatewayUrl !== undefined
    this.#url =
      target.gatewayUrl === undefined ? neonEndpoint(target.connectionString) : `${target.gatewayUrl}/sql`
  }

  /** The same wire, reporting each trip. */
  observed(onTrip: OnTrip): SqlWire {
    return new SqlWire(this.#target, { ...this.#parts, onTrip })
  }

  /** Runs the statements in one transaction and answers each one's result, in order. */
  batch(statements: readonly Statement[], options: BatchOptions): Promise<StatementResult[]> {
    return this.#inTime(options, async () => {
      const bound = this.#timeBound(options)
      const response = await this.#send([...bound, ...statements], options, false)
      return (await readAnswer(response, options)).results.slice(bound.length)
    })
  }

  /** Runs the statements in one transaction and answers the last one's single row without parsing its first column. */
  batchForBody(statements: readonly Statement[], options: BatchOptions): Promise<BodyResult> {
    return this.#inTime(options, async () => {
      const sent = [...this.#timeBound(options), ...statements]
      const response = await this.#send(sent, options, this.#isOwnGateway)
      const row = response.headers.get('quoin-row')
      if (row !== null) {
        // Asked for, the stream of an empty body would have to be ended too.
        const body = response.headers.get('content-length') === '0' ? '' : (response.body ?? '')
        return { body, columns: (JSON.parse(row) ?? []) as (string | null)[] }
      }
      const { results } = await readAnswer(response, options)
      const [body, ...columns] = results.at(-1)?.rows[0] ?? []
      return { body: body ?? '', columns }
    })
  }

  /** What was given up ends with its request, and our gateway cancels the query by its own deadline. */
  async #inTime<T>(options: BatchOptions, work: () => Promise<T>): Promise<T> {
    try {
      return await (this.#parts.deadline ?? deadline)(options.timeoutMs + GRACE_MS, work())
    } catch (err) {
      throw err instanceof DeadlinePassed ? answerLost(err, mayChange(options)) : err
    }
  }

  /**
   * What stands before a caller's SQL, so that the whole batch has an end: our gateway cancels it, Neon's proxy does
   * not. Postgres keeps `statement_timeout` for each statement only, and SQL can swallow it.
   */
  #timeBound({ prepared, timeoutMs }: BatchOptions): Statement[] {
    if (this.#isOwnGateway || prepared) return []
    return [{ sql: TRANSACTION_TIMEOUT_SQL, params: [String(timeoutMs + GATEWAY_GRACE_MS)] }]
  }

  async #send(statements: readonly Statement[], options: BatchOptions, asBody: boolean): Promise<Response> {
    const request = {
      method: 'POST',
      headers: this.#headers(options, asBody),
      body: requestBody(statements),
    }
    let response: Response
    const startedAt = performance.now()
    try {
      response = await (this.#parts.fetch ?? fetch)(this.#url, request)
    } catch (cause) {
      throw answerLost(cause, mayChange(options))
    } finally {
      this.#parts.onTrip?.(performance.now() - startedAt)
    }
    if (response.status === 200) return response
    throw await processFailure(response, {
      mayChange: mayChange(options),
      isOwnGateway: this.#isOwnGateway,
    })
  }

  #headers(options: BatchOptions, asBody: boolean): Record<string, string> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'neon-connection-string': this.#target.connectionString,
    }
    if (!asBody) {
      headers['neon-raw-text-output'] = 'true'
      headers['neon-array-mode'] = 'true'
    }
    if (options.readOnly) headers['neon-batch-read-only'] = 'true'
    if (options.isolationLevel) headers['neon-batch-isolation-level'] = options.isolationLevel
    if (this.#isOwnGateway) {
      headers['quoin-timeout-ms'] = String(options.timeoutMs + GATEWAY_GRACE_MS)
      if (options.share !== undefined) headers['quoin-caller'] = options.share
      if (options.prepared) headers['quoin-statements'] = 'own'
      if (options.closesConnection) headers['quoin-connection'] = 'close'
      if (asBody) headers['quoin-result'] = 'body'
      else headers['quoin-result-bytes-max'] = String(options.resultBytesMax ?? PARSED_BYTES_MAX)
    }
    return headers
  }
}

/** Whether something may have changed when the answer to a batch is lost. */
function mayChange({ readOnly, changesNothing }: BatchOptions): boolean {
  return !readOnly && changesNothing !== true
}

function readAnswer(response: Response, options: BatchOptions): Promise<{ results: StatementResult[] }> {
  return readJson(response, options.resultBytesMax ?? PARSED_BYTES_MAX, mayChange(options))
}

/** Neon serves SQL over HTTP at `api.` in place of the first label of the database's host name. */
function neonEndpoint(connectionString: string): string {
  return `https://${new URL(connectionString).hostname.replace(/^[^.]+\./, 'api.')}/sql`
}
