// The gateway itself: what it stands on, and whom it lets in.

import { AccessRuleList, AccessRuleQuery, listAccessRules } from '../features/gateway/access-rules.ts'
import { GatewayHealth, GatewayUnavailable, readGatewayHealth } from '../features/gateway/health.ts'
import { defineRoute } from '../http/route.ts'

export const gatewayRoutes = [
  defineRoute({
    id: 'gateway.health',
    method: 'get',
    mounts: { '/v1/gateway/health': 'service_role', '/api/gateway/health': 'admin' },
    summary: 'Say how every part does that Quoin stands on',
    description:
      'Asks all parts at the same time, for at most two seconds each. 200 unless a part is down without which no ' +
      'call with an API key succeeds; then 503 with the same body. An answer is shared for a second. Load balancers ' +
      'ask `/healthz`, which asks nobody.',
    response: GatewayHealth,
    documented: {
      answers: {
        200: { description: 'Every needed part is up', content: { 'application/json': GatewayHealth } },
        503: { description: 'A needed part is down', content: { 'application/json': GatewayUnavailable } },
      },
    },
    handle: async ({ deps }) => {
      const health = await readGatewayHealth(deps)
      return health.status === 'unavailable' ? Response.json(health, { status: 503 }) : health
    },
  }),
  defineRoute({
    id: 'gateway.rules',
    method: 'get',
    mounts: { '/v1/gateway/rules': 'service_role', '/api/gateway/rules': 'admin' },
    summary: 'List the access rules: who may call what',
    description: 'Made from the table that requests are let in by. In the order in which paths are tried.',
    query: AccessRuleQuery,
    response: AccessRuleList,
    handle: async ({ deps, endpoints, query }) => listAccessRules(deps, endpoints, query),
  }),
]
