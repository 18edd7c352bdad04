/**
 * Owns the look at a new pooled session for settings that its login role brought along. Any SQL in such a session may
 * write some (`ALTER ROLE CURRENT_USER SET`), and they would decide over everybody's rows from the next session on.
 */
import { readErrorResponse } from './error-response.ts'
import { connectionError, gatewayError, type SqlError } from './errors.ts'
import type { PostgresConnection } from './postgres-connection.ts'

/**
 * The role's settings that are in effect and that the role itself may have written: not those that only a superuser
 * may, nor those that the start-up packet overrides. A name that is not in pg_settings belongs to a library that is not
 * loaded yet (`plpgsql.check_asserts`); `pgrst.*` is PostgREST's, and nothing here reads it. Of a role that owns the
 * database nothing is told: no caller's SQL runs as it.
 */
const ROLE_SETTINGS = `SELECT pg_catalog.string_agg(name, ', ' ORDER BY name) FROM (
  SELECT name FROM pg_catalog.pg_settings
    WHERE source = ANY (ARRAY['user', 'database user']) AND context = 'user'
  UNION
  SELECT pg_catalog.split_part(setting, '=', 1) FROM pg_catalog.pg_db_role_setting s,
      pg_catalog.pg_roles r, pg_catalog.pg_database d, pg_catalog.unnest(s.setconfig) setting
    WHERE r.rolname = SESSION_USER AND s.setrole = r.oid AND d.datname = pg_catalog.current_database()
      AND s.setdatabase = ANY (ARRAY[d.oid, 0::pg_catalog.oid])
      AND pg_catalog.split_part(setting, '=', 1) <> ALL (SELECT name FROM pg_catalog.pg_settings)
      AND NOT pg_catalog.starts_with(setting, 'pgrst.')
  ) found WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_database
    WHERE datname = pg_catalog.current_database() AND pg_catalog.pg_has_role(datdba, 'MEMBER'))`

const DATA_ROW = 0x44
const ERROR_RESPONSE = 0x45
const READY_FOR_QUERY = 0x5a
/** Behind the row's count of columns and the value's length. */
const VALUE_AT = 6

/** Rejects with `SqlError` 28000 for settings of the role, 08006 where Postgres does not tell within the time. */
export async function refuseRoleSettings(connection: PostgresConnection, timeoutMs: number): Promise<void> {
  const timer = setTimeout(() => connection.destroy(`no answer within ${timeoutMs} ms`), timeoutMs)
  try {
    const names = await namesOfRoleSettings(connection)
    if (names !== undefined) throw refusal(nameOf(connection), names)
  } catch (error) {
    connection.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function namesOfRoleSettings(connection: PostgresConnection): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let names: string | undefined
    connection.use({
      onFrame: (code, bytes, start, end) => {
        if (code === ERROR_RESPONSE) {
          const { message } = readErrorResponse(bytes, start, end)
          const detail = `They may be the reason: ALTER ROLE ${nameOf(connection)} RESET ALL takes them back.`
          reject(connectionError(`Postgres does not tell the settings of the login role: ${message}`, detail))
        }
        const isValue = code === DATA_ROW && bytes.readInt32BE(start + VALUE_AT - 4) >= 0
        if (isValue) names = bytes.toString('utf8', start + VALUE_AT, end)
        if (code === READY_FOR_QUERY) resolve(names)
      },
      onClosed: reject,
    })
    connection.write(messages => messages.query(ROLE_SETTINGS))
  })
}

function nameOf({ entry }: PostgresConnection): string {
  return `"${entry.user.replaceAll('"', '""')}"`
}

function refusal(role: string, names: string): SqlError {
  return gatewayError('28000', `the login role ${role} has settings of its own: ${names}`, {
    severity: 'FATAL',
    detail: 'SQL of callers may have written them, and they would decide over the answers to everybody.',
    hint:
      `Take them back: ALTER ROLE ${role} RESET ALL; ALTER ROLE ${role} IN DATABASE ... RESET ALL. ` +
      'What all calls are to have, the owner sets for the database: ALTER DATABASE ... SET.',
  })
}
