// What the bridge's verbs need of the deployment, part by part.

import type { Upstream } from '../../../clients/http.ts'
import type { PlatformDatabase } from '../../../db/database.ts'
import type { Brand } from './pages/frame.ts'

export interface BridgeDeps {
  config: Brand & {
    baseUrl: string
    oauthPublicUrl: string | undefined
    identityPublicUrl: string | undefined
    /** The secret that the bridge's cookies are signed with is derived from it. */
    databaseUrl: string
    /** How long a remembered consent holds; 0: until it is revoked. */
    consentRememberSeconds: number
  }
  upstreams: { oauthAdmin: Upstream; identityPublic: Upstream; identityAdmin: Upstream }
  /** For the claims configuration. */
  platform: Pick<PlatformDatabase, 'query'>
  /** Closes sockets that their tickets opened. Never throws. */
  recheckSockets: (whose: { identityId: string }) => Promise<void>
  now: () => Date
}

/** Where the bridge's endpoints live; forms post here. */
export const BRIDGE_PATH = '/api/oauthsrv/bridge'
