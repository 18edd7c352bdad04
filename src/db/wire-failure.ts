// What an SQL endpoint answers in place of results, as the error to throw: the caller's own failure passes with
// Postgres' words; what is about our connection becomes a fixed sentence, since its words name sockets, hosts and
// roles. A failure is the caller's only with a severity and an SQLSTATE of Postgres. Whether a change was made our
// gateway says in a field. Of Neon's proxy it is known only where the batch cannot have come to its COMMIT.

import { DomainError } from '../errors.ts'
import type { BatchFailure } from '../lib/batch-outcome.ts'
import { readBoundedText } from '../lib/bounded-text.ts'
import { PostgresError, type PostgresErrorFields } from './postgres-error.ts'

/** The fields of an error on the wire; those of `BatchFailure` come from our own gateway alone. */
interface WireErrorFields extends PostgresErrorFields, Partial<BatchFailure> {
  severity?: string | null
  routine?: string | null
}

/** The batch that failed, and where it was sent. */
export interface FailedBatch {
  /** Whether it may have changed something. */
  mayChange: boolean
  isOwnGateway: boolean
}

const MEBIBYTE = 1024 * 1024
/** Words of Postgres are as long as whoever raises an error likes, and the SQLSTATE stands behind them. */
const ERROR_BYTES_MAX = 16 * MEBIBYTE

/** Turns an answer that is not 200 into the error to throw. */
export async function processFailure(response: Response, batch: FailedBatch): Promise<Error> {
  const text = await readBoundedText(response.body, ERROR_BYTES_MAX)
  if (text === undefined) return responseTooLarge(ERROR_BYTES_MAX, false)
  if (response.status === 413) {
    return new DomainError(
      'payload_too_large',
      'The statements and their parameters are larger than the database takes in one call.',
    )
  }
  const fields = parseFields(text)
  const failure = fields && (batch.isOwnGateway ? ofGateway : ofNeon)(response.status, fields, batch)
  if (failure) return failure
  const cause = new Error(`the SQL endpoint answered ${response.status}: ${text.slice(0, 200)}`)
  return answerLost(cause, batch.mayChange)
}

/** SQLSTATE of our gateway where the caller's share is taken. */
const SHARE_TAKEN = '53400'

/** Our gateway sends 400 with fields; those of an error of its own have no `routine`, those of Postgres have. */
function ofGateway(status: number, fields: WireErrorFields, { mayChange }: FailedBatch): Error | undefined {
  if (status !== 400) return undefined
  const { outcome, bytesMax, code, severity } = fields
  if (fields.routine) return ofPostgres(fields, mayChange && outcome !== 'undone')
  const isKnown = outcome === 'committed' || outcome === 'undone'
  if (!isKnown) return answerLost(new PostgresError(fields), mayChange)
  if (bytesMax !== undefined) return responseTooLarge(bytesMax, mayChange && outcome === 'committed')
  if (code === SHARE_TAKEN) return tooManyCalls(fields)
  // There was no connection, or a pooler between it and Postgres gave one up.
  if (severity === 'FATAL' || CONNECTION_CODES.test(code)) return answerLost(new PostgresError(fields), false)
  return new PostgresError(fields)
}

/**
 * The proxy's own words for what it refuses before there is a connection, and for a batch that it cancels, which it
 * does before COMMIT alone. It says them with status 400, as it does of a connection that broke under the batch. So
 * what is not named here may have come behind COMMIT.
 */
const SAID_BEFORE_COMMIT = new RegExp(
  `^(?:${[
    'password authentication failed for user ',
    'This IP address .* is not allowed to connect',
    'This connection is trying to access this endpoint from a blocked network',
    'This VPC endpoint id ',
    'VPC endpoint ID is not specified',
    'Control plane request failed',
    'The endpoint has been disabled',
    'Query cancelled, connection was terminated',
  ].join('|')})`,
)

/**
 * Neon's proxy (neondatabase/neon, proxy/src/serverless/sql_over_http.rs) answers 400 for what Postgres refused, for
 * its own refusals and for a connection that broke. Its own words have an empty severity. 500 means that no connection
 * came, 507 that the answer was too large; both come before COMMIT.
 */
function ofNeon(status: number, fields: WireErrorFields, { mayChange }: FailedBatch): Error | undefined {
  const { message, severity } = fields
  if (status === 507)
    return responseTooLarge(Number(/max is (\d+) bytes/.exec(message)?.[1] ?? MEBIBYTE), false)
  if (status !== 400 && status !== 500) return undefined
  const cause = severity
    ? new PostgresError(fields)
    : new Error(`Neon: ${message.slice(0, WORDS_LOGGED_MAX)}`)
  if (status === 500) return answerLost(cause, false)
  if (severity) return ofPostgres(fields, mayChange)
  return answerLost(cause, mayChange && !SAID_BEFORE_COMMIT.test(message))
}

const WORDS_LOGGED_MAX = 1_000

