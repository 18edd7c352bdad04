// How deliveries went in the last 24 hours: what was delivered stands on a line, what failed hangs below it. Drawn by
// hand, as a chart library would be 175 KB (gzipped) for 24 bars.

import { cn } from '@cloudflare/kumo'
import { State } from '../../parts/state.tsx'
import type { WebhookWithWaiting } from './queries.ts'

type Hour = WebhookWithWaiting['statistics']['hours'][number]

/** The server counts no more. */
const ATTEMPTS_MAX = 1_000

const count = (value: number) => value.toLocaleString('en')

/** Nothing while nothing was sent. What a bar says is in the list under them, for touch, keys and screen readers. */
export function DeliveryChart({ of: { statistics } }: { of: WebhookWithWaiting }) {
  const { attempts, succeeded, failed, hours } = statistics
  if (attempts === 0) return null
  const most = (of: keyof Hour) => Math.max(...hours.map(hour => hour[of]))
  const percent = 100 / (most('succeeded') + most('failed'))
  const line = most('succeeded') * percent
  const bars = hours.map((hour, i) => ({ ...hour, hoursAgo: hours.length - 1 - i }))
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap items-center gap-x-6 gap-y-1 text-kumo-subtle">
        {attempts < ATTEMPTS_MAX
          ? 'Attempts of the last 24 hours'
          : `The newest ${count(ATTEMPTS_MAX)} attempts of the last 24 hours`}
        <State tone="good">{count(succeeded)} delivered</State>
        <State tone="bad">{count(failed)} failed</State>
      </figcaption>
      <div aria-hidden="true" className="flex h-20 gap-0.5">
        {bars.map(bar => (
          <div key={bar.hoursAgo} title={wordsOf(bar)} className="relative flex-1 bg-kumo-tint">
            <span
              className={cn('absolute inset-x-0 bg-kumo-success', bar.succeeded > 0 && 'min-h-0.5')}
              style={{ bottom: `${100 - line}%`, height: `${bar.succeeded * percent}%` }}
            />
            <span
              className={cn('absolute inset-x-0 bg-kumo-danger', bar.failed > 0 && 'min-h-0.5')}
              style={{ top: `${line}%`, height: `${bar.failed * percent}%` }}
            />
          </div>
        ))}
      </div>
      <p aria-hidden="true" className="flex justify-between text-xs text-kumo-subtle">
        <span>24 hours ago</span>
        <span>now</span>
      </p>
      <details>
        <summary className="cursor-pointer text-kumo-subtle">By the hour</summary>
        <ul className="mt-2 columns-xs">
          {bars
            .filter(({ succeeded, failed }) => succeeded + failed > 0)
            .reverse()
            .map(bar => (
              <li key={bar.hoursAgo}>{wordsOf(bar)}</li>
            ))}
        </ul>
      </details>
    </figure>
  )
}

function wordsOf({ hoursAgo, succeeded, failed }: Hour & { hoursAgo: number }): string {
  const when = hoursAgo === 0 ? 'Within the last hour' : `${hoursAgo} to ${hoursAgo + 1} hours ago`
  return `${when}: ${count(succeeded)} delivered, ${count(failed)} failed`
}
