// The admin's view of sessions: all of them, one identity's, one; ending, removing and extending them.

import { pathParameter, queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, unreadable } from '../service/wire-error.ts'
import { answerNothing } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { schemaUrl } from './identity.ts'
import { findIdentity } from './identity-store.ts'
import { pageLink, readPaging } from './pagination.ts'
import { type Session, sessionView } from './session.ts'
import {
  countSessions,
  deleteSessionsOf,
  endSession,
  extendSession,
  findSession,
  listSessions,
  type SessionFilter,
} from './session-store.ts'
import { requireUuid } from './uuid.ts'
import { noSuchResource } from './wire-error.ts'

const OF_IDENTITY = '/identities/:id/sessions'

export function adminSessionRoutes(context: IdentityContext): Route[] {
  return [
    { method: 'GET', path: OF_IDENTITY, handle: c => listOfIdentity(context, c) },
    { method: 'DELETE', path: OF_IDENTITY, handle: c => deleteOfIdentity(context, c) },
    { method: 'GET', path: '/sessions', handle: c => listAll(context, c) },
    { method: 'GET', path: '/sessions/:id', handle: c => get(context, c) },
    { method: 'DELETE', path: '/sessions/:id', handle: c => end(context, c) },
    { method: 'PATCH', path: '/sessions/:id/extend', handle: c => extend(context, c) },
  ]
}

async function listOfIdentity({ db }: IdentityContext, c: RequestContext): Promise<Response> {
  const id = requireUuid(pathParameter(c, 'id'))
  const query = queryOf(c)
  const filter = { identityId: id, isActive: readActive(query) }
  const { sessions, link } = await sessionPage(db, filter, `/admin/identities/${id}/sessions`, query)
  c.header('x-total-count', String(await countSessions(db, filter)))
  c.header('link', link)
  const identity = await findIdentity(db, id)
  const shown = identity && { of: identity, schemaUrl: '' }
  return answerJson(
    c,
    sessions.map(session => sessionView(session, { identity: shown, hasDevices: true })),
  )
}

async function deleteOfIdentity({ db }: IdentityContext, c: RequestContext): Promise<Response> {
  if (!(await deleteSessionsOf(db, requireUuid(pathParameter(c, 'id'))))) throw noSuchResource()
  return answerNothing(c)
}

async function listAll(context: IdentityContext, c: RequestContext): Promise<Response> {
  const query = queryOf(c)
  const filter = { isActive: readActive(query) }
  const expand = readExpand(query)
  const { sessions, link } = await sessionPage(context.db, filter, '/admin/sessions', query)
  c.header('link', link)
  return answerJson(c, await Promise.all(sessions.map(session => expanded(context, session, expand))))
}

async function get(context: IdentityContext, c: RequestContext): Promise<Response> {
  const id = requireUuid(pathParameter(c, 'id'))
  const expand = readExpand(queryOf(c))
  const session = await findSession(context.db, id)
  if (session === undefined) throw noSuchResource()
  return answerJson(c, await expanded(context, session, expand))
}

async function end({ db }: IdentityContext, c: RequestContext): Promise<Response> {
  if (!(await endSession(db, requireUuid(pathParameter(c, 'id'))))) throw noSuchResource()
  return answerNothing(c)
}

async function extend(context: IdentityContext, c: RequestContext): Promise<Response> {
  const id = requireUuid(pathParameter(c, 'id'))
  await extendSession(context.db, id, new Date(Date.now() + context.sessionMs))
  const session = await findSession(context.db, id)
  if (session === undefined) throw noSuchResource()
  return answerJson(c, await expanded(context, session, new Set(['identity'])))
}

type Expand = ReadonlySet<'identity' | 'devices'>

async function expanded(
  { db, addresses }: Pick<IdentityContext, 'db' | 'addresses'>,
  session: Session,
  expand: Expand,
) {
  const identity = expand.has('identity') ? await findIdentity(db, session.identity_id) : undefined
  return sessionView(session, {
    identity: identity && { of: identity, schemaUrl: schemaUrl(addresses.publicUrl) },
    hasDevices: expand.has('devices'),
  })
}

/** `expand`, repeated (no commas), in any letter case. */
function readExpand(query: URLSearchParams): Expand {
  return new Set(
    query.getAll('expand').map(option => {
      const name = option.toLowerCase()
      if (name !== 'identity' && name !== 'devices')
        throw badRequest(`Could not parse expand option: ${option}`)
      return name
    }),
  )
}

/** An empty text is none. */
function readActive(query: URLSearchParams): boolean | undefined {
  const text = query.get('active') ?? ''
  if (text === '') return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw unreadable('could not parse parameter active')
}

/** A page of sessions and its `Link` header; a page token is the place of its last session in their order. */
export async function sessionPage(
  db: IdentityContext['db'],
  filter: SessionFilter,
  path: string,
  query: URLSearchParams,
) {
  const paging = readPaging(query, { max: 1000, pageOne: 1, token: /^\d{1,18}$/ })
  const { size, offset, after } = paging
  const found = await listSessions(db, filter, { limit: size + 1, offset, beforeSeq: after || undefined })
  const sessions = found.slice(0, size)
  const next = found.length > size ? sessions.at(-1)?.seq : undefined
  return { sessions, link: pageLink(path, query, paging, next) }
}
