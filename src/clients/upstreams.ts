// The outside servers, each by the address and credentials it is called with.

import type { Upstream } from './http.ts'
import { NEON_API_URL } from './neon.ts'

export interface UpstreamSettings {
  oauthPublicUrl: string | undefined
  oauthAdminUrl: string | undefined
  oauthAdminToken: string | undefined
  identityPublicUrl: string | undefined
  identityAdminUrl: string | undefined
  permissionReadUrl: string | undefined
  permissionWriteUrl: string | undefined
  permissionAdminToken: string | undefined
  sqlGatewayUrl: string | undefined
  neonApiKey: string | undefined
  /** Milliseconds. */
  upstreamTimeoutMs: number
}

type Place =
  | 'oauthPublic'
  | 'oauthAdmin'
  | 'identityPublic'
  | 'identityAdmin'
  | 'permissionRead'
  | 'permissionWrite'
  | 'sqlGateway'
  | 'neon'

/** The upstreams of a deployment, also those that it has not set: whoever calls one of these is told the variable. */
export function makeUpstreams(config: UpstreamSettings, fetch: Upstream['fetch']): Record<Place, Upstream> {
  const shared = { fetch, timeoutMsMax: config.upstreamTimeoutMs }
  const oauth = { name: 'oauth_server', ...shared } as const
  const identity = { name: 'identity_provider', ...shared } as const
  const permission = { name: 'permission_server', ...shared } as const
  return {
    oauthPublic: { ...oauth, baseUrl: config.oauthPublicUrl, variable: 'OAUTH_PUBLIC_URL' },
    oauthAdmin: {
      ...oauth,
      baseUrl: config.oauthAdminUrl,
      variable: 'OAUTH_ADMIN_URL',
      token: config.oauthAdminToken,
    },
    identityPublic: { ...identity, baseUrl: config.identityPublicUrl, variable: 'IDENTITY_PUBLIC_URL' },
    identityAdmin: { ...identity, baseUrl: config.identityAdminUrl, variable: 'IDENTITY_ADMIN_URL' },
    permissionRead: { ...permission, baseUrl: config.permissionReadUrl, variable: 'PERMISSION_READ_URL' },
    permissionWrite: {
      ...permission,
      baseUrl: config.permissionWriteUrl,
      variable: 'PERMISSION_WRITE_URL',
      token: config.permissionAdminToken,
    },
    // To ask whether it is there; statements go by `db/sql-wire.ts`.
    sqlGateway: {
      name: 'sql_gateway',
      ...shared,
      baseUrl: config.sqlGatewayUrl,
      variable: 'SQL_GATEWAY_URL',
    },
    neon: {
      name: 'neon',
      ...shared,
      baseUrl: NEON_API_URL,
      variable: 'NEON_PROJECT_ID',
      token: config.neonApiKey,
    },
  }
}
