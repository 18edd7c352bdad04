// How deliveries went over time: what was delivered stands on a line, what failed hangs below it.

import { cn } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { State } from '../../parts/state.tsx'
import { type Bar, barsOf } from './delivery-bars.ts'
import { CHART_ENTRIES, recentQuery, type Webhook } from './queries.ts'

const TIME = { hour: 'numeric', minute: '2-digit' } as const
const DAY = { month: 'short', day: 'numeric' } as const
const FORMATS = {
  minute: new Intl.DateTimeFormat(undefined, TIME),
  hour: new Intl.DateTimeFormat(undefined, { ...DAY, ...TIME }),
  day: new Intl.DateTimeFormat(undefined, DAY),
}

/** Nothing while nothing was sent: the log says so. */
export function DeliveryChart({ of: webhook }: { of: Webhook }) {
  const { data: entries = [], dataUpdatedAt } = useQuery(recentQuery(webhook.id))
  if (entries.length === 0) return null
  const { unit, bars } = barsOf(entries, new Date(dataUpdatedAt))
  const format = FORMATS[unit]
  const most = (of: 'delivered' | 'failed') => Math.max(...bars.map(bar => bar[of]))
  const percent = 100 / (most('delivered') + most('failed'))
  const line = most('delivered') * percent
  const failed = entries.filter(({ error }) => error !== null).length
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap items-center gap-x-6 gap-y-1 text-kumo-subtle">
        {entries.length < CHART_ENTRIES ? 'All attempts of the log' : `The newest ${CHART_ENTRIES} attempts`},
        by the {unit}
        <State tone="good">{entries.length - failed} delivered</State>
        <State tone="bad">{failed} failed</State>
      </figcaption>
      <ol className="flex h-20 gap-0.5">
        {bars.map(bar => (
          <li key={bar.at.getTime()} title={wordsOf(bar, format)} className="relative flex-1 bg-kumo-tint">
            <span className="sr-only">{bar.delivered + bar.failed > 0 && wordsOf(bar, format)}</span>
            <span
              className={cn('absolute inset-x-0 bg-kumo-success', bar.delivered > 0 && 'min-h-0.5')}
              style={{ bottom: `${100 - line}%`, height: `${bar.delivered * percent}%` }}
            />
            <span
              className={cn('absolute inset-x-0 bg-kumo-danger', bar.failed > 0 && 'min-h-0.5')}
              style={{ top: `${line}%`, height: `${bar.failed * percent}%` }}
            />
          </li>
        ))}
      </ol>
      <p aria-hidden="true" className="flex justify-between text-xs text-kumo-subtle">
        <span>{bars[0] && format.format(bars[0].at)}</span>
        <span>now</span>
      </p>
    </figure>
  )
}

function wordsOf({ at, delivered, failed }: Bar, format: Intl.DateTimeFormat): string {
  return `${format.format(at)}: ${delivered} delivered, ${failed} failed`
}
