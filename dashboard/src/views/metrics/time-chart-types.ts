// Apart from the chart, which comes with ECharts.

export const CHART_HEIGHT_PX = 220

export interface ChartLine {
  name: string
  /** Of Kumo's palette. */
  color: string
  data: [timeMs: number, value: number][]
}
