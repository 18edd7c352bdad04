// Domain errors with stable codes. Features throw these; they know no HTTP.
// `src/http/error-response.ts` alone turns a code into a status.

import type { TextPlace } from './lib/text-place.ts'

/** Every code of ours that can reach a caller, with the sentence that documents it. */
export const ERROR_CODES = {
  account_unavailable: 'The account that signed in is disabled or no longer exists.',
  admin_required: 'The endpoint is for administrators, and the session belongs to somebody else.',
  admission_unavailable: 'The API key could not be checked just now; nothing was done.',
  ambiguous_function: 'Several functions of that name take the arguments that were sent.',
  ambiguous_relationship:
    'Two tables are related in several ways, and the request does not say which it means.',
  bucket_exists: 'There is a bucket of that name already.',
  bucket_not_empty: 'A bucket with objects in it is not deleted; empty it first.',
  bucket_not_found: 'There is no bucket of that name, or the caller may not see it.',
  challenge_expired:
    'The login, consent, device or logout request has expired; start again from the application.',
  challenge_not_found: 'The OAuth2 server knows no such login, consent, device or logout request.',
  challenge_used: 'The login, consent, device or logout request was answered already.',
  check_incomplete: 'The permission server gave up on a check: too much lies between object and subject.',
  client_without_secret: 'The OAuth2 client does not authenticate with a secret, so it has none to replace.',
  conflict: 'The record was changed by somebody else in between; read it again.',
  cross_site_request: 'The request came from a page of another origin, which may not change anything here.',
  dashboard_role_required: 'The identity has none of the roles that may use the dashboard.',
  database_unavailable:
    'The database does not answer. Without Retry-After a change may have been made all the same.',
  empty_transaction: 'A transaction needs at least one statement.',
  filter_required:
    'PATCH and DELETE need at least one filter, so that nobody changes a whole table by accident.',
  form_token_invalid: 'The form was not sent from a page that was opened in the same browser.',
  function_not_found: 'No function of that name takes those arguments.',
  image_not_possible:
    'The image cannot be made: the file, the size asked for or the deployment does not allow it.',
  ingest_not_configured:
    'The deployment has no secret of at least 32 bytes to check row changes with; none are taken.',
  ingest_unavailable: 'Row changes could not be put on the queue; the listener sends them again.',
  insufficient_role: 'The API key is valid, but the route needs a service_role key.',
  internal_error: 'Something failed inside Quoin; the request id finds it in the log.',
  invalid_access_token: 'The bearer token beside the API key is not a valid access token.',
  invalid_api_key: 'The API key is missing, malformed, unknown, expired or revoked.',
  invalid_body: 'The request body could not be read as what its Content-Type says.',
  invalid_bucket_name: 'The name of a bucket is empty, too long or has characters that are not allowed.',
  invalid_claim_template:
    'A template of the claims configuration could not be read, or names what it may not.',
  invalid_filter: 'A filter of the query string could not be read.',
  invalid_ingest_signature: 'The request was not signed by the listener of this deployment, or too long ago.',
  invalid_object_name: 'The name of an object is empty, too long or has parts that are not allowed.',
  invalid_order: 'The order parameter could not be read.',
  invalid_parameter: 'A query parameter has a value outside what it allows.',
  invalid_preference: 'A preference was not understood, and handling=strict was asked for.',
  invalid_range: 'The range asked for does not exist in the result.',
  invalid_select: 'The select parameter could not be read.',
  invalid_signature: 'The token of a signed address is missing, was changed, or was made for something else.',
  invalid_sql: 'Postgres cannot read the SQL of a migration; the error says where.',
  invalid_tuple: 'A relation tuple cannot be read or may not be written; the error says which one.',
  last_signing_key: 'The key is the only one of a set that the OAuth2 server signs with, and is not deleted.',
  max_affected_exceeded: 'More rows would have changed than max-affected allows; nothing was changed.',
  method_not_allowed: 'The path exists, but not with this method.',
  migration_applied: 'The migration is applied already; the call is for one that is not.',
  migration_failed: 'A migration did not run through; the error says which one and where.',
  migration_not_modified: 'Only a migration whose file was changed after it was applied can be accepted.',
  migrations_running: 'Another run of migrations holds the lock; nothing was changed.',
  mime_type_not_allowed: 'The bucket or the endpoint does not take files of this type.',
  not_acceptable: 'None of the media types in Accept can be produced.',
  not_configured: 'The deployment lacks a variable that this endpoint needs; the error names it.',
  not_found: 'Nothing is served under this path, or the record does not exist.',
  not_singular: 'A single object was asked for, but the result has none or several rows.',
  not_supported: 'A server that Quoin depends on cannot do this, as the deployment is set up.',
  oauth_client_refused: 'The OAuth2 server refused what a client was to be made or changed to.',
  object_exists: 'There is an object of that name already, and the call does not replace it.',
  object_not_found: 'There is no object of that name, or the caller may not see it.',
  object_too_large: 'The file is larger than the bucket or the deployment allows.',
  payload_not_kept:
    'The body of the delivery was too large for the log, or is not that of an event; it cannot be sent again.',
  payload_too_large: 'The request body is larger than the route takes.',
  policy_unusable: 'The policies of a table cannot be judged for the caller who wants to follow it.',
  project_paused: 'The project of this API key is paused.',
  rate_limited: 'The key has used up its requests for this minute.',
  relationship_not_found: 'No foreign key or function relates the tables that are to be embedded.',
  replay_too_large:
    'The dead letter is too large to be sent by itself; the error names the replay that sends it.',
  reserved_claim: 'The claim belongs to the OAuth2 server; the claims configuration cannot set it.',
  response_too_large: 'The result is larger than Quoin returns in one answer.',
  schema_not_exposed: 'The schema is not one of those in DB_SCHEMAS.',
  scope_not_requested: 'A scope was granted that the application has not asked for.',
  second_factor_required: 'The session needs a second factor before it counts.',
  session_required: 'The endpoint needs the session of a signed-in user, and none that is valid was sent.',
  sign_in_loop:
    'The browser came back to sign in several times: without a session, or with one that is not taken.',
  signature_expired: 'The signed address has expired; ask for a new one.',
  sql_syntax: 'The SQL could not be parsed.',
  statement_not_allowed: 'This kind of statement is not allowed here.',
  storage_unavailable: 'The store of files does not answer; nothing was stored or deleted.',
  subject_mismatch: 'The request belongs to another account than the one that is signed in.',
  table_busy: 'Somebody holds a lock on the table that did not end within ten seconds; nothing was changed.',
  table_not_watchable: 'The table does not exist, or its row changes cannot be watched.',
  too_many_uploads: 'The key has too many resumable uploads open.',
  tracking_table_unusable:
    'The table of applied migrations is not what it must be; the error says how to mend it.',
  too_many_calls: 'The key has as many calls under way from one address as it may; the call was not begun.',
  too_many_statements: 'A transaction takes at most 20 statements.',
  too_many_subscriptions: 'As many persons, or as many filters, as there may be follow the table already.',
  too_many_tuples: 'An import or a deletion takes at most 500 relation tuples.',
  unauthorized_topic: 'No policy on realtime.messages lets the caller read or write the topic.',
  unknown_namespace: 'The permission server knows no namespace of that name.',
  unknown_relation: 'The permission file declares no relation of that name in the namespace.',
  unsupported_combination: 'Two settings were asked for that the OAuth2 server cannot combine.',
  unsupported_media_type: 'The Content-Type of the body is not one the route takes.',
  unsupported_tus_version: 'Resumable uploads speak TUS 1.0.0, which Tus-Resumable must name.',
  upload_conflict: 'A resumable upload stands at another offset, or another request is writing to it.',
  upload_locked: 'Another request is writing to the resumable upload, or is making an object of it.',
  upload_not_found: 'There is no such resumable upload: it was finished, cancelled or has expired.',
  upgrade_required: 'The address opens a WebSocket, and the request asked for none.',
  upstream_answer_too_large: 'A server that Quoin depends on gave a longer answer than Quoin reads.',
  upstream_invalid_answer: 'A server that Quoin depends on gave an answer that Quoin does not understand.',
  upstream_misconfigured:
    'A server that Quoin depends on refused the credentials or the path that Quoin is configured with.',
  upstream_unavailable: 'A server that Quoin depends on does not answer.',
  user_code_invalid: 'No device waits with this code: it is wrong, used or expired.',
  user_role_missing: 'The database lacks the role that signed-in persons are to act as (DATA_USER_ROLE).',
  validation_failed: 'A field of the request does not have the shape it must have.',
} as const

