// The admin's view of sessions: all of them, one identity's, one; ending, removing and extending them.

import { pathParameter, queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, unreadable } from '../service/wire-error.ts'
import { answerNothing } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { schemaUrl } from './identity.ts'
import { findIdentity } from './identity-store.ts'
import {
  invalidPageToken,
  keysetLink,
  parseSessionPage,
  parseSessionsSize,
  sessionPageLink,
  unreadablePaging,
} from './pagination.ts'
import { type Session, sessionView } from './session.ts'
import {
  countSessions,
  deleteSessionsOf,
  endSession,
  extendSession,
  findSession,
  listSessions,
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
  const at = parseSessionPage(query)
  const [total, identity] = [await countSessions(db, filter), await findIdentity(db, id)]
  const sessions = await listSessions(db, filter, {
    limit: at.size,
    offset: Math.max(0, at.page - 1) * at.size,
  })
  c.header('x-total-count', String(total))
  c.header('link', sessionPageLink(`/admin/identities/${id}/sessions`, query, total, at))
  const shown = identity && { of: identity, schemaUrl: '' }
  return answerJson(
    c,
    sessions.map(session => sessionView(session, { identity: shown, devices: 'shown' })),
  )
}

async function deleteOfIdentity({ db }: IdentityContext, c: RequestContext): Promise<Response> {
  if (!(await deleteSessionsOf(db, requireUuid(pathParameter(c, 'id'))))) throw noSuchResource()
  return answerNothing(c)
}

async function listAll(context: IdentityContext, c: RequestContext): Promise<Response> {
  const query = queryOf(c)
  const isActive = readActive(query)
  const limit = parseSessionsSize(query)
  const expand = readExpand(query)
  const beforeSeq = decodeToken(query.get('page_token') ?? '')
  const found = await listSessions(context.db, { isActive }, { limit: limit + 1, beforeSeq })
  const shown = found.slice(0, limit)
  const next = found.length > limit ? shown.at(-1)?.seq : undefined
  const token = next === undefined ? undefined : encodeToken(next)
  c.header('link', keysetLink('/admin/sessions', query, limit, encodeToken('0'), token))
  return answerJson(c, await Promise.all(shown.map(session => expanded(context, session, expand, 'null'))))
}

async function get(context: IdentityContext, c: RequestContext): Promise<Response> {
  const id = requireUuid(pathParameter(c, 'id'))
  const expand = readExpand(queryOf(c))
  const session = await findSession(context.db, id)
  if (session === undefined) throw noSuchResource()
  return answerJson(c, await expanded(context, session, expand, 'empty'))
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
  return answerJson(c, await expanded(context, session, new Set(['identity']), 'empty'))
}

type Expand = ReadonlySet<'identity' | 'devices'>

async function expanded(
  { db, addresses }: Pick<IdentityContext, 'db' | 'addresses'>,
  session: Session,
  expand: Expand,
  unexpanded: 'empty' | 'null',
) {
  const identity = expand.has('identity') ? await findIdentity(db, session.identity_id) : undefined
  return sessionView(session, {
    identity: identity && { of: identity, schemaUrl: schemaUrl(addresses.publicUrl) },
    devices: expand.has('devices') ? 'shown' : unexpanded,
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

/** Opaque to callers: the place in the order of sessions after which the page begins. */
function encodeToken(seq: string): string {
  return Buffer.from(`seq=${seq}`).toString('base64').replaceAll('=', '')
}

function decodeToken(token: string): string | undefined {
  if (token === '') return undefined
  // What is no base64 at all is refused with the words for the size.
  if (!/^[A-Za-z0-9+/]+$/.test(token) || token.length % 4 === 1) throw unreadablePaging()
  const seq = /^seq=(\d{1,18})$/.exec(Buffer.from(token, 'base64').toString())?.[1]
  if (seq === undefined) throw invalidPageToken()
  return seq === '0' ? undefined : seq
}
