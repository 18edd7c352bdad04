/**
 * Owns ending a backend that outlived its connection: its statement swallows cancels and never looks at its socket.
 * Uses a short-lived session of its own: a login role may end its own backends. Bounded in time and in tries.
 */
import { PostgresConnection } from './postgres-connection.ts'
import type { ServedEntry } from './served.ts'
import { openSession } from './session.ts'
import { STARTUP_PARAMETERS } from './session-state.ts'

const TRIES_MAX = 5
const TRY_TIMEOUT_MS = 5_000
const PAUSE_MS = 1_000

/** No name of a caller's schema can stand in for one of Postgres'. */
const PARAMETERS = { ...STARTUP_PARAMETERS, search_path: '', statement_timeout: String(TRY_TIMEOUT_MS) }

/**
 * Ends the backend and resolves when Postgres has confirmed that it is gone. Rejects with the last try's `SqlError`
 * when that could not be had in five tries of at most ten seconds each.
 */
export async function terminateBackend(entry: ServedEntry, processId: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await tryToTerminate(entry, processId)
      return
    } catch (error) {
      if (tries === TRIES_MAX) throw error
      await new Promise<void>(resolve => setTimeout(resolve, PAUSE_MS).unref())
    }
  }
}

async function tryToTerminate(entry: ServedEntry, processId: number): Promise<void> {
  const session = await openSession(entry, PARAMETERS, TRY_TIMEOUT_MS)
  const connection = new PostgresConnection(entry, session, () => undefined)
  const timer = setTimeout(() => connection.destroy('it took too long to end a backend'), TRY_TIMEOUT_MS)
  try {
    await new Promise<void>((resolve, reject) => {
      connection.command([terminateText(processId)], error => (error ? reject(error) : resolve()))
    })
  } finally {
    clearTimeout(timer)
    connection.use(undefined)
    connection.end()
  }
}

/**
 * Signals the backend if it is still there, busy, and this role's: its number may be another's by now. pg_terminate_backend
 * waits for the end; what is still there after that fails by the cast, so that an answer without an error says "gone".
 */
function terminateText(processId: number): string {
  const waitMs = TRY_TIMEOUT_MS - 1_000
  return `SELECT CASE WHEN pg_catalog.pg_terminate_backend(pid, ${waitMs}) THEN 0
    ELSE ('backend ' || pid || ' is still there')::pg_catalog.int4 END
    FROM pg_catalog.pg_stat_activity
    WHERE pid = ${processId} AND usename = SESSION_USER AND state <> 'idle'`
}
