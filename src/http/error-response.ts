// The only place that knows which status an error has, and the shape every error goes out in.
// Unknown failures are logged whole with the request id and answered with a fixed sentence, never with `err.message`.

import { PostgresError } from '../db/postgres-error.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { REPEATED_STATUSES } from '../lib/repeated-statuses.ts'

/**
 * The body of every error, on both layers. `null` where there is nothing to say. The place in SQL that was sent is
 * there only where it is known: line and column from 1, the index of a statement in a transaction from 0.
 */
export interface ErrorBody {
  error: string
  code: string
  detail: string | null
  hint: string | null
  request_id: string
  line?: number | undefined
  column?: number | undefined
  statement_index?: number | undefined
}

const STATUS: Record<ErrorCode, number> = {
  account_unavailable: 403,
  admin_required: 403,
  admission_unavailable: 503,
  ambiguous_function: 300,
  ambiguous_relationship: 300,
  bucket_exists: 409,
  bucket_not_empty: 409,
  bucket_not_found: 404,
  challenge_expired: 410,
  challenge_not_found: 404,
  challenge_used: 409,
  check_incomplete: 422,
  client_without_secret: 409,
  conflict: 409,
  cross_site_request: 403,
  dashboard_role_required: 403,
  database_unavailable: 503,
  empty_transaction: 400,
  filter_required: 400,
  form_token_invalid: 403,
  function_not_found: 404,
  image_not_possible: 400,
  ingest_not_configured: 503,
  ingest_unavailable: 503,
  insufficient_role: 403,
  internal_error: 500,
  invalid_access_token: 401,
  invalid_api_key: 401,
  invalid_body: 400,
  invalid_bucket_name: 400,
  invalid_claim_template: 422,
  invalid_filter: 400,
  invalid_ingest_signature: 401,
  invalid_object_name: 400,
  invalid_order: 400,
  invalid_parameter: 400,
  invalid_preference: 400,
  invalid_range: 416,
  invalid_select: 400,
  invalid_signature: 400,
  invalid_sql: 422,
  invalid_tuple: 422,
  last_signing_key: 409,
  max_affected_exceeded: 400,
  method_not_allowed: 405,
  migration_applied: 409,
  migration_failed: 409,
  migration_not_modified: 409,
  migrations_running: 409,
  mime_type_not_allowed: 415,
  not_acceptable: 406,
  not_configured: 501,
  not_found: 404,
  not_singular: 406,
  not_supported: 501,
  oauth_client_refused: 422,
  object_exists: 409,
  object_not_found: 404,
  object_too_large: 413,
  payload_not_kept: 409,
  payload_too_large: 413,
  policy_unusable: 422,
  project_paused: 403,
  rate_limited: 429,
  relationship_not_found: 400,
  replay_too_large: 409,
  reserved_claim: 422,
  response_too_large: 400,
  schema_not_exposed: 406,
  scope_not_requested: 422,
  second_factor_required: 403,
  session_required: 401,
  sign_in_loop: 400,
  signature_expired: 400,
  sql_syntax: 400,
  statement_not_allowed: 400,
  storage_unavailable: 503,
  subject_mismatch: 403,
  table_busy: 409,
  table_not_watchable: 422,
  too_many_uploads: 429,
  tracking_table_unusable: 409,
  too_many_calls: 429,
  too_many_statements: 400,
  too_many_subscriptions: 429,
  too_many_tuples: 400,
  unauthorized_topic: 403,
  unknown_namespace: 422,
  unknown_relation: 422,
  unsupported_combination: 422,
  unsupported_media_type: 415,
  unsupported_tus_version: 412,
  upload_conflict: 409,
  upload_locked: 423,
  upload_not_found: 404,
  upgrade_required: 426,
  upstream_answer_too_large: 502,
  upstream_invalid_answer: 502,
  upstream_misconfigured: 502,
  upstream_unavailable: 502,
  user_code_invalid: 400,
  user_role_missing: 501,
  validation_failed: 400,
}

/**
 * SQLSTATEs with a status of their own. Every other is the caller's mistake or the caller's own code speaking: 400,
 * with Postgres' words. Classes in which Postgres itself failed are in `SERVER_CLASSES`.
 */
const STATUS_BY_SQLSTATE: Record<string, number> = {
  // Another number of parameters than the SQL has.
  '08P01': 400,
  '21000': 500,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '40001': 409,
  '40P01': 409,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '54001': 500,
  '55P03': 409,
  '57014': 504,
}
const STATUS_BY_CLASS: Record<string, number> = {
  '08': 503,
  '0L': 403,
  '0P': 403,
  '28': 403,
  '53': 503,
  '57': 503,
}
/** System error, configuration file, foreign data wrapper, internal error: not the caller's to mend, nor to read. */
const SERVER_CLASSES: ReadonlySet<string> = new Set(['58', 'F0', 'HV', 'XX'])

