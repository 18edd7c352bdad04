// Whether the servers that people sign in by are there, for `GET /v1/status`. All ports are asked at the same time.

import * as z from 'zod'
import type { Upstream } from '../../clients/http.ts'
import { whoami } from '../../clients/identity.ts'
import { probeReadiness, type Readiness } from '../../clients/oauth-server/documents.ts'
import { DomainError } from '../../errors.ts'
import { logProbeFailure, PROBE_TIMEOUT_MS } from './probe.ts'

const PortState = z
  .enum(['up', 'down', 'misconfigured', 'off'])
  .describe('misconfigured: something else answers there, or it refuses Quoin; off: its variable is not set')
type PortState = z.infer<typeof PortState>

export const ServerState = z.object({ public: PortState, admin: PortState })
type ServerState = z.infer<typeof ServerState>

export interface ServerStatesDeps {
  upstreams: {
    oauthPublic: Upstream
    oauthAdmin: Upstream
    identityPublic: Upstream
    identityAdmin: Upstream
  }
}

export interface ServerStates {
  oauth_server: ServerState
  identity_provider: ServerState
  /** One sentence for each port that is not up. */
  problems: string[]
}

/** The states within two seconds. Never throws: down is an answer here. */
export async function readServerStates({ upstreams }: ServerStatesDeps): Promise<ServerStates> {
  const { oauthPublic, oauthAdmin, identityPublic, identityAdmin } = upstreams
  const ready = (upstream: Upstream) => () => probeReadiness(upstream, PROBE_TIMEOUT_MS)
  const [oauthPublicPort, oauthAdminPort, identityPublicPort, identityAdminPort] = await Promise.all([
    readPort(oauthPublic, 'public', ready(oauthPublic)),
    readPort(oauthAdmin, 'admin', ready(oauthAdmin)),
    // As each call of /api does: a proxy before it may let nothing else through.
    readPort(identityPublic, 'public', async () => {
      await whoami(quick(identityPublic), '')
      return 'up'
    }),
    readPort(identityAdmin, 'admin', ready(identityAdmin)),
  ])
  const ports = [oauthPublicPort, oauthAdminPort, identityPublicPort, identityAdminPort]
  return {
    oauth_server: { public: oauthPublicPort.state, admin: oauthAdminPort.state },
    identity_provider: { public: identityPublicPort.state, admin: identityAdminPort.state },
    problems: ports.flatMap(({ problem }) => problem ?? []),
  }
}

function quick(upstream: Upstream): Upstream {
  return { ...upstream, timeoutMsMax: Math.min(PROBE_TIMEOUT_MS, upstream.timeoutMsMax ?? PROBE_TIMEOUT_MS) }
}

const SPOKEN = {
  oauth_server: 'OAuth2 server',
  identity_provider: 'identity provider',
  permission_server: 'permission server',
}

async function readPort(
  { name, baseUrl, variable }: Upstream,
  port: 'public' | 'admin',
  probe: () => Promise<Readiness>,
): Promise<{ state: PortState; problem?: string }> {
  if (baseUrl === undefined) return { state: 'off' }
  const state = await stateOf(probe, `${name}_${port}_down`)
  if (state === 'up' || state === 'off') return { state }
  const problem =
    state === 'down'
      ? `The ${SPOKEN[name]}’s ${port} port does not answer. Look at it, and at ${variable}.`
      : `What answers at ${variable} is not the ${SPOKEN[name]}, or it refuses Quoin.`
  return { state, problem }
}

async function stateOf(probe: () => Promise<Readiness>, code: string): Promise<PortState> {
  try {
    const readiness = await probe()
    return readiness === 'not_configured' ? 'off' : readiness
  } catch (err) {
    logProbeFailure(code, err)
    const isAnswered = err instanceof DomainError && err.code !== 'upstream_unavailable'
    return isAnswered ? 'misconfigured' : 'down'
  }
}
