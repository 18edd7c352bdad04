// Who is calling: the principal of each auth level, read from the request's credentials.
// Must not look into bodies: it runs before validation.

import type { ApiKey } from '../features/keys/schemas.ts'
import type { EndUser } from '../features/oauth/access-token.ts'

/** Who may call: nobody in particular, a dashboard session, an administrator, an API key, or the listener. */
export const AUTH_LEVELS = ['none', 'session', 'admin', 'any_key', 'service_role', 'internal'] as const
export type AuthLevel = (typeof AUTH_LEVELS)[number]

export interface ApiKeyPrincipal {
  kind: 'api_key'
  key: ApiKey
  /** The signed-in user whose access token came beside the key; null without one. */
  endUser: EndUser | null
}

export type Principal<Auth extends AuthLevel> = Auth extends 'any_key' | 'service_role'
  ? ApiKeyPrincipal
  : null
