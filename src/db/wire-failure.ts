// What an SQL endpoint answers in place of results, as the error to throw: the caller's own failure passes with Postgres'
// words; what is about our connection becomes a fixed sentence, since its words name sockets, hosts and roles.

import { DomainError } from '../errors.ts'
import { PostgresError, type PostgresErrorFields } from './postgres-error.ts'

/** The fields of an error on the wire; those of the gateway itself have no `routine`, those of Postgres have. */
interface WireErrorFields extends PostgresErrorFields {
  severity?: string | null
  routine?: string | null
}

/** Turns an answer that is not 200 into the error to throw. Neon and our gateway send 400 with Postgres' fields. */
export async function processFailure(response: Response, isReadOnly: boolean): Promise<Error> {
  const text = await response.text()
  const fields = response.status === 400 ? parseFields(text) : undefined
  if (fields) {
    if (isAboutConnection(fields)) return databaseUnavailable(new PostgresError(fields))
    const bytes =
      isFromGateway(fields) && /^(?:result|Quoin-Row) larger than (\d+) bytes/.exec(fields.message)
    if (bytes) return responseTooLarge(Number(bytes[1]), !isReadOnly && isCommitted(fields))
    return new PostgresError(fields)
  }
  if (response.status === 413) {
    return new DomainError(
      'payload_too_large',
      'The statements and their parameters are larger than the database takes in one call.',
    )
  }
  return databaseUnavailable(new Error(`the SQL endpoint answered ${response.status}: ${text.slice(0, 200)}`))
}

/** `database_unavailable` (503): a fixed sentence for the caller, the cause for the log. */
export function databaseUnavailable(cause: unknown): DomainError {
  return new DomainError('database_unavailable', 'The database does not answer.', {
    hint: 'Try again in a moment. GET /v1/status says whether the database is back.',
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

const MEBIBYTE = 1024 * 1024

/**
 * Connection exceptions, refused logins, no free connection, a server that stops or starts. A statement that fails with
 * one of these codes is the caller's own code speaking: Postgres reports it as ERROR and ends the session of none.
 * 08P01 is what Postgres says of a wrong number of parameters.
 */
function isAboutConnection(fields: WireErrorFields): boolean {
  if (!/^(?:08(?!P01)|28|53300|57P0)/.test(fields.code)) return false
  return isFromGateway(fields) || fields.severity !== 'ERROR'
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
