// The two ways into Postgres: the owner, for Quoin's own tables, and `authenticator`, for callers' data under a role.
// Every call is ONE batch over HTTP: the session's settings first, then the work, then COMMIT.

import { DomainError } from '../errors.ts'
import { PostgresError } from './postgres-error.ts'
import { quoteIdentifier, type Statement } from './sql.ts'
import type { BatchOptions, BodyResult, OnTrip, SqlWire, StatementResult } from './sql-wire.ts'
import { userRoleProblem } from './user-role.ts'

/** Decided by the API key alone. */
export type KeyRole = 'anon' | 'service_role'

/** A signed-in person beside an anon key may have a role of its own (DATA_USER_ROLE). */
export type DatabaseRole = KeyRole | 'authenticated'

/** Who a call acts as, and what its policies may read. Everything here is local to one transaction. */
export interface DataSession {
  role: DatabaseRole
  /** JSON text for `request.jwt.claims`; always has `role`. */
  claims: string
  /** Whose connections the call takes, as `key/client`; one caller cannot take all. */
  share: string
  requestId: string
  /** Schemas that unqualified names are looked up in, first match wins. */
  searchPath: readonly string[]
  timeoutMs: number
  method: string
  path: string
  /** JSON text for `request.headers`: lower-case names, no credentials. */
  headers: string
  /** JSON text for `request.cookies`: no credentials. */
  cookies: string
  /** In place of UTC. Such a batch is the last of its connection, and not for Neon. */
  timezone?: string | undefined
}

export interface DataOptions {
  /** True for texts that Quoin wrote (prepared by name); false for a caller's SQL, whose session is thrown away. */
  prepared: boolean
  readOnly: boolean
  /** True when the statements take back themselves what they change. */
  changesNothing?: boolean
  /** `ReadCommitted` unless said. */
  isolationLevel?: 'RepeatableRead'
  /** Most bytes of an answer that is parsed; 16 MiB unless said. */
  resultBytesMax?: number
}

const SESSION_SETTINGS = [
  'search_path',
  'role',
  'request.jwt.claims',
  'request.method',
  'request.path',
  'request.headers',
  'statement_timeout',
  'application_name',
  'request.cookies',
] as const

const SESSION_SQL = `select ${SESSION_SETTINGS.map((name, i) => `pg_catalog.set_config('${name}',$${i + 1},true)`)}`

const SESSION_WITH_TIMEZONE_SQL = `${SESSION_SQL},pg_catalog.set_config('timezone',$10,true)`

/** Callers' data, as `authenticator` under the caller's role: row-level security decides, not this code. */
export class DataDatabase {
  readonly #wire: SqlWire
  readonly #wipesPlans: boolean

  /** `wipesPlans`: our gateway is there, which leaves no plan of a caller's SQL behind. Neon's proxy keeps them. */
  constructor(wire: SqlWire, { wipesPlans }: { wipesPlans: boolean }) {
    this.#wire = wire
    this.#wipesPlans = wipesPlans
  }

  /** The same database, reporting the milliseconds of each trip: one request's view of it. */
  observed(onTrip: OnTrip): DataDatabase {
    return new DataDatabase(this.#wire.observed(onTrip), { wipesPlans: this.#wipesPlans })
  }

  /**
   * Runs the statements after the session's settings, in one transaction and one trip; results of the settings left
   * out. Throws `invalid_preference` for a time zone where the connection would be used again.
   */
  async batch(
    session: DataSession,
    statements: readonly Statement[],
    options: DataOptions,
  ): Promise<StatementResult[]> {
    this.#refuseKeptZone(session)
    try {
      const all = [sessionStatement(session), ...statements]
      const results = await this.#wire.batch(all, wireOptions(session, options))
      return results.slice(1)
    } catch (err) {
      throw ofSession(session, err)
    }
  }

  /** As `batch`, for one statement whose single row is `body, ...columns`; the body passes through as text. */
  async batchForBody(session: DataSession, statement: Statement, options: DataOptions): Promise<BodyResult> {
    this.#refuseKeptZone(session)
    try {
      const all = [sessionStatement(session), statement]
      return await this.#wire.batchForBody(all, wireOptions(session, options))
    } catch (err) {
      throw ofSession(session, err)
    }
  }

  /** The zone would stay in what Postgres keeps for the connection's next caller. */
  #refuseKeptZone({ timezone }: DataSession): void {
    if (timezone === undefined || this.#wipesPlans) return
    throw new DomainError('invalid_preference', 'This deployment takes no time zone with a call.', {
      detail: 'Its connections keep what was planned under the zone of one caller for the next.',
      hint: 'Leave timezone out of Prefer, and convert the times in the application, or in a view by AT TIME ZONE.',
    })
  }
}

/** The caller counts its own statements; the session's settings are not one of them. */
function ofSession(session: DataSession, err: unknown): unknown {
  if (!(err instanceof PostgresError)) return err
  const problem = userRoleProblem(session, err)
  if (problem === undefined && err.queryIndex !== undefined) err.queryIndex -= 1
  return problem ?? err
}

/**
 * Postgres keeps plans for its session, the values of PL/pgSQL's expressions, and the checks of domains, which DISCARD
 * ALL leaves. A time in them was read under the zone of whoever came first. So a batch with a zone is its connection's
 * last, and none of the connections that keep our prepared texts.
 */
function wireOptions({ timeoutMs, share, timezone }: DataSession, options: DataOptions): BatchOptions {
  const closesConnection = timezone !== undefined
  return { ...options, prepared: options.prepared && !closesConnection, closesConnection, timeoutMs, share }
}

/** What a batch of the session begins with: Postgres' settings, but for a time zone of its own. */
export function sessionSettings(session: DataSession): Record<(typeof SESSION_SETTINGS)[number], string> {
  return {
    search_path: session.searchPath.map(quoteIdentifier).join(', '),
    role: session.role,
    'request.jwt.claims': session.claims,
    'request.method': session.method,
    'request.path': session.path,
    'request.headers': session.headers,
    statement_timeout: String(session.timeoutMs),
    application_name: `quoin:${session.requestId}`,
    'request.cookies': session.cookies,
  }
}

function sessionStatement(session: DataSession): Statement {
  const settings = sessionSettings(session)
  const params = SESSION_SETTINGS.map(name => settings[name])
  if (session.timezone === undefined) return { sql: SESSION_SQL, params }
  return { sql: SESSION_WITH_TIMEZONE_SQL, params: [...params, session.timezone] }
}

/** How long a statement on Quoin's own tables may take. */
const PLATFORM_TIMEOUT_MS = 10_000

const PLATFORM_SETTINGS: Statement = {
  // Nothing that a caller created may be found before pg_catalog by what runs as the owner.
  sql:
    "select pg_catalog.set_config('search_path','pg_catalog, pg_temp',true)," +
    "pg_catalog.set_config('timezone','UTC',true),pg_catalog.set_config('statement_timeout',$1,true)",
  params: [String(PLATFORM_TIMEOUT_MS)],
}

/**
 * What its caller says of a statement. `repeatable`: run twice it does no more than once, so whoever lost the answer is
 * told to try again.
 */
export type Repetition = 'repeatable' | 'once'

/** Quoin's own tables, as the owner. Names must be written with their schema: the search path holds none. */
export class PlatformDatabase {
  readonly #wire: SqlWire
  readonly #share: string | undefined

