// How much is called, with what and how fast, over time.

import type { PlatformDatabase } from '../../db/database.ts'
import { type ProjectScope, projectOf } from '../api-keys/record/project-scope.ts'
import { readUsage, type Usage } from '../usage/read-usage.ts'
import { quantileMs } from './request-batch.ts'
import type { RequestMetrics, SpanCounts } from './request-metrics.ts'
import type { Metrics } from './schemas.ts'
import { MINUTES_KEPT_SECONDS, type Span, type SpanQuery, spanOf, stepsOf } from './span.ts'

interface MetricsDeps {
  platform: Pick<PlatformDatabase, 'forReading'>
  requestMetrics: () => Pick<RequestMetrics, 'readSpan'>
  now: () => Date
}

/**
 * Requests by key, and answers by status, route and duration, in equal steps. The keys are those of the scope. Throws
 * `invalid_parameter` as `spanOf` does.
 */
export async function readMetrics(
  deps: MetricsDeps,
  scope: ProjectScope,
  query: SpanQuery,
): Promise<Metrics> {
  const now = deps.now()
  const span = spanOf(query, now)
  const [from, to] = [isoOf(span.from), isoOf(span.to)]
  const [usage, counts] = await Promise.all([
    readUsage(deps.platform, { from, to, stepSeconds: span.stepSeconds, projectId: projectOf(scope) }),
    deps.requestMetrics().readSpan(span),
  ])
  return {
    from,
    to,
    step_seconds: span.stepSeconds,
    requests: requestsOf(usage, span),
    responses: {
      minutes_kept_from: new Date(now.getTime() - MINUTES_KEPT_SECONDS * 1_000).toISOString(),
      ...responsesOf(counts, span),
    },
  }
}

function requestsOf({ steps, keys }: Usage, span: Span): Metrics['requests'] {
  const byTime = new Map(steps)
  const series = stepsOf(span).map(time => ({ time: isoOf(time), requests: byTime.get(time) ?? 0 }))
  return { total: sum(series), series, by_key: keys }
}

function responsesOf(
  { steps, routes }: SpanCounts,
  span: Span,
): Omit<Metrics['responses'], 'minutes_kept_from'> {
  const byTime = Map.groupBy(steps, ({ time }) => time)
  const series = stepsOf(span).map(time => {
    const here = byTime.get(time) ?? []
    const byStatus = Object.fromEntries(here.map(count => [`${count.class}xx`, count.requests]))
    return { time: isoOf(time), requests: sum(here), by_status: byStatus, ...quantilesOf(here) }
  })
  const byRoute = Array.from(
    Map.groupBy(routes, ({ route }) => route),
    ([route, here]) => ({
      route,
      requests: sum(here),
      client_errors: sum(here.filter(count => count.class === 4)),
      server_errors: sum(here.filter(count => count.class === 5)),
      ...quantilesOf(here),
    }),
  )
  return {
    total: sum(series),
    ...quantilesOf(steps),
    series,
    by_route: byRoute.sort((a, b) => b.requests - a.requests),
  }
}

function quantilesOf(counts: readonly { buckets: number[] }[]) {
  const buckets = counts.reduce<number[]>((sums, each) => each.buckets.map((n, i) => n + (sums[i] ?? 0)), [])
  return {
    p50_ms: quantileMs(buckets, 0.5),
    p95_ms: quantileMs(buckets, 0.95),
    p99_ms: quantileMs(buckets, 0.99),
  }
}

function sum(counts: readonly { requests: number }[]): number {
  return counts.reduce((total, { requests }) => total + requests, 0)
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
