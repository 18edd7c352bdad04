// A point in time, as people say it: "in 4 minutes". The whole of it, in the viewer's zone, on hover.

import { Tooltip } from '@cloudflare/kumo'
import { createContext, type ReactNode, use, useEffect, useState } from 'react'

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

const TICK_MS = 10_000
const Clock = createContext(new Date())

/** One clock for all of them, which ticks while somebody looks. */
export function ClockProvider({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(new Date()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <Clock value={now}>{children}</Clock>
}

/** `at` is ISO 8601 text or a Date. `withUtc`, for logs, shows the whole time in UTC beside it. */
export function Time({ at, withUtc = false }: { at: string | Date; withUtc?: boolean }) {
  // Drawn anew with each tick. The tick itself is up to ten seconds old: against it, the newest would not be the first.
  use(Clock)
  const date = typeof at === 'string' ? new Date(at) : at
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>
  const text = relativeTime(date)
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
