/**
 * Owns the CancelRequest: a connection of its own that names the session whose statement is to stop.
 * Postgres never answers it; whether the statement stopped shows on the session itself.
 */
import { serialize } from 'pg-protocol'
import type { ServedEntry } from './served.ts'
import { openSocket } from './session.ts'

const CANCEL_TIMEOUT_MS = 2_000

/** Asks Postgres to cancel what the session runs; resolves when it was taken or cannot be sent, never rejects. */
export async function requestCancel(entry: ServedEntry, processId: number, secretKey: number): Promise<void> {
  try {
    const socket = await openSocket(entry)
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy())
    await new Promise<void>(resolve => {
      socket.once('close', () => resolve())
      socket.resume()
      socket.write(serialize.cancel(processId, secretKey))
    })
  } catch {
    // Postgres is out of reach: whoever cancels destroys the session's own connection after a grace time.
  }
}