/** A stable, lower-case code of ours. Codes from Postgres are SQLSTATEs and live in `db/postgres-error.ts`. */
export type ErrorCode = keyof typeof ERROR_CODES

/**
 * How PostgREST says it, to whom its clients call. What is left out is said in our words; `details` may be any JSON.
 */
export interface PostgrestWords {
  readonly code: string
  readonly message?: string
  readonly details?: unknown
  readonly hint?: string | null
}

export interface ErrorFacts {
  /** More about what was wrong and where; safe to show. */
  detail?: string | undefined
  /** What to do about it. */
  hint?: string | undefined
  cause?: unknown
  /** Seconds after which a new try makes sense; becomes Retry-After. */
  retryAfterSeconds?: number | undefined
  /** Methods that the path takes; becomes Allow. */
  allowedMethods?: readonly string[] | undefined
  /** How many rows there are, where the range asked for lies behind them; becomes Content-Range. */
  totalRows?: number | undefined
  /** As `totalRows`, of a file. */
  totalBytes?: number | undefined
  /** Where the text that was sent is wrong. */
  place?: TextPlace | undefined
  /** Index of the statement of a transaction that failed. */
  statementIndex?: number | undefined
  /** True for a change that was sent and whose end nobody saw: it may have been made. */
  outcomeUnknown?: boolean | undefined
  /** For the clients of PostgREST alone. */
  postgrest?: PostgrestWords | undefined
}

/** An error with a stable code and a message that is safe to show to the caller. */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly detail: string | undefined
  readonly hint: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allowedMethods: readonly string[] | undefined
  readonly totalRows: number | undefined
  readonly totalBytes: number | undefined
  readonly place: TextPlace | undefined
  readonly statementIndex: number | undefined
  readonly outcomeUnknown: boolean
  readonly postgrest: PostgrestWords | undefined

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'DomainError'
    this.code = code
    this.detail = facts.detail
    this.hint = facts.hint
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.allowedMethods = facts.allowedMethods
    this.totalRows = facts.totalRows
    this.totalBytes = facts.totalBytes
    this.place = facts.place
    this.statementIndex = facts.statementIndex
    this.outcomeUnknown = facts.outcomeUnknown ?? false
    this.postgrest = facts.postgrest
  }
}

/** Said to a key at admission, and where a pause came after it. */
export function projectPaused(): DomainError {
  return new DomainError('project_paused', 'The project of this API key is paused.', {
    hint: 'An administrator resumes it in the dashboard, or with PATCH /api/projects/:id.',
  })
}

/** Whether the change that failed with this may have been made all the same. */
export function isOutcomeUnknown(err: unknown): boolean {
  return err instanceof DomainError && err.outcomeUnknown
}
