// Whose session a request carries: by header, cookie or bearer, in the order of the real server.

import type { IdentityContext, RequestContext } from './context.ts'
import type { Identity } from './identity.ts'
import { findIdentity } from './identity-store.ts'
import { getCookieValues } from './request-cookies.ts'
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
  for (const value of getCookieValues(c, SESSION_COOKIE)) {
    const decoded = decodeSessionCookie(secret, value)
    if (decoded.ok) return decoded.token
  }
  return undefined
}

/** Why no session cookie of the request can be read; undefined when one can, or there is none. */
export function cookieFault(secret: string, c: RequestContext): 'not base64' | 'not valid' | undefined {
  const decoded = getCookieValues(c, SESSION_COOKIE).map(value => decodeSessionCookie(secret, value))
  const [first] = decoded
  return first === undefined || first.ok || decoded.some(({ ok }) => ok) ? undefined : first.why
}

export function bearerToken(c: RequestContext): string | undefined {
  return /^bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
}
