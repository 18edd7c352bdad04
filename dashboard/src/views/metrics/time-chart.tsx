// Kumo's chart over time with ECharts, of which it gets the parts that it uses. Loaded by charts.tsx alone.

import { TimeseriesChart } from '@cloudflare/kumo'
import { BarChart, LineChart } from 'echarts/charts'
import {
  AriaComponent,
  BrushComponent,
  GridComponent,
  ToolboxComponent,
  TooltipComponent,
} from 'echarts/components'
import * as echarts from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { CHART_HEIGHT_PX, type ChartLine } from './time-chart-types.ts'

// Brush and toolbox are in each of Kumo's charts, used or not.
echarts.use([
  AriaComponent,
  BarChart,
  BrushComponent,
  CanvasRenderer,
  GridComponent,
  LineChart,
  ToolboxComponent,
  TooltipComponent,
])

/** A dashed end is a line of its own, which may be gone by the next time. */
const UPDATE = { replaceMerge: ['series'] }

/**
 * `span` and `wholeUntil` are milliseconds since 1970: what the axis shows also where a line has no points, and where a
 * line becomes dashed, as not all is counted yet. `description` is said to those who do not see the chart.
 */
export function TimeChart({
  type = 'line',
  lines,
  span,
  wholeUntil,
  isFilled = false,
  isCount = false,
  format,
  isDark,
  description,
}: {
  type?: 'line' | 'bar'
  lines: ChartLine[]
  span?: [from: number, to: number]
  wholeUntil?: number
  isFilled?: boolean
  isCount?: boolean
  format: (value: number) => string
  isDark: boolean
  description: string
}) {
  const [from, to] = span ?? []
  const chart = useRef<echarts.ECharts>(null)
  // Kumo's chart has no switch for these. One that is read again and again must not move; a new theme is a new chart.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const xAxis = { min: from, max: to, axisLabel: { hideOverlap: true } }
    chart.current?.setOption({ animation: false, xAxis })
  }, [from, to, isDark])
  return (
    <TimeseriesChart
      // Kumo's goes on to size the chart of the theme before.
      key={String(isDark)}
      ref={chart}
      echarts={echarts}
      type={type}
      data={lines}
      height={CHART_HEIGHT_PX}
      gradient={isFilled}
      isDarkMode={isDark}
      yAxisTickFormat={format}
      yAxisTickCount={4}
      {...(isCount ? { yAxisMinInterval: 1 } : {})}
      tooltipValueFormat={format}
      {...(wholeUntil === undefined ? {} : { incomplete: { after: wholeUntil } })}
      ariaDescription={description}
      optionUpdateBehavior={UPDATE}
    />
  )
}