  constructor(wire: SqlWire, share?: string) {
    this.#wire = wire
    this.#share = share
  }

  /** The same database, reporting the milliseconds of each trip: one request's view of it. */
  observed(onTrip: OnTrip): PlatformDatabase {
    return new PlatformDatabase(this.#wire.observed(onTrip), this.#share)
  }

  /**
   * The same database for what may take long, a third of its connections for each name. All names together take three
   * quarters: the others stay for keys, changes and deliveries.
   */
  forReading(name: string): PlatformDatabase {
    return new PlatformDatabase(this.#wire, `reading/${name}`)
  }

  /**
   * Runs one statement (a query, or a write with RETURNING) and answers its rows as Postgres' own JSON has them:
   * timestamps as ISO 8601 UTC text, bigint as number. One trip.
   */
  async query<Row>(
    sql: string,
    params: readonly (string | null)[] = [],
    repetition: Repetition = 'once',
  ): Promise<Row[]> {
    const wrapped = `with q as (${sql}) select coalesce(json_agg(q), '[]'::json)::text from q`
    const [result] = await this.#run([{ sql: wrapped, params }], repetition)
    return JSON.parse(result?.rows[0]?.[0] ?? '[]') as Row[]
  }

  /**
   * Runs one statement and answers its rows as Postgres' texts. One trip. For what `query` cannot do: statements that
   * begin with WITH and write, and large values, which would be JSON inside JSON there.
   */
  async texts(
    sql: string,
    params: readonly (string | null)[] = [],
    repetition: Repetition = 'once',
  ): Promise<(string | null)[][]> {
    const [result] = await this.#run([{ sql, params }], repetition)
    return result?.rows ?? []
  }

  /** Runs the statements in one transaction and one trip: all or none. Answers the rows of each as Postgres' texts. */
  async transaction(statements: readonly Statement[]): Promise<(string | null)[][][]> {
    return (await this.#run(statements, 'once')).map(result => result.rows)
  }

  async #run(statements: readonly Statement[], repetition: Repetition): Promise<StatementResult[]> {
    const options = {
      prepared: true,
      readOnly: false,
      changesNothing: repetition === 'repeatable',
      timeoutMs: PLATFORM_TIMEOUT_MS,
      share: this.#share,
    }
    try {
      return (await this.#wire.batch([PLATFORM_SETTINGS, ...statements], options)).slice(1)
    } catch (err) {
      throw isShareTaken(err) ? tooManyReadings(err) : err
    }
  }
}

const isShareTaken = (err: unknown) => err instanceof DomainError && err.code === 'too_many_calls'

/** The wire speaks of calls with one key; these are anybody's. */
function tooManyReadings(cause: unknown): DomainError {
  return new DomainError('too_many_calls', 'Others read the same just now, and take long.', {
    detail: 'Such readings have a third of the connections to the database.',
    hint: 'Ask again in a few seconds, or for less. A locked table keeps them waiting too.',
    retryAfterSeconds: 5,
    cause,
  })
}
