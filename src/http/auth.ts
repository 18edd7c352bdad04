// Who is calling: the principal of each auth level, read from the request's credentials.
// Must not look into bodies: it runs before validation.

import type { Session } from '../clients/identity.ts'
import type { ApiKey } from '../features/api-keys/record/schemas.ts'
import type { Actor } from '../features/audit/caller.ts'
import type { EndUser } from '../features/oauth/end-user/access-token.ts'

/** Who may call: nobody in particular, a dashboard session, an administrator, an API key, or the listener. */
export const AUTH_LEVELS = ['none', 'session', 'admin', 'any_key', 'service_role', 'internal'] as const
export type AuthLevel = (typeof AUTH_LEVELS)[number]

export interface ApiKeyPrincipal {
  kind: 'api_key'
  key: ApiKey
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
