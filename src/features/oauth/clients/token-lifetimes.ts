// A lifetime of ours is one number for each kind of token; the OAuth2 server keeps one for each grant as well. Pure.

import type { LifespanField, WireClient } from '../../../clients/oauth-server/client-record.ts'
import { parseGoDuration, toGoDuration } from '../../../lib/duration.ts'
import { DEVICE_CODE_GRANT } from './fields.ts'

/**
 * The server's fields for each of ours, and the grant that each is for, most usual first. Hybrid flows take the values
 * of authorization_code at the token endpoint and those of implicit before it.
 */
const LIFESPANS = {
  access_token_ttl: [
    ['authorization_code_grant_access_token_lifespan', 'authorization_code'],
    ['client_credentials_grant_access_token_lifespan', 'client_credentials'],
    ['device_authorization_grant_access_token_lifespan', DEVICE_CODE_GRANT],
    ['implicit_grant_access_token_lifespan', 'implicit'],
    ['refresh_token_grant_access_token_lifespan', 'refresh_token'],
    ['jwt_bearer_grant_access_token_lifespan', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ],
  refresh_token_ttl: [
    ['authorization_code_grant_refresh_token_lifespan', 'authorization_code'],
    ['device_authorization_grant_refresh_token_lifespan', DEVICE_CODE_GRANT],
    ['refresh_token_grant_refresh_token_lifespan', 'refresh_token'],
  ],
  id_token_ttl: [
    ['authorization_code_grant_id_token_lifespan', 'authorization_code'],
    ['device_authorization_grant_id_token_lifespan', DEVICE_CODE_GRANT],
    ['implicit_grant_id_token_lifespan', 'implicit'],
    ['refresh_token_grant_id_token_lifespan', 'refresh_token'],
  ],
} as const satisfies Record<string, readonly (readonly [LifespanField, string])[]>

export type TtlField = keyof typeof LIFESPANS
export const TTL_FIELDS = ['access_token_ttl', 'refresh_token_ttl', 'id_token_ttl'] as const

/**
 * The lifetime in seconds; null is the server's default. Where grants differ, that of the first one the client may
 * use.
 */
export function readTtl(client: WireClient, ttl: TtlField): number | null {
  const lifespans: readonly (readonly [LifespanField, string])[] = LIFESPANS[ttl]
  const used = lifespans.find(([, grant]) => client.grant_types.includes(grant)) ?? lifespans[0]
  const text = used === undefined ? null : client[used[0]]
  return text === null ? null : (parseGoDuration(text) ?? null)
}

/** The server's fields that give tokens of this kind this lifetime, whatever grant they come from. */
export function lifespansOf(
  ttl: TtlField,
  seconds: number | null,
): Partial<Record<LifespanField, string | null>> {
  const duration = seconds === null ? null : toGoDuration(seconds)
  return Object.fromEntries(LIFESPANS[ttl].map(([field]) => [field, duration]))
}
