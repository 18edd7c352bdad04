// The period in four figures.

import { LayerCard, Link } from '@cloudflare/kumo'
import { addressOf } from '../../app/address.ts'
import type { Metrics } from './queries.ts'
import { totalOf } from './status-classes.ts'
import { count, milliseconds, percent } from './words.ts'

export function Figures({ of: { from, requests, responses } }: { of: Metrics }) {
  const { total, p50_ms: p50, p95_ms: p95, p99_ms: p99 } = responses
  const failed = totalOf(responses, '5xx')
  const logOf = (status: string) => addressOf('/logs', { source: 'request', status, from })
  const keys = requests.by_key.length
  return (
    <dl aria-label="In this period" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure label="Requests with API keys" value={count(requests.total)}>
        {keys === 1 ? 'By one key' : `By ${count(keys)} keys`}
      </Figure>
      <Figure label="Answers" value={count(total)}>
        With the dashboard’s own, and refused calls
      </Figure>
      <Figure label="Failed" value={percent(failed, total)}>
        <Link href={logOf('5xx')} variant="current">
          {count(failed)} answered with 5xx
        </Link>
        ,{' '}
        <Link href={logOf('4xx')} variant="current">
          {count(totalOf(responses, '4xx'))} refused with 4xx
        </Link>
      </Figure>
      <Figure label="95 of 100 answers within" value={milliseconds(p95)}>
        Half within {milliseconds(p50)}, 99 of 100 within {milliseconds(p99)}
      </Figure>
    </dl>
  )
}

function Figure({ label, value, children }: { label: string; value: string; children: React.ReactNode }) {
  return (
    <LayerCard className="flex flex-col gap-1 p-4">
      <dt className="text-kumo-subtle">{label}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
      <dd className="text-sm text-kumo-subtle">{children}</dd>
    </LayerCard>
  )
}