/**
 * What Postgres said over either wire. An error undoes the transaction. What is fatal ends the session, in COMMIT too:
 * `mayBeMade` says whether a change may have been made then.
 */
function ofPostgres(fields: WireErrorFields, mayBeMade: boolean): Error {
  const { code, severity } = fields
  if (severity === 'ERROR') return new PostgresError(fields)
  if (code === TRANSACTION_TIMEOUT) return new PostgresError({ ...fields, ...STATEMENT_TIMEOUT })
  const isFatal = severity === 'FATAL' || severity === 'PANIC' || CONNECTION_CODES.test(code)
  // Postgres may speak another language, and then calls an error so in that.
  if (!isFatal) return new PostgresError(fields)
  return answerLost(new PostgresError(fields), mayBeMade && !LOGIN_CODES.test(code))
}

/** Connection exceptions, refused logins, no free connection, a server that stops or starts. */
const CONNECTION_CODES = /^(?:08(?!P01)|28|53300|57P0)/
/** What Postgres says fatally only before a session begins: the login, the database, its own start, its limits. */
const LOGIN_CODES = /^(?:28|3D000|53300|57P03)/

/** `transaction_timeout` can only end the session. To callers it is what `statement_timeout` says. */
const TRANSACTION_TIMEOUT = '25P04'
const STATEMENT_TIMEOUT = { code: '57014', message: 'canceling transaction due to its timeout' }

/** Why no connection came, for whoever runs the deployment. */
export type ConnectionRefusal = 'login' | 'database' | 'address' | 'endpoint' | 'connections'

/** By SQLSTATE, which our gateway has in its hint, and by the words of Neon's proxy. */
const REFUSALS: readonly (readonly [ConnectionRefusal, RegExp])[] = [
  ['login', /password authentication failed|\b28000\b|\b28P01\b/],
  ['database', /\b3D000\b/],
  ['address', /IP address .* is not allowed|from a blocked network|VPC endpoint/],
  ['connections', /\b53300\b|Too many connections|Failed to acquire permit/],
  ['endpoint', /endpoint (?:cannot be found|is disabled|has been disabled|is temporarily unavailable)|quota/],
]

/** Why a batch that failed with this got no connection; undefined where nobody said. */
export function connectionRefusal(err: unknown): ConnectionRefusal | undefined {
  const cause = err instanceof DomainError ? err.cause : undefined
  if (!(cause instanceof Error)) return undefined
  const facts = cause instanceof PostgresError ? `${cause.code} ${cause.hint ?? ''} ` : ''
  return REFUSALS.find(([, words]) => words.test(facts + cause.message))?.[0]
}

/**
 * What a call without an answer is told. A batch that may change something may have done so: whoever sends it again
 * makes it twice, so nothing says to.
 */
export function answerLost(cause: unknown, mayChange: boolean): DomainError {
  if (!mayChange) return databaseUnavailable(cause)
  return new DomainError('database_unavailable', 'The answer of the database was lost.', {
    detail: 'If the call changes anything, that may have been done all the same.',
    hint: 'Look whether it was done before you send the call again.',
    cause,
    outcomeUnknown: true,
  })
}

function tooManyCalls({ message, detail, hint }: WireErrorFields): DomainError {
  return new DomainError('too_many_calls', 'This key has as many calls under way from here as it may.', {
    detail: [message, detail].filter(Boolean).join('. '),
    hint: hint ?? 'Wait for some of them before you send more, and look for what makes them slow.',
    retryAfterSeconds: 1,
  })
}

/** `database_unavailable` (503): a fixed sentence for the caller, the cause for the log. Nothing was changed. */
function databaseUnavailable(cause: unknown): DomainError {
  return new DomainError('database_unavailable', 'The database does not answer.', {
    hint: 'Try again in a moment. The status says whether the database is back: GET /v1/status, or in the dashboard.',
    cause,
    retryAfterSeconds: 1,
  })
}

/** `response_too_large`; says whether what the call wrote stays, which decides whether it may be sent again. */
export function responseTooLarge(bytesMax: number, isWriteCommitted: boolean): DomainError {
  const limit = bytesMax < MEBIBYTE ? `${bytesMax} bytes` : `${Math.floor(bytesMax / MEBIBYTE)} MiB`
  const fate = isWriteCommitted
    ? 'The transaction was committed all the same: what it wrote stays.'
    : 'Nothing was changed.'
  return new DomainError('response_too_large', `The result is larger than ${limit}. ${fate}`, {
    hint: 'Ask for less at a time: a smaller row_limit or limit, or fewer columns.',
  })
}

function parseFields(text: string): WireErrorFields | undefined {
  try {
    const fields = JSON.parse(text) as WireErrorFields
    return typeof fields.code === 'string' && typeof fields.message === 'string' ? fields : undefined
  } catch {
    // Not JSON, so not from Postgres: the caller reports the status instead.
    return undefined
  }
}
