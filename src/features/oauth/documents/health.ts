// Is the OAuth2 server there? Both of its ports are asked at the same time, so the answer takes as long as the slower.

import * as z from 'zod'
import type { Upstream } from '../../../clients/http.ts'
import { DynamicRegistration, probeDynamicRegistration } from '../../../clients/oauth-server/documents.ts'
import { probeReadiness, Readiness } from '../../../clients/readiness.ts'
import { DomainError } from '../../../errors.ts'

const PortHealth = z.object({
  state: Readiness.describe(
    'misconfigured: something answers there that is not the OAuth2 server, or refuses Quoin',
  ),
  latency_ms: z.number().nullable().describe('null: no answer came'),
})
type PortHealth = z.infer<typeof PortHealth>

/** The answer of `GET /api/oauthsrv/health`. */
export const OauthServerHealth = z
  .object({
    status: z.enum(['ok', 'unavailable']).describe('ok: both ports are up'),
    public: PortHealth,
    admin: PortHealth,
    dynamic_client_registration: DynamicRegistration.describe('whether applications may register themselves'),
  })
  .meta({
    id: 'OAuthServerHealth',
    examples: [
      {
        status: 'ok',
        public: { state: 'up', latency_ms: 4.1 },
        admin: { state: 'up', latency_ms: 3.8 },
        dynamic_client_registration: 'disabled',
      },
    ],
  })
export type OauthServerHealth = z.infer<typeof OauthServerHealth>

/** The same, with the example of a server whose public port does not answer. */
export const OauthServerDown = OauthServerHealth.meta({
  examples: [
    {
      status: 'unavailable',
      public: { state: 'down', latency_ms: null },
      admin: { state: 'up', latency_ms: 3.8 },
      dynamic_client_registration: 'unknown',
    },
  ],
})

interface HealthDeps {
  upstreams: { oauthPublic: Upstream; oauthAdmin: Upstream }
}

const TIMEOUT_MS = 2_000

/** How the server does, within two seconds. A server that is down is an answer here, not an error. */
export async function readOauthServerHealth({ upstreams }: HealthDeps): Promise<OauthServerHealth> {
  const [publicPort, adminPort, registration] = await Promise.all([
    portHealth(upstreams.oauthPublic),
    portHealth(upstreams.oauthAdmin),
    probeDynamicRegistration(upstreams.oauthPublic, TIMEOUT_MS).catch(unknownUnlessBug),
  ])
  return {
    status: publicPort.state === 'up' && adminPort.state === 'up' ? 'ok' : 'unavailable',
    public: publicPort,
    admin: adminPort,
    dynamic_client_registration: registration,
  }
}

async function portHealth(server: Upstream): Promise<PortHealth> {
  const startedAt = performance.now()
  try {
    const state = await probeReadiness(server, TIMEOUT_MS)
    return { state, latency_ms: Math.round((performance.now() - startedAt) * 10) / 10 }
  } catch (err) {
    if (!(err instanceof DomainError)) throw err
    return { state: err.code === 'not_configured' ? 'not_configured' : 'down', latency_ms: null }
  }
}

function unknownUnlessBug(err: unknown): DynamicRegistration {
  if (err instanceof DomainError) return 'unknown'
  throw err
}
