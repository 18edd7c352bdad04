// The question that our Worker asks about every visitor, and a person's own sessions.

import { pathParameter, queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest, unreadable, WireError } from '../service/wire-error.ts'
import { sessionPage } from './admin-sessions.ts'
import { answerNothing } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { publicIdentity, schemaUrl } from './identity.ts'
import { type CurrentSession, findRequestSession } from './request-session.ts'
import { sessionView } from './session.ts'
import { countSessions, endOtherSessions, endSession } from './session-store.ts'
import { requireUuid } from './uuid.ts'

export function whoamiRoutes(context: IdentityContext): Route[] {
  return [
    { method: 'ANY', path: '/sessions/whoami', handle: c => whoami(context, c) },
    { method: 'GET', path: '/sessions', handle: c => listOthers(context, c) },
    { method: 'DELETE', path: '/sessions', handle: c => endOthers(context, c) },
    { method: 'DELETE', path: '/sessions/:id', handle: c => endOne(context, c) },
  ]
}

async function whoami(context: IdentityContext, c: RequestContext): Promise<Response> {
  const current = await requireSession(context, c, 'No valid session credentials found in the request.')
  const template = queryOf(c).get('tokenize_as') ?? ''
  if (template !== '') throw badRequest(`Unable to find tokenizer template ${JSON.stringify(template)}.`)
  c.header('x-kratos-authenticated-identity-id', current.identity.id)
  return answerJson(c, wholeSession(context, current))
}

/** A session with its identity and devices, as sign-in and whoami answer it. */
export function wholeSession(
  context: Pick<IdentityContext, 'addresses'>,
  { session, identity }: CurrentSession,
) {
  const url = schemaUrl(context.addresses.publicUrl)
  return sessionView(session, { identity: { of: identity, schemaUrl: url }, hasDevices: true })
}

/** An identity as its owner sees it. */
export function ownIdentity(context: Pick<IdentityContext, 'addresses'>, { identity }: CurrentSession) {
  return publicIdentity(identity, schemaUrl(context.addresses.publicUrl))
}

async function requireSession(
  context: IdentityContext,
  c: RequestContext,
  reason = 'No valid session cookie found.',
): Promise<CurrentSession> {
  const current = await findRequestSession(context, c)
  if (current === undefined) throw new WireError(401, { reason })
  return current
}

async function listOthers(context: IdentityContext, c: RequestContext): Promise<Response> {
  const { session, identity } = await requireSession(context, c)
  const query = queryOf(c)
  const filter = { identityId: identity.id, exceptId: session.id, isActive: true }
  const { sessions, link } = await sessionPage(context.db, filter, '/sessions', query)
  c.header('x-total-count', String(await countSessions(context.db, filter)))
  c.header('link', link)
  const view = { identity: { of: identity, schemaUrl: '' }, hasDevices: true }
  return answerJson(
    c,
    sessions.map(other => sessionView(other, view)),
  )
}

async function endOthers(context: IdentityContext, c: RequestContext): Promise<Response> {
  const { session, identity } = await requireSession(context, c)
  return answerJson(c, { count: await endOtherSessions(context.db, identity.id, session.id) })
}

/** Another session of the same person; somebody else's is left alone and answered alike. */
async function endOne(context: IdentityContext, c: RequestContext): Promise<Response> {
  const { session, identity } = await requireSession(context, c)
  const id = requireUuid(pathParameter(c, 'id'))
  if (id === session.id) throw unreadable('cannot revoke current session')
  await endSession(context.db, id, identity.id)
  return answerNothing(c)
}
