// Health, version and the identity schema.

import type { Route } from '../service/route-table.ts'
import { pathParameter } from '../service/route-table.ts'
import { answerJson } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { SCHEMA_ID, SCHEMA_ID_ENCODED } from './traits-schema.ts'
import { WireError } from './wire-error.ts'

/** The release whose wire this server speaks; `-local` says that it is not that server. */
const VERSION = 'v26.2.0-local'

export function healthRoutes({ db }: Pick<IdentityContext, 'db'>): Route[] {
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

async function ready(db: IdentityContext['db'], c: RequestContext): Promise<Response> {
  try {
    await db.query('select 1')
  } catch {
    // What is wrong with the database is not for whoever asks here.
    return c.json({ errors: { database: 'not reachable' } }, 503)
  }
  return answerJson(c, { status: 'ok' })
}

export function schemaRoutes({ schema }: Pick<IdentityContext, 'schema'>): Route[] {
  const list: Route['handle'] = c => {
    c.header('x-total-count', '1')
    return answerJson(c, [{ id: SCHEMA_ID, schema: schema.document }])
  }
  const get: Route['handle'] = c => {
    const id = pathParameter(c, 'id')
    if (id !== SCHEMA_ID && id !== SCHEMA_ID_ENCODED)
      throw new WireError(404, { reason: `Identity schema \`${id}\` could not be found.` })
    return answerJson(c, schema.document)
  }
  return ['/schemas', '/admin/schemas'].flatMap(path => [
    { method: 'GET', path, handle: list } as const,
    { method: 'GET', path: `${path}/:id`, handle: get } as const,
  ])
}
