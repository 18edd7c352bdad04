// Removes what is of no use any more: forms and errors a day old, sessions long over.

import type { Database } from '../service/database.ts'
import { deleteStaleSessions } from './session-store.ts'

const INTERVAL_MS = 60 * 60 * 1000
const FLOWS_KEPT_MS = 24 * 60 * 60 * 1000
const SESSIONS_KEPT_MS = 30 * 24 * 60 * 60 * 1000

/** Sweeps once an hour; the first time after the first hour. */
export function startSweeping(db: Database): { stop(): void } {
  const timer = setInterval(() => {
    sweep(db).catch((err: unknown) => console.error('identity server: sweeping failed:', err))
  }, INTERVAL_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

async function sweep(db: Database): Promise<void> {
  const before = new Date(Date.now() - FLOWS_KEPT_MS)
  await db.query('delete from flows where expires_at < $1', [before])
  await db.query('delete from flow_errors where created_at < $1', [before])
  await deleteStaleSessions(db, new Date(Date.now() - SESSIONS_KEPT_MS))
}
