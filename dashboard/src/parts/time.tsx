// A point in time, as people say it: "in 4 minutes". The whole of it, in the viewer's zone, on hover.

import { Tooltip } from '@cloudflare/kumo'
import { useSyncExternalStore } from 'react'

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** `in 4 minutes`, `yesterday`, `now`. */
export function relativeTime(at: Date, now = new Date()): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  // "in 1 hour" for 3 599 seconds, not "in 60 minutes".
  const reaches = (length: number, next = 1) => Math.round(Math.abs(seconds) / next) * next >= length
  const [unit, size] = UNITS.find(([, length], i) => reaches(length, UNITS[i + 1]?.[1])) ?? ['second', 1]
  return relative.format(Math.round(seconds / size), unit)
}

/** In the viewer's zone, with the zone's name. */
export function wholeTime(at: Date): string {
  return whole.format(at)
}

/** One clock for all of them, which ticks while somebody looks. */
let now = new Date()
const listeners = new Set<() => void>()
setInterval(() => {
  if (document.hidden) return
  now = new Date()
  for (const listener of listeners) listener()
}, 10_000)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `at` is ISO 8601 text or a Date. `withUtc`, for logs, shows the whole time in UTC beside it. */
export function Time({ at, withUtc = false }: { at: string | Date; withUtc?: boolean }) {
  const clock = useSyncExternalStore(subscribe, () => now)
  const date = typeof at === 'string' ? new Date(at) : at
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>
  // What happened after the clock's last tick is "now", not "in 3 seconds".
  const text = relativeTime(date, date > clock ? new Date() : clock)
  return (
    <Tooltip
      content={`${wholeTime(date)} · ${date.toISOString()}`}
      render={
        <time dateTime={date.toISOString()} className="whitespace-nowrap tabular-nums">
          {text}
          {withUtc && (
            <span className="ml-2 text-kumo-subtle">
              {date.toISOString().slice(0, 19).replace('T', ' ')} UTC
            </span>
          )}
        </time>
      }
    />
  )
}
