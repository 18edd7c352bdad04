// GET bridge/status: what of the bridge is configured. Asks nobody; how the servers do is GET /api/oauthsrv/health.

import * as z from 'zod'
import { BRIDGE_PATH, type BridgeDeps } from './bridge-deps.ts'

/** Spec, Bridge status: exactly these fields. */
export const BridgeStatus = z
  .object({
    oauth_server_configured: z.boolean().describe('OAUTH_PUBLIC_URL and OAUTH_ADMIN_URL are set'),
    identity_configured: z.boolean().describe('IDENTITY_PUBLIC_URL is set'),
    bridge_ready: z.boolean().describe('Both are'),
    login_url: z.string().describe("To be the OAuth2 server's login URL"),
    consent_url: z.string().describe("To be the OAuth2 server's consent URL"),
  })
  .meta({
    id: 'BridgeStatus',
    examples: [
      {
        oauth_server_configured: true,
        identity_configured: true,
        bridge_ready: true,
        login_url: `https://api.example.com${BRIDGE_PATH}/login`,
        consent_url: `https://api.example.com${BRIDGE_PATH}/consent`,
      },
    ],
  })

export function readBridgeStatus({
  config,
  upstreams,
}: Pick<BridgeDeps, 'config' | 'upstreams'>): z.output<typeof BridgeStatus> {
  const hasOauthServer = config.oauthPublicUrl !== undefined && upstreams.oauthAdmin.baseUrl !== undefined
  const hasIdentity = config.identityPublicUrl !== undefined
  return {
    oauth_server_configured: hasOauthServer,
    identity_configured: hasIdentity,
    bridge_ready: hasOauthServer && hasIdentity,
    login_url: `${config.baseUrl}${BRIDGE_PATH}/login`,
    consent_url: `${config.baseUrl}${BRIDGE_PATH}/consent`,
  }
}
