/**
 * Owns what a pooled session is between two batches: what it starts with, and what takes it back to that. Texts only;
 * `BatchRun` and `Execution` send them.
 */

/**
 * What a pooled session opens with, and so what every reset returns to. A start-up parameter wins over ALTER ROLE and
 * ALTER DATABASE ... SET: a caller who may write such settings would decide with them over everybody's next session.
 */
export const STARTUP_PARAMETERS: Readonly<Record<string, string>> = {
  application_name: 'quoin-sql-gateway',
  array_nulls: 'on',
  bytea_output: 'hex',
  // A statement that swallows cancels must not outlive its connection, should the gateway be gone or fail to end it.
  client_connection_check_interval: '10s',
  client_min_messages: 'notice',
  DateStyle: 'ISO, MDY',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  exit_on_error: 'off',
  extra_float_digits: '1',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  IntervalStyle: 'postgres',
  lock_timeout: '0',
  role: 'none',
  row_security: 'on',
  search_path: '"$user", public',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  synchronous_commit: 'on',
  TimeZone: 'UTC',
  transform_null_equals: 'off',
  xmlbinary: 'base64',
}

/** Takes back what a caller's SQL may leave in a session: settings, role, temporary tables, locks, cursors, LISTEN. */
export const RESET_CALLER = 'DISCARD ALL'

/**
 * The look for replaced names: a trigger of a user's may have put a text of its own under one of our names. Gives back
 * advisory locks, and fails by a division by zero where SQL prepared anything in the session, which is then closed.
 * Postgres skips what follows a failure, so nothing that has a name may run between code of users and the look. Only
 * COMMIT does, and Postgres says what it did. Nothing here is found by the search path.
 */
export const LOOK_FOR_REPLACED_NAMES =
  'SELECT pg_catalog.pg_advisory_unlock_all(), ' +
  'pg_catalog.int4div(0, CASE WHEN pg_catalog.int8eq(pg_catalog.count(*), 0) THEN 1 ELSE 0 END) ' +
  'FROM pg_catalog.pg_prepared_statement() WHERE from_sql'

/**
 * Takes back what functions, triggers and policies of users may leave in a session that ran Quoin's own statements:
 * DISCARD ALL without what would cost the session its prepared statements and their plans.
 */
const RESET_TEXTS: readonly string[] = [
  // RESET ALL leaves out the role, which a function can set for the session as any other setting.
  'SET SESSION AUTHORIZATION DEFAULT',
  'RESET ALL',
  'CLOSE ALL',
  'UNLISTEN *',
  'DISCARD TEMP',
  'DISCARD SEQUENCES',
]

export const RESET_OWN = [...RESET_TEXTS, LOOK_FOR_REPLACED_NAMES].join('; ')

export const COMMIT = 'COMMIT'

/** The end of a batch of own statements that writes. All comes after COMMIT, where deferred triggers run last. */
export const END_OF_WRITES: readonly string[] = [COMMIT, LOOK_FOR_REPLACED_NAMES, ...RESET_TEXTS]

/**
 * The end of a batch of own statements that only reads. Nothing is there to commit, and ROLLBACK takes back settings,
 * role, LISTEN and cursors for nothing; Postgres refuses temporary tables and sequences there; locks it would keep.
 * Nothing of the users' runs behind the first of these.
 */
export const END_OF_READS: readonly string[] = [LOOK_FOR_REPLACED_NAMES, 'ROLLBACK']
