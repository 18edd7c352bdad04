// How much this deployment is called, and what of it counts towards a plan.

import * as z from 'zod'
import { scopeOf } from '../features/api-keys/record/project-scope.ts'
import { Billing, BillingQuery, readBilling } from '../features/billing/read-billing.ts'
import { PROMETHEUS_TYPE, readPrometheus, wantsPrometheus } from '../features/metrics/prometheus.ts'
import { readMetrics } from '../features/metrics/read-metrics.ts'
import { Metrics, MetricsQuery } from '../features/metrics/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const metricsRoutes = [
  defineRoute({
    id: 'metrics.read',
    method: 'get',
    mounts: { '/v1/metrics': 'service_role', '/api/metrics': 'admin' },
    summary: 'Requests, answers and durations over time',
    description:
      'As JSON in equal steps, or as Prometheus’ text with `Accept: text/plain`, which Prometheus sends by itself. ' +
      'It scrapes with basic auth: any name, and the key as password. The text ignores the query.',
    takesBasicAuth: true,
    query: MetricsQuery,
    documented: {
      answers: {
        200: {
          description: 'The metrics',
          content: {
            'application/json': Metrics,
            'text/plain': z
              .string()
              .meta({ examples: ['http_requests_total{method="GET",route="/v1/keys"} 3\n'] }),
          },
        },
      },
    },
    handle: async ({ deps, query, principal, request }) => {
      const scope = scopeOf(principal)
      if (!wantsPrometheus(request.headers.get('accept')))
        return Response.json(await readMetrics(deps, scope, query))
      const text = await readPrometheus(deps, scope)
      return { status: 200, headers: { 'content-type': PROMETHEUS_TYPE }, body: text }
    },
  }),
  defineRoute({
    id: 'billing.read',
    method: 'get',
    mounts: { '/v1/billing': 'service_role', '/api/billing': 'admin' },
    summary: "A project's plan, and what it has used this month",
    description: 'Quotas are shown and not enforced. There are no prices: nobody here sells anything.',
    query: BillingQuery,
    response: Billing,
    handle: ({ deps, query, principal }) => readBilling(deps, scopeOf(principal), query),
  }),
]
