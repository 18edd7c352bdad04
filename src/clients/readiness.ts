// Whether an outside server is there, in the words of Ory's servers, and of the SQL gateway, which has none.

import * as z from 'zod'
import { callUpstream, type Upstream, type UpstreamAnswer } from './http.ts'

/**
 * How a server's readiness looks from here. `misconfigured`: something answers, but not that server, or it refuses us.
 */
export const Readiness = z.enum(['up', 'down', 'misconfigured', 'not_configured'])
export type Readiness = z.infer<typeof Readiness>

/** Asks whether one of a server's ports is ready. Throws `upstream_unavailable` and `not_configured`. */
export async function probeReadiness(server: Upstream, timeoutMs: number): Promise<Readiness> {
  return processReadiness(await callUpstream(server, { method: 'GET', path: '/health/ready', timeoutMs }))
}

/** Bodies of a bad state are of any form, so the status decides; a page with status 200 is some other server. */
export function processReadiness({ status, json }: UpstreamAnswer): Readiness {
  if (status === 200)
    return z.looseObject({ status: z.string() }).safeParse(json).success ? 'up' : 'misconfigured'
  return status >= 500 ? 'down' : 'misconfigured'
}

/**
 * Asks whether the SQL gateway is there, not whether its databases are: its own health waits for all of them, others'
 * included. Throws as `probeReadiness`.
 */
export async function probeSqlGateway(gateway: Upstream, timeoutMs: number): Promise<Readiness> {
  return processGateway(await callUpstream(gateway, { method: 'GET', path: '/sql', timeoutMs }))
}

/** It takes statements by POST alone, and says so without asking Postgres. */
export function processGateway({ status }: UpstreamAnswer): Readiness {
  if (status === 405) return 'up'
  return status >= 500 ? 'down' : 'misconfigured'
}
