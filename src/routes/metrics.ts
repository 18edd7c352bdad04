// How much this deployment is called, with what, and how fast.

import * as z from 'zod'
import { scopeOf } from '../features/api-keys/record/project-scope.ts'
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
]