/** What the status of a refused right depends on: a known caller is forbidden, an anonymous one may sign in. */
export interface ErrorContext {
  requestId: string
  isAnonymous: boolean
  /** Method and pattern of the route, for the log; null where no route took the request. */
  route: string | null
}

/** An error as it goes out, before it is JSON or a page. */
export interface ErrorAnswer {
  status: number
  headers: Record<string, string>
  body: ErrorBody
  /** What was thrown, for a wire that says more about it, or other things. */
  cause: unknown
}

/** The answer for anything that was thrown. Logs what callers are not told. */
export function answerOf(err: unknown, context: ErrorContext): ErrorAnswer {
  if (err instanceof DomainError) return fromDomain(err, context)
  if (err instanceof PostgresError) return fromPostgres(err, context)
  logFailure('unhandled', err, context)
  return { status: 500, headers: {}, body: internalBody(context.requestId), cause: err }
}

/** The answer as JSON. */
export function errorResponse({ status, headers, body }: ErrorAnswer): Response {
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return new Response(JSON.stringify(body), { status, headers: { ...type, ...headers } })
}

/** What a 401 asks for (RFC 9110 section 11.6.1). */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  invalid_access_token: 'Bearer error="invalid_token"',
  invalid_ingest_signature: 'Signature',
  session_required: 'Session',
}

function fromDomain(err: DomainError, context: ErrorContext): ErrorAnswer {
  const status = STATUS[err.code]
  if (status >= 500) logFailure(err.code, err.cause ?? err, context, err.detail)
  const body = bodyOf(err, context)
  const headers: Record<string, string> = {}
  if (err.retryAfterSeconds !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(err.retryAfterSeconds)))
  if (err.allowedMethods) headers.allow = err.allowedMethods.join(', ')
  if (err.totalRows !== undefined) headers['content-range'] = `*/${err.totalRows}`
  if (err.totalBytes !== undefined) headers['content-range'] = `bytes */${err.totalBytes}`
  if (status === 401) headers['www-authenticate'] = CHALLENGES[err.code] ?? 'ApiKey'
  return { status, headers, body, cause: err }
}

function fromPostgres(err: PostgresError, context: ErrorContext): ErrorAnswer {
  if (err.answer) return { ...err.answer, body: bodyOf(err, context), cause: err }
  const status = postgresStatus(err, context.isAnonymous)
  // A slow statement is the caller's.
  if (status >= 500 && status !== 504) logFailure(err.code, err, context)
  if (SERVER_CLASSES.has(classOf(err)))
    return { status, headers: {}, body: internalBody(context.requestId), cause: err }
  const body = bodyOf(err, context)
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '1' } : {}
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  return { status, headers, body, cause: err }
}

function bodyOf(err: DomainError | PostgresError, context: ErrorContext): ErrorBody {
  const { message, code, detail = null, hint = null, place, statementIndex } = err
  const { requestId: request_id } = context
  return { error: message, code, detail, hint, request_id, ...place, statement_index: statementIndex }
}

function postgresStatus(err: PostgresError, isAnonymous: boolean): number {
  if (err.code === '42501') return isAnonymous ? 401 : 403
  // `RAISE SQLSTATE 'PT402'` lets a function of the user choose the status, as in PostgREST.
  const chosen = /^PT([45]\d\d)$/.exec(err.code)?.[1]
  if (chosen) return REPEATED_STATUSES.has(Number(chosen)) ? 400 : Number(chosen)
  if (SERVER_CLASSES.has(classOf(err))) return 500
  return STATUS_BY_SQLSTATE[err.code] ?? STATUS_BY_CLASS[classOf(err)] ?? 400
}

function classOf({ code }: PostgresError): string {
  return code.slice(0, 2)
}

function internalBody(requestId: string): ErrorBody {
  return {
    error: 'Something failed inside the service. It has been logged.',
    code: 'internal_error',
    detail: null,
    hint: 'Try again; if it stays, report the request id.',
    request_id: requestId,
  }
}

function logFailure(code: string, err: unknown, context: ErrorContext, detail?: string): void {
  const { message, stack, cause } = err instanceof Error ? err : new Error(String(err))
  const { requestId: request_id, route } = context
  const entry = {
    level: 'error',
    code,
    detail,
    route,
    request_id,
    message,
    stack,
    cause: cause && String(cause),
  }
  console.error(withoutPasswords(JSON.stringify(entry)))
}

/** Whatever a library puts into its message, the credentials of a connection string must not get into the log. */
function withoutPasswords(text: string): string {
  return text.replace(/\/\/[^\s/@:"]+:[^\s/@"]+@/g, '//***@')
}
