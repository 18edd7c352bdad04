// Errors on the way of a browser: kept under an id, shown by the error page, read as JSON. A script gets them at once.

import { randomUUID } from 'node:crypto'
import { queryOf, type Route } from '../service/route-table.ts'
import { answerError, answerJson } from '../service/wire-answers.ts'
import { type ErrorBody, toWireError } from '../service/wire-error.ts'
import { isScript } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { parseUuid } from './uuid.ts'
import { noSuchResource } from './wire-error.ts'

interface KeptError {
  readonly id: string
  readonly error: ErrorBody
  readonly created_at: Date
}

/** JSON for a script; a browser is sent to the error page. */
export async function forwardError(
  { db, addresses }: IdentityContext,
  c: RequestContext,
  err: unknown,
): Promise<Response> {
  if (isScript(c)) return answerError(c, err)
  const id = randomUUID()
  const { body } = toWireError(err)
  await db.query('insert into flow_errors (id, error, created_at) values ($1, $2, $3)', [
    id,
    JSON.stringify(body),
    new Date(),
  ])
  return answerRedirect(c, `${addresses.uiUrl}/error?id=${id}`)
}

/** Undefined when there is none under this id (any more). */
export async function findKeptError(
  { db }: Pick<IdentityContext, 'db'>,
  id: string,
): Promise<KeptError | undefined> {
  const uuid = parseUuid(id)
  if (uuid === undefined) return undefined
  const { rows } = await db.query<KeptError>('select id, error, created_at from flow_errors where id = $1', [
    uuid,
  ])
  return rows[0]
}

export function selfServiceErrorRoutes(context: IdentityContext): Route[] {
  return [{ method: 'GET', path: '/self-service/errors', handle: c => read(context, c) }]
}

async function read(context: IdentityContext, c: RequestContext): Promise<Response> {
  const query = queryOf(c)
  const id = query.get('error') || query.get('id') || ''
  const kept = await findKeptError(context, id)
  if (kept === undefined) throw noSuchResource()
  return answerJson(c, { ...kept, updated_at: kept.created_at })
}
