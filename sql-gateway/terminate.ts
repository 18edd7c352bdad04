/**
 * Owns ending a backend that outlived its connection: its statement swallows cancels and never looks at its socket.
 * Uses short-lived sessions of its own: a login role may end its own backends. Each try is bounded in time.
 */
import { PostgresConnection } from './postgres-connection.ts'
import type { ServedEntry } from './served.ts'
import { openSession } from './session.ts'
import { STARTUP_PARAMETERS } from './session-state.ts'

const QUICK_TRIES = 5
const TRY_TIMEOUT_MS = 5_000
const PAUSE_MS = 1_000
/** A backend that is younger than the connection, by more than this, is another under the same number. */
const AGE_SLACK_MS = 2_000
/** Between tries to end a backend that looks for no signal, in a long loop over one value say. */
const LONG_PAUSE_MS = 10_000

/** No name of a caller's schema can stand in for one of Postgres'. */
const PARAMETERS = { ...STARTUP_PARAMETERS, search_path: '', statement_timeout: String(TRY_TIMEOUT_MS) }

/**
 * Ends the backend and resolves when Postgres has confirmed that it is gone, or `isOver`. After five tries of at most
 * ten seconds each `onStubborn` gets the last one's `SqlError`, once; the tries go on, with longer pauses.
 */
export async function terminateBackend(
  entry: ServedEntry,
  { processId, openedAtMs }: Pick<PostgresConnection, 'processId' | 'openedAtMs'>,
  isOver: () => boolean,
  onStubborn: (error: unknown) => void,
): Promise<void> {
  for (let tries = 1; !isOver(); tries++) {
    try {
      await tryToTerminate(entry, terminateText(processId, Date.now() - openedAtMs))
      return
    } catch (error) {
      if (tries === QUICK_TRIES) onStubborn(error)
      const pauseMs = tries < QUICK_TRIES ? PAUSE_MS : LONG_PAUSE_MS
      await new Promise<void>(resolve => setTimeout(resolve, pauseMs).unref())
    }
  }
}

async function tryToTerminate(entry: ServedEntry, text: string): Promise<void> {
  const session = await openSession(entry, PARAMETERS, TRY_TIMEOUT_MS)
  const connection = new PostgresConnection(entry, session, () => undefined)
  const timer = setTimeout(() => connection.destroy('it took too long to end a backend'), TRY_TIMEOUT_MS)
  try {
    await new Promise<void>((resolve, reject) => {
      connection.command([text], error => (error ? reject(error) : resolve()))
    })
  } finally {
    clearTimeout(timer)
    connection.use(undefined)
    connection.end()
  }
}

/**
 * Signals the backend if it is still there, busy, and this role's: its number may be another's by now.
 * pg_terminate_backend waits for the end; what is still there after that fails by the cast, so that an answer without
 * an error says "gone".
 */
function terminateText(processId: number, ageMs: number): string {
  const waitMs = TRY_TIMEOUT_MS - 1_000
  return `SELECT CASE WHEN pg_catalog.pg_terminate_backend(pid, ${waitMs}) THEN 0
    ELSE ('backend ' || pid || ' is still there')::pg_catalog.int4 END
    FROM pg_catalog.pg_stat_activity
    WHERE pid = ${processId} AND usename = SESSION_USER AND state <> 'idle'
      AND backend_start < pg_catalog.clock_timestamp() - ${Math.max(0, ageMs - AGE_SLACK_MS)} * interval '1 ms'`
}
