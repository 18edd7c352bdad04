// The charts: what was called, what was answered, how long it took. What they show is in a table under them too, for
// those who do not see them (step-table.tsx).

import { ChartPalette, cn, LayerCard } from '@cloudflare/kumo'
import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import { Outline } from '../../parts/loaded.tsx'
import { useIsDark } from '../../parts/use-is-dark.ts'
import type { Metrics } from './queries.ts'
import { answersOf, STATUS_CLASSES, totalOf } from './status-classes.ts'
import { CHART_HEIGHT_PX, type ChartLine } from './time-chart-types.ts'
import { count, milliseconds } from './words.ts'

const TimeChart = lazy(() => import('./time-chart.tsx').then(module => ({ default: module.TimeChart })))

/** What the limiters have counted reaches the database so late, at most. */
const KEYS_LATE_MS = 3 * 60_000
/** What isolates have counted is told so late. */
const ANSWERS_LATE_MS = 10_000

const QUANTILES = [
  { id: 'p50_ms', label: 'p50', colour: 0 },
  { id: 'p95_ms', label: 'p95', colour: 3 },
  { id: 'p99_ms', label: 'p99', colour: 2 },
] as const

/** `readAt`: milliseconds since 1970. */
export function Charts({ of: metrics, readAt }: { of: Metrics; readAt: number }) {
  const { requests, responses, step_seconds: seconds } = metrics
  const isDark = useIsDark()
  // ECharts draws anew for each new list.
  const lines = useMemo(() => linesOf(metrics, isDark), [metrics, isDark])
  const wholeUntil = (lateMs: number) => {
    const whole = responses.series.filter(({ time }) => Date.parse(time) + seconds * 1_000 <= readAt - lateMs)
    return Date.parse(whole.at(-1)?.time ?? metrics.from)
  }
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <Figure title="Requests with API keys" total={`${count(requests.total)} in all`}>
        <Drawn
          when={requests.total > 0}
          otherwise="No key was used in this period. The last three minutes may be missing."
        >
          <TimeChart
            lines={lines.requests}
            wholeUntil={wholeUntil(KEYS_LATE_MS)}
            isFilled
            format={count}
            isCount
            isDark={isDark}
            description={`Requests with API keys over time: ${count(requests.total)} in all. ${TABLE}`}
          />
        </Drawn>
      </Figure>
      <Figure
        title="Answers by status"
        legend={STATUS_CLASSES.map(({ id }, i) => ({
          label: id,
          value: count(totalOf(responses, id)),
          colour: lines.statuses[i]?.color,
        }))}
      >
        <Drawn when={responses.total > 0} otherwise="Nothing was answered in this period.">
          <TimeChart
            type="bar"
            lines={lines.statuses}
            format={count}
            isCount
            isDark={isDark}
            description={`Answers by status over time: ${count(responses.total)} in all. ${TABLE}`}
          />
        </Drawn>
      </Figure>
      <Figure
        title="Time to the answer"
        className="lg:col-span-2"
        legend={QUANTILES.map(({ id, label }, i) => ({
          label,
          value: milliseconds(responses[id]),
          colour: lines.durations[i]?.color,
        }))}
      >
        <Drawn
          when={(lines.durations[0]?.data.length ?? 0) > 1}
          otherwise="A line needs two steps with answers; there are fewer in this period."
        >
          <TimeChart
            lines={lines.durations}
            span={spanOf(metrics)}
            wholeUntil={wholeUntil(ANSWERS_LATE_MS)}
            format={milliseconds}
            isDark={isDark}
            description={`Milliseconds to the answer over time, as p50, p95 and p99. ${TABLE}`}
          />
        </Drawn>
      </Figure>
    </div>
  )
}

function spanOf({ responses: { series } }: Metrics): [from: number, to: number] {
  const [from, to] = [series[0], series.at(-1)].map(step => Date.parse(step?.time ?? ''))
  return [from ?? 0, to ?? 0]
}

const TABLE = 'The table “Figures of each step” under the charts has the same figures.'

function linesOf({ requests, responses }: Metrics, isDark: boolean) {
  const at = (time: string) => Date.parse(time)
  return {
    requests: [
      {
        name: 'Requests',
        color: ChartPalette.categorical(0, isDark),
        data: requests.series.map(({ time, requests: value }): [number, number] => [at(time), value]),
      },
    ],
    statuses: STATUS_CLASSES.map(({ id, colour }) => ({
      name: id,
      color: ChartPalette.semantic(colour, isDark),
      data: responses.series.map((step): [number, number] => [at(step.time), answersOf(step, id)]),
    })),
    durations: QUANTILES.map(({ id, label, colour }) => ({
      name: label,
      color: ChartPalette.categorical(colour, isDark),
      // Without answers there is no time: the line leads past such a step.
      data: responses.series.flatMap((step): [number, number][] => {
        const value = step[id]
        return value === null ? [] : [[at(step.time), value]]
      }),
    })),
  } satisfies Record<string, ChartLine[]>
}

interface LegendEntry {
  label: string
  value: string
  colour: string | undefined
}

function Figure({
  title,
  total,
  legend = [],
  className,
  children,
}: {
  title: string
  total?: string
  legend?: readonly LegendEntry[]
  className?: string
  children: ReactNode
}) {
  return (
    <LayerCard className={cn('min-w-0 p-0', className)}>
      <figure className="flex flex-col gap-1 p-4">
        <figcaption>
          <span className="font-semibold">{title}</span>
          <span className="flex flex-wrap items-baseline gap-x-5 gap-y-1 text-sm">
            {total !== undefined && <span className="text-kumo-subtle">{total}</span>}
            {legend.map(({ label, value, colour }) => (
              <span key={label} className="inline-flex items-center gap-2 whitespace-nowrap">
                <span
                  aria-hidden="true"
                  className="size-2.5 shrink-0 rounded-sm"
                  style={{ background: colour }}
                />
                <span className="text-kumo-subtle">{label}</span>
                <span className="tabular-nums">{value}</span>
              </span>
            ))}
          </span>
        </figcaption>
        {children}
      </figure>
    </LayerCard>
  )
}

function Drawn({ when, otherwise, children }: { when: boolean; otherwise: string; children: ReactNode }) {
  const outline = (
    <div style={{ height: CHART_HEIGHT_PX }}>
      <Outline rows={5} />
    </div>
  )
  if (!when) return <p className="py-6 text-kumo-subtle">{otherwise}</p>
  return <Suspense fallback={outline}>{children}</Suspense>
}
