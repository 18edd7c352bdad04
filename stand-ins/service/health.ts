// Health and version, as Kratos and Keto tell them on each of their ports.

import type { Database } from './database.ts'
import type { RequestContext } from './listen.ts'
import type { Route } from './route-table.ts'
import { answerJson } from './wire-answers.ts'

/** The release whose wire this server speaks; `-local` says that it is not that server. */
const VERSION = 'v26.2.0-local'

export function healthRoutes(db: Database): Route[] {
  return [
    { method: 'GET', path: '/health/alive', handle: c => answerJson(c, { status: 'ok' }) },
    { method: 'GET', path: '/health/ready', handle: c => ready(db, c) },
  ]
}

export const versionRoute: Route = {
  method: 'GET',
  path: '/version',
  handle: c => answerJson(c, { version: VERSION }),
}

async function ready(db: Database, c: RequestContext): Promise<Response> {
  try {
    await db.query('select 1')
  } catch {
    // What is wrong with the database is not for whoever asks here.
    return c.json({ errors: { database: 'not reachable' } }, 503)
  }
  return answerJson(c, { status: 'ok' })
}
