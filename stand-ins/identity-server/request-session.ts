// Whose session a request carries: by header, cookie or bearer, in the order of the real server.

import type { IdentityContext, RequestContext } from './context.ts'
import type { Identity } from './identity.ts'
import { findIdentity } from './identity-store.ts'
import { isActive, type Session } from './session.ts'
import { decodeSessionCookie, SESSION_COOKIE } from './session-secrets.ts'
import { findSessionByToken } from './session-store.ts'

export interface CurrentSession {
  readonly session: Session
  readonly identity: Identity
  readonly token: string
}

type Context = Pick<IdentityContext, 'db' | 'secret'>

/**
 * The living session of the request. `X-Session-Token` beats all, also when it is garbage; then the cookie, also when
 * its session has ended; a bearer counts only when no cookie decodes.
 */
export async function findRequestSession(
  { db, secret }: Context,
  c: RequestContext,
): Promise<CurrentSession | undefined> {
  const token = c.req.header('x-session-token') || cookieToken(secret, c) || bearerToken(c)
  if (!token) return undefined
  const session = await findSessionByToken(db, token)
  const identity = session && (await findIdentity(db, session.identity_id))
  if (session === undefined || identity === undefined || !isActive(session, identity)) return undefined
  return { session, identity, token }
}

/** The token of the first session cookie that was made here. */
export function cookieToken(secret: string, c: RequestContext): string | undefined {
  const values = (c.req.header('cookie') ?? '')
    .split(/; */)
    .filter(pair => pair.startsWith(`${SESSION_COOKIE}=`))
  const tokens = values.map(pair => decodeSessionCookie(secret, pair.slice(SESSION_COOKIE.length + 1)))
  return tokens.find(token => token !== undefined)
}

export function bearerToken(c: RequestContext): string | undefined {
  return /^bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
}
