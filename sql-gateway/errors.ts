/**
 * Owns the one error type of the gateway and its JSON shape on the wire.
 * Must not decide statuses other than 400: the transport's own refusals (404, 405, 413) carry their status along.
 */
import type { BatchFailure, BatchOutcome } from '../src/lib/batch-outcome.ts'

/** The fields of a Postgres error under the names that Neon's wire gives them; every one may be missing. */
export interface SqlErrorFields {
  severity?: string | undefined
  code?: string | undefined
  detail?: string | undefined
  hint?: string | undefined
  position?: string | undefined
  internalPosition?: string | undefined
  internalQuery?: string | undefined
  where?: string | undefined
  schema?: string | undefined
  table?: string | undefined
  column?: string | undefined
  dataType?: string | undefined
  constraint?: string | undefined
  file?: string | undefined
  line?: string | undefined
  routine?: string | undefined
}

const FIELD_NAMES = [
  'code',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'severity',
  'where',
  'table',
  'column',
  'schema',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const satisfies readonly (keyof SqlErrorFields)[]

/** An error that is safe to show to the caller: from Postgres as it came, or the gateway's own with an SQLSTATE. */
export class SqlError extends Error implements BatchFailure {
  readonly fields: SqlErrorFields
  readonly status: number
  /** What Postgres refuses it undoes, and most refusals of the gateway come before it sends anything. */
  outcome: BatchOutcome = 'undone'
  bytesMax: number | undefined
  /** Zero-based place in `queries` of the statement that failed; `queries.length` when the COMMIT failed. */
  queryIndex: number | undefined

  constructor(message: string, fields: SqlErrorFields, status = 400) {
    super(message)
    this.fields = fields
    this.status = status
  }
}

/** An error of the gateway itself; severity `ERROR` unless said otherwise. */
export function gatewayError(
  code: string,
  message: string,
  more: SqlErrorFields = {},
  status = 400,
): SqlError {
  return new SqlError(message, { severity: 'ERROR', ...more, code }, status)
}

/** The error of an answer over its bound. */
export function resultTooLarge(what: string, bytesMax: number, outcome: BatchOutcome): SqlError {
  const error = gatewayError('54000', `${what} larger than ${bytesMax} bytes`, {
    detail: outcome === 'committed' ? 'The batch was committed.' : 'Nothing was changed.',
    hint: 'Ask for less at a time, with LIMIT or a cursor, or for fewer columns.',
  })
  error.outcome = outcome
  error.bytesMax = bytesMax
  return error
}

/** The same error of a batch whose end nobody saw: it may be committed. */
export function unknownOutcome(error: SqlError): SqlError {
  error.outcome = 'unknown'
  return error
}

/** The error of every failure to reach Postgres, or to keep a connection to it: class 08. */
export function connectionError(message: string, detail?: string): SqlError {
  return gatewayError('08006', message, { severity: 'FATAL', detail })
}

/** Whoever raises an error may make it as long as an answer. */
const FIELD_CHARACTERS_MAX = 16_384

/**
 * The JSON body of an error; absent fields are null, as Neon sends them, and long ones are cut. Beside Neon's it has
 * those of `BatchFailure`.
 */
export function errorJson(error: SqlError): string {
  const { outcome, bytesMax } = error
  const body: Record<string, unknown> = { message: cut(error.message), outcome, bytesMax }
  for (const name of FIELD_NAMES) body[name] = cut(error.fields[name]) ?? null
  if (error.queryIndex !== undefined) body.queryIndex = error.queryIndex
  return JSON.stringify(body)
}

function cut(text: string | undefined): string | undefined {
  return text?.slice(0, FIELD_CHARACTERS_MAX).toWellFormed()
}
