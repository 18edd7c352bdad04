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
  TimeZone: 'UTC',
  transform_null_equals: 'off',
  xmlbinary: 'base64',
}

/** Takes back what a caller's SQL may leave in a session: settings, role, temporary tables, locks, cursors, LISTEN. */
export const RESET_CALLER = 'DISCARD ALL'

const UNLOCK = 'SELECT pg_catalog.pg_advisory_unlock_all()'

/** DISCARD ALL without what would cost the own pool its prepared statements and their plans. */
const RESET_STATEMENTS: readonly string[] = [
  // RESET ALL leaves out the role, which a function can set for the session as any other setting.
  'SET SESSION AUTHORIZATION DEFAULT',
  'RESET ALL',
  'CLOSE ALL',
  'UNLISTEN *',
  UNLOCK,
  'DISCARD TEMP',
  'DISCARD SEQUENCES',
]

/** What functions, triggers and policies of users may leave in a session that ran Quoin's own statements. */
export const RESET_OWN = RESET_STATEMENTS.join('; ')

/**
 * The end of a batch of own statements that writes. Inside the transaction, where it costs half of what it does as a
 * transaction of its own; after the deferred triggers, so that nothing of the users' runs behind it.
 */
export const END_OF_WRITES: readonly string[] = [
  'SET CONSTRAINTS ALL IMMEDIATE',
  ...RESET_STATEMENTS,
  'COMMIT',
]

/**
 * The end of a batch of own statements that only reads. Nothing is there to commit, and ROLLBACK takes back settings,
 * role, LISTEN and cursors for nothing; Postgres refuses temporary tables and sequences there; locks it would keep.
 */
export const END_OF_READS: readonly string[] = [UNLOCK, 'ROLLBACK']
