// What an SQL endpoint answers in place of results, as the error to throw: the caller's own failure passes with
// Postgres' words; what is about our connection becomes a fixed sentence, since its words name sockets, hosts and
// roles.

import { DomainError } from '../errors.ts'
import { readBoundedText } from '../lib/bounded-text.ts'
import { PostgresError, type PostgresErrorFields } from './postgres-error.ts'

/** The fields of an error on the wire; those of the gateway itself have no `routine`, those of Postgres have. */
interface WireErrorFields extends PostgresErrorFields {
  severity?: string | null
  routine?: string | null
}

const MEBIBYTE = 1024 * 1024
/** Words of Postgres are as long as whoever raises an error likes; our gateway cuts them. */
const ERROR_BYTES_MAX = MEBIBYTE

/**
 * Turns an answer that is not 200 into the error to throw. Neon and our gateway send 400 with Postgres' fields.
 * `mayChange`: whether the batch may have changed something.
 */
export async function processFailure(response: Response, mayChange: boolean): Promise<Error> {
  const text = await readBoundedText(response.body, ERROR_BYTES_MAX)
  if (text === undefined) return responseTooLarge(ERROR_BYTES_MAX, false)
  const fields = response.status === 400 ? parseFields(text) : undefined
  if (fields) {
    if (fields.code === TRANSACTION_RESOLUTION_UNKNOWN && isFromGateway(fields))
      return answerLost(new PostgresError(fields), mayChange)
    if (fields.code === SHARE_TAKEN && isFromGateway(fields)) return tooManyCalls(fields)
    if (isAboutConnection(fields))
      return answerLost(new PostgresError(fields), mayChange && !isUndone(fields))
    const bytes =
      isFromGateway(fields) && /^(?:result|Quoin-Row) larger than (\d+) bytes/.exec(fields.message)
    if (bytes) return responseTooLarge(Number(bytes[1]), mayChange && isCommitted(fields))
    return new PostgresError(fields)
  }
  if (response.status === 413) {
    return new DomainError(
      'payload_too_large',
      'The statements and their parameters are larger than the database takes in one call.',
    )
  }
  const cause = new Error(`the SQL endpoint answered ${response.status}: ${text.slice(0, 200)}`)
  return answerLost(cause, mayChange)
}

/**
 * SQLSTATEs of our gateway: the connection went under a batch that may have been committed; the caller's share is
 * taken.
 */
const TRANSACTION_RESOLUTION_UNKNOWN = '08007'
const SHARE_TAKEN = '53400'

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

/**
 * Connection exceptions, refused logins, no free connection, a server that stops or starts. A statement that fails with
 * one of these codes is the caller's own code speaking: Postgres reports it as ERROR and ends the session of none.
 * 08P01 is what Postgres says of a wrong number of parameters.
 */
function isAboutConnection(fields: WireErrorFields): boolean {
  if (!/^(?:08(?!P01)|28|53300|57P0)/.test(fields.code)) return false
  return isFromGateway(fields) || fields.severity !== 'ERROR'
}

/**
 * Whether it is certain that nothing was committed. Our gateway says so by the place of the statement that failed, or
 * failed itself before there was a connection. Of a server that stops, Neon's wire does not tell when it did.
 */
function isUndone(fields: WireErrorFields): boolean {
  return isFromGateway(fields) || typeof fields.queryIndex === 'number' || !/^57P0[12]/.test(fields.code)
}

function isFromGateway({ routine }: WireErrorFields): boolean {
  return routine === undefined || routine === null
}

function isCommitted({ detail }: WireErrorFields): boolean {
  return detail?.includes('committed') ?? false
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
