// The end of a flow that succeeded: a session, its cookie or token, and where the browser goes.

import { randomUUID } from 'node:crypto'
import { setCookie } from 'hono/cookie'
import type { Queryable } from '../service/database.ts'
import { WireError } from '../service/wire-error.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { cookieAttributes, renewCsrfSecret } from './csrf-gate.ts'
import type { Identity } from './identity.ts'
import type { CurrentSession } from './request-session.ts'
import type { Device, Session } from './session.ts'
import { encodeSessionCookie, makeSessionToken, SESSION_COOKIE } from './session-secrets.ts'
import { insertSession, updateSession } from './session-store.ts'

const USER_AGENT_LENGTH_MAX = 512

/** A session by password: the same one, renewed, for whoever had one already. Throws 401 for a disabled identity. */
export async function signIn(
  context: Pick<IdentityContext, 'sessionMs'>,
  db: Queryable,
  c: RequestContext,
  identity: Identity,
  current?: CurrentSession,
): Promise<CurrentSession> {
  if (identity.state !== 'active') {
    throw new WireError(401, {
      reason: 'This account was disabled.',
      details: { identity_id: identity.id },
      message: 'identity is disabled',
    })
  }
  const renewed = current?.identity.id === identity.id ? current : undefined
  const session = authenticated(context, c, identity, renewed?.session)
  if (renewed !== undefined) {
    await updateSession(db, session)
    return { session, identity, token: renewed.token }
  }
  const token = makeSessionToken()
  await insertSession(db, session, token)
  return { session, identity, token }
}

function authenticated(
  { sessionMs }: Pick<IdentityContext, 'sessionMs'>,
  c: RequestContext,
  identity: Identity,
  old: Session | undefined,
): Session {
  const now = new Date()
  const method = { method: 'password', aal: 'aal1', completed_at: now.toISOString() }
  return {
    id: old?.id ?? randomUUID(),
    identity_id: identity.id,
    active: true,
    aal: 'aal1',
    authentication_methods: [...(old?.authentication_methods ?? []), method],
    devices: [...(old?.devices ?? []), deviceOf(c)],
    issued_at: now,
    authenticated_at: now,
    expires_at: new Date(now.getTime() + sessionMs),
  }
}

function deviceOf(c: RequestContext): Device {
  const { remoteAddress = '', remotePort = 0 } = c.env.incoming.socket
  const agent = c.req.header('user-agent') ?? ''
  return {
    id: randomUUID(),
    ip_address: `${remoteAddress}:${remotePort}`,
    user_agent: agent.slice(0, USER_AGENT_LENGTH_MAX),
    location: '',
  }
}

/** Hands the session to the browser. When somebody else was signed in, or nobody, the forms opened before are void. */
export function issueSessionCookie(
  { secret, addresses }: Pick<IdentityContext, 'secret' | 'addresses'>,
  c: RequestContext,
  { session, token }: CurrentSession,
  before: CurrentSession | undefined,
): void {
  if (before?.session.identity_id !== session.identity_id) renewCsrfSecret({ addresses }, c)
  setCookie(c, SESSION_COOKIE, encodeSessionCookie(secret, token), {
    ...cookieAttributes(addresses.publicUrl),
    maxAge: Math.floor((session.expires_at.getTime() - Date.now()) / 1000),
    expires: session.expires_at,
  })
}
