// How long a token lives (pure): the client's own lifespan for this grant and kind of token, else the server's. A
// client may set zero or less: such a token is dead on arrival, as with Hydra, but for a refresh token, which then
// never ends.

import { parseGoDuration } from '../../../src/lib/duration.ts'
import type { Client } from '../clients/client-record.ts'
import type { OAuthServerSettings } from '../settings.ts'

type LifespanField = Extract<keyof Client, `${string}_lifespan`>

const FIELDS = {
  authorization_code: {
    access_token: 'authorization_code_grant_access_token_lifespan',
    refresh_token: 'authorization_code_grant_refresh_token_lifespan',
    id_token: 'authorization_code_grant_id_token_lifespan',
  },
  implicit: {
    access_token: 'implicit_grant_access_token_lifespan',
    id_token: 'implicit_grant_id_token_lifespan',
  },
  client_credentials: { access_token: 'client_credentials_grant_access_token_lifespan' },
  refresh_token: {
    access_token: 'refresh_token_grant_access_token_lifespan',
    refresh_token: 'refresh_token_grant_refresh_token_lifespan',
    id_token: 'refresh_token_grant_id_token_lifespan',
  },
  device_authorization: {
    access_token: 'device_authorization_grant_access_token_lifespan',
    refresh_token: 'device_authorization_grant_refresh_token_lifespan',
    id_token: 'device_authorization_grant_id_token_lifespan',
  },
} as const satisfies Record<string, Partial<Record<TokenName, LifespanField>>>

/** A hundred years. */
const ENDLESS_SECONDS = 100 * 365 * 24 * 60 * 60

export type TokenName = 'access_token' | 'refresh_token' | 'id_token'
export type GrantName = keyof typeof FIELDS

/** Seconds that a token of this kind lives when `client` gets it by this grant. */
export function lifespanSeconds(
  client: Client,
  grant: GrantName,
  token: TokenName,
  defaults: OAuthServerSettings['ttlSeconds'],
): number {
  const fields: Partial<Record<TokenName, LifespanField>> = FIELDS[grant]
  const field = fields[token]
  const own = field === undefined ? null : client[field]
  const seconds = own ? (parseGoDuration(own) ?? 0) : defaults[DEFAULT_OF[token]]
  return token === 'refresh_token' && seconds < 0 ? ENDLESS_SECONDS : seconds
}

const DEFAULT_OF = {
  access_token: 'accessToken',
  refresh_token: 'refreshToken',
  id_token: 'idToken',
} as const
