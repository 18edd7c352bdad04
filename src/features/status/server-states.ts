// Whether the servers outside are there that Quoin calls by HTTP, each port by itself.

import * as z from 'zod'
import type { Upstream, UpstreamName } from '../../clients/http.ts'
import { whoami } from '../../clients/identity.ts'
import { probeReadiness, probeSqlGateway, type Readiness } from '../../clients/readiness.ts'
import { DomainError } from '../../errors.ts'
import {
  latencySince,
  logProbeFailure,
  NOT_SET_UP,
  PortState,
  PROBE_TIMEOUT_MS,
  type Probed,
} from './probe.ts'

export const ServerState = z.object({ public: PortState, admin: PortState })

/** The ports that are asked, by the names of their upstreams. */
type ServerPort = 'oauthPublic' | 'oauthAdmin' | 'identityPublic' | 'identityAdmin' | 'permissionWrite'

export interface ServerPortsDeps {
  upstreams: Record<ServerPort, Upstream>
}

/** How each of these ports does, within two seconds. Never throws: down is an answer here. */
export async function readServerPorts({ upstreams }: ServerPortsDeps): Promise<Record<ServerPort, Probed>> {
  const [oauthPublic, oauthAdmin, identityPublic, identityAdmin, permissionWrite] = await Promise.all([
    readPort('public', upstreams.oauthPublic),
    readPort('admin', upstreams.oauthAdmin),
    readPort('public', upstreams.identityPublic, whoAmINobody),
    readPort('admin', upstreams.identityAdmin),
    readPort('write', upstreams.permissionWrite),
  ])
  return { oauthPublic, oauthAdmin, identityPublic, identityAdmin, permissionWrite }
}

/** How the SQL gateway does, as above. Of its databases it is not asked. */
export function readSqlGateway(upstream: Upstream): Promise<Probed> {
  const probe = () => probeSqlGateway(upstream, PROBE_TIMEOUT_MS)
  return readPlace(upstream, 'sql_gateway_down', SPOKEN.sql_gateway, probe)
}

const SPOKEN: Record<UpstreamName, string> = {
  oauth_server: 'OAuth2 server',
  identity_provider: 'identity provider',
  permission_server: 'permission server',
  sql_gateway: 'SQL gateway',
  neon: 'API of Neon',
}

function readPort(port: string, upstream: Upstream, probe = isReady): Promise<Probed> {
  const { name } = upstream
  return readPlace(upstream, `${name}_${port}_down`, `${SPOKEN[name]}’s ${port} port`, () => probe(upstream))
}

function isReady(upstream: Upstream): Promise<Readiness> {
  return probeReadiness(upstream, PROBE_TIMEOUT_MS)
}

/** As each call of /api does: a proxy before it may let nothing else through. */
async function whoAmINobody(upstream: Upstream): Promise<Readiness> {
  const timeoutMsMax = Math.min(PROBE_TIMEOUT_MS, upstream.timeoutMsMax ?? PROBE_TIMEOUT_MS)
  await whoami({ ...upstream, timeoutMsMax }, '')
  return 'up'
}

async function readPlace(
  { name, baseUrl, variable }: Upstream,
  code: string,
  spoken: string,
  probe: () => Promise<Readiness>,
): Promise<Probed> {
  if (baseUrl === undefined) return NOT_SET_UP
  const startedAt = performance.now()
  const state = await stateOf(probe, code)
  if (state === 'off') return NOT_SET_UP
  if (state === 'down') {
    const problem = `The ${spoken} does not answer. Look at it, and at ${variable}.`
    return { state, latencyMs: null, problems: [problem] }
  }
  const problem = `What answers at ${variable} is not the ${SPOKEN[name]}, or it refuses Quoin.`
  return { state, latencyMs: latencySince(startedAt), problems: state === 'up' ? [] : [problem] }
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
