// Who is calling: the levels that a mount may ask for, and the principal of each.

import type { Session } from '../../clients/identity.ts'
import type { ApiKey } from '../../features/api-keys/record/schemas.ts'
import type { Actor } from '../../features/audit/caller.ts'
import type { EndUser } from '../../features/oauth/end-user/access-token.ts'

/**
 * Who may call: anybody without a check, anybody by the rules of `/api` (`visitor`), anybody for public and signed
 * files (`public`), a dashboard session, an administrator, an API key, or the listener.
 */
export type AuthLevel =
  | 'none'
  | 'visitor'
  | 'public'
  | 'session'
  | 'admin'
  | 'any_key'
  | 'service_role'
  | 'internal'

export interface ApiKeyPrincipal {
  kind: 'api_key'
  key: ApiKey
  /** SHA-256 of the key, by which its limiter is found. */
  keyHash: string
  /** The signed-in user whose access token came beside the key; null without one. */
  endUser: EndUser | null
}

/** Somebody who is signed in at the identity provider. */
export interface SessionPrincipal {
  kind: 'session'
  session: Session
  isAdmin: boolean
}

export type Principal<Auth extends AuthLevel> = Auth extends 'any_key' | 'service_role'
  ? ApiKeyPrincipal
  : Auth extends 'session' | 'admin'
    ? SessionPrincipal
    : null

/** The principal as the audit log names it. */
export function actorOf(principal: ApiKeyPrincipal | SessionPrincipal | null): Actor {
  if (principal === null) return { kind: 'anonymous', id: null, name: null }
  if (principal.kind === 'api_key') return { kind: 'api_key', id: principal.key.id, name: principal.key.name }
  const { id, traits } = principal.session.identity
  const email = traits['email']
  return { kind: 'session', id, name: typeof email === 'string' ? email : null }
}
